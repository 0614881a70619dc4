#include "sim/export/rows.h"

namespace stepsim::sim {

std::size_t Rows::place(Time begin, Time end) {
  for (; !busy_.empty() && busy_.top().first <= begin; busy_.pop()) free_.push(busy_.top().second);
  if (free_.empty()) free_.push(count_++);
  const std::size_t row = free_.top();
  free_.pop();
  busy_.emplace(end, row);
  return row;
}

}  // namespace stepsim::sim
