#ifndef STEPSIM_MODEL_CALIBRATION_COLLECTIVES_H
#define STEPSIM_MODEL_CALIBRATION_COLLECTIVES_H

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/calibration/calibration.h"
#include "model/job/collective.h"
#include "model/job/recording.h"

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

/// The network as the capture's collectives show it; nothing if none has a known payload and
/// took time.
///
/// A rank's link is busy from the last arrival at a collective to the end of its last member.
/// Collectives that overlap share the link, so each uninterrupted busy period is one sample:
///
///     length = messages * alpha + bytes / goodput
///
/// with what the rank sends or receives in it by the algorithm's rounds, whichever is more. A
/// ring all-reduce of n members counts 2 (n - 1) / n of its payload. Long periods vary more, so
/// samples are weighted by 1 / bytes; the two parts are fitted apart only where the periods' mean
/// messages differ at least twofold. The goodput becomes the efficiency of job.yaml's bandwidth, or the bandwidth where
/// that is missing or less; alpha beyond the links' latency is the message overhead.
///
/// Ranks lie on hosts as network_of_job_file() puts them, else each has a link of its own.
/// O(collectives * members + shapes * rounds * members).
[[nodiscard]] std::optional<Calibration> calibrate_collectives(const Capture& capture);

}  // namespace stepsim

#endif
