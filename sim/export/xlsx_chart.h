#ifndef STEPSIM_SIM_EXPORT_XLSX_CHART_H
#define STEPSIM_SIM_EXPORT_XLSX_CHART_H

#include <string>
#include <string_view>

#include "sim/export/relation.h"

namespace stepsim::sim {

/// "A", "Z", "AA": how a spreadsheet names its columns.
[[nodiscard]] std::string column_letters(std::size_t column);

/// A DrawingML chart of the plot: its lines over cells of the sheet, which has the rows below a heading, each point
/// with its range as a bar. At most 24 lines; the title says how many there are besides. Precondition: `plot` names
/// columns of `rows`.
[[nodiscard]] std::string xlsx_chart(const Plot& plot, const Relation& rows, std::string_view sheet);

/// The DrawingML that puts chart rId1 to the right of that many columns.
[[nodiscard]] std::string xlsx_drawing(std::size_t columns);

}  // namespace stepsim::sim

#endif
