#include "ingest/parts/busy_time.h"

#include <algorithm>

namespace stepsim::ingest {

void BusyTime::add(Time begin, Time end) {
  constexpr std::size_t kBatch = 4096;
  ++count_;
  intervals_.emplace_back(begin, end);
  if (intervals_.size() >= 2 * merged_ + kBatch) merge();
}

Duration BusyTime::length() {
  merge();
  Duration length{};
  for (const auto& [begin, end] : intervals_) length += end - begin;
  return length;
}

void BusyTime::merge() {
  std::sort(intervals_.begin(), intervals_.end());
  std::size_t kept = 0;
  for (const auto& interval : intervals_) {
    if (kept > 0 && interval.first <= intervals_[kept - 1].second) {
      intervals_[kept - 1].second = std::max(intervals_[kept - 1].second, interval.second);
    } else {
      intervals_[kept++] = interval;
    }
  }
  intervals_.resize(kept);
  merged_ = kept;
}

}  // namespace stepsim::ingest
