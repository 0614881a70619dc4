#ifndef STEPSIM_SIM_CHECK_PROFILER_TRACE_DOCUMENT_H
#define STEPSIM_SIM_CHECK_PROFILER_TRACE_DOCUMENT_H

#include <cstdint>
#include <string>

#include "sim/output/provenance.h"
#include "sim/report/document.h"

namespace stepsim::sim {

/// What `convert` wrote as PyTorch's profiler writes it.
struct ProfilerTrace {
  std::string input;
  std::string output;
  std::uint64_t events = 0;
};

/// {"schema":"stepsim.profiler_trace/1", ...} Refers to its arguments.
[[nodiscard]] Document profiler_trace_document(const ProfilerTrace& trace, const Provenance& provenance);

}  // namespace stepsim::sim

#endif
