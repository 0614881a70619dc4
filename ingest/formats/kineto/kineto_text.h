#ifndef STEPSIM_INGEST_FORMATS_KINETO_KINETO_TEXT_H
#define STEPSIM_INGEST_FORMATS_KINETO_KINETO_TEXT_H

#include <functional>
#include <string_view>

#include "ingest/parts/part.h"

namespace stepsim::ingest {

/// Writes host and device events as PyTorch's profiler writes them (Kineto's JSON, docs/formats.md), for its viewers
/// and for tools that read no other. Reading the text gives the same events again, to the nanosecond. Shapes, modules
/// and what a collective is (group, sequence) are not written: traces that have them are Kineto's own already.
/// `origin`: members of a JSON object, which say who made it from what; may be empty.
void write_kineto(const HostDeviceTrace& trace, std::string_view origin,
                  const std::function<void(std::string_view)>& sink);

}  // namespace stepsim::ingest

#endif
