#ifndef STEPSIM_SIM_REPORT_TABLE_H
#define STEPSIM_SIM_REPORT_TABLE_H

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/base/units.h"

namespace stepsim::sim {

enum class Align { kLeft, kRight };

/// How important a column is. On a narrow terminal the least important columns are left out first, kExtra even before
/// names are shortened.
enum class Use : std::uint8_t { kMain, kHelp, kDetail, kExtra };

/// The type of the cells in a column.
enum class Numbers : std::uint8_t {
  kPerhaps,  ///< numbers if all cells that are not absent are numbers
  kNone,     ///< all cells are texts
  kInteger,
  kReal,
};

/// The unit of a cell's number: a count, nanoseconds, or a ratio.
enum class Unit : std::uint8_t { kNone, kNanoseconds, kRatio };

/// A column of a Table. On a narrow terminal, cells that are aligned left (names) are shortened in the middle.
struct Column {
  std::string title;
  Align align = Align::kRight;
  Use use = Use::kMain;
  bool sentences = false;  ///< true if its cells are not shortened but wrapped
  Numbers numbers = Numbers::kPerhaps;
  Unit unit = Unit::kNone;   ///< unit of its numbers, if `numbers` declares them
  bool identifies = false;   ///< true if its integers identify ranks or steps; they have no thousands separators
  bool only_if_any = false;  ///< true if drop_unused() removes it where all cells are absent
};

/// A cell: text for people and, if it is a number, its value for programs.
class Cell {
 public:
  // NOLINTBEGIN(google-explicit-constructor): allows a row to be written as a list of values
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
  /// True if the cell is empty: "" or "-".
  [[nodiscard]] bool is_absent() const noexcept { return !is_number() && (text_.empty() || text_ == "-"); }

 private:
  std::string text_;
  Number number_;
  Unit unit_ = Unit::kNone;
};

/// Cells with column titles. Terminal, Markdown and CSV writers use the texts; spreadsheets and databases use the
/// numbers. Texts are unescaped; each writer escapes them for its format.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Adds a row. Precondition: one cell per column.
  void add_row(std::vector<Cell> cells);

  /// Removes the columns that are shown only if a cell has a value, and of which none has. O(cells).
  void drop_unused();

  /// Declares that the columns of times are compared with each other; as text they then all have one unit.
  void compare_times() noexcept { compares_times_ = true; }
  [[nodiscard]] bool compares_times() const noexcept { return compares_times_; }

  [[nodiscard]] const std::vector<Column>& columns() const noexcept { return columns_; }
  [[nodiscard]] const std::vector<std::vector<Cell>>& rows() const noexcept { return rows_; }

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
  bool compares_times_ = false;
};

/// A table with a row per rank, or per rank and step, is long if it has more rows than this.
inline constexpr std::size_t kFewRankRows = 16;

/// If a table whose first column is "rank" is long, returns a shorter one: the smallest, the middle and the largest
/// value of each column, then the `most` rows with the largest times. The first column of times decides; the next ones
/// decide ties, because ranks that wait for each other take equally long for a step. Otherwise returns nothing.
/// O(rows * columns * log rows).
[[nodiscard]] std::optional<Table> digest_of(const Table& table, std::size_t most);

/// Returns a number with its sign and one decimal: "+1.2", "-0.4". If that rounds to 0, it gets up to four decimals to
/// show its first digit: "-0.002". A number that is 0 even with four decimals has no sign: "0.0".
[[nodiscard]] std::string signed_number(double number);
/// Formats a relative difference as a percentage with its sign and one decimal as in signed_number(), "-0.4 %", or from
/// 10 on as a multiple, "11x as much".
[[nodiscard]] std::string signed_percent(double ratio);
[[nodiscard]] Cell signed_percent_cell(double ratio);
/// A smaller share or relative change is not worth saying: percent() would give "0.0 %".
inline constexpr double kLeastShown = 0.0005;

/// Formats a ratio as a percentage, "12.3 %", or from 10 on as a multiple, "12x".
[[nodiscard]] std::string percent(double ratio);
[[nodiscard]] Cell percent_cell(double ratio);
/// Formats a difference of times with its sign: "+1.5 ms".
[[nodiscard]] std::string signed_time(Duration difference);
[[nodiscard]] Cell signed_time_cell(Duration difference);
/// Return cells for programs: a duration in nanoseconds, and a number with all its digits.
[[nodiscard]] Cell nanoseconds_cell(Duration duration);
[[nodiscard]] Cell number_cell(double number);

// Large numbers for people.

/// Formats a number with two decimals, an SI prefix and its unit: "1.25 TFLOP", "310.00 MFLOP". Precondition: `number`
/// is not negative.
[[nodiscard]] std::string scaled(double number, std::string_view unit);

[[nodiscard]] Cell bytes_cell(Bytes bytes);
/// Returns a rate per second; "-" if it is 0.
[[nodiscard]] Cell rate_cell(double rate, std::string_view unit);
/// Formats a number with two decimals: "1.53".
[[nodiscard]] Cell decimal_cell(double number);

}  // namespace stepsim::sim

#endif
