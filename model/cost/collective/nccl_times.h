#ifndef STEPSIM_MODEL_COST_COLLECTIVE_NCCL_TIMES_H
#define STEPSIM_MODEL_COST_COLLECTIVE_NCCL_TIMES_H

#include <cstdint>
#include <string_view>

#include "model/base/assumption.h"
#include "model/base/units.h"
#include "model/cost/collective/algorithm.h"
#include "model/job/cluster.h"
#include "model/job/dag.h"

// NCCL's cost model: for each combination of algorithm and protocol, a collective takes a latency plus bytes over a
// bandwidth, and NCCL chooses the cheapest. The constants are from NVIDIA/nccl, src/graph/tuning.cc and topo.h (2.19 to
// 2.28). Two parts are not NCCL's:
//
// - NVLS (reduction in the NVLink switch) moves the bytes that cross a member's link, 1 + 1 / ranks of the payload, at
//   NCCL's efficiency. NCCL's own factors changed from release to release.
// - NCCL only ranks its choices, so its model leaves out what they have in common. This remaining time, the excess, is
//   taken from measured tables. Without a table, the excess on one host is 4 us, plus 1.5 us for each hop of the ring,
//   plus 6 us * sqrt(T) but at most 200 us. T is the payload's time in us at 240 GB/s, or at the bus bandwidth if that
//   is higher. The square-root term was fitted to one A100 node (vidur's profile, 2, 4 and 8 GPUs, 1 MB and more).
//   Below 1 MB those times include rank 0 waiting for others (2 GPUs: 39 to 71 us, 4 GPUs: 16 to 28). The constant and
//   the hops are therefore compromises between that node and two others, with eight A100 and eight B200 (ML
//   engineering). docs/internals/fidelity.md shows the errors on further nodes. Between hosts the excess is 20 us plus
//   the square-root term, with T at the bus bandwidth.
//
// Not modelled from tuning.cc: corrections of trees by size, limits by channel, CollNet, PAT. Where the input does not
// give a value, the model assumes processors between Intel and AMD, the same channels in all hosts, and 16 channels for
// the plateau.
namespace stepsim {

/// The GPU generations that NCCL's cost model distinguishes.
enum class GpuGeneration : std::uint8_t { kVolta, kAmpere, kHopper, kBlackwell };

/// Returns the generation according to the device's name. If the name is not known, it is derived from the NVLink rate
/// in one direction: 150, 300, 450 or 900 GB/s by data sheet; `inside` is about four fifths of it.
[[nodiscard]] GpuGeneration generation_of(std::string_view device, Bandwidth inside) noexcept;

/// The share of NVLink's data-sheet rate that NCCL assumes: 20 to 20.6 of 25 GB/s per link, 40.1 of 50 on Blackwell.
inline constexpr double kNvlinkEfficiency = 0.8;

/// The share of PCIe's data-sheet rate that NCCL assumes: 12 of the 15.75 GB/s of sixteen lanes of generation 3, and
/// similarly for later ones.
inline constexpr double kPcieEfficiency = 0.76;

/// Links between devices up to this rate are PCIe, not NVLink: the rate of an x16 slot of generation 5.
inline constexpr Bandwidth kFastestPcie = Bandwidth::from_bytes_per_second(64e9);

/// The estimate of NCCL's model for a collective.
struct NcclEstimate {
  std::string_view algorithm;  ///< "ring", "tree", "nvls"
  std::string_view protocol;   ///< "LL", "LL128", "Simple"
  double latency_us = 0;
  double bytes_us = 0;
  /// Time that NCCL's model leaves out, used if nothing was measured; see the comment at the top of this file.
  double excess_us = 0;
  double excess_of_hops_us = 0;  ///< additional part that grows with the number of hops
  [[nodiscard]] double us() const noexcept { return latency_us + bytes_us; }
};

/// Returns the estimate for the cheapest algorithm and protocol over links that carry `bus`. Uses the rates of `place`
/// only to recognise PCIe and the GPU generation. Preconditions: two members or more, is_nccl_collective() is true for
/// the operation, bus > 0.
[[nodiscard]] NcclEstimate nccl_estimate(const CollectiveShape& shape, const CollectivePlace& place, Bandwidth bus);

/// True for reductions, gathers and broadcasts.
[[nodiscard]] bool is_nccl_collective(CollectiveOp op) noexcept;

/// Returns the traffic on a member's link in a ring, in payloads: 2 (n - 1) / n for all-reduce.
[[nodiscard]] double ring_traffic(CollectiveOp op, std::uint32_t members) noexcept;

/// Returns the estimate plus its excess (excess_us and excess_of_hops_us), in microseconds. Used if nothing was
/// measured.
[[nodiscard]] double with_usual_excess_us(const NcclEstimate& estimate) noexcept;

/// Returns with_usual_excess_us() without the part that grows with the hops, because the excess in measured tables does
/// not grow with the hops. The excess is the time that measured collectives take beyond NCCL's own model. A correction
/// from a measured table is the table's time minus the value returned here, and is also applied to rank counts that the
/// table does not have.
[[nodiscard]] double with_carried_excess_us(const NcclEstimate& estimate) noexcept;

/// Returns the rate of the narrowest link in a ring of the members: the smaller of `inside` and `between`; 0 if no
/// links connect them.
[[nodiscard]] Bandwidth bus_of(const CollectivePlace& place) noexcept;

/// A time and its error in microseconds; both 0 if there is nothing to move or no link.
struct NcclTime {
  double us = 0;
  /// The true time is within a factor of 1 + error_us / us in both directions. For measured all-reduces on one host,
  /// this is true for 88 % of 160 rows between the sizes of a table, 83 % of 132 rows of other rank counts, and 88 % of
  /// 106 rows of data sheets. The error constants were fitted to the same rows (docs/internals/fidelity.md, "NCCL
  /// collectives").
  double error_us = 0;
};

/// Returns the time of the whole collective and its error. The error is that of a table if one has the same operation,
/// numbers of ranks and hosts, links and similar sizes. Otherwise it is the typical error without such a table, times 2
/// for each doubling of the ranks per host to the nearest table of several hosts. O(tables * sizes).
[[nodiscard]] NcclTime nccl_time_and_error(const CollectiveShape& shape, const CollectivePlace& place);

/// Returns the time of the whole collective: the model plus its excess. Uses the measured tables of the operation, or
/// else those of all-reduces with the same traffic per link. Each table gives a time: the model's time of the shape,
/// plus the difference between the table's measured and modelled times. The result is the geometric mean of these
/// times, with weight 1 / d^2, where d is the distance in log2 of ranks, hosts and ranks per host; so tables of the
/// same layout are used alone, and several of them alike. Tables of one host apply to one host, the others to several.
/// Without a table, with_usual_excess_us() is used, unless the cluster gives an overhead of collectives: then no excess
/// is added. The result is at position place.side in the error range. O(tables * sizes).
[[nodiscard]] Duration nccl_time(const CollectiveShape& shape, const CollectivePlace& place);

/// Returns the assumption that NCCL's cost model gives the times of collectives of `dag` under a network model. Its
/// sentence also states whether measured tables correct these times. Returns nothing if the cost model times no
/// collective of `dag`. O(collectives).
[[nodiscard]] Assumptions nccl_assumptions(const Dag& dag, const Cluster& cluster);

}  // namespace stepsim

#endif
