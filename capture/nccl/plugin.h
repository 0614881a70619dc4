#ifndef STEPSIM_CAPTURE_NCCL_PLUGIN_H
#define STEPSIM_CAPTURE_NCCL_PLUGIN_H

#include "capture/nccl/abi.h"

/// Where NCCL enters this module, if NCCL_PROFILER_PLUGIN names it. It takes the one of these with the largest number
/// that it knows. None of their functions throws or returns an error: where nothing is to be recorded, no event is
/// asked for.
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
