#include "sim/check/cut_document.h"

#include <fmt/format.h>

#include "model/base/text.h"
#include "sim/output/json_writer.h"

namespace stepsim::sim {

Document cut_document(const CutOut& cut, const Provenance& provenance) {
  Document document{
      .headline = fmt::format("Cut {} events, {} ends of arrows and {} names out of the {} records of {}, each as "
                              "it was, into {}.",
                              cut.events, cut.flows, cut.metadata, cut.records, shown(cut.input), shown(cut.output))};
  document.rows = [&cut] {
    Table table({{"records"}, {"events"}, {"flows"}, {"metadata"}});
    table.add_row({cut.records, cut.events, cut.flows, cut.metadata});
    return table;
  };
  document.json = [&cut, &provenance](JsonWriter& json) {
    json.begin_object().key("schema").value("stepsim.cut/1").new_line();
    json.key("input").value(cut.input).key("output").value(cut.output).new_line();
    json.key("records").value(cut.records).key("events").value(cut.events).key("flows").value(cut.flows);
    json.key("metadata").value(cut.metadata).new_line();
    write_provenance(json, provenance);
    json.end_object();
  };
  return document;
}

}  // namespace stepsim::sim
