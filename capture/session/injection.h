#ifndef STEPSIM_CAPTURE_SESSION_INJECTION_H
#define STEPSIM_CAPTURE_SESSION_INJECTION_H

#include <cstdint>

#include "capture/rocprofiler/abi.h"

/// The entry points of this module for CUDA, NVTX and rocprofiler-sdk. Programs do not call them.
extern "C" {

/// Called by the CUDA driver during its initialisation if CUDA_INJECTION64_PATH names this library. Returns 1 for
/// success.
int InitializeInjection(void);
/// Called by NVTX at the program's first NVTX call if NVTX_INJECTION64_PATH names this library. Returns 1 to receive
/// events.
int InitializeInjectionNvtx2(const void* (*get_export_table)(std::uint32_t));
/// Called by rocprofiler-sdk when the HIP library is loaded if ROCP_TOOL_LIBRARIES names this library. The session
/// begins when rocprofiler-sdk calls the returned tool's initialize(), and ends with finalize(), which rocprofiler-sdk
/// calls at the program's exit, after the last work was recorded. Returns null if there is a session already.
stepsim::capture::rocprofiler::Tool* rocprofiler_configure(std::uint32_t version, const char* version_text,
                                                           std::uint32_t priority,
                                                           stepsim::capture::rocprofiler::ClientId* client);
}

#endif
