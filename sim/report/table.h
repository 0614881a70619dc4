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

/// How much a column is needed. On a narrow terminal those that are needed least are left out first.
enum class Use : std::uint8_t { kMain, kHelp, kDetail };

/// What the cells of a column are.
enum class Numbers : std::uint8_t {
  kPerhaps,  ///< numbers if all cells that are not absent are
  kNone,     ///< texts
  kInteger,
  kReal,
};

/// What the number of a cell counts: things, nanoseconds, or a share of one.
enum class Unit : std::uint8_t { kNone, kNanoseconds, kRatio };

/// A column of a Table. On a narrow terminal names, which are aligned left, are shortened in the middle.
struct Column {
  std::string title;
  Align align = Align::kRight;
  Use use = Use::kMain;
  bool sentences = false;  ///< its cells are not shortened but go on below
  Numbers numbers = Numbers::kPerhaps;
  Unit unit = Unit::kNone;  ///< of its numbers, if they are declared
};

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

  /// Its columns of times are there to be compared: as text all have one unit.
  void compare_times() noexcept { compares_times_ = true; }
  [[nodiscard]] bool compares_times() const noexcept { return compares_times_; }

  [[nodiscard]] const std::vector<Column>& columns() const noexcept { return columns_; }
  [[nodiscard]] const std::vector<std::vector<Cell>>& rows() const noexcept { return rows_; }

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
  bool compares_times_ = false;
};

/// "+1.23", "-0.40": a number with its sign and that many decimals. What they round to 0 has as many more, up to four,
/// as show its first digit: "-0.002". Without a sign, "0.00" is 0 to the fourth decimal.
[[nodiscard]] std::string signed_number(double number, int decimals);
/// The same of a ratio, as a percentage: "-0.40 %".
[[nodiscard]] std::string signed_percent(double ratio, int decimals = 2);
[[nodiscard]] Cell signed_percent_cell(double ratio);
/// "12.3 %".
[[nodiscard]] std::string percent(double ratio);
[[nodiscard]] Cell percent_cell(double ratio);
/// A difference of times with its sign: "+1.5 ms".
[[nodiscard]] std::string signed_time(Duration difference);
[[nodiscard]] Cell signed_time_cell(Duration difference);
/// A duration as its count of nanoseconds, and a ratio with all its digits, for programs.
[[nodiscard]] Cell nanoseconds_cell(Duration duration);
[[nodiscard]] Cell number_cell(double number);

// Large numbers as people read them.

/// "1.25 TFLOP", "310.00 MFLOP": three places are enough to compare. Precondition: `number` is not negative.
[[nodiscard]] std::string scaled(double number, std::string_view unit);

[[nodiscard]] Cell bytes_cell(Bytes bytes);
/// A number of things a second; "-" if it is 0.
[[nodiscard]] Cell rate_cell(double rate, std::string_view unit);
/// "1.53".
[[nodiscard]] Cell decimal_cell(double number);

}  // namespace stepsim::sim

#endif
