#ifndef STEPSIM_SIM_REPORT_TABLE_TEXT_H
#define STEPSIM_SIM_REPORT_TABLE_TEXT_H

#include <string>

#include "sim/report/table.h"
#include "sim/report/text_style.h"

namespace stepsim::sim {

/// Aligned columns two blanks apart, a heading, one line a row, each ending in '\n' and without trailing blanks. Times
/// of a column have one unit (column_figures.h), control characters are shown escaped (model/base/text.h).
///
/// Where the style has a width no line is wider. Names are shortened in the middle, the widest first and only as far as
/// needed; sentences go on in further lines. What then does not fit is left out, whole columns by their use, and a line
/// below the table names them. The first column stays. O(cells * (columns + width)).
[[nodiscard]] std::string to_text(const Table& table, const TextStyle& style = {});

}  // namespace stepsim::sim

#endif
