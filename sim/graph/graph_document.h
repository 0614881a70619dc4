#ifndef STEPSIM_SIM_GRAPH_GRAPH_DOCUMENT_H
#define STEPSIM_SIM_GRAPH_GRAPH_DOCUMENT_H

#include <cstddef>

#include "model/job/recording.h"
#include "sim/graph/graph.h"
#include "sim/output/provenance.h"
#include "sim/report/field.h"

namespace stepsim::sim {

/// What depends on what? {"schema":"stepsim.graph/1", ...} Prints `rows` nodes at most, those that the critical path is
/// in longest first; JSON has all nodes and edges. Refers to its arguments.
[[nodiscard]] Document graph_document(const Graph& graph, const Capture& capture, std::size_t rows,
                                      const Provenance& provenance);

/// The schema of its JSON object.
[[nodiscard]] AnswerSchema graph_schema();

}  // namespace stepsim::sim

#endif
