#include "capture/cupti/library.h"

#include <dlfcn.h>

#include <array>

namespace stepsim::capture::cupti {
namespace {

constexpr std::array<const char*, 5> kNames{"libcupti.so", "libcupti.so.13", "libcupti.so.12", "libcupti.so.11.0",
                                            "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"};

void* open(const std::string& path) {
  if (!path.empty()) return ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  for (const char* const name : kNames) {
    if (void* const found = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return found;
  }
  return nullptr;
}

class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}

  template <class Function>
  void find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library_, name));
    if (function == nullptr && missing_.empty()) missing_ = name;
  }
  template <class Function>
  void find_if_there(const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library_, name));
  }
  [[nodiscard]] const std::string& missing() const noexcept { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

}  // namespace

bool load(const std::string& path, Library& library, std::string& problem) {
  void* const opened = open(path);
  if (opened == nullptr) {
    const char* const why = ::dlerror();
    problem = std::string("CUPTI cannot be loaded (") + (why == nullptr ? "no reason given" : why) +
              "); put the folder of libcupti.so, which CUDA has in lib64 or extras/CUPTI/lib64, into LD_LIBRARY_PATH";
    return false;
  }
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
  symbols.find_if_there("cuptiUnsubscribe", f.unsubscribe);
  symbols.find_if_there("cuptiSetThreadIdType", f.set_thread_id_type);
  if (!symbols.missing().empty()) {
    problem = "the CUPTI that was found has no " + symbols.missing() + "; install the CUPTI of CUDA 11 or later";
    return false;
  }
  if (const Result result = f.get_version(&library.version); result != kSuccess) {
    problem = "CUPTI does not report its version: " + to_text(library, result);
    return false;
  }
  return true;
}

std::string to_text(const Library& library, Result result) {
  const char* text = nullptr;
  if (library.functions.get_result_string != nullptr &&
      library.functions.get_result_string(result, &text) == kSuccess && text != nullptr)
    return text;
  return "error " + std::to_string(result);
}

}  // namespace stepsim::capture::cupti
