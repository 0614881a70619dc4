#ifndef STEPSIM_INGEST_FORMATS_CAPTURE_TRACE_H
#define STEPSIM_INGEST_FORMATS_CAPTURE_TRACE_H

#include <string>

#include "ingest/formats/capture/records.h"
#include "ingest/parts/part.h"
#include "ingest/parts/part_sink.h"

namespace stepsim::ingest {

/// The host and device events of a capture, as Kineto's reader would deliver them: of the active steps of its schedule,
/// with a mark ProfilerStep#N around each. Device work belongs to the step in which it was launched. A wait for a CUDA
/// event waits for the record of that event: both have one id. Without marks, steps are where the launches of kernels
/// repeat (repetition.h). `file` stands in messages.
[[nodiscard]] HostDeviceTrace host_device_trace(const CaptureRecords& records, const std::string& file, PartSink& sink);

}  // namespace stepsim::ingest

#endif
