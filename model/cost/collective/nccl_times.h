#ifndef STEPSIM_MODEL_COST_COLLECTIVE_NCCL_TIMES_H
#define STEPSIM_MODEL_COST_COLLECTIVE_NCCL_TIMES_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/base/assumption.h"
#include "model/base/units.h"
#include "model/cost/collective/algorithm.h"
#include "model/job/cluster.h"
#include "model/job/dag.h"

// The time of NCCL's collectives: a formula with constants that were fitted to measured collectives of four GPU systems
// and two clusters (docs/internals/models.md, "NCCL"; docs/internals/fidelity.md has the errors).
//
//     time = latency + transfer + 1.45 * sqrt(latency * min(transfer, 4.5 * latency))
//
// The latency is that of the hops which a payload passes one after the other, times a factor of the GPU generation; the
// transfer time is that of the bytes on a member's link. The root is what a pipeline of parts costs: with the best size
// of a part, a chain of hops would need latency + transfer + 2 sqrt(latency * transfer), and NCCL has several channels
// and a largest part. One formula takes the place of NCCL's protocols LL, LL128 and Simple and of the sizes at which it
// changes them: NCCL's own cost model (NVIDIA/nccl, src/graph/tuning.cc) only ranks them and is up to 150 % off below 1
// MB.
//
// A ring's link carries the ring's traffic and 0.3 of a member's own part, which a kernel copies. Of ring, tree and
// reduction in the NVLink switch (NVLS, from Hopper on), the fastest counts.
namespace stepsim {

/// The GPU generations that the formula distinguishes.
enum class GpuGeneration : std::uint8_t { kVolta, kAmpere, kHopper, kBlackwell };

/// Returns the generation according to the device's name. If the name is not known, it is derived from the NVLink rate
/// in one direction: 150, 300, 450 or 900 GB/s by data sheet; `inside` is about three quarters of it.
[[nodiscard]] GpuGeneration generation_of(std::string_view device, Bandwidth inside) noexcept;

/// The share of NVLink's data-sheet rate that long collectives reach (all_gather and reduce_scatter on A100, H100,
/// B200).
inline constexpr double kNvlinkEfficiency = 0.73;

/// The share of PCIe's data-sheet rate that NCCL assumes: 12 of the 15.75 GB/s of sixteen lanes of generation 3, and
/// similarly for later ones.
inline constexpr double kPcieEfficiency = 0.76;

/// Links between devices up to this rate are PCIe, not NVLink: the rate of an x16 slot of generation 5.
inline constexpr Bandwidth kFastestPcie = Bandwidth::from_bytes_per_second(64e9);

/// True if a link of this rate between devices of a host is NVLink, not PCIe.
[[nodiscard]] constexpr bool is_nvlink(Bandwidth link) noexcept { return link > kFastestPcie; }

/// Returns the share of a data-sheet rate that collectives reach on a link of this rate between devices of a host.
[[nodiscard]] constexpr double usable_share(Bandwidth link) noexcept {
  return is_nvlink(link) ? kNvlinkEfficiency : kPcieEfficiency;
}

/// Returns the share of a link's bandwidth that collectives reach. `is_sheet` is true for a link between devices of a
/// host that has the rate of a data sheet unless it has an efficiency or is a bus bandwidth.
[[nodiscard]] double payload_share(const Link& link, bool is_sheet) noexcept;

/// Returns the cable between devices of a host on which collectives reach `goodput`, with its data-sheet rate.
[[nodiscard]] Cable cable_of_goodput(Bandwidth goodput, Duration latency);

/// False for devices whose hosts usually do not let them read each other's memory over PCIe: L4, L40 and L40S. NCCL
/// then copies through the host's memory.
[[nodiscard]] bool has_peer_access(std::string_view device) noexcept;

/// Returns the share of a PCIe link's rate that a collective of so many devices reaches through the host's memory,
/// which all of them share: 1 for two devices, (2 / devices)^2 for more. Fitted to the only measured host of this kind,
/// with 4 and 8 L40S.
[[nodiscard]] double through_host_memory(std::size_t devices) noexcept;

/// The estimate for a collective, by the formula at the top of this file.
struct NcclEstimate {
  std::string_view algorithm;  ///< "ring", "tree", "nvls"; "pairs" for all-to-alls and messages
  double latency_us = 0;
  double bytes_us = 0;     ///< transfer time
  double pipeline_us = 0;  ///< the formula's root
  [[nodiscard]] double us() const noexcept { return latency_us + bytes_us + pipeline_us; }
};

/// What the rates of links were found from.
enum class NcclRates : std::uint8_t {
  kOfDataSheet,
  kOfTables,  ///< measured times of collectives, which the formula's time is compared with
};

/// Returns the estimate for the fastest algorithm if the links of `place` are slower or faster by the same factor, so
/// that its ring has the rate `bus`. Preconditions: two members or more, is_nccl_collective() is true for the
/// operation, bus > 0.
[[nodiscard]] NcclEstimate nccl_estimate(const CollectiveShape& shape, const CollectivePlace& place, Bandwidth bus,
                                         NcclRates rates = NcclRates::kOfDataSheet);

/// True for reductions, gathers and broadcasts.
[[nodiscard]] bool is_ring_collective(CollectiveOp op) noexcept;

/// True for operations that the formula times: those of is_ring_collective(), all-to-alls and messages.
[[nodiscard]] bool is_nccl_collective(CollectiveOp op) noexcept;

/// Returns the traffic on a member's link in a ring, in payloads: 2 (n - 1) / n for all-reduce. For an all-to-all, it
/// is what a member sends to others.
[[nodiscard]] double ring_traffic(CollectiveOp op, std::uint32_t members) noexcept;

/// Returns the traffic of a long collective of NCCL on the NICs of a host, in payloads at the NICs' full rate: that of
/// a ring, or of the tree of two hosts.
[[nodiscard]] double nccl_traffic(CollectiveOp op, std::uint32_t members, std::uint32_t hosts) noexcept;

/// Returns the rate of the narrowest link in a ring of the members: the smaller of `inside` and `between`; 0 if no
/// links connect them.
[[nodiscard]] Bandwidth bus_of(const CollectivePlace& place) noexcept;

/// A time and its error in microseconds; both 0 if there is nothing to move or no link.
struct NcclTime {
  double us = 0;
  /// The true time is within a factor of 1 + error_us / us in both directions. For measured collectives, this is true
  /// for 87 % of 160 rows between the sizes of a table, 82 % of 132 rows of other rank counts, and 86 % of 106 rows of
  /// data sheets (all-reduces in PyTorch's loops); and for 93 % of 486 rows of nccl-tests. The error constants were
  /// fitted to the same rows (docs/internals/fidelity.md, "NCCL collectives").
  double error_us = 0;
  /// A further factor by which the true time can be longer, because the bus bandwidth falls beyond the measured hosts.
  double congestion = 1;
};

/// Returns the time of the whole collective and its error. The error is that of a table if one has the same operation,
/// numbers of ranks and hosts, links and similar sizes. Otherwise it is the typical error without such a table, which
/// grows with the distance of hosts and ranks per host from the largest that were measured; times 2 for each doubling
/// of the ranks per host to the nearest table of several hosts. O(tables * sizes).
[[nodiscard]] NcclTime nccl_time_and_error(const CollectiveShape& shape, const CollectivePlace& place);

/// Returns the time of the whole collective. Uses the measured tables of the operation, or else, for the operations of
/// is_ring_collective(), those of all-reduces with the same traffic per link. Each table gives a time: the model's time
/// of the shape, plus the difference between the table's measured and modelled times, or times their ratio if the model
/// takes longer. So links of f times the rate never take less than 1 / f of the time. The result is the geometric mean
/// of these times, with weight 1 / d^2, where d is the distance in log2 of ranks, hosts and ranks per host; so tables
/// of the same layout are used alone, and several of them alike. Tables of one host apply to one host, the others to
/// several. Without a table it is nccl_estimate(). The result is at position place.side in the error range. O(tables *
/// sizes).
[[nodiscard]] Duration nccl_time(const CollectiveShape& shape, const CollectivePlace& place);

/// Where the times of collectives come from: how many have each source.
struct NcclSources {
  std::size_t by_table = 0;         ///< a measured table of their operation, ranks and hosts, which includes their size
  std::size_t by_other_tables = 0;  ///< the formula, corrected by other tables
  std::size_t by_formula = 0;       ///< the formula and the rates of the links alone
  [[nodiscard]] std::size_t total() const noexcept;
};

/// Returns the sources of the times of the collectives of `dag` that the formula times under a network model. If links
/// differ from those of a table, the formula scales its times. O(collectives * tables).
[[nodiscard]] NcclSources nccl_sources(const Dag& dag, const Cluster& cluster);
/// Returns "3 from measured times of their ranks and size, 2 from ...".
[[nodiscard]] std::string to_text(const NcclSources& sources);

/// Returns the assumption that the formula gives the times of collectives of `dag` under a network model, with
/// their sources. Returns nothing if it times no collective of `dag`. O(collectives * tables).
[[nodiscard]] Assumptions nccl_assumptions(const Dag& dag, const Cluster& cluster);

}  // namespace stepsim

#endif
