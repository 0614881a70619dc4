#ifndef STEPSIM_SIM_REPORT_TABLE_H
#define STEPSIM_SIM_REPORT_TABLE_H

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/base/units.h"

namespace stepsim::sim {

enum class Align { kLeft, kRight };

/// A column of a Table. A cell wider than `max_width` terminal columns is cut in the middle;
/// 0 = never.
struct Column {
  std::string title;
  Align align = Align::kRight;
  std::size_t max_width = 0;
};

/// What the number of a cell counts: things, nanoseconds, or a share of one.
enum class Unit : std::uint8_t { kNone, kNanoseconds, kRatio };

/// A cell: text for people, and, of a number, the number itself for programs.
class Cell {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a row is written as a list of what it holds
  Cell(std::string text) : text_(std::move(text)) {}
  Cell(const char* text) : text_(text) {}
  template <std::integral Integer>
  Cell(Integer count) : Cell(std::to_string(count), static_cast<std::int64_t>(count), Unit::kNone) {}
  Cell(Duration duration) : Cell(stepsim::to_text(duration), duration.count(), Unit::kNanoseconds) {}
  // NOLINTEND(google-explicit-constructor)
  using Number = std::variant<std::monostate, std::int64_t, double>;
  Cell(std::string text, Number number, Unit unit) : text_(std::move(text)), number_(number), unit_(unit) {}

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] bool is_number() const noexcept { return number_.index() != 0; }
  [[nodiscard]] const Number& number() const noexcept { return number_; }
  [[nodiscard]] Unit unit() const noexcept { return unit_; }
  /// Whether it says that there is nothing: "" or "-".
  [[nodiscard]] bool is_absent() const noexcept { return !is_number() && (text_.empty() || text_ == "-"); }

 private:
  std::string text_;
  Number number_;
  Unit unit_ = Unit::kNone;
};

/// Cells under headings. Terminal, Markdown and CSV are three ways to write their texts, spreadsheets and databases
/// take their numbers. Cells hold text as it came; the writers make it safe.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Precondition: one cell a column.
  void add_row(std::vector<Cell> cells);

  [[nodiscard]] const std::vector<Column>& columns() const noexcept { return columns_; }
  [[nodiscard]] const std::vector<std::vector<Cell>>& rows() const noexcept { return rows_; }

  /// Aligned columns two blanks apart, a heading, one line a row, each ending in '\n' and
  /// without trailing blanks. Control characters are shown escaped (model/base/text.h).
  [[nodiscard]] std::string to_text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// Terminal columns that valid UTF-8 takes: combining marks and joiners 0, East Asian wide
/// characters and emoji 2, others 1.
[[nodiscard]] std::size_t display_width(std::string_view text) noexcept;

/// `text` if it fits in `width` columns, else its beginning and its end with "..." between,
/// never cutting inside a character. Precondition: valid UTF-8.
[[nodiscard]] std::string cut_in_middle(std::string_view text, std::size_t width);

/// "+1.23 %", "-0.40 %", "0.00 %": a ratio with its sign.
[[nodiscard]] std::string signed_percent(double ratio);
[[nodiscard]] Cell signed_percent_cell(double ratio);
/// "12.3 %".
[[nodiscard]] std::string percent(double ratio);
[[nodiscard]] Cell percent_cell(double ratio);
/// A duration as its count of nanoseconds, and a ratio with all its digits, for programs.
[[nodiscard]] Cell nanoseconds_cell(Duration duration);
[[nodiscard]] Cell number_cell(double number);

}  // namespace stepsim::sim

#endif
