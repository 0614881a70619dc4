#ifndef STEPSIM_INGEST_FORMATS_GML_H
#define STEPSIM_INGEST_FORMATS_GML_H

#include <string>
#include <string_view>

#include "ingest/parts/part.h"

namespace stepsim::ingest {

/// A graph as networkx 2 writes it to GML: ids from 0 in the order of the nodes, edges by their source, texts with `"`,
/// `&` and all that is not ASCII as entities, numbers bare.
[[nodiscard]] std::string gml_text(const OperatorGraph& graph);

/// The line that stands in front of a graph that stepsim made of others, by which it is told from a GPU's.
inline constexpr std::string_view kGmlCreator = "Creator \"stepsim\"\n";

}  // namespace stepsim::ingest

#endif
