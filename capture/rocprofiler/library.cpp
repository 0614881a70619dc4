#include "capture/rocprofiler/library.h"

#include <dlfcn.h>

#include "capture/tracer/shared_library.h"

namespace stepsim::capture::rocprofiler {
namespace {

constexpr const char* kBeginning = "librocprofiler-sdk.so";

/// Fills `library` from an opened library. Returns why it cannot be used; empty if it can.
std::string take(void* opened, const std::string& name, Library& library) {
  library = {};
  library.path = path_of(opened, name);
  Functions& f = library.functions;
  Symbols symbols(opened);
  symbols.find("rocprofiler_get_version", f.get_version);
  if (f.get_version == nullptr) return library.path + " has no rocprofiler_get_version";
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint32_t patch = 0;
  static_cast<void>(f.get_version(&major, &minor, &patch));
  library.version = std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch);
  if (major != kMajorVersion) return to_text(library) + ": expected version 1, which ROCm 7.0 and later have";
  symbols.find("rocprofiler_get_status_string", f.get_status_string);
  symbols.find("rocprofiler_is_initialized", f.is_initialized);
  symbols.find("rocprofiler_get_timestamp", f.get_timestamp);
  symbols.find("rocprofiler_query_available_agents", f.query_agents);
  symbols.find("rocprofiler_query_buffer_tracing_kind_operation_name", f.query_operation_name);
  symbols.find("rocprofiler_create_context", f.create_context);
  symbols.find("rocprofiler_start_context", f.start_context);
  symbols.find("rocprofiler_stop_context", f.stop_context);
  symbols.find("rocprofiler_create_buffer", f.create_buffer);
  symbols.find("rocprofiler_flush_buffer", f.flush_buffer);
  symbols.find("rocprofiler_configure_buffer_tracing_service", f.configure_buffer);
  symbols.find("rocprofiler_configure_callback_tracing_service", f.configure_callback);
  symbols.find("rocprofiler_push_external_correlation_id", f.push_external);
  symbols.find("rocprofiler_pop_external_correlation_id", f.pop_external);
  if (!symbols.missing().empty()) return to_text(library) + " has no " + symbols.missing();
  int status = 0;
  static_cast<void>(f.is_initialized(&status));
  return status == kInitializing ? std::string{} : to_text(library) + " is not the one that loaded this module";
}

}  // namespace

std::string load(Library& library) {
  std::string problem;
  for (const std::string& path : mapped_libraries(kBeginning)) {
    void* const opened = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (opened == nullptr) continue;
    const std::string why = take(opened, path, library);
    if (why.empty()) return {};
    problem += (problem.empty() ? "" : "; ") + why;
  }
  if (problem.empty()) problem = "this process has not loaded " + std::string(kBeginning);
  return "rocprofiler-sdk cannot be used: " + problem;
}

std::string to_text(const Library& library) { return library.path + " (version " + library.version + ")"; }

std::string to_text(const Library& library, Status status) {
  const char* const text =
      library.functions.get_status_string == nullptr ? nullptr : library.functions.get_status_string(status);
  return text == nullptr ? "status " + std::to_string(status) : std::string(text);
}

}  // namespace stepsim::capture::rocprofiler
