#ifndef STEPSIM_CAPTURE_NCCL_PLUGIN_H
#define STEPSIM_CAPTURE_NCCL_PLUGIN_H

#include "capture/nccl/abi.h"

/// The entry points for NCCL, used if NCCL_PROFILER_PLUGIN names this module. NCCL uses the newest version that it
/// knows. The functions never throw or return an error; if nothing is to be recorded, they request no events.
extern "C" {
#define STEPSIM_EXPORTED __attribute__((visibility("default")))
extern STEPSIM_EXPORTED const stepsim::capture::nccl::ProfilerV2 ncclProfiler_v2;
extern STEPSIM_EXPORTED const stepsim::capture::nccl::ProfilerV3 ncclProfiler_v3;
extern STEPSIM_EXPORTED const stepsim::capture::nccl::ProfilerV4 ncclProfiler_v4;
extern STEPSIM_EXPORTED const stepsim::capture::nccl::ProfilerV5 ncclProfiler_v5;
extern STEPSIM_EXPORTED const stepsim::capture::nccl::ProfilerV6 ncclProfiler_v6;
#undef STEPSIM_EXPORTED
}

#endif
