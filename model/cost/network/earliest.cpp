#include "model/cost/network/earliest.h"

#include <algorithm>

namespace stepsim {

std::size_t Earliest::add() {
  if (count_ == leaves_) {
    std::vector<Node> nodes(4 * leaves_);
    std::copy_n(nodes_.begin() + static_cast<std::ptrdiff_t>(leaves_), leaves_,
                nodes.begin() + static_cast<std::ptrdiff_t>(2 * leaves_));
    nodes_ = std::move(nodes);
    leaves_ *= 2;
    for (std::size_t i = 0; i < leaves_; ++i) {
      nodes_[leaves_ + i].clock = static_cast<std::uint32_t>(i);
    }
    for (std::size_t i = leaves_; i-- > 1;) {
      nodes_[i] = nodes_[2 * i + 1].time < nodes_[2 * i].time ? nodes_[2 * i + 1] : nodes_[2 * i];
    }
  }
  return count_++;
}

}  // namespace stepsim
