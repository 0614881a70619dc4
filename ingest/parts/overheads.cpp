#include "ingest/parts/overheads.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "ingest/parts/time_range.h"

namespace stepsim::ingest {
namespace {

/// What CUDA does for a program, with or without a profiler: CUPTI's words, and those of Nsight Systems.
bool is_of_cuda(std::string_view kind) {
  constexpr std::array<std::string_view, 6> kWords{"ompiler",      "odule Loading", "odule loading",
                                                   "azy Function", "azy function",  "ommand "};
  return std::any_of(kWords.begin(), kWords.end(),
                     [kind](std::string_view word) { return kind.find(word) != std::string_view::npos; });
}

Duration by_clock(std::vector<std::pair<Time, Time>>& spans) {
  std::sort(spans.begin(), spans.end());
  Duration sum{};
  Time done = Time::min();
  for (const auto& [begin, end] : spans) {
    if (end <= done) continue;
    sum += end - std::max(begin, done);
    done = end;
  }
  return sum;
}

}  // namespace

std::vector<OverheadUse> overhead_uses(const HostDeviceTrace& trace) {
  std::map<TextId, OverheadUse> uses;
  std::map<TextId, std::vector<std::pair<Time, Time>>> spans;
  for (const HostDeviceTrace::Overhead& one : trace.overheads) {
    if (one.length < Duration{} || !in_time(one.start, one.length)) continue;
    OverheadUse& use = uses[one.kind];
    ++use.count;
    use.total = one.length > Duration::max() - use.total ? Duration::max() : use.total + one.length;
    use.longest = std::max(use.longest, one.length);
    spans[one.kind].emplace_back(one.start, one.start + one.length);
  }
  std::vector<OverheadUse> made;
  for (auto& [kind, use] : uses) {
    use.kind = trace.text(kind);
    use.of_profiler = !is_of_cuda(use.kind);
    use.by_clock = by_clock(spans[kind]);
    made.push_back(std::move(use));
  }
  std::sort(made.begin(), made.end(), [](const OverheadUse& a, const OverheadUse& b) {
    return a.total != b.total ? a.total > b.total : a.kind < b.kind;
  });
  return made;
}

}  // namespace stepsim::ingest
