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

/// Builds tables of measured times by operation, ranks and hosts for the model `nccl`. A table's bandwidth is the link
/// rate at which the model, with its usual excess, reproduces the times of the largest sizes (those from a quarter of
/// the largest size up): the median over these sizes. A table has times at powers of two. Each is a mean of logarithms
/// over one octave in each direction, in which nearer sizes have more weight: this smooths noise and leaves a table of
/// powers of two unchanged. All tables of one host have the same `link`, which is derived from the all-reduce with the
/// most ranks. The same applies to all tables of several hosts. Operations that NCCL's model does not have are left
/// out. O(timings^2) per table.
[[nodiscard]] std::vector<MeasuredCollective> measured_tables(std::span<const TimedCollective> timings);
/// Builds the tables of the function above for links with a known rate. Every table has this rate as its link and its
/// bandwidth.
[[nodiscard]] std::vector<MeasuredCollective> measured_tables(std::span<const TimedCollective> timings, Bandwidth link);

/// Returns the median relative error of `tables` over the `timings` whose operation has a table.
[[nodiscard]] double error_of_tables(std::span<const TimedCollective> timings,
                                     std::span<const MeasuredCollective> tables);

/// Returns a cluster of nodes like the one that `timings` were measured on, with at least eight devices. The fits give
/// two errors for each table: against its own times, and when predicted from the other tables. Throws InputError if no
/// timing can be used.
[[nodiscard]] Calibration calibrate_nccl_tables(std::span<const TimedCollective> timings);

/// Returns the network as the capture's collectives show it, or nothing if no collective has both a known payload and a
/// duration.
///
/// A rank's link is busy from the last arrival at a collective to the end of its last member. Collectives that overlap
/// share the link, so each uninterrupted busy period is one sample:
///
///     length = messages * alpha + bytes / goodput
///
/// Messages and bytes are what the rank sends or receives in the rounds of the algorithm, whichever is more. For
/// example, a ring all-reduce of n members moves 2 (n - 1) / n of its payload. Long periods vary more, so samples are
/// weighted by 1 / bytes. The two parts are fitted separately only if the periods' mean message sizes differ at least
/// twofold. If job.yaml gives a bandwidth above the goodput, their ratio becomes the link's efficiency; otherwise the
/// goodput becomes the bandwidth. The part of alpha beyond the links' latency becomes the message overhead.
///
/// Ranks are placed on hosts as in network_of_job_file(); without job.yaml's bandwidth each rank has a separate link.
/// O(collectives * members + shapes * rounds * members).
[[nodiscard]] std::optional<Calibration> calibrate_collectives(const Capture& capture);

}  // namespace stepsim

#endif
