#ifndef STEPSIM_INGEST_FORMATS_KINETO_KINETO_TEXT_H
#define STEPSIM_INGEST_FORMATS_KINETO_KINETO_TEXT_H

#include <functional>
#include <string_view>

#include "ingest/parts/part.h"

namespace stepsim::ingest {

/// Writes host and device events in the format of PyTorch's profiler (Kineto's JSON, docs/reference/formats.md), for
/// its viewers and for tools that read no other format. Reading the text gives the same events again, to the
/// nanosecond. Modules and details of collectives (group, sequence) are not written, because only Kineto's own traces
/// have them. All floats of 16 bits are written as bfloat16. `origin` contains members of a JSON object that state the
/// program and inputs that made the file; may be empty.
void write_kineto(const HostDeviceTrace& trace, std::string_view origin,
                  const std::function<void(std::string_view)>& sink);

}  // namespace stepsim::ingest

#endif
