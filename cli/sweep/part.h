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

/// The file that stores the points of a sweep while it runs, so that the sweep can be resumed after a kill. The file
/// that a shard writes for --merge has the same form. The file contains the sweep's head, then one line for each point
/// in the order in which they were finished.
namespace stepsim::cli {

/// A file to which whole texts are appended. After append() has returned, its text survives a kill or a power failure.
/// A kill or a full disk can truncate only the last text; the reader detects this, because the line is incomplete.
///
/// The file is locked while it is open, so that two processes never write to it. Failures are OutputErrors with path
/// and reason. SIGXFSZ must be ignored (cli/program/process.cpp does this).
class AppendFile {
 public:
  /// Opens the file, or creates it. Throws OutputError, also if it is not a regular file or if another process has it
  /// open.
  explicit AppendFile(std::string path);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Returns the whole content. Throws InputError if it has more than `largest` bytes.
  [[nodiscard]] std::string read(std::size_t largest) const;
  /// Truncates the file to `size` bytes.
  void cut(std::uint64_t size);
  void append(std::string_view text);

 private:
  void check_and_lock() const;
  [[noreturn]] void fail(int error_number) const;

  std::string path_;
  int descriptor_ = -1;
};

// Lines of JSON with a checksum: {"line":"input","values":["a.json","12"],"crc64":"0123456789abcdef"}. The first field
// is the kind of line, the others are its values. The checksum, CRC-64 of ECMA-182, covers everything before the comma
// in front of it. A byte that is not UTF-8 is written as U+FFFD.

using Fields = std::vector<std::string>;

/// Returns the line for `fields`, with its checksum and its newline.
[[nodiscard]] std::string sealed(const Fields& fields);
/// Returns the fields of a line without its newline; nothing if the line is damaged.
[[nodiscard]] std::optional<Fields> unsealed(std::string_view line);

/// Returns a line without its newline, given everything that the checksum covers.
[[nodiscard]] std::string with_seal(std::string_view text);

/// The complete lines at the beginning of a text.
struct SealedLines {
  std::vector<Fields> lines;
  std::size_t bytes = 0;  ///< total size of these lines
  bool cut = false;       ///< one more line follows and is damaged or unfinished
  bool damaged = false;   ///< more than one line follows, so the damage was not caused by a kill
};
/// Reads the lines of a text up to the first damaged or unfinished one.
[[nodiscard]] SealedLines read_sealed(std::string_view text);

constexpr std::size_t kMostShards = 1'000'000;

/// The share of one of several processes that predict the points of a sweep.
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;
  std::string from;  ///< the environment variables that defined it; empty for --shard or if there is none

  /// Returns the numbers of the points of this share (shard_of()), in order. O(points).
  [[nodiscard]] std::vector<std::size_t> deal(const scenarios::Points& points) const;
  /// Returns "1/4".
  [[nodiscard]] std::string to_text() const;
};

/// Returns which of `shards` shares a point belongs to. Shares have the same number of points, give or take one, and
/// the points of a value of an axis are divided about as evenly, because such points often take equally long.
[[nodiscard]] std::size_t shard_of(const scenarios::Points& points, std::size_t point, std::size_t shards);

/// Parses "I/N", where I counts from 0. Throws UsageError.
[[nodiscard]] Shard parse_shard(std::string_view text);

/// Returns the shard that environment variables describe. Uses the first launcher whose variables are set: mpirun
/// (OMPI_COMM_WORLD_RANK and _SIZE, PMI_RANK and _SIZE), srun (SLURM_PROCID and SLURM_NTASKS) or a Kubernetes job
/// (JOB_COMPLETION_INDEX and JOB_COMPLETIONS). If there is no launcher, each task of a Slurm array is a shard; the ids
/// of the tasks may begin anywhere but must be evenly spaced. A launcher may also run inside a task of such an array.
/// Without any variables, returns one shard with all points. Throws UsageError if the variables contradict each other.
using Environment = std::function<const char*(const char* name)>;
[[nodiscard]] Shard shard_of_environment(const Environment& get);

using scenarios::SweepHead;

/// Returns the first lines of a part (the file of one shard): the sweep's head, which contains everything except the
/// outcomes of points. Line 1 contains the kind of file and its version, the last line the shard. All other lines are
/// the same in all parts of one sweep.
[[nodiscard]] std::vector<Fields> head_lines(const SweepHead& head, const Shard& shard);

struct HeadRead {
  SweepHead head;
  Shard shard;
  std::size_t lines = 0;  ///< number of lines in the head
};
/// Parses the head lines at the beginning of a part. Throws InputError, which names `path` and the line.
[[nodiscard]] HeadRead read_head(std::span<const Fields> lines, const std::string& path);

/// Compares the head lines of two parts. Returns a description of the first difference: "its input 'a.json 12 bytes'".
/// Empty if both parts belong to one sweep.
[[nodiscard]] std::string difference(std::span<const Fields> a, std::span<const Fields> b);

/// True if `fields` is the last head line of a part.
[[nodiscard]] bool is_last_of_head(const Fields& fields);

/// Returns the line for a point and its outcome. The lines of points follow the head.
[[nodiscard]] Fields point_line(std::size_t point, const scenarios::Outcome& outcome);

/// The content of a line about one point.
struct PointLine {
  std::size_t point = 0;
  scenarios::Outcome outcome;
};
/// Parses the line of a point. On failure throws InputError, which names `path` and the line `number`.
[[nodiscard]] PointLine read_point_line(const Fields& fields, const std::string& path, std::size_t number);

/// True if the text begins like the file of a part. The rest of the text may be damaged.
[[nodiscard]] bool begins_like_a_part(std::string_view text);

/// Throws InputError if `text` is a part from an old version of stepsim, whose lines are not JSON objects.
void refuse_old_part(std::string_view text, const std::string& path);

// Reading and writing parts. A part is the file in which one shard stores its points (see the top of this file).

using scenarios::SweepAnswer;
using scenarios::SweepHead;

/// The content of a part, the file in which one shard of a sweep stores its points.
struct SweepPart {
  std::string path;
  SweepHead head;
  Shard shard;
  std::vector<std::pair<std::size_t, scenarios::Outcome>> done;
  bool cut = false;  ///< the last line was incomplete and is not in `done`
};

/// Reads the part at `path`. Throws InputError if the file is not a part, is damaged, or has another version.
[[nodiscard]] SweepPart read_part(const std::string& path);
/// Parses `text`, the content of a part. Throws like read_part(); messages call the file `path`.
[[nodiscard]] SweepPart parse_part(std::string_view text, const std::string& path);

/// Merges all parts of one sweep, in any order. Throws InputError if a part belongs to another sweep, or if two parts
/// have different outcomes for a point. If points are missing, throws InputError, which names them and their shards.
[[nodiscard]] SweepAnswer merged(const std::vector<SweepPart>& parts);

/// Writes the file in which a sweep, or one shard of it, stores its finished points.
class SweepJournal {
 public:
  /// Opens the file, or creates it. Without `resume` it starts a new file, and an existing one must not contain points
  /// or other data. Throws InputError if an existing file contains such data, is damaged, or belongs to another sweep.
  /// Throws OutputError if the file cannot be written.
  SweepJournal(const std::string& path, const SweepHead& head, const Shard& shard, bool resume);

  /// The points that the file contained when it was opened.
  [[nodiscard]] const std::vector<std::pair<std::size_t, scenarios::Outcome>>& done() const noexcept { return done_; }
  /// True if the file ended with an incomplete line, caused by a kill; the line was dropped.
  [[nodiscard]] bool dropped() const noexcept { return dropped_; }
  [[nodiscard]] const std::string& path() const noexcept { return file_.path(); }
  /// Adds a point. The point is on disk when this returns. Throws OutputError.
  void add(std::size_t point, const scenarios::Outcome& outcome);

 private:
  void go_on(std::string_view text, const std::vector<Fields>& head, const scenarios::Points& points);

  AppendFile file_;
  std::vector<std::pair<std::size_t, scenarios::Outcome>> done_;
  bool dropped_ = false;
};

}  // namespace stepsim::cli

#endif
