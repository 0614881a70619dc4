#ifndef STEPSIM_MODEL_COST_COLLECTIVE_NCCL_TIMES_H
#define STEPSIM_MODEL_COST_COLLECTIVE_NCCL_TIMES_H

#include <cstdint>
#include <string_view>

#include "model/base/assumption.h"
#include "model/base/units.h"
#include "model/cost/collective/algorithm.h"
#include "model/job/cluster.h"
#include "model/job/dag.h"

// NCCL's cost model: a collective takes the cheapest of algorithm x protocol, each a latency plus bytes over a
// bandwidth. Figures: NVIDIA/nccl, src/graph/tuning.cc and topo.h (2.19 to 2.28). Two things are not NCCL's:
//
// * NVLS (reduction in the NVLink switch) is given the bytes that cross a member's link, 1 + 1 / ranks of the payload,
//   at NCCL's efficiency. NCCL's own factors changed from release to release.
// * NCCL only ranks its choices, so its model leaves out what all of them have in common. What a collective takes
//   beyond the model, its excess, comes from measured tables. Without one it is, on one host, 4 us, 1.5 us for each hop
//   of the ring, and 6 us * sqrt(T), at most 200 us; T is the payload's time in us over 240 GB/s, or over the bus if
//   that is faster. The root was fitted to one A100 node (vidur's profile, 2, 4 and 8 GPUs, 1 MB and more). Below 1 MB
//   those times hold waits of rank 0 for others (2 GPUs: 39 to 71 us, 4 GPUs: 16 to 28), so the rest is between them
//   and eight A100 and eight B200 (ML engineering). docs/fidelity.md says how it does on others. Between hosts it is 20
//   us and the root, T over the bus.
//
// Of tuning.cc are left out: corrections of trees by size, caps by channel, CollNet, PAT. What nothing tells is
// assumed: processors between Intel and AMD, the same channels in all hosts, 16 channels for the plateau.
namespace stepsim {

/// As NCCL tells them apart.
enum class GpuGeneration : std::uint8_t { kVolta, kAmpere, kHopper, kBlackwell };

/// By the device's name; if that tells nothing, by what its NVLinks carry in one direction: 150, 300, 450, 900 GB/s by
/// data sheet, of which `inside` is about four fifths.
[[nodiscard]] GpuGeneration generation_of(std::string_view device, Bandwidth inside) noexcept;

/// The part of NVLink's data-sheet rate that NCCL counts on: 20 to 20.6 of 25 GB/s a link, 40.1 of 50 on Blackwell.
inline constexpr double kNvlinkEfficiency = 0.8;

/// The same of PCIe: 12 of the 15.75 GB/s of sixteen lanes of generation 3, and so on.
inline constexpr double kPcieEfficiency = 0.76;

/// Up to this, links between devices are PCIe, not NVLink: five generations of x16 slots.
inline constexpr Bandwidth kFastestPcie = Bandwidth::from_bytes_per_second(64e9);

/// What NCCL's model says of a collective.
struct NcclEstimate {
  std::string_view algorithm;  ///< "ring", "tree", "nvls"
  std::string_view protocol;   ///< "LL", "LL128", "Simple"
  double latency_us = 0;
  double bytes_us = 0;
  /// What it takes beyond that where nothing was measured: see above.
  double excess_us = 0;
  double excess_of_hops_us = 0;  ///< the part that grows with the hops
  [[nodiscard]] double us() const noexcept { return latency_us + bytes_us; }
};

/// The cheapest choice over links that carry `bus`. Of `place` its hosts, device and latency count, and whether
/// `inside` is PCIe. Preconditions: two members or more, an operation of is_of_nccl(), bus > 0.
[[nodiscard]] NcclEstimate nccl_estimate(const CollectiveShape& shape, const CollectivePlace& place, Bandwidth bus);

/// Reductions, gathers and broadcasts.
[[nodiscard]] bool is_of_nccl(CollectiveOp op) noexcept;

/// What a member's link carries in a ring, in payloads: all-reduce 2 (n - 1) / n.
[[nodiscard]] double ring_traffic(CollectiveOp op, std::uint32_t members) noexcept;

/// The estimate and what a collective takes beyond it where nothing was measured, in microseconds.
[[nodiscard]] double with_usual_excess_us(const NcclEstimate& estimate) noexcept;

/// The same without the part that grows with the hops, which the excess in tables of several rank counts does not: what
/// a table of one rank count says about another is the difference from this.
[[nodiscard]] double with_carried_excess_us(const NcclEstimate& estimate) noexcept;

/// What limits a ring of the members: the least of `inside` and `between`; 0 if no link is between any.
[[nodiscard]] Bandwidth bus_of(const CollectivePlace& place) noexcept;

/// A time and how far it may be off, in microseconds; both 0 if there is nothing to move or no link.
struct NcclTime {
  double us = 0;
  /// The truth lies within a factor 1 + error_us / us either way. Measured on all-reduces on one host: in 88 % of 160
  /// rows between the sizes of a table, 83 % of 132 rows of other rank counts, 88 % of 106 rows of data sheets. The
  /// figures were found on these rows (docs/fidelity.md, "NCCL's collectives against measured tables").
  double error_us = 0;
};

/// The whole collective, and its error: that of a table of its operation and as many ranks over the same links at sizes
/// like its own, else what is usual for ranks, links, operations and sizes beyond tables. O(tables * sizes).
[[nodiscard]] NcclTime nccl_time_and_error(const CollectiveShape& shape, const CollectivePlace& place);

/// The whole collective: the model plus its excess. Each measured table of the operation, else of all-reduces that
/// move as many bytes over a link, gives a time: what is usual for the shape, and what the table has beyond what is
/// usual for itself. Their mean (of logarithms) counts tables by 1 / d^2, d the distance in log2(ranks), so a table of
/// as many ranks counts alone. Tables of one host count for one host, the others for several. Without a table the usual
/// excess counts, unless the cluster has an overhead of collectives of its own. At place.side of its error.
/// O(tables * sizes).
[[nodiscard]] Duration nccl_time(const CollectiveShape& shape, const CollectivePlace& place);

/// That collectives of `dag` are timed by NCCL's cost model under a network model, and what is known of them beyond it;
/// nothing if none is. O(collectives).
[[nodiscard]] Assumptions nccl_assumptions(const Dag& dag, const Cluster& cluster);

}  // namespace stepsim

#endif
