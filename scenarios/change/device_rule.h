#ifndef STEPSIM_SCENARIOS_CHANGE_DEVICE_RULE_H
#define STEPSIM_SCENARIOS_CHANGE_DEVICE_RULE_H

#include <string>
#include <string_view>
#include <vector>

#include "model/cost/device/device_work.h"
#include "model/cost/device/roofline.h"
#include "scenarios/change/what_if.h"

namespace stepsim::scenarios {

/// A change of selected device work: how it changes each piece, and the new duration. Rules are immutable, so
/// predictions on several threads can share them.
class DeviceRule {
 public:
  /// `value` is the parameter that requests the rule; errors point to it. `kept` describes which device work the rule
  /// does not change, and why. It is empty for a rule that only describes the captured work.
  DeviceRule(const Change& change, YamlField value, const Plan& plan, std::string_view kept);
  virtual ~DeviceRule() = default;
  DeviceRule(const DeviceRule&) = delete;
  DeviceRule& operator=(const DeviceRule&) = delete;

  [[nodiscard]] const std::string& change() const noexcept { return change_; }  ///< "device.to=H100"
  [[nodiscard]] const std::string& kept() const noexcept { return kept_; }

  /// Changes the selected pieces and their durations. `pieces` is the device work of `capture` after earlier rules.
  /// `durations` are indexed by TaskId and include earlier changes. Returns which share of device work was scaled how.
  /// `side` is as for rescale(). Throws InputError at the value if the capture lacks data that the rule needs.
  ScaledShare apply(const Capture& capture, DevicePieces& pieces, std::vector<Duration>& durations, double side) const;

 protected:
  [[nodiscard]] const YamlField& value() const noexcept { return value_; }

 private:
  /// Throws if the rule cannot be applied to `pieces`. These are all pieces of a graph.
  virtual void check(const DevicePieces& pieces) const;
  /// Returns the changed piece.
  [[nodiscard]] virtual DeviceWork changed(const DeviceWork& piece) const = 0;
  /// Returns the duration of a changed piece. By default, the result is roofline's estimate, or the same duration if
  /// the piece did not change.
  [[nodiscard]] virtual Scaled time(const DeviceWork& before, const DeviceWork& after) const;

  std::string change_;
  Selector selector_;
  YamlField value_;
  std::string kept_;
  std::string captured_device_;  ///< explains why the device of a piece may be unknown
};

/// Returns the selected kernels, copies and memsets in ascending order; may be empty. Throws what Selector::select()
/// throws.
[[nodiscard]] std::vector<TaskId> selected_device_work(const Selector& selector, const Capture& capture);

/// Throws InputError at `value` if the capture has no kernels, because its operators are not only device work.
void require_kernels(const Plan& plan, const YamlField& value);

}  // namespace stepsim::scenarios

#endif
