#ifndef STEPSIM_SIM_GRAPH_GRAPH_DOCUMENT_H
#define STEPSIM_SIM_GRAPH_GRAPH_DOCUMENT_H

#include <cstddef>

#include "model/job/recording.h"
#include "sim/graph/graph.h"
#include "sim/output/provenance.h"
#include "sim/report/field.h"

namespace stepsim::sim {

/// Returns the answer of `graph`, schema stepsim.graph/1. Prints at most `rows` nodes, first those in which the
/// critical path is longest; JSON has all nodes and edges. Keeps references to its arguments.
[[nodiscard]] Document graph_document(const Graph& graph, const Capture& capture, std::size_t rows,
                                      const Provenance& provenance);

/// Returns the schema of the JSON object.
[[nodiscard]] AnswerSchema graph_schema();

}  // namespace stepsim::sim

#endif
