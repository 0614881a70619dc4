#ifndef STEPSIM_CAPTURE_SESSION_INJECTION_H
#define STEPSIM_CAPTURE_SESSION_INJECTION_H

#include <cstdint>

/// Where CUDA and NVTX enter this module. No other program calls these.
extern "C" {

/// Called by the CUDA driver as it is initialised, where CUDA_INJECTION64_PATH names this library. 1: all is well.
int InitializeInjection(void);
/// Called by NVTX at the program's first call of it, where NVTX_INJECTION64_PATH names this library. 1: we want to be
/// told.
int InitializeInjectionNvtx2(const void* (*get_export_table)(std::uint32_t));
}

#endif
