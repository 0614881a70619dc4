#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_LAUNCH_ORDER_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_LAUNCH_ORDER_H

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "ingest/stitch/host_device/rank_events.h"
#include "model/base/sort_runs.h"

namespace stepsim::ingest {

/// Pieces of device work by the begin of the call that launched them. sort() comes after the last add()
/// and before all queries, which are O(log n) and return an op, or kNoIndex if there is none.
class LaunchOrder {
 public:
  using Launch = std::pair<Time, std::uint32_t>;  // begin of the call, op

  void add(Time call, std::uint32_t op) { launches_.emplace_back(call, op); }
  void sort() { sort_runs(launches_); }

  /// The last op launched before `at`.
  [[nodiscard]] std::uint32_t last_before(Time at) const {
    const auto next = std::lower_bound(launches_.begin(), launches_.end(), Launch{at, 0});
    return next == launches_.begin() ? kNoIndex : std::prev(next)->second;
  }
  /// The first op launched at `at` or later.
  [[nodiscard]] std::uint32_t first_from(Time at) const {
    const auto next = std::lower_bound(launches_.begin(), launches_.end(), Launch{at, 0});
    return next == launches_.end() ? kNoIndex : next->second;
  }
  /// The first op launched later than `at`.
  [[nodiscard]] std::uint32_t first_after(Time at) const {
    const auto next = std::upper_bound(launches_.begin(), launches_.end(), Launch{at, kNoIndex});
    return next == launches_.end() ? kNoIndex : next->second;
  }
  [[nodiscard]] const std::vector<Launch>& launches() const noexcept { return launches_; }

 private:
  std::vector<Launch> launches_;
};

}  // namespace stepsim::ingest

#endif
