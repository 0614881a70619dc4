#ifndef STEPSIM_INGEST_FORMATS_CHAKRA_JSON_H
#define STEPSIM_INGEST_FORMATS_CHAKRA_JSON_H

#include <string>

#include "ingest/bytes/byte_source.h"
#include "ingest/parts/execution_graph_builder.h"

namespace stepsim::ingest {

/// Reads a Chakra trace in JSON, {"workload_graph": [{"Id": 1, ...}], "ngpus": 8}, whose keys are those of Chakra's
/// JSONNode and of et_def.proto, in any case. Throws InputError where it is no JSON; nodes before a cut are used.
void read_chakra_json(ByteSource& source, const std::string& file, PartSink& sink, ExecutionGraphBuilder& graph);

}  // namespace stepsim::ingest

#endif
