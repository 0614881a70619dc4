#ifndef STEPSIM_SIM_REPORT_TABLE_TEXT_H
#define STEPSIM_SIM_REPORT_TABLE_TEXT_H

#include <string>
#include <vector>

#include "sim/report/table.h"
#include "sim/report/terminal_text.h"

namespace stepsim::sim {

/// Aligned columns two blanks apart, a heading, one line a row, each ending in '\n' and without trailing blanks. Times
/// of a column have one unit (with_common_units()), control characters are shown escaped (model/base/text.h).
///
/// Where the style has a width no line is wider. Names are shortened in the middle, the widest first and only as far as
/// needed; sentences go on in further lines. What then does not fit is left out, whole columns by their use, and a line
/// below the table names them. The first column stays. O(cells * (columns + width)).
[[nodiscard]] std::string to_text(const Table& table, const TextStyle& style = {});

/// The texts of a table's cells, row by row, with lengths of time so that a column can be compared by eye: in one unit,
/// that of its largest (where columns are compared, all that of their median), and with as many decimals, at most
/// three, as the largest needs for four digits and the smallest for two; unequal times of a column or of a row do not
/// look equal where three decimals tell them apart. Columns of one unit have equally many decimals, and none that are 0
/// in all. A time of less than a hundredth of the unit has one of its own; none is "0". What stands in a text before
/// the number stays, a '+' or a mark. O(cells * columns).
[[nodiscard]] std::vector<std::vector<std::string>> with_common_units(const Table& table);

}  // namespace stepsim::sim

#endif
