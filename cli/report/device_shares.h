#ifndef STEPSIM_CLI_REPORT_DEVICE_SHARES_H
#define STEPSIM_CLI_REPORT_DEVICE_SHARES_H

#include <vector>

#include "scenarios/answer/predict.h"
#include "sim/output/json_writer.h"
#include "sim/report/document.h"

namespace stepsim::cli {

/// Which share of the device's busy time was scaled how, a change each:
///
///     Device work under device.to=H100
///     scaled by                           pieces   share     before      after
///     its shapes: memory bounds it            41  61.0 %   2.440 ms   1.110 ms
///     left as it was                           2   0.4 %  16.000 us  16.000 us
///     - left as they were: collectives, ...
///
/// and the same by class of kernel. Busy time is the sum over pieces: of streams side by side both count.
[[nodiscard]] std::vector<sim::Document::Section> share_sections(const std::vector<scenarios::DeviceShare>& shares);

/// "device_work":[{"change":...,"by":[{"scaled_by":"bytes",...}],"classes":[...]}], empty of other changes.
void write_shares(sim::JsonWriter& json, const std::vector<scenarios::DeviceShare>& shares);

}  // namespace stepsim::cli

#endif
