#ifndef STEPSIM_MODEL_CALIBRATION_NCCL_TABLES_H
#define STEPSIM_MODEL_CALIBRATION_NCCL_TABLES_H

#include <cstdint>
#include <span>
#include <vector>

#include "model/calibration/calibration.h"
#include "model/job/measured_collective.h"
#include "model/job/timed_collective.h"

namespace stepsim {

/// The collectives of `timings` by operation, ranks and hosts, as the model `nccl` takes them. A table's bandwidth is
/// the one at which the model and the usual excess give the times of its largest sizes (from a quarter of the largest
/// on), the median over them. Its times are at powers of two: means of logarithms over an octave each way, nearer
/// sizes counting more, so noise is smoothed and a table by powers of two is kept as it is. All tables of one host
/// have the `link` of its all-reduce of most ranks, those of several hosts likewise. Operations that NCCL's model does
/// not have are left out. O(timings^2) in a table.
[[nodiscard]] std::vector<MeasuredCollective> measured_tables(std::span<const TimedCollective> timings);
/// The same over links of which it is known what they carry, which is the bandwidth of every table then.
[[nodiscard]] std::vector<MeasuredCollective> measured_tables(std::span<const TimedCollective> timings, Bandwidth link);

/// How far `tables` are from the `timings` that they have an operation for: the median.
[[nodiscard]] double error_of_tables(std::span<const TimedCollective> timings,
                                     std::span<const MeasuredCollective> tables);

/// A cluster of nodes like the one that `timings` were measured on, with at least eight devices, and how well the
/// model fits: for each table, against its own times, and predicted from the others. Throws InputError if there is
/// nothing to calibrate on.
[[nodiscard]] Calibration calibrate_nccl_tables(std::span<const TimedCollective> timings);

}  // namespace stepsim

#endif
