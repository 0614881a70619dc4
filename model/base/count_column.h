#ifndef STEPSIM_MODEL_BASE_COUNT_COLUMN_H
#define STEPSIM_MODEL_BASE_COUNT_COLUMN_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stepsim {

/// A column of non-negative counts (Duration, Bytes). It uses four bytes per value while all values are below 2^32
/// (4.29 s, 4.29 GB), and eight bytes per value once a larger one was added. Narrow columns are also faster, because a
/// replay is mostly limited by memory access.
template <class Count>
class CountColumn {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return low_.size(); }
  [[nodiscard]] bool empty() const noexcept { return low_.empty(); }
  [[nodiscard]] Count operator[](std::size_t i) const noexcept {
    return Count{high_.empty() ? std::int64_t{low_[i]} : (std::int64_t{high_[i]} << kBits) + low_[i]};
  }

  void reserve(std::size_t size) {
    low_.reserve(size);
    if (!high_.empty()) high_.reserve(size);
  }
  /// Precondition: `value` is not negative.
  void push_back(Count value) {
    low_.push_back(0);
    if (!high_.empty()) high_.push_back(0);
    set(low_.size() - 1, value);
  }
  /// Precondition: `i` < size(), and `value` is not negative.
  void set(std::size_t i, Count value) {
    const auto high = static_cast<std::uint32_t>(value.count() >> kBits);
    low_[i] = static_cast<std::uint32_t>(value.count());
    if (high != 0 && high_.empty()) high_.assign(low_.size(), 0);
    if (!high_.empty()) high_[i] = high;
  }

 private:
  static constexpr unsigned kBits = 32;
  std::vector<std::uint32_t> low_;
  std::vector<std::uint32_t> high_;  ///< the upper 32 bits; empty while all of them are 0
};

}  // namespace stepsim

#endif
