#ifndef STEPSIM_SCENARIOS_CHANGE_DEVICE_RULE_H
#define STEPSIM_SCENARIOS_CHANGE_DEVICE_RULE_H

#include <string>
#include <string_view>
#include <vector>

#include "model/cost/device/device_work.h"
#include "model/cost/device/roofline.h"
#include "scenarios/change/what_if.h"

namespace stepsim::scenarios {

/// A change of selected device work, such as another precision. For each piece of device work (a kernel, copy or
/// memset), it computes the changed piece and its new duration. Rules are immutable, so predictions on several threads
/// can share them.
class DeviceRule {
 public:
  /// `value` is the parameter of `change` that requests the rule; errors point to it. `kept` describes the device work
  /// that the rule does not change. It is empty for a rule that only adds facts about the captured work.
  DeviceRule(const Change& change, YamlField value, const Plan& plan, std::string_view kept);
  /// A rule of several changes that select no work.
  DeviceRule(std::string changes, YamlField value, const Plan& plan, std::string_view kept);
  virtual ~DeviceRule() = default;
  DeviceRule(const DeviceRule&) = delete;
  DeviceRule& operator=(const DeviceRule&) = delete;

  [[nodiscard]] const std::string& change() const noexcept { return change_; }  ///< "device.to=H100"
  [[nodiscard]] const std::string& kept() const noexcept { return kept_; }

  /// Changes the selected pieces and their durations. `pieces` is the device work of `capture` after earlier rules.
  /// `durations` are indexed by TaskId and include earlier changes. `side` has the same meaning as in rescale().
  /// Returns how much device work was scaled, and by which method. Throws InputError at the parameter if the capture
  /// lacks data that the rule needs.
  ScaledShare apply(const Capture& capture, DevicePieces& pieces, std::vector<Duration>& durations, double side) const;

 protected:
  [[nodiscard]] const YamlField& value() const noexcept { return value_; }
  /// Returns the duration of a changed piece. By default, this is the estimate of the roofline model, or the same
  /// duration if the piece did not change.
  [[nodiscard]] virtual Scaled time(const DeviceWork& before, const DeviceWork& after) const;

 private:
  /// Throws if the rule cannot be applied to `pieces`, which is all device work of a graph. By default, does nothing.
  virtual void check(const DevicePieces& pieces) const;
  /// Returns the piece of device work after the change, for example with another device.
  [[nodiscard]] virtual DeviceWork changed(const DeviceWork& piece) const = 0;

  std::string change_;
  Selector selector_;
  YamlField value_;
  std::string kept_;
  std::string captured_device_;  ///< explains why the device of a piece may be unknown
};

/// Returns the selected kernels, copies and memsets in ascending order; may be empty. Throws what Selector::select()
/// throws.
[[nodiscard]] std::vector<TaskId> selected_device_work(const Selector& selector, const Capture& capture);

/// Throws CannotAnswer at `value` if the capture has no kernels. Its operators cannot be used instead, because they are
/// not only device work.
void require_kernels(const Plan& plan, const YamlField& value);

}  // namespace stepsim::scenarios

#endif
