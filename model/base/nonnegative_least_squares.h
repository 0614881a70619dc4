#ifndef STEPSIM_MODEL_BASE_NONNEGATIVE_LEAST_SQUARES_H
#define STEPSIM_MODEL_BASE_NONNEGATIVE_LEAST_SQUARES_H

#include <cstddef>
#include <span>
#include <vector>

namespace stepsim {

/// The x >= 0 with the smallest |A x - b|, by active sets (Lawson and Hanson, Solving Least
/// Squares Problems, 1974, chapter 23). `a` holds A row by row, `columns` numbers a row. Where
/// columns depend on each other one of the best x is returned, the same in every run.
/// About `columns` solves of at most rows x columns.
/// Precondition: a.size() == columns * b.size(), columns > 0, all numbers are finite.
[[nodiscard]] std::vector<double> nonnegative_least_squares(std::span<const double> a, std::size_t columns,
                                                            std::span<const double> b);

}  // namespace stepsim

#endif
