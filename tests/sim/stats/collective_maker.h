#ifndef STEPSIM_TESTS_SIM_STATS_COLLECTIVE_MAKER_H
#define STEPSIM_TESTS_SIM_STATS_COLLECTIVE_MAKER_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/cost/collective/algorithm.h"
#include "tests/sim/stats/measured_maker.h"

namespace stepsim::testing {

/// Makes captures of NCCL's collectives with given arrivals and ends, in nanoseconds.
class CollectiveMaker {
 public:
  /// Adds a collective of ranks that arrive at these times and end at `end`.
  void add(const Collective& collective, const std::map<Rank, std::int64_t>& arrivals, std::int64_t end,
           std::int32_t step = -1) {
    Collective made = collective;
    if (made.algorithm == nullptr) made.algorithm = find_collective_model("nccl");
    const RendezvousId rendezvous = maker.dag.builder.add_rendezvous(made);
    for (const auto& [rank, begin] : arrivals) {
      const TaskId task = maker.add(lane_of(rank), TaskKind::kCollective, "kernel", begin, end, step);
      maker.dag.builder.join(rendezvous, task);
    }
  }

  LaneId lane_of(Rank rank) {
    const auto [lane, is_new] = lanes_.try_emplace(rank);
    if (is_new) {
      lane->second = maker.dag.builder.add_lane(
          {.name = "stream 7", .host = hosts[rank], .rank = rank, .kind = LaneKind::kStream, .device = rank});
    }
    return lane->second;
  }

  MeasuredMaker maker;
  std::map<Rank, std::string> hosts;  ///< set before the first collective of the rank

 private:
  std::map<Rank, LaneId> lanes_;
};

}  // namespace stepsim::testing

#endif
