#ifndef STEPSIM_MODEL_BASE_CSV_H
#define STEPSIM_MODEL_BASE_CSV_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepsim {

/// A line of a csv file. Blanks around cells are left out.
struct CsvLine {
  std::uint32_t number = 0;  ///< of its first line in the file, from 1
  std::vector<std::string> cells;
};

/// A csv file: a line with the names of the columns, and the lines below it that are not empty.
struct CsvTable {
  std::string name;  ///< of the file, for messages
  CsvLine columns;   ///< no name is there twice
  std::vector<CsvLine> lines;
};

/// Parses csv as RFC 4180 describes it: a cell in double quotes may have commas, line breaks and doubled quotes. A line
/// may have fewer cells than there are columns. Throws InputError if a line has more cells, a quote is not closed, two
/// columns have the same name, or there is no line.
[[nodiscard]] CsvTable parse_csv(std::string_view text, const std::string& name);

/// Returns the text as a cell of csv: in double quotes if it has a comma, a quote or a line break.
[[nodiscard]] std::string quoted_csv(std::string_view text);

}  // namespace stepsim

#endif
