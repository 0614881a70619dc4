#ifndef STEPSIM_CLI_SWEEP_PART_H
#define STEPSIM_CLI_SWEEP_PART_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/answer/sweep.h"

/// The file that keeps the points of a sweep while it runs, so that it can be resumed after a kill. A shard leaves one
/// for --merge. It holds the sweep's head, then one line for each point in the order in which they were done.
namespace stepsim::cli {

/// A file to which whole texts are appended. Once append() has returned, its text survives a kill and a
/// power cut. A kill or a full disk may cut the last text only; the reader notices (a line without its
/// end).
///
/// The file is locked while it is open, so that two processes never write to it. Failures are
/// OutputErrors with path and reason. SIGXFSZ must be ignored (cli/program/process.cpp does that).
class AppendFile {
 public:
  /// Opens the file, or creates it. Throws OutputError, also if it is no regular file or another process has it open.
  explicit AppendFile(std::string path);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// The whole content. Throws InputError if that is more than `largest` bytes.
  [[nodiscard]] std::string read(std::size_t largest) const;
  /// Cuts the file after `size` bytes.
  void cut(std::uint64_t size);
  void append(std::string_view text);

 private:
  void check_and_lock() const;
  [[noreturn]] void fail(int error_number) const;

  std::string path_;
  int descriptor_ = -1;
};

// JSON lines with a checksum: each line is an array of strings, ["FIELD","FIELD","CRC64"]. The checksum, CRC-64 of
// ECMA-182 as 16 hexadecimal digits, covers everything before the comma in front of it. A byte that is not UTF-8 is
// written as half a surrogate pair, \udc80 to \udcff, as Python does it (PEP 383), so that any field comes back as it
// was.

using Fields = std::vector<std::string>;

/// The line, with its new line.
[[nodiscard]] std::string sealed(const Fields& fields);
/// The fields of a line without its new line; nothing if the line is damaged.
[[nodiscard]] std::optional<Fields> unsealed(std::string_view line);

/// The fields of a line up to the comma in front of its checksum; nothing if that is not how sealed() writes them.
[[nodiscard]] std::optional<Fields> fields_of(std::string_view text);

/// The whole lines at the beginning of a text.
struct SealedLines {
  std::vector<Fields> lines;
  std::size_t bytes = 0;  ///< how many those lines take
  bool cut = false;       ///< one more line follows and is damaged or unfinished
  bool damaged = false;   ///< more than one line follows, so it was not a kill that damaged it
};
/// Stops at the first damaged line.
[[nodiscard]] SealedLines read_sealed(std::string_view text);

constexpr std::size_t kMostShards = 1'000'000;

/// One of several processes that share the points of a sweep: those whose number, modulo
/// `count`, is `index`.
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;
  std::string from;  ///< the environment variables it was read from; empty for --shard or if there is none

  [[nodiscard]] std::vector<std::size_t> deal(std::size_t points) const;
  /// "1/4"
  [[nodiscard]] std::string to_text() const;
};

/// "I/N", I from 0. Throws UsageError.
[[nodiscard]] Shard parse_shard(std::string_view text);

/// The shard that a launcher's environment variables describe. The process of mpirun
/// (OMPI_COMM_WORLD_RANK and _SIZE, PMI_RANK and _SIZE), of srun (SLURM_PROCID and SLURM_NTASKS) or of a
/// Kubernetes job (JOB_COMPLETION_INDEX and JOB_COMPLETIONS): the first of these that is set, as the
/// innermost launcher. Around it, or alone, the task of a Slurm array, whose ids may begin anywhere and
/// be any equal distance apart. Without any, one shard with all points. Throws UsageError if the
/// variables contradict each other.
using Environment = std::function<const char*(const char* name)>;
[[nodiscard]] Shard shard_of_environment(const Environment& get);

using scenarios::SweepHead;

/// A sweep's head as lines of a part's file. The first line names the kind of file and its version, the
/// last the shard. All other lines are the same in all parts of one sweep.
[[nodiscard]] std::vector<Fields> head_lines(const SweepHead& head, const Shard& shard);

struct HeadRead {
  SweepHead head;
  Shard shard;
  std::size_t lines = 0;  ///< how many lines the head takes
};
/// Throws InputError (at `path` and line).
[[nodiscard]] HeadRead read_head(std::span<const Fields> lines, const std::string& path);

/// The first line that `b` lacks, in words: "its input 'a.json 12 bytes'". Empty if both are heads of one
/// sweep.
[[nodiscard]] std::string difference(std::span<const Fields> a, std::span<const Fields> b);

/// Whether a line is the head's last.
[[nodiscard]] bool is_last_of_head(const Fields& fields);

/// The line of a point. Such lines follow those of the head.
[[nodiscard]] Fields point_line(std::size_t point, const scenarios::Outcome& outcome);

/// What such a line says.
struct PointLine {
  std::size_t point = 0;
  scenarios::Outcome outcome;
};
/// Throws InputError at `path` and line `number`.
[[nodiscard]] PointLine read_point_line(const Fields& fields, const std::string& path, std::size_t number);

/// Whether a text, whole or damaged, is the file of a part.
[[nodiscard]] bool begins_like_a_part(std::string_view text);

/// Throws InputError for a part that a version before JSON lines wrote.
void refuse_old_part(std::string_view text, const std::string& path);

// The file that keeps the points of a sweep while it runs, so that it can be resumed after a kill. A
// shard leaves one for --merge. It holds the sweep's head, then one line for each point in the order in
// which they were done. Every line is JSON with a checksum
// (cli/sweep/part.h).

using scenarios::SweepAnswer;
using scenarios::SweepHead;

/// The content of such a file.
struct SweepPart {
  std::string path;
  SweepHead head;
  Shard shard;
  std::vector<std::pair<std::size_t, scenarios::Outcome>> done;
  bool cut = false;  ///< the last line was not whole, and is not in `done`
};

/// Throws InputError if the file is something else, damaged, or of another version.
[[nodiscard]] SweepPart read_part(const std::string& path);
/// The same of a file's text. `path` stands for it in messages.
[[nodiscard]] SweepPart parse_part(std::string_view text, const std::string& path);

/// The answer made of all parts of one sweep, in any order. Throws InputError if a part is of another
/// sweep, if two parts disagree about a point, or if points are missing; it names these and their shards.
[[nodiscard]] SweepAnswer merged(const std::vector<SweepPart>& parts);

/// Writes such a file.
class SweepJournal {
 public:
  /// Opens the file, or creates it. Without `resume` it begins anew: then the file may hold no point yet and nothing
  /// else. Throws InputError if it does, and if it is damaged or of another sweep; OutputError.
  SweepJournal(const std::string& path, const SweepHead& head, const Shard& shard, bool resume);

  /// The points that the file held when it was opened.
  [[nodiscard]] const std::vector<std::pair<std::size_t, scenarios::Outcome>>& done() const noexcept { return done_; }
  /// Whether the file ended with a line that a kill had cut; it was dropped.
  [[nodiscard]] bool dropped() const noexcept { return dropped_; }
  [[nodiscard]] const std::string& path() const noexcept { return file_.path(); }
  /// The point is on disk when this returns. Throws OutputError.
  void add(std::size_t point, const scenarios::Outcome& outcome);

 private:
  void go_on(std::string_view text, const std::vector<Fields>& head, const scenarios::Points& points);

  AppendFile file_;
  std::vector<std::pair<std::size_t, scenarios::Outcome>> done_;
  bool dropped_ = false;
};

}  // namespace stepsim::cli

#endif
