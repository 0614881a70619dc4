#ifndef STEPSIM_CLI_SWEEP_PART_H
#define STEPSIM_CLI_SWEEP_PART_H

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/sweep/append_file.h"
#include "cli/sweep/sealed_lines.h"
#include "cli/sweep/shard.h"
#include "scenarios/answer/sweep_answer.h"

/// The file that keeps the points of a sweep while it runs, so that it can be resumed after a kill. A
/// shard leaves one for --merge. It holds the sweep's head, then one line for each point in the order in
/// which they were done. Every line is JSON with a checksum
/// (cli/sweep/sealed_lines.h).
namespace stepsim::cli {

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
  /// Opens or creates the file. Without `resume` it begins anew: then the file may hold no point yet and nothing else.
  /// Throws InputError if it does, and if it is damaged or of another sweep; OutputError.
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
