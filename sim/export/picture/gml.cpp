// A graph as networkx and dPRO read it.

#include "sim/export/exporter.h"
#include "sim/graph/graph_text.h"

namespace stepsim::sim {

extern const Exporter gml_exporter;
const Exporter gml_exporter{
    .name = "gml",
    .extension = "gml",
    .summary = "a graph for networkx, dPRO, Gephi and yEd",
    .accepts = Content::kGraph,
    .write =
        [](const Answer& answer, OutputFile& out) {
          out.write(gml_text(*answer.graph, answer.document == nullptr ? "stepsim" : answer.document->origin));
        },
};

}  // namespace stepsim::sim
