#ifndef STEPSIM_SCENARIOS_CHANGE_SELECTOR_H
#define STEPSIM_SCENARIOS_CHANGE_SELECTOR_H

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/yaml_value.h"
#include "model/job/recording.h"

namespace stepsim::scenarios {

/// Which tasks a change is for. Every key that is given must hold:
///
/// | key    | a task is meant if                                                               |
/// |--------|----------------------------------------------------------------------------------|
/// | rank   | its rank is in the list "0,2,4-7"                                                |
/// | worker | it runs on one of these workers (a rank's, divided by local_size); no server     |
/// | host   | its host has this name                                                           |
/// | device | it runs on this device of its host                                               |
/// | stream | it runs on this stream                                                           |
/// | step   | it belongs to one of these steps, by the trace's numbers                         |
/// | kind   | it is a host, runtime, kernel, copy, memset, collective, transfer, operator, server or control task |
/// | layer  | its name is FW.NAME, BW.NAME or UPDATE.NAME                                      |
/// | name   | this regular expression (RE2: linear in the name) matches somewhere in its name   |
/// | bytes  | it moves as many bytes: "1MB-4MB", ">=1MB", "<1MB", "4MB"                         |
class Selector {
 public:
  /// Every task of captures that are known to have some.
  Selector() = default;
  /// Every task, as a change means them that stands at `place` and does not select.
  [[nodiscard]] static Selector of_all(const YamlField& place);
  /// Reads `{worker: 1, name: "BW\\..*"}`. Throws InputError.
  explicit Selector(const YamlField& map);

  [[nodiscard]] bool is_all() const noexcept { return tests_.empty(); }
  /// Whether it says what is meant (kind, layer or name) and not only where and when.
  [[nodiscard]] bool says_what() const noexcept { return says_what_; }
  /// The tasks that are meant, ascending. Throws InputError (at the selector) if none is, with
  /// what there is. O(tasks).
  [[nodiscard]] std::vector<TaskId> select(const Capture& capture) const;
  /// Throws InputError at the selector: "{worker=1} matches PROBLEM; expected ...", with what there
  /// is; at the change if every task was meant.
  [[noreturn]] void fail(const Capture& capture, std::string_view problem) const;
  /// "{worker=1,name=BW.*}", or nothing for every task.
  [[nodiscard]] const std::string& to_text() const noexcept { return text_; }

 private:
  /// Made once for a capture, then asked for every task.
  using Test = std::function<bool(TaskId task)>;
  using TestFor = std::function<Test(const Capture& capture)>;

  std::vector<TestFor> tests_;
  std::string text_;
  bool says_what_ = false;
  YamlField place_;  ///< of what selects
};

}  // namespace stepsim::scenarios

#endif
