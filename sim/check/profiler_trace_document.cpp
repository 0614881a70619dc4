#include "sim/check/profiler_trace_document.h"

#include <fmt/format.h>

#include "model/base/text.h"
#include "sim/output/json_writer.h"

namespace stepsim::sim {

Document profiler_trace_document(const ProfilerTrace& trace, const Provenance& provenance) {
  Document document{.headline = fmt::format("Wrote {} events of {}, as they were recorded, into {}, as PyTorch's "
                                            "profiler writes them.",
                                            trace.events, shown(trace.input), shown(trace.output))};
  document.rows = [&trace] {
    Table table({{"events"}});
    table.add_row({trace.events});
    return table;
  };
  document.json = [&trace, &provenance](JsonWriter& json) {
    json.begin_object().key("schema").value("stepsim.profiler_trace/1").new_line();
    json.key("input").value(trace.input).key("output").value(trace.output).key("events").value(trace.events).new_line();
    write_provenance(json, provenance);
    json.end_object();
  };
  return document;
}

}  // namespace stepsim::sim
