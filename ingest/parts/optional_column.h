#ifndef STEPSIM_INGEST_PARTS_OPTIONAL_COLUMN_H
#define STEPSIM_INGEST_PARTS_OPTIONAL_COLUMN_H

#include <cstddef>
#include <vector>

namespace stepsim::ingest {

/// A column in which kNone stands for no value. It takes memory up to the last row that has one, so none at all in the
/// many traces without any.
template <class Value, Value kNone>
class OptionalColumn {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Makes room for that many rows, if any row has a value yet.
  void reserve(std::size_t rows) {
    if (!values_.empty()) values_.reserve(rows);
  }
  [[nodiscard]] Value operator[](std::size_t row) const noexcept { return row < values_.size() ? values_[row] : kNone; }

  void push_back(Value value) {
    ++size_;
    if (value != kNone) set(size_ - 1, value);
  }
  /// Precondition: `row` < size().
  void set(std::size_t row, Value value) {
    if (row >= values_.size()) values_.resize(row + 1, kNone);
    values_[row] = value;
  }

 private:
  std::size_t size_ = 0;
  std::vector<Value> values_;
};

}  // namespace stepsim::ingest

#endif
