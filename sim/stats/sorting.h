#ifndef STEPSIM_SIM_STATS_SORTING_H
#define STEPSIM_SIM_STATS_SORTING_H

#include <algorithm>
#include <vector>

namespace stepsim::sim {

/// Sorts what is in order as a rule. O(n) if it is, else O(n log n).
template <class Item, class Less>
void sort_unless_sorted(std::vector<Item>& items, Less less) {
  if (!std::is_sorted(items.begin(), items.end(), less)) std::sort(items.begin(), items.end(), less);
}

}  // namespace stepsim::sim

#endif
