#ifndef STEPSIM_SIM_STATS_COLLECTIVE_ROWS_H
#define STEPSIM_SIM_STATS_COLLECTIVE_ROWS_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/cost/network/network.h"
#include "model/job/recording.h"
#include "sim/stats/distribution.h"

// How fast are the collectives of a capture, and how fast should they be?
//
//     group  operation   size   count  time      algbw     busbw      skew      expected  of expected
//     0-7    all_reduce  100MB     50  412.3 us  242GB/s   424GB/s    38.00 us  371.0 us       90.0 %
//     0,8    all_gather  16MB      50  402.1 us  39.8GB/s  19.9GB/s   12.00 us         -            -
//
// Size, time, algbw and busbw are those of nccl-tests.
namespace stepsim::sim {

/// The collectives of one group with the same operation and payload, as measured.
struct CollectiveRow {
  /// Its ranks: "0-7"; of a message, "0 -> 1". If some were not captured and are not known: "0 of 8 ranks".
  std::string group;
  std::string group_name;     ///< name of the group in the trace; may be empty
  std::vector<Rank> members;  ///< captured ranks, ascending
  std::uint32_t ranks = 0;    ///< number of ranks
  std::uint32_t hosts = 0;    ///< number of hosts of the captured ranks; 0 if not known
  CollectiveOp op = CollectiveOp::kUnknown;
  std::string operation;        ///< name in nccl-tests; of other operations, the name of the tasks
  std::optional<Bytes> bytes;   ///< payload as nccl-tests counts it, which is Collective::bytes; absent if not known
  std::vector<Duration> times;  ///< by collective: Transfer::last to Transfer::end
  Distribution time;            ///< of `times`
  /// Number of collectives during whose transfer another one of the same ranks moved bytes.
  std::size_t overlapped = 0;
  /// From the first to the last arrival; absent if only one member was captured.
  std::optional<Distribution> skew;
  std::optional<Rank> last;          ///< rank that arrived last most often; the smallest for ties; absent like `skew`
  std::size_t last_in = 0;           ///< number of collectives in which it arrived last
  Duration clock_error{};            ///< how wrong a time can be because hosts have different clocks
  RendezvousId first{};              ///< the first collective, as an example
  std::optional<Duration> expected;  ///< set by add_expected_times()
  /// The longest expected time within the error of the model; absent if that is not known.
  std::optional<Duration> longest_expected;
  std::string_view unexpected;  ///< why `expected` is absent

  /// True if all ranks were captured. Otherwise `times` include waits for the others.
  [[nodiscard]] bool is_whole() const noexcept { return members.size() >= ranks; }
  /// Returns the time of the transfer alone, as far as it is known: the median, or the shortest time if not all ranks
  /// were captured, because it contains the shortest wait for the others.
  [[nodiscard]] Duration transfer_time() const noexcept { return is_whole() ? time.median : time.shortest; }
  /// Returns bytes per second by transfer_time(); nothing if the payload is not known or took no time.
  [[nodiscard]] std::optional<double> algbw() const noexcept;
  /// Returns algbw times the traffic on a rank's link per payload: 2 (n - 1) / n for an all-reduce of n ranks.
  [[nodiscard]] std::optional<double> busbw() const noexcept;
  /// True if all ranks were captured, most transfers were alone, and they take longer than the error of the model
  /// explains.
  [[nodiscard]] bool is_slow() const noexcept;
  /// Returns the expected time / transfer_time(), which is also the ratio of the bandwidths.
  [[nodiscard]] std::optional<double> of_expected() const noexcept;
};

/// Returns the collectives with more than one rank, the rows with most time first. With `only_steps`, or if some steps
/// are not selected, only those in selected steps. Throws CannotAnswer if there are none, or if their times were not
/// recorded. O(members log members).
[[nodiscard]] std::vector<CollectiveRow> collective_rows(const Capture& capture, bool only_steps);

/// Sets the expected time of each row: how long its collective takes in a replay on `cluster` if nothing else uses the
/// links. Without `knows_nics`, rows of several hosts have none. Throws UsageError if the cluster does not fit the job.
void add_expected_times(std::vector<CollectiveRow>& rows, const Dag& dag, const NetworkModel& network,
                        const Cluster& cluster, bool knows_nics);

}  // namespace stepsim::sim

#endif
