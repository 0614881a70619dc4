#ifndef STEPSIM_INGEST_FORMATS_CAPTURE_SURVEY_H
#define STEPSIM_INGEST_FORMATS_CAPTURE_SURVEY_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ingest/bytes/byte_source.h"

namespace stepsim::ingest {

/// A summary of a capture file.
struct CaptureSurvey {
  std::map<std::string, std::string> session;  ///< "run", "rank", "host": docs/internals/capture-format.md
  std::uint64_t kernels = 0;
  std::uint64_t nccl_operations = 0;  ///< collectives and messages that NCCL reported
  std::uint64_t active_steps = 0;     ///< steps that were marked and ended
  bool marked = false;                ///< at least one step was marked
  bool closed = false;                ///< the program ended normally
  int write_error = 0;                ///< value of errno of the write that failed; 0 if none did
  std::vector<std::string> problems;  ///< sentences about what could not be recorded
  std::uint64_t lost = 0;             ///< records lost by CUPTI or the writer
  std::uint64_t bytes = 0;            ///< size up to the end of the last whole block
};

/// Reads a capture file without keeping its events. Throws InputError as the format's reader does.
[[nodiscard]] CaptureSurvey survey_capture(ByteSource& source);

}  // namespace stepsim::ingest

#endif
