#ifndef STEPSIM_CAPTURE_SESSION_INJECTION_H
#define STEPSIM_CAPTURE_SESSION_INJECTION_H

#include <cstdint>

/// The entry points of this module for CUDA and NVTX. Programs do not call them.
extern "C" {

/// Called by the CUDA driver during its initialisation if CUDA_INJECTION64_PATH names this library. Returns 1 for
/// success.
int InitializeInjection(void);
/// Called by NVTX at the program's first NVTX call if NVTX_INJECTION64_PATH names this library. Returns 1 to receive
/// events.
int InitializeInjectionNvtx2(const void* (*get_export_table)(std::uint32_t));
}

#endif
