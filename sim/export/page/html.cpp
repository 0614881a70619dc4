// Writes an HTML page of the answer: one file that a browser opens offline. The page's script (page/) decides what is
// drawn and how. This file provides its data: the document for people, the object of --json, and the timelines. All
// three are in script elements that browsers do not run: JSON in which '<' is escaped, and base64.

#include <fmt/format.h>

#include "sim/export/exporter.h"
#include "sim/export/page/page.h"
#include "sim/graph/graph_text.h"
#include "sim/output/json_writer.h"
#include "sim/report/glossary.h"
#include "sim/report/table_text.h"

namespace stepsim::sim {
namespace {

void write_rows(JsonWriter& json, std::string_view key, const std::vector<std::vector<std::string>>& rows) {
  json.key(key).begin_array();
  for (const std::vector<std::string>& row : rows) {
    json.new_line().begin_array();
    for (const std::string& cell : row) json.value(cell);
    json.end_array();
  }
  json.end_array();
}

/// Returns a time without rounding, in the largest unit in which it is at least 1: "535.195 ms".
std::string exact_text(std::int64_t time) {
  const std::string_view sign = time < 0 ? "-" : "";
  const std::uint64_t size = time < 0 ? 0 - static_cast<std::uint64_t>(time) : static_cast<std::uint64_t>(time);
  struct Unit {
    std::uint64_t scale;
    std::size_t digits;
    std::string_view name;
  };
  for (const Unit& unit : {Unit{1'000'000'000, 9, "s"}, Unit{1'000'000, 6, "ms"}, Unit{1'000, 3, "us"}}) {
    if (size < unit.scale) continue;
    std::string fraction = fmt::format(".{:0{}}", size % unit.scale, unit.digits);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    if (fraction == ".") fraction.clear();
    return fmt::format("{}{}{} {}", sign, size / unit.scale, fraction, unit.name);
  }
  return fmt::format("{}{} ns", sign, size);
}

/// Writes the rows twice: as the command prints them, and as they are saved, with whole names and exact times.
void write_table(JsonWriter& json, const Table& table) {
  json.key("columns").begin_array();
  for (const Column& column : table.columns()) {
    json.begin_object().key("title").value(column.title);
    json.key("right").value(column.align == Align::kRight).end_object();
  }
  json.end_array();
  write_rows(json, "rows", with_short_names(table));
  std::vector<std::vector<std::string>> exact;
  for (const std::vector<Cell>& row : table.rows()) {
    std::vector<std::string>& texts = exact.emplace_back();
    for (const Cell& cell : row) {
      const auto* const time = std::get_if<std::int64_t>(&cell.number());
      const bool is_time = time != nullptr && cell.unit() == Unit::kNanoseconds;
      const std::string_view mark = std::string_view(cell.text()).substr(0, cell.text().find_first_of("-0123456789"));
      texts.push_back(is_time ? std::string(mark) + exact_text(*time) : cell.text());
    }
  }
  write_rows(json, "exact", exact);
}

void write_section(JsonWriter& json, const Section& section) {
  json.new_line().begin_object().key("report").value(section.report).key("title").value(section.title);
  json.key("lead").value(section.lead);
  if (section.table) write_table(json, *section.table);
  json.key("sentences").begin_array();
  for (const Sentence& sentence : section.sentences)
    json.begin_object().key("text").value(sentence.text).key("detail").value(sentence.detail).end_object();
  json.end_array().key("verbatim").value(section.verbatim).end_object();
}

void write_document(JsonWriter& json, const Answer& answer) {
  const Document& document = *answer.document;
  json.begin_object()
      .key("replays")
      .value(answer.replays.size())
      .key("warning")
      .value(document.warning)
      .key("headline")
      .value(document.headline);
  json.key("caution").value(document.caution).key("trust").value(document.trust);
  json.key("origin").value(document.origin).new_line().key("sections").begin_array();
  for (const Section& section : document.sections) write_section(json, section);
  json.end_array().end_object();
}

/// Writes data for the page's script, under an id that no part of the page has.
template <class Write>
void write_data(OutputFile& out, std::string_view name, Write write) {
  out.write(R"(<script type="application/json" id="data-)");
  out.write(name);
  out.write("\">");
  JsonWriter json{[&out](std::string_view text) { out.write(text); }};
  write(json);
  json.finish();
  out.write("</script>\n");
}

void write_graph(JsonWriter& json, const Graph& graph, const Layout& layout) {
  json.begin_object().key("width").value(layout.width).key("height").value(layout.height).key("nodes").begin_array();
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Graph::Node& node = graph.nodes[i];
    const Layout::Box& box = layout.nodes[i];
    json.new_line().begin_object().key("name").value(node.name).key("lines").begin_array();
    for (const std::string& line : label_of(node)) json.value(line);
    json.end_array().key("part").value(to_text(node.part)).key("critical").value(node.critical);
    json.key("x").value(box.centre.x).key("y").value(box.centre.y);
    json.key("width").value(box.width).key("height").value(box.height).end_object();
  }
  json.end_array().key("edges").begin_array();
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const Graph::Edge& edge = graph.edges[i];
    json.new_line().begin_object().key("link").value(to_text(edge.link)).key("critical").value(edge.critical);
    json.key("points").begin_array();
    for (const Layout::Point& point : layout.edges[i]) json.begin_array().value(point.x).value(point.y).end_array();
    json.end_array().end_object();
  }
  json.end_array().end_object();
}

void write_bars(JsonWriter& json, const BarChart& chart) {
  json.begin_object().key("title").value(chart.title).key("axis").value(chart.axis).key("kinds").begin_array();
  for (const std::string& kind : chart.kinds) json.value(kind);
  json.end_array().key("line").value(chart.line).key("rows").begin_array();
  for (const BarChart::Row& row : chart.rows) {
    json.new_line().begin_object().key("group").value(row.group).key("name").value(row.name);
    json.key("mark").value(row.mark).key("bars").begin_array();
    for (const BarChart::Bar& bar : row.bars) {
      json.new_line().begin_object().key("begin").value(bar.begin).key("length").value(bar.length);
      json.key("kind").value(bar.kind).key("level").value(bar.level).key("hint").value(bar.hint).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
}

void write_glossary(JsonWriter& json) {
  json.begin_array();
  for (const Term& term : glossary()) {
    json.new_line().begin_object().key("name").value(term.name).key("also").begin_array();
    for (const std::string& name : list_of_names(term.also)) json.value(name);
    json.end_array().key("summary").value(term.definition).key("text").value(term.more);
    json.key("picture").value(term.picture).end_object();
  }
  json.end_array();
}

void write_page(const Answer& answer, OutputFile& out) {
  const PageTemplate page = page_template();
  out.write(page.head);
  write_data(out, "document", [&answer](JsonWriter& json) { write_document(json, answer); });
  write_data(out, "answer", [&answer](JsonWriter& json) { answer.document->json(json); });
  write_data(out, "glossary", write_glossary);
  if (answer.layout != nullptr)
    write_data(out, "graph", [&answer](JsonWriter& json) { write_graph(json, *answer.graph, *answer.layout); });
  if (answer.bars != nullptr) write_data(out, "bars", [&answer](JsonWriter& json) { write_bars(json, *answer.bars); });
  out.write(page.script);
  if (!answer.replays.empty()) write_page_timelines(answer, out);
  out.write(page.tail);
}

}  // namespace

extern const Exporter html_exporter{
    .name = "html",
    .extension = "html",
    .summary = "web page with the answer and its timelines: one file, works offline",
    .accepts = Content::kDocument,
    .write = write_page,
};

}  // namespace stepsim::sim
