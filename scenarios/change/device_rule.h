#ifndef STEPSIM_SCENARIOS_CHANGE_DEVICE_RULE_H
#define STEPSIM_SCENARIOS_CHANGE_DEVICE_RULE_H

#include <string>
#include <string_view>
#include <vector>

#include "model/cost/device/device_work.h"
#include "model/cost/device/roofline.h"
#include "scenarios/change/what_if.h"

namespace stepsim::scenarios {

/// What a change makes of the device work that it selects: what each piece becomes, and how long it then takes.
/// A rule never changes, so predictions on several threads share one.
class DeviceRule {
 public:
  /// `value` is the parameter that asks for the rule; refusals point at it. `kept` says what of device work the
  /// rule leaves as it was, and why; it is empty for a rule that only says what the captured work was.
  DeviceRule(const Change& change, YamlField value, const Plan& plan, std::string_view kept);
  virtual ~DeviceRule() = default;
  DeviceRule(const DeviceRule&) = delete;
  DeviceRule& operator=(const DeviceRule&) = delete;

  [[nodiscard]] const std::string& change() const noexcept { return change_; }  ///< "device.to=H100"
  [[nodiscard]] const std::string& kept() const noexcept { return kept_; }

  /// Changes the selected pieces and their durations. `pieces` is the device work of `capture` as earlier rules
  /// left it; `durations` are by TaskId, and count as what the pieces take. Returns which share of device work was
  /// scaled how. `side` is rescale()'s. Throws InputError, at the value, where the capture does not say what the rule
  /// needs.
  ScaledShare apply(const Capture& capture, DevicePieces& pieces, std::vector<Duration>& durations, double side) const;

 protected:
  [[nodiscard]] const YamlField& value() const noexcept { return value_; }

 private:
  /// Throws where the rule has no meaning for these pieces, all of a graph's.
  virtual void check(const DevicePieces& pieces) const;
  /// What a piece becomes.
  [[nodiscard]] virtual DeviceWork changed(const DeviceWork& piece) const = 0;
  /// How long a changed piece takes: by roofline, if it changed at all, unless a rule knows better.
  [[nodiscard]] virtual Scaled time(const DeviceWork& before, const DeviceWork& after) const;

  std::string change_;
  Selector selector_;
  YamlField value_;
  std::string kept_;
  std::string captured_device_;  ///< why the device of a piece may be unknown
};

/// The selected kernels, copies and memsets, ascending; there may be none. Throws what Selector::select() throws.
[[nodiscard]] std::vector<TaskId> selected_device_work(const Selector& selector, const Capture& capture);

/// Throws InputError at `value` if the capture has no kernels: its operators are not device work alone.
void require_kernels(const Plan& plan, const YamlField& value);

}  // namespace stepsim::scenarios

#endif
