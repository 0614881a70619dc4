#ifndef STEPSIM_CLI_SWEEP_PART_H
#define STEPSIM_CLI_SWEEP_PART_H

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cli/sweep/append_file.h"
#include "cli/sweep/sealed_lines.h"
#include "cli/sweep/shard.h"
#include "scenarios/answer/sweep_answer.h"

/// The file in which a sweep keeps what it has done, so that it can go on after a kill, and that
/// shards leave for --merge: the sweep's head, then a line a point, in the order in which they
/// were done; every line with its checksum (cli/sweep/sealed_lines.h).
namespace stepsim::cli {

using scenarios::SweepAnswer;
using scenarios::SweepHead;

/// What such a file says.
struct SweepPart {
  std::string path;
  SweepHead head;
  Shard shard;
  std::vector<std::pair<std::size_t, scenarios::Outcome>> done;
  bool cut = false;  ///< the last line was not whole, and is not in `done`
};

/// Throws InputError: not such a file, damaged, or of another version.
[[nodiscard]] SweepPart read_part(const std::string& path);

/// One answer of the parts of one sweep, whatever their order. Throws InputError where one is of
/// another sweep or two say different things of a point, and where points are missing, with
/// the shards and the points that are.
[[nodiscard]] SweepAnswer merged(const std::vector<SweepPart>& parts);

/// Such a file while it is written.
class SweepJournal {
 public:
  /// Opens or makes it; begins anew unless `resume`. Throws InputError if it is another sweep's
  /// or damaged, OutputError.
  SweepJournal(const std::string& path, const SweepHead& head, const Shard& shard, bool resume);

  /// What was done before.
  [[nodiscard]] const std::vector<std::pair<std::size_t, scenarios::Outcome>>& done() const noexcept { return done_; }
  /// A last line that a kill cut has been dropped.
  [[nodiscard]] bool dropped() const noexcept { return dropped_; }
  [[nodiscard]] const std::string& path() const noexcept { return file_.path(); }
  /// On disk when it returns. Throws OutputError.
  void add(std::size_t point, const scenarios::Outcome& outcome);

 private:
  void go_on(std::string_view text, const std::vector<Fields>& head, std::size_t points);

  AppendFile file_;
  std::vector<std::pair<std::size_t, scenarios::Outcome>> done_;
  bool dropped_ = false;
};

}  // namespace stepsim::cli

#endif
