#ifndef STEPSIM_CAPTURE_NVTX_RANGES_H
#define STEPSIM_CAPTURE_NVTX_RANGES_H

#include <cstdint>

/// NVTX ranges as they begin and end, and marks, by NVTX's own way to tell a tool (NVTX_INJECTION64_PATH), so that one
/// can begin a step at once, and CUPTI need not be there. Source: nvtxDetail/nvtxTypes.h of NVTX 3, whose numbers and
/// layouts are written down in ranges.cpp, so that this builds without it.
namespace stepsim::capture::nvtx {

/// Who is told. No call may throw.
struct Listener {
  void (*begin)(std::uint64_t id, const char* name) = nullptr;  ///< `name` may be null
  void (*end)(std::uint64_t id) = nullptr;
  void (*mark)(const char* name) = nullptr;  ///< `name` may be null
};

/// Puts our functions where NVTX looks for those of a tool: pushed and popped ranges, those that are started and
/// ended, and marks, of all domains. Names are UTF-8: those given as wide characters are converted, registered strings
/// are kept until the process ends, and what is neither has no name. `get_export_table` is what NVTX passes to
/// InitializeInjectionNvtx2. False if that is no NVTX 3. The listener is set once, before the first range is told.
bool install(const void* (*get_export_table)(std::uint32_t), const Listener& listener) noexcept;

}  // namespace stepsim::capture::nvtx

#endif
