#ifndef STEPSIM_SIM_EXPORT_ROWS_H
#define STEPSIM_SIM_EXPORT_ROWS_H

#include <cstddef>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "model/base/units.h"

namespace stepsim::sim {

/// Places intervals on as few rows as possible without overlap, always on the first free row. O(log rows)
/// an interval.
class Rows {
 public:
  /// The row of [begin, end). Precondition: `begin` is never less than in the call before.
  std::size_t place(Time begin, Time end);
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

 private:
  template <class Entry>
  using Smallest = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;

  Smallest<std::pair<Time, std::size_t>> busy_;  ///< until when, and which row
  Smallest<std::size_t> free_;
  std::size_t count_ = 0;
};

}  // namespace stepsim::sim

#endif
