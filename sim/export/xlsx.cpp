#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xlsxwriter.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/export/relation.h"

// A workbook with a sheet for each relation (relation.h) and, where the answer has a plot, a chart of it beside the
// rows. Texts are written as texts, so that none is taken for a formula, and numbers as numbers. libxlsxwriter writes
// to a file of its own, which is kept in memory, and through temporary files in TMPDIR.

namespace stepsim::sim {
namespace {

constexpr std::size_t kMostRows = 1'048'575;  // of a sheet, below its heading
constexpr std::size_t kMostBytes = 32'700;    // of a cell, which holds 32,767 characters
constexpr std::time_t kNoTime = 315'532'800;  // 1980, as in the archive: the same answer is the same file

[[noreturn]] void fail(const OutputFile& out, std::string_view why) {
  throw OutputError(fmt::format("{}: cannot be written: {}", out.path(), why));
}

/// A file in memory, with a path for others to write to.
class MemoryFile {
 public:
  explicit MemoryFile(const OutputFile& out) : out_(out), descriptor_(::memfd_create("stepsim", MFD_CLOEXEC)) {
    if (descriptor_ < 0) fail(out_, std::generic_category().message(errno));
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }
  void copy_to(OutputFile& out) {
    std::array<char, std::size_t{1} << 16U> buffer{};
    for (off_t offset = 0;;) {
      const ssize_t got = ::pread(descriptor_, buffer.data(), buffer.size(), offset);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(out_, std::generic_category().message(errno));
      if (got == 0) return;
      out.write({buffer.data(), static_cast<std::size_t>(got)});
      offset += got;
    }
  }

 private:
  const OutputFile& out_;
  int descriptor_;
};

/// Keeps libxlsxwriter, which prints to standard error what it also returns, from doing so.
class QuietStandardError {
 public:
  QuietStandardError() : kept_(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)) {
    const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (kept_ >= 0 && nothing >= 0) ::dup2(nothing, STDERR_FILENO);
    if (nothing >= 0) ::close(nothing);
  }
  ~QuietStandardError() {
    if (kept_ < 0) return;
    ::dup2(kept_, STDERR_FILENO);
    ::close(kept_);
  }
  QuietStandardError(const QuietStandardError&) = delete;
  QuietStandardError& operator=(const QuietStandardError&) = delete;

 private:
  int kept_;
};

/// Whether the text begins with "_x001B_", which Excel reads as the character of that number.
bool is_escape(std::string_view text) {
  constexpr std::size_t kLength = 7;
  return text.size() >= kLength && text.starts_with("_x") && text[kLength - 1] == '_' &&
         text.substr(2, 4).find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

/// A text that a cell may hold: UTF-8 without the characters that XML cannot name, cut where it is too long. The
/// library escapes control characters as Excel does, and leaves it to us to escape what looks like that.
std::string cell_text(std::string_view text) {
  constexpr std::string_view kUnknown = "\xEF\xBF\xBD";
  constexpr std::string_view kCut = "...";
  std::string clean;
  std::string storage;
  for (std::string_view rest = as_utf8(text, storage); !rest.empty();) {
    const Character next = decode_utf8(rest);
    const bool unnamed = next.code == 0 || next.code == 0xFFFE || next.code == 0xFFFF;
    if (is_escape(rest)) clean += "_x005F";
    clean += unnamed ? kUnknown : rest.substr(0, next.length);
    rest.remove_prefix(next.length);
    if (clean.size() > kMostBytes) return clean.append(kCut);
  }
  return clean;
}

/// A title of a chart. One that begins with '=' would be a reference to a cell.
std::string chart_text(std::string_view text) {
  return fmt::format("{}{}", text.starts_with('=') ? " " : "", cell_text(text));
}

/// At most 31 characters, none of []:*?/\, no apostrophe at an end.
std::string sheet_name(const Relation& relation, std::size_t part) {
  constexpr std::size_t kLongest = 31;
  const std::string more = part == 0 ? "" : fmt::format("_{}", part + 1);
  return relation.name.substr(0, kLongest - more.size()) + more;
}

class Workbook {
 public:
  explicit Workbook(OutputFile& out) : out_(out), file_(out), path_(file_.path()) {
    lxw_workbook_options options{};
    book_ = workbook_new_opt(path_.c_str(), &options);
    if (book_ == nullptr) throw std::bad_alloc();
    lxw_doc_properties properties{};
    properties.created = kNoTime;
    check(workbook_set_properties(book_, &properties));
    heading_ = workbook_add_format(book_);
    if (heading_ == nullptr) throw std::bad_alloc();
    format_set_bold(heading_);
  }

  /// Throws OutputError. To be called once; then the workbook is gone.
  void close() {
    lxw_workbook* const book = std::exchange(book_, nullptr);
    check(workbook_close(book));
    file_.copy_to(out_);
  }
  ~Workbook() {
    if (book_ != nullptr) lxw_workbook_free(book_);
  }
  Workbook(const Workbook&) = delete;
  Workbook& operator=(const Workbook&) = delete;

  void add(const Relation& relation, const std::optional<Plot>& plot) {
    std::size_t first = 0;
    for (std::size_t part = 0; part == 0 || first < relation.rows; ++part, first += kMostRows) {
      const std::string name = sheet_name(relation, part);
      lxw_worksheet* const sheet = workbook_add_worksheet(book_, name.c_str());
      if (sheet == nullptr) fail(out_, fmt::format("the workbook takes no sheet '{}'", name));
      write_rows(sheet, relation, first, std::min(relation.rows, first + kMostRows));
      if (plot && relation.rows <= kMostRows && relation.name == kRows) add_chart(sheet, name, relation, *plot);
    }
  }

 private:
  void check(lxw_error error) const {
    if (error == LXW_NO_ERROR) return;
    if (error == LXW_ERROR_MEMORY_MALLOC_FAILED) throw std::bad_alloc();
    fail(out_, lxw_strerror(error));
  }

  void write_text(lxw_worksheet* sheet, lxw_row_t row, lxw_col_t column, std::string_view text, lxw_format* format) {
    check(worksheet_write_string(sheet, row, column, cell_text(text).c_str(), format));
  }

  void write_rows(lxw_worksheet* sheet, const Relation& relation, std::size_t first, std::size_t end) {
    for (std::size_t i = 0; i < relation.columns.size(); ++i) {
      const RelationColumn& column = relation.columns[i];
      const auto place = static_cast<lxw_col_t>(i);
      constexpr double kTextWidth = 32;
      constexpr double kNumberWidth = 18;
      check(worksheet_set_column(sheet, place, place, column.type == ValueType::kText ? kTextWidth : kNumberWidth,
                                 nullptr));
      write_text(sheet, 0, place, column.name, heading_);
      for (std::size_t row = first; row < end; ++row)
        write_value(sheet, static_cast<lxw_row_t>(row - first + 1), place, column.value(row));
    }
    worksheet_freeze_panes(sheet, 1, 0);
  }

  void write_value(lxw_worksheet* sheet, lxw_row_t row, lxw_col_t column, const Value& value) {
    if (const auto* const text = std::get_if<std::string_view>(&value)) {
      if (!text->empty()) write_text(sheet, row, column, *text, nullptr);
    } else if (const auto* const integer = std::get_if<std::int64_t>(&value)) {
      check(worksheet_write_number(sheet, row, column, static_cast<double>(*integer), nullptr));
    } else if (const auto* const real = std::get_if<double>(&value)) {
      check(worksheet_write_number(sheet, row, column, *real, nullptr));
    }
  }

  /// Of one line the range too, as vertical bars from the lowest to the highest.
  void add_chart(lxw_worksheet* sheet, const std::string& name, const Relation& rows, const Plot& plot) {
    lxw_chart* const chart = workbook_add_chart(book_, LXW_CHART_LINE);
    if (chart == nullptr) throw std::bad_alloc();
    constexpr std::size_t kMostLines = 24;
    const std::size_t lines = std::min(plot.lines.size(), kMostLines);
    const bool one = lines == 1;
    for (std::size_t line = 0; line < lines; ++line) {
      add_line(chart, name, rows, plot, line, plot.y, one ? "iteration" : plot.lines[line]);
      if (one) add_line(chart, name, rows, plot, line, plot.low, "at least");
      if (one) add_line(chart, name, rows, plot, line, plot.high, "at most");
    }
    if (one) chart_set_high_low_lines(chart, nullptr);
    const std::string left_out =
        lines < plot.lines.size() ? fmt::format(" (the first {} of {} lines)", lines, plot.lines.size()) : "";
    chart_title_set_name(chart, chart_text(plot.title + left_out).c_str());
    if (!plot.x.empty()) chart_axis_set_name(chart->x_axis, chart_text(plot.x).c_str());
    chart_axis_set_name(chart->y_axis, "ms");
    chart_axis_set_display_units(chart->y_axis, LXW_CHART_AXIS_UNITS_MILLIONS);  // of nanoseconds
    chart_axis_set_display_units_visible(chart->y_axis, LXW_FALSE);
    check(worksheet_insert_chart(sheet, 1, static_cast<lxw_col_t>(rows.columns.size() + 1), chart));
  }

  void add_line(lxw_chart* chart, const std::string& sheet, const Relation& rows, const Plot& plot, std::size_t line,
                const std::string& y, const std::string& title) {
    const auto first = static_cast<lxw_row_t>(1 + line * plot.points_a_line);
    const auto last = static_cast<lxw_row_t>(first + plot.points_a_line - 1);
    lxw_chart_series* const series = chart_add_series(chart, nullptr, nullptr);
    if (series == nullptr) throw std::bad_alloc();
    const lxw_col_t column = place_of(rows, y);
    chart_series_set_values(series, sheet.c_str(), first, column, last, column);
    if (!plot.x.empty()) {
      const lxw_col_t x = place_of(rows, plot.x);
      chart_series_set_categories(series, sheet.c_str(), first, x, last, x);
    }
    chart_series_set_name(series, chart_text(title).c_str());
    chart_series_set_marker_type(series, LXW_CHART_MARKER_CIRCLE);
  }

  static lxw_col_t place_of(const Relation& rows, const std::string& title) {
    const auto column = std::find_if(rows.columns.begin(), rows.columns.end(),
                                     [&title](const RelationColumn& c) { return c.name == title; });
    STEPSIM_ASSERT(column != rows.columns.end(), "a plot names columns of its rows");
    return static_cast<lxw_col_t>(column - rows.columns.begin());
  }

  QuietStandardError quiet_;
  OutputFile& out_;
  MemoryFile file_;
  std::string path_;
  lxw_workbook* book_ = nullptr;
  lxw_format* heading_ = nullptr;
};

void write(const Answer& answer, OutputFile& out) {
  Workbook workbook(out);
  for (const Relation& relation : document_relations(answer)) workbook.add(relation, answer.document->plot);
  workbook.close();
}

}  // namespace

extern const Exporter xlsx_exporter;
const Exporter xlsx_exporter{
    .name = "xlsx",
    .extension = "xlsx",
    .summary = "Excel workbook: a sheet a section, numbers as numbers, a chart of a sweep",
    .accepts = Content::kDocument,
    .gzip = false,
    .write = write,
};

}  // namespace stepsim::sim
