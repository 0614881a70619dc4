// A graph for Graphviz, and for whatever else reads its language.

#include "sim/export/exporter.h"
#include "sim/graph/graph_text.h"

namespace stepsim::sim {

extern const Exporter dot_exporter;
const Exporter dot_exporter{
    .name = "dot",
    .extension = "dot",
    .alias = "gv",
    .summary = "a graph in Graphviz's language",
    .accepts = Content::kGraph,
    .write =
        [](const Answer& answer, OutputFile& out) {
          out.write(dot_text(*answer.graph, answer.document == nullptr ? "stepsim" : answer.document->origin));
        },
};

}  // namespace stepsim::sim
