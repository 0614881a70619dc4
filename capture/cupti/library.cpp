#include "capture/cupti/library.h"

#include <dlfcn.h>
#include <glob.h>

#include <algorithm>
#include <array>
#include <vector>

#include "capture/tracer/shared_library.h"

namespace stepsim::capture::cupti {
namespace {

constexpr std::array kNames{"libcupti.so",
                            "libcupti.so.13",
                            "libcupti.so.12",
                            "libcupti.so.11.8",
                            "libcupti.so.11.7",
                            "libcupti.so.11.6",
                            "libcupti.so.11.5",
                            "libcupti.so.11.4",
                            "libcupti.so.11.3",
                            "libcupti.so.11.2",
                            "libcupti.so.11.1",
                            "libcupti.so.11.0",
                            "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
                            "/usr/local/cuda/lib64/libcupti.so"};

std::vector<std::string> candidates(const std::string& path) {
  if (!path.empty()) return {path};
  std::vector<std::string> found = mapped_libraries("libcupti.so");
  found.insert(found.end(), kNames.begin(), kNames.end());
  return found;
}

/// Fills `library` from a loaded library. Returns why it cannot be used; empty if it can.
std::string take(void* opened, const std::string& name, Library& library) {
  library = {};
  library.path = path_of(opened, name);
  Functions& f = library.functions;
  Symbols symbols(opened);
  symbols.find("cuptiGetVersion", f.get_version);
  symbols.find("cuptiGetTimestamp", f.get_timestamp);
  symbols.find("cuptiActivityRegisterCallbacks", f.register_callbacks);
  symbols.find("cuptiActivityEnable", f.enable);
  symbols.find("cuptiActivityDisable", f.disable);
  symbols.find("cuptiActivityGetNextRecord", f.get_next_record);
  symbols.find("cuptiActivityGetNumDroppedRecords", f.get_dropped);
  symbols.find("cuptiActivityFlushAll", f.flush_all);
  symbols.find_if_there("cuptiGetCallbackName", f.get_callback_name);
  symbols.find_if_there("cuptiGetResultString", f.get_result_string);
  symbols.find_if_there("cuptiSubscribe", f.subscribe);
  symbols.find_if_there("cuptiSubscribe_v2", f.subscribe_by_name);
  symbols.find_if_there("cuptiUnsubscribe", f.unsubscribe);
  symbols.find_if_there("cuptiEnableCallback", f.enable_callback);
  symbols.find_if_there("cuptiSetThreadIdType", f.set_thread_id_type);
  symbols.find_if_there("cuptiActivitySetAttribute", f.set_attribute);
  symbols.find_if_there("cuptiActivityEnableRuntimeApi", f.enable_runtime_call);
  symbols.find_if_there("cuptiActivityEnableDriverApi", f.enable_driver_call);
  if (!symbols.missing().empty())
    return library.path + " has no " + symbols.missing() + "; install the CUPTI of CUDA 11 or later";
  if (const Result result = f.get_version(&library.version); result != kSuccess)
    return library.path + " does not report its version: " + to_text(library, result);
  return {};
}

}  // namespace

bool load(const std::string& path, Library& library, const std::function<std::string()>& use, std::string& problem) {
  std::vector<void*> tried;
  std::string why_not_opened;
  problem.clear();
  for (const std::string& name : candidates(path)) {
    void* const opened = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) {
      const char* const why = ::dlerror();
      if (why_not_opened.empty() && why != nullptr) why_not_opened = why;
      continue;
    }
    if (std::find(tried.begin(), tried.end(), opened) != tried.end()) continue;
    tried.push_back(opened);
    std::string why = take(opened, name, library);
    if (why.empty()) why = use();
    if (why.empty()) return true;
    problem += (problem.empty() ? "" : "; ") + why;
  }
  if (tried.empty()) {
    problem = "CUPTI cannot be loaded (" + (why_not_opened.empty() ? "no reason given" : why_not_opened) +
              "); put the folder of libcupti.so, which CUDA has in lib64 or extras/CUPTI/lib64, into LD_LIBRARY_PATH";
  }
  return false;
}

std::string to_text(const Library& library) {
  return library.path + " (interface version " + std::to_string(library.version) + ")";
}

std::string to_text(const Library& library, Result result) {
  const char* text = nullptr;
  if (library.functions.get_result_string != nullptr &&
      library.functions.get_result_string(result, &text) == kSuccess && text != nullptr)
    return text;
  return "error " + std::to_string(result);
}

const char* to_text(Activity kind) noexcept {
  switch (kind) {
    case Activity::kMemcpy: return "memory copies";
    case Activity::kMemset: return "memsets";
    case Activity::kDriver: return "calls of the driver";
    case Activity::kRuntime: return "calls of the runtime";
    case Activity::kDevice: return "devices";
    case Activity::kContext: return "contexts";
    case Activity::kStream: return "streams";
    case Activity::kConcurrentKernel: return "kernels";
    case Activity::kOverhead: return "its own overhead";
    case Activity::kMemcpyPeer: return "copies between devices";
    case Activity::kCudaEvent: return "CUDA events";
    case Activity::kSynchronization: return "waits";
    case Activity::kExternalCorrelation: return "external correlations";
    case Activity::kGraphTrace: return "CUDA graphs";
  }
  return "records of an unknown kind";
}

Surroundings surroundings() {
  Surroundings found;
  for (const char* const pattern : {"/dev/nvidia[0-9]*", "/dev/dxg", "/dev/nvhost-gpu", "/dev/nvgpu"}) {
    ::glob_t paths{};
    if (::glob(pattern, GLOB_NOSORT, nullptr, &paths) == 0) found.gpu = true;
    ::globfree(&paths);
  }
  if (DriverVersion* const version_of = driver_version_of({})) static_cast<void>(version_of(&found.driver));
  return found;
}

DriverVersion* driver_version_of(const std::string& cupti) {
  for (const char* const library : {"libcuda.so.1", cupti.c_str()}) {
    if (*library == '\0') continue;
    void* const opened = ::dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    void* const function = opened == nullptr ? nullptr : ::dlsym(opened, "cuDriverGetVersion");
    if (function != nullptr) return reinterpret_cast<DriverVersion*>(function);
  }
  return nullptr;
}

std::string advice(Result result, const Surroundings& surroundings) {
  if (result == kInsufficientPrivileges)
    return "the driver allows profiling only for administrators (NVreg_RestrictProfilingToAdminUsers=1)";
  if (!surroundings.gpu) return "no NVIDIA GPU is visible to this process";
  const bool mismatch = result == kNotCompatible || result == kNotInitialised || result == kUnknown;
  if (!mismatch || surroundings.driver == 0) return "it refuses to record";
  return "the driver supports CUDA " + std::to_string(surroundings.driver / 1000) + "." +
         std::to_string(surroundings.driver % 1000 / 10) +
         ", and this CUPTI may need another; use the CUPTI of that CUDA";
}

}  // namespace stepsim::capture::cupti
