#ifndef STEPSIM_SIM_REPORT_TABLE_TEXT_H
#define STEPSIM_SIM_REPORT_TABLE_TEXT_H

#include <string>
#include <vector>

#include "sim/report/table.h"
#include "sim/report/terminal_text.h"

namespace stepsim::sim {

/// Returns aligned columns two blanks apart: a line of titles, then one line per row, each ending in '\n' and without
/// trailing blanks. Times of a column have one unit (with_common_units()); control characters are escaped
/// (model/base/text.h).
///
/// Kernels have short names (model/job/kernel_name.h) unless the style is full. Without a width, the column of names
/// longer than 80 columns is the last one, so that what follows it stays in view.
///
/// If the style has a width, no line is wider. Names are shortened in the middle, the widest first and only as much as
/// needed; sentences are wrapped. If that is not enough, whole columns are left out, the least important first
/// (Column::use), and a line below the table lists them. The first column always remains. O(cells * (columns + width)).
[[nodiscard]] std::string to_text(const Table& table, const TextStyle& style = {});

/// Returns the texts of a table's cells, row by row, formatted so that columns can be compared by eye:
///
/// * Counts have thousands separators.
/// * The times of a column have one unit: that of the largest, or a smaller one if the smallest time needs it. If times
///   are compared (Table::compare_times()), all columns have the unit of their median.
/// * The number of decimals, at most three, gives the largest time four digits and the smallest two. Unequal times of a
///   column or row look different if three decimals can show it. Columns with the same unit have the same number of
///   decimals, and no decimals if all would be 0.
/// * A time that rounds to 0 is shown as "<0.001 ms"; a zero time as "0".
/// * A mark or a '+' before the number is kept.
///
/// O(cells * columns).
[[nodiscard]] std::vector<std::vector<std::string>> with_common_units(const Table& table);

/// Returns with_common_units() with short names of kernels (model/job/kernel_name.h); names that differ within a column
/// still differ.
[[nodiscard]] std::vector<std::vector<std::string>> with_short_names(const Table& table);

}  // namespace stepsim::sim

#endif
