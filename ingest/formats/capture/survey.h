#ifndef STEPSIM_INGEST_FORMATS_CAPTURE_SURVEY_H
#define STEPSIM_INGEST_FORMATS_CAPTURE_SURVEY_H

#include <cstdint>
#include <map>
#include <string>

#include "ingest/bytes/byte_source.h"

namespace stepsim::ingest {

/// What a capture file says of itself, and how much is in it.
struct CaptureSurvey {
  std::map<std::string, std::string> session;  ///< "run", "rank", "host": docs/capture-format.md
  std::uint64_t kernels = 0;
  std::uint64_t nccl_operations = 0;  ///< collectives and messages of which NCCL told
  std::uint64_t active_steps = 0;     ///< that were marked and ended
  bool marked = false;                ///< any step was
  bool closed = false;                ///< the program ended in order
  std::string problem;                ///< why nothing could be recorded; empty if that is not so
  std::uint64_t lost = 0;             ///< records, by CUPTI or the writer
  std::uint64_t bytes = 0;            ///< up to the last whole block
};

/// Reads a capture file without keeping its events. Throws InputError as the format's reader does.
[[nodiscard]] CaptureSurvey survey_capture(ByteSource& source);

}  // namespace stepsim::ingest

#endif
