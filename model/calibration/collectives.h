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

/// A row of a table of nccl-tests: the mean of its out-of-place and in-place times, and what else the output shows.
struct NcclTestsRow : TimedCollective {
  Duration shortest{};        ///< the shorter of both times
  std::uint32_t devices = 0;  ///< number of devices of a host that the output names; 0 if it names none
};

/// Builds tables of measured times by operation, ranks and hosts for the collective model `nccl`. A table's bandwidth
/// is the link rate at which the formula of model/cost/collective/nccl_times.h reproduces the measured times: the
/// median over the sizes from a quarter of the largest size up. A table has times at its smallest size, its largest
/// size and the powers of two between them. Each is a geometric mean of the measured times within a factor of two of
/// that size, in which nearer sizes have more weight. This smooths noise and leaves a table of powers of two unchanged.
/// All tables for groups on one host have the same `link`, which is derived from the all-reduce on one host with the
/// most ranks. In the same way, all tables for groups on several hosts have the same `link`. Operations that
/// are not in kMeasuredOps are left out. O(timings^2) per table.
[[nodiscard]] std::vector<MeasuredCollective> measured_tables(std::span<const TimedCollective> timings);
/// Builds tables as the function above does, but for links with a known rate: every table has this rate as its link and
/// its bandwidth.
[[nodiscard]] std::vector<MeasuredCollective> measured_tables(std::span<const TimedCollective> timings, Bandwidth link);

/// Returns the median relative error of the times that the collective model `nccl` predicts with `tables`, over all
/// `timings` of more than one rank whose operation the model has; 0 if there are none. Precondition: `tables` is not
/// empty.
[[nodiscard]] double error_of_tables(std::span<const TimedCollective> timings,
                                     std::span<const MeasuredCollective> tables);

/// Returns a cluster of nodes like the one that `rows` were measured on, with as many devices as the tables name on
/// a node, or eight if they name none. The fits give the highest bus bandwidth of each table, and two errors: of sizes
/// that are predicted from every second other size of the table, and of the table predicted from the others. Throws
/// InputError if no timing can be used.
[[nodiscard]] Calibration calibrate_nccl_tables(std::span<const NcclTestsRow> rows);

/// Returns the network as the capture's collectives show it, or nothing if no collective has both a known payload and a
/// duration.
///
/// A collective keeps its ranks' links busy from the start of its last member to the end of its last member.
/// Collectives that overlap share a rank's link, so each uninterrupted busy period of the link is one sample:
///
///     length = messages * alpha + bytes / goodput
///
/// alpha is the fixed time of a message. Messages and bytes are what the rank sends or receives in the rounds of the
/// algorithm, whichever is more. For example, a ring all-reduce of n members moves 2 (n - 1) / n of its payload. Long
/// periods vary more, so samples are weighted by 1 / bytes. alpha and goodput are fitted separately only if the
/// periods' mean message sizes differ at least twofold. If job.yaml gives a bandwidth above the goodput, their ratio
/// becomes the link's efficiency; otherwise the goodput becomes the bandwidth. The part of alpha beyond the links'
/// latency becomes the message overhead.
///
/// Ranks are placed on hosts as in network_of_job_file(); without job.yaml's bandwidth each rank has a separate link.
/// O(collectives * members + shapes * rounds * members).
[[nodiscard]] std::optional<Calibration> calibrate_collectives(const Capture& capture);

}  // namespace stepsim

#endif
