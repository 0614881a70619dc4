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

/// A sentence of a list, and what may follow it on a line of its own.
struct Sentence {
  // NOLINTNEXTLINE(google-explicit-constructor): a list of sentences is written as a list of texts
  Sentence(std::string sentence, std::string more = {}) : text(std::move(sentence)), detail(std::move(more)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Sentence(const char* sentence) : text(sentence) {}

  std::string text;
  std::string detail;
};
[[nodiscard]] std::vector<Sentence> as_list(const std::vector<std::string>& texts);

/// A part of a document, for people: what of the following is there, from above to below.
struct Section {
  std::string title;                ///< empty: the section goes on with what is above it
  std::optional<Table> table;       ///< below `lead`
  std::vector<Sentence> sentences;  ///< a list
  std::string lead;                 ///< a sentence above the table
  std::string verbatim;             ///< a file's content, at the end
  std::string_view report{};        ///< the id of the report that made it; add_sections() fills it in

  [[nodiscard]] bool empty() const noexcept { return !table && sentences.empty() && lead.empty() && verbatim.empty(); }
};

/// Adds "N more: ..." where a table shows `rows` of `all` rows, with the option that says how many.
void add_more_sentence(Section& section, std::size_t all, std::size_t rows, std::string_view option = "--rows");

/// What a chart of a document shows: columns of its rows(), by their titles. Each line takes the next points of the
/// rows.
struct Plot {
  std::string title;
  std::string x;    ///< the column along the bottom, by its texts; empty: the number of the row
  std::string y;    ///< nanoseconds, and so are the next
  std::string low;  ///< the range of y
  std::string high;
  std::string baseline;            ///< one value of all rows, for comparison; empty: there is none
  std::vector<std::string> lines;  ///< their names; an empty one needs no legend
  std::size_t points_a_line = 0;
};

/// A command's answer in the forms that its readers want: for people in a terminal or a pull
/// request, for spreadsheets, for programs. Exporters write it (sim/export/exporter.h).
/// Texts are as they came; an exporter makes them safe for its form.
struct Document {
  std::string warning{};  ///< that the input is not what it looks like; before the headline; may be empty
  std::string headline;   ///< what, how much, in which unit, how far to trust it
  std::string caution;    ///< what a reader must know before the figures; may be empty
  std::string trust;      ///< how far the answer was tested, and on what it rests; may be empty
  std::vector<Section> sections;
  /// For spreadsheets: one row an item, one column a quantity, in whole base units.
  std::function<Table()> rows;
  std::optional<Plot> plot{};  ///< where a chart of `rows` says something
  /// Writes the object of --json, its provenance included.
  std::function<void(JsonWriter& json)> json;
  std::string origin;  ///< who made it from what, for forms that have no other place for it
};

/// The headline, then the sections that are not empty, for a terminal. Lines are wrapped to the style's width, but for
/// verbatim content, which is there to be copied.
[[nodiscard]] std::string to_text(const Document& document, const TextStyle& style = {});

/// Bars along an axis of time from 0 on, in rows. Texts are as they came; an exporter makes them safe for its form.
struct BarChart {
  struct Bar {
    Duration begin{};
    Duration length{};
    std::uint32_t kind = 0;   ///< index into `kinds`
    std::uint32_t level = 0;  ///< of bars in a row that overlap: how many of them it lies in
    std::string hint;         ///< what it is, in words
  };
  struct Row {
    std::string group;  ///< rows of one group stand together under its name; empty: it needs none
    std::string name;
    std::vector<Bar> bars;
    std::optional<Duration> mark;  ///< a place on the axis, which is drawn across the row
  };

  std::string title;
  std::string axis;                ///< what the axis counts
  std::vector<std::string> kinds;  ///< what the colours mean
  std::string line;                ///< what the marks mean, which are joined to a line; empty: there are none
  std::vector<Row> rows;
};

}  // namespace stepsim::sim

#endif
