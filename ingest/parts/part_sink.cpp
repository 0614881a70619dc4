#include "ingest/parts/part_sink.h"

#include <utility>

namespace stepsim::ingest {

void PartSink::add(Part part, std::string of) { parts.push_back({std::move(part), std::move(of)}); }

}  // namespace stepsim::ingest
