#include "ingest/parts/busy_time.h"
#include "model/base/text.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

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

namespace {

/// Returns true for work that CUDA does with or without a profiler, by the words in the names that CUPTI and Nsight
/// Systems give it. The first letters are left out because their case varies.
bool is_cuda_overhead(std::string_view kind) {
  return contains_any(kind, {"ompiler", "odule Loading", "odule loading", "azy Function", "azy function", "ommand "});
}

}  // namespace

std::vector<OverheadUse> overhead_uses(const HostDeviceTrace& trace) {
  std::map<TextId, OverheadUse> uses;
  std::map<TextId, BusyTime> spans;
  for (const HostDeviceTrace::Overhead& one : trace.overheads) {
    if (one.length < Duration{} || !in_time(one.start, one.length)) continue;
    OverheadUse& use = uses[one.kind];
    ++use.count;
    use.total = one.length > Duration::max() - use.total ? Duration::max() : use.total + one.length;
    use.longest = std::max(use.longest, one.length);
    spans[one.kind].add(one.start, one.start + one.length);
  }
  std::vector<OverheadUse> made;
  for (auto& [kind, use] : uses) {
    use.kind = trace.text(kind);
    use.of_profiler = !is_cuda_overhead(use.kind);
    use.by_clock = spans[kind].length();
    made.push_back(std::move(use));
  }
  std::sort(made.begin(), made.end(), [](const OverheadUse& a, const OverheadUse& b) {
    return a.total != b.total ? a.total > b.total : a.kind < b.kind;
  });
  return made;
}

}  // namespace stepsim::ingest
