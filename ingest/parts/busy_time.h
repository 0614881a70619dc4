#ifndef STEPSIM_INGEST_PARTS_BUSY_TIME_H
#define STEPSIM_INGEST_PARTS_BUSY_TIME_H

#include <cstdint>
#include <utility>
#include <vector>

#include "model/base/units.h"

namespace stepsim::ingest {

/// How long at least one of many events runs, in whatever order they come. Keeps no more than some thousand intervals
/// for events that follow each other. O(log n) an event on average.
class BusyTime {
 public:
  void add(Time begin, Time end);
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] Duration length();

 private:
  void merge();

  std::vector<std::pair<Time, Time>> intervals_;
  std::size_t merged_ = 0;  ///< how many of them are apart from each other, and in order
  std::uint64_t count_ = 0;
};

}  // namespace stepsim::ingest

#endif
