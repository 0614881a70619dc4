#ifndef STEPSIM_SIM_REPORT_DOCUMENT_H
#define STEPSIM_SIM_REPORT_DOCUMENT_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/units.h"
#include "sim/report/table.h"
#include "sim/report/terminal_text.h"

namespace stepsim::sim {

class JsonWriter;

/// A sentence in a list, and an optional detail that is printed on its own line.
struct Sentence {
  // NOLINTNEXTLINE(google-explicit-constructor): a list of sentences is written as a list of texts
  Sentence(std::string sentence, std::string more = {}) : text(std::move(sentence)), detail(std::move(more)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Sentence(const char* sentence) : text(sentence) {}

  std::string text;
  std::string detail;
};
[[nodiscard]] std::vector<Sentence> as_list(const std::vector<std::string>& texts);

/// A part of a document for people. Its non-empty members are printed from top to bottom.
struct Section {
  std::string title;                ///< if empty, the section continues the one above
  std::optional<Table> table;       ///< table, printed after `lead`
  std::vector<Sentence> sentences;  ///< sentences, printed as a list
  std::string lead;                 ///< a sentence before the table
  std::string verbatim;             ///< a file's content, printed last
  bool brief = false;               ///< also printed with --brief
  bool only_in_files = false;       ///< written to files, but not printed
  bool is_cut = false;              ///< the table has only some of the rows; set by add_more_sentence()
  std::string_view report{};        ///< the id of the report that made it; set by add_sections()

  [[nodiscard]] bool empty() const noexcept { return !table && sentences.empty() && lead.empty() && verbatim.empty(); }
};

/// Adds "N more: ..." if a table shows only `rows` of `all` rows; the sentence names `option`, which sets the number of
/// rows.
void add_more_sentence(Section& section, std::size_t all, std::size_t rows, std::string_view option = "--rows");

/// A line chart of a document's rows(). Columns are named by their titles. Each line takes the next `points_a_line`
/// rows.
struct Plot {
  std::string title;
  std::string x;    ///< column for the horizontal axis, as text; if empty, the row number is used
  std::string y;    ///< column for the vertical axis, in nanoseconds; so are the next columns
  std::string low;  ///< column with the lower end of the range of y, followed by the one with the upper end
  std::string high;
  std::string baseline;            ///< column with a constant value for comparison; empty for none
  std::vector<std::string> lines;  ///< names of the lines; a line with an empty name has no legend
  std::size_t points_a_line = 0;
  /// A value of x that is marked, and its range; all empty for none. `mark_name` says what it is: "knee".
  std::string mark_name{};
  std::string mark{};
  std::string mark_from{};
  std::string mark_to{};
};

/// A command's answer in all the forms that readers need: for people in a terminal or a pull request, for spreadsheets,
/// for programs. Exporters write it (sim/export/exporter.h). Texts are unescaped; each exporter escapes them for its
/// format.
struct Document {
  std::string warning{};  ///< printed first if the input is not what it appears to be; may be empty
  std::string headline;   ///< the main result: the quantity, its value with a unit, and how reliable it is
  std::string caution;    ///< what a reader must know before the figures; may be empty
  std::string trust;      ///< how the answer was tested and what it is based on; may be empty
  std::vector<Section> sections;
  /// Returns the rows for spreadsheets: one row per item, one column per quantity, in whole base units.
  std::function<Table()> rows;
  std::optional<Plot> plot{};  ///< set if a chart of `rows` is useful
  /// Writes the object of --json, including its provenance.
  std::function<void(JsonWriter& json)> json;
  /// The program and the input that the document was made from, for formats without another place for them.
  std::string origin;
};

/// Returns the headline and the non-empty sections as terminal text. Lines are wrapped to the style's width, except
/// verbatim content, which people copy.
[[nodiscard]] std::string to_text(const Document& document, const TextStyle& style = {});

/// A chart of bars in rows, on a time axis that starts at 0. Texts are unescaped; each exporter escapes them for its
/// format.
struct BarChart {
  struct Bar {
    Duration begin{};
    Duration length{};
    std::uint32_t kind = 0;   ///< index into `kinds`
    std::uint32_t level = 0;  ///< number of bars around it, for overlapping bars of a row
    std::string hint;         ///< description of the bar, shown as a hint
  };
  struct Row {
    std::string group;  ///< rows of one group are shown together under its name; may be empty
    std::string name;
    std::vector<Bar> bars;
    std::optional<Duration> mark;  ///< a time that is marked in the row
  };

  std::string title;
  std::string axis;                ///< description of the axis
  std::vector<std::string> kinds;  ///< names of the kinds of bars; a bar's kind determines its colour
  std::string line;                ///< meaning of the marks, which a line joins; empty if there are no marks
  std::vector<Row> rows;
};

}  // namespace stepsim::sim

#endif
