#include "sim/check/cut_document.h"

#include <fmt/format.h>

#include "model/base/text.h"
#include "sim/output/json_writer.h"
#include "sim/report/cautions.h"
#include "sim/report/members.h"

namespace stepsim::sim {

namespace {

CutOut sum_of(const std::vector<CutOut>& cuts, const std::string& output) {
  CutOut sum{.input = cuts.size() == 1 ? cuts.front().input : counted(cuts.size(), "file"), .output = output};
  for (const CutOut& cut : cuts) {
    sum.records += cut.records;
    sum.events += cut.events;
    sum.flows += cut.flows;
    sum.metadata += cut.metadata;
    sum.diagnostics.merge(cut.diagnostics);
  }
  return sum;
}

void write_counts(JsonWriter& json, const CutOut& cut) {
  json.key("records").value(cut.records).key("events").value(cut.events).key("flows").value(cut.flows);
  json.key("metadata").value(cut.metadata);
}

void write_files(JsonWriter& json, const std::vector<CutOut>& cuts) {
  json.key("files").begin_array();
  for (const CutOut& cut : cuts) {
    json.new_line().begin_object().key("input").value(cut.input).key("output").value(cut.output);
    write_counts(json, cut);
    json.end_object();
  }
  json.end_array().new_line();
}

}  // namespace

Document cut_document(const std::vector<CutOut>& cuts, const std::string& output, const Provenance& provenance) {
  const CutOut sum = sum_of(cuts, output);
  Document document{
      .headline = fmt::format("Cut {} events, {} ends of arrows and {} names out of the {} records of {}, each as "
                              "it was, into {}.",
                              sum.events, sum.flows, sum.metadata, sum.records, shown(sum.input), shown(output))};
  add_input_defects(document, sum.diagnostics);
  document.rows = [&cuts] {
    Table table({{"input", Align::kLeft}, {"records"}, {"events"}, {"flows"}, {"metadata"}});
    for (const CutOut& cut : cuts) table.add_row({cut.input, cut.records, cut.events, cut.flows, cut.metadata});
    return table;
  };
  document.json = [&cuts, sum, &provenance](JsonWriter& json) {
    json.begin_object().key("schema").value("stepsim.cut/1").new_line();
    json.key("input").value(sum.input).key("output").value(sum.output).new_line();
    write_counts(json, sum);
    json.new_line();
    write_files(json, cuts);
    if (!sum.diagnostics.entries().empty()) write_diagnostics(json, sum.diagnostics);
    write_provenance(json, provenance);
    json.end_object();
  };
  return document;
}

}  // namespace stepsim::sim
