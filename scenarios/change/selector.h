#ifndef STEPSIM_SCENARIOS_CHANGE_SELECTOR_H
#define STEPSIM_SCENARIOS_CHANGE_SELECTOR_H

#include <algorithm>
#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/yaml.h"
#include "model/base/yaml_keys.h"
#include "model/job/recording.h"

namespace stepsim::scenarios {

/// A set of ranks, stored as ranges.
class RankSet {
 public:
  using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;  ///< first and last rank

  RankSet() = default;
  explicit RankSet(Ranges ranges) : ranges_(std::move(ranges)) {}
  /// Returns the set of all ranks.
  [[nodiscard]] static RankSet all() { return RankSet({{0, std::numeric_limits<std::int64_t>::max()}}); }

  void add(const RankSet& other) { ranges_.insert(ranges_.end(), other.ranges_.begin(), other.ranges_.end()); }
  [[nodiscard]] bool contains(Rank rank) const noexcept { return any_holds(ranges_, rank); }
  /// True if one of the ranges includes `number`.
  [[nodiscard]] static bool any_holds(const Ranges& ranges, std::int64_t number) noexcept {
    return std::any_of(ranges.begin(), ranges.end(),
                       [number](const auto& range) { return range.first <= number && number <= range.second; });
  }

  friend auto operator<=>(const RankSet& a, const RankSet& b) = default;

 private:
  Ranges ranges_;
};

/// Selects the tasks that a change applies to. A task must meet every key that is given:
///
/// | key    | selects a task if                                                                |
/// |--------|----------------------------------------------------------------------------------|
/// | rank   | its rank is in the list "0,2,4-7", or [0, 2, "4-7"]                              |
/// | worker | it runs on one of these workers (its rank divided by local_size), not on a server |
/// | host   | its host has this name                                                           |
/// | device | it runs on this device of its host                                               |
/// | stream | it runs on this stream                                                           |
/// | step   | it belongs to one of these steps, as the trace numbers them                      |
/// | kind   | it is a host, runtime, kernel, copy, memset, collective, transfer, operator, server or control task |
/// | class  | it is device work of this class: gemm, convolution, attention, ... (model/job/kernel_class.h) |
/// | operator | it is device work, launched by an operator whose name this regular expression matches |
/// | annotation | it is device work, launched inside an annotation that this expression matches |
/// | module | it is device work, launched in the forward pass of a module (nn.Module) that matches |
/// | layer  | its name is FW.NAME, BW.NAME or UPDATE.NAME                                      |
/// | name   | this regular expression (RE2: linear in the name) matches somewhere in its name   |
/// | bytes  | it moves this many bytes: "1MB-4MB", ">=1MB", "<1MB", "4MB"                       |
class Selector {
 public:
  /// Selects every task. Use it only for captures that are known to have tasks, because errors of such a selector have
  /// no place in a file to point to.
  Selector() = default;
  /// Returns a selector of every task. Errors point to `place`, the change that has no selection.
  [[nodiscard]] static Selector of_all(const YamlField& place);
  /// Parses `{worker: 1, name: "BW\\..*"}`. Throws InputError.
  explicit Selector(const YamlField& map);
  /// Returns the keys of a selector and their values.
  [[nodiscard]] static YamlType type();

  [[nodiscard]] bool is_all() const noexcept { return tests_.empty(); }
  /// True if the selector selects by what a task does (kind, class, operator, annotation, module, layer or name). False
  /// if it selects only by place, time or size.
  [[nodiscard]] bool selects_work() const noexcept { return selects_work_; }
  /// Returns the ranks that the keys `rank` and `worker` name, where a worker is `gpus` ranks; none without these keys.
  [[nodiscard]] RankSet named_ranks(std::uint32_t gpus) const;
  /// Returns the selected tasks in ascending order. If there are none, throws InputError at the selector and lists what
  /// could be selected. O(tasks).
  [[nodiscard]] std::vector<TaskId> select(const Capture& capture) const;
  /// Throws InputError at the selector: "{worker=1} matches PROBLEM; expected ...", with what could be selected. A
  /// selector of every task throws CannotAnswer at the change.
  [[noreturn]] void fail(const Capture& capture, std::string_view problem) const;
  /// Returns "{worker=1,name=BW.*}"; empty for every task.
  [[nodiscard]] const std::string& to_text() const noexcept { return text_; }
  /// The keys with the scalars of their values.
  using Values = std::vector<std::pair<std::string_view, std::vector<std::string>>>;
  /// Selectors with equal values select the same tasks. Their texts do not tell that: a name can contain ",rank=1".
  [[nodiscard]] const Values& values() const noexcept { return values_; }

 private:
  /// Tests whether a task is selected. It is created once for a capture, then called for every task.
  using Test = std::function<bool(TaskId task)>;
  using TestFor = std::function<Test(const Capture& capture)>;

  std::vector<TestFor> tests_;
  Values values_;
  std::string text_;
  std::string typed_;  ///< the names in the selector, for hints
  bool selects_work_ = false;
  RankSet::Ranges ranks_;    ///< of the key `rank`
  RankSet::Ranges workers_;  ///< of the key `worker`
  YamlField place_;          ///< place of the selector, or of its change
};

/// Calls selector.select(capture). This is the argument of selected_by() for what-ifs that apply to all selected tasks.
[[nodiscard]] inline std::vector<TaskId> selected_tasks(const Selector& selector, const Capture& capture) {
  return selector.select(capture);
}

/// Returns up to `most` names of the capture's tasks, operators and annotations that a user who typed `pattern` may
/// have meant. These are the names that contain the rarest word of the pattern, or the word with the most similar
/// spelling, ignoring case. O(length of all names * length of the pattern).
[[nodiscard]] std::vector<std::string> similar_names(std::string_view pattern, const Capture& capture,
                                                     std::size_t most);

}  // namespace stepsim::scenarios

#endif
