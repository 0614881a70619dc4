#ifndef STEPSIM_SCENARIOS_CHANGE_DEVICE_RULE_H
#define STEPSIM_SCENARIOS_CHANGE_DEVICE_RULE_H

#include <functional>
#include <string_view>

#include "scenarios/change/what_if.h"

namespace stepsim::scenarios {

/// What becomes of a piece of device work.
using ChangePiece = std::function<DeviceWork(const DeviceWork& piece)>;
/// Made once for a graph, whose device work is `pieces` by now.
using ChangePieces = std::function<ChangePiece(const Capture& capture, const DevicePieces& pieces)>;
/// How long a piece takes that is `after` and was recorded, or is by now, as `before`.
using TimePiece = std::function<Scaled(const DeviceWork& before, const DeviceWork& after)>;

/// Throws, at `value`, where the capture has no kernels: what it has is not the device's alone.
void require_kernels(const Plan& plan, const YamlField& value);

/// What the selected device work of a change is known to be from here on, its durations aside.
void add_knowledge(Plan& plan, const Change& change, const ChangePieces& pieces);

/// Device work that a change selects becomes what `pieces` makes of it and takes what `time` says.
/// `kept` says what that leaves as it was, and why.
void add_device_rule(Plan& plan, const Change& change, const ChangePieces& pieces, const TimePiece& time,
                     std::string_view kept);

/// A TimePiece: roofline_scaled() of what has changed at all. Throws, at `value`, where the device of
/// such a piece is not known.
[[nodiscard]] TimePiece by_roofline(const YamlField& value, const Plan& plan);

}  // namespace stepsim::scenarios

#endif
