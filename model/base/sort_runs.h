#ifndef STEPSIM_MODEL_BASE_SORT_RUNS_H
#define STEPSIM_MODEL_BASE_SORT_RUNS_H

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <vector>

namespace stepsim {

/// Sorts nearly sorted items by `less`, such as the events of several threads concatenated. Finds the sorted runs and
/// merges neighbours, but only where two neighbours overlap (as in Peters' timsort, 2002). O(n) for one run, O(n log
/// runs) for long runs. For many short runs it calls std::sort, which is faster in that case. The sort is not stable.
template <class Range, class Less = std::less<>>
void sort_runs(Range& items, Less less = {}) {
  using Iterator = decltype(std::begin(items));
  constexpr std::ptrdiff_t kShort = 4;
  const auto begin = std::begin(items);
  const auto end = std::end(items);
  const auto most = (end - begin) / kShort + 1;
  std::vector<Iterator> ends;  // the end of each run
  for (auto at = begin; at != end; ends.push_back(at)) {
    if (std::ssize(ends) == most) return std::sort(begin, end, less);
    at = std::is_sorted_until(at, end, less);
  }
  while (ends.size() > 1) {
    std::size_t kept = 0;
    auto first = begin;
    for (std::size_t i = 0; i < ends.size(); i += 2) {
      if (i + 1 < ends.size()) {
        const auto middle = ends[i];
        const auto last = ends[i + 1];
        const auto from = std::upper_bound(first, middle, *middle, less);
        if (from != middle) std::inplace_merge(from, middle, std::lower_bound(middle, last, *(middle - 1), less), less);
        ends[kept] = last;
      } else {
        ends[kept] = ends[i];
      }
      first = ends[kept++];
    }
    ends.resize(kept);
  }
}

}  // namespace stepsim

#endif
