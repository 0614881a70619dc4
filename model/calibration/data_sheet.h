#ifndef STEPSIM_MODEL_CALIBRATION_DATA_SHEET_H
#define STEPSIM_MODEL_CALIBRATION_DATA_SHEET_H

#include <optional>
#include <string>

#include "model/job/cluster.h"
#include "model/job/recording.h"

namespace stepsim {

/// The hosts of a capture with the links of its devices' data sheet.
struct DataSheet {
  Cluster cluster;   ///< the NICs are not known: their rates mean nothing
  std::string text;  ///< the device and its links: "H100 SXM: NVLink, 450GB/s in each direction"
};

/// Returns the hosts with NVLink, or with PCIe if the devices have no NVLink. Returns nothing if the ranks do not all
/// have the same known NVIDIA device, or if a collective has ranks that were not captured, because their hosts are not
/// known. O(tasks + collectives).
[[nodiscard]] std::optional<DataSheet> data_sheet_of(const Capture& capture);

}  // namespace stepsim

#endif
