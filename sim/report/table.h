#ifndef STEPSIM_SIM_REPORT_TABLE_H
#define STEPSIM_SIM_REPORT_TABLE_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stepsim::sim {

enum class Align { kLeft, kRight };

/// A column of a Table. A cell wider than `max_width` terminal columns is cut in the middle;
/// 0 = never.
struct Column {
  std::string title;
  Align align = Align::kRight;
  std::size_t max_width = 0;
};

/// Rows of text under headings. Terminal, Markdown and CSV are three ways to write the same table. Cells
/// hold text as it came; the writers make it safe.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Precondition: one cell a column.
  void add_row(std::vector<std::string> cells);

  [[nodiscard]] const std::vector<Column>& columns() const noexcept { return columns_; }
  [[nodiscard]] const std::vector<std::vector<std::string>>& rows() const noexcept { return rows_; }

  /// Aligned columns two blanks apart, a heading, one line a row, each ending in '\n' and
  /// without trailing blanks. Control characters are shown escaped (model/base/text.h).
  [[nodiscard]] std::string to_text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Terminal columns that valid UTF-8 takes: combining marks and joiners 0, East Asian wide
/// characters and emoji 2, others 1.
[[nodiscard]] std::size_t display_width(std::string_view text) noexcept;

/// `text` if it fits in `width` columns, else its beginning and its end with "..." between,
/// never cutting inside a character. Precondition: valid UTF-8.
[[nodiscard]] std::string cut_in_middle(std::string_view text, std::size_t width);

/// "+1.23 %", "-0.40 %", "0.00 %": a ratio with its sign.
[[nodiscard]] std::string signed_percent(double ratio);
/// "12.3 %".
[[nodiscard]] std::string percent(double ratio);

}  // namespace stepsim::sim

#endif
