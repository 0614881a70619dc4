#ifndef STEPSIM_INGEST_FORMATS_GML_H
#define STEPSIM_INGEST_FORMATS_GML_H

#include <string>
#include <string_view>

#include "ingest/parts/part.h"

namespace stepsim::ingest {

/// Returns a graph as GML in the form of networkx 2: ids from 0 in the order of the nodes, edges sorted by source,
/// numbers without quotes. In strings, `"`, `&` and non-ASCII characters are written as entities.
[[nodiscard]] std::string gml_text(const OperatorGraph& graph);

/// The first line of a graph that stepsim combined from others. It distinguishes a combined graph from the graph of one
/// GPU.
inline constexpr std::string_view kGmlCreator = "Creator \"stepsim\"\n";

}  // namespace stepsim::ingest

#endif
