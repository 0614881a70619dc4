// A fake of the part of NVTX 3 with which a tool registers its functions (nvtxDetail/nvtxInit.h).

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>

#include "tests/capture/fake_cuda/fake_cuda.h"

namespace fake_cuda {
namespace {

using Function = void (*)();

/// The callbacks of the modules NVTX_CB_MODULE_CORE and NVTX_CB_MODULE_CORE2, indexed by NVTX_CBID_CORE_* and
/// NVTX_CBID_CORE2_*.
std::array<Function, 16> core{};
std::array<Function, 16> core2{};
std::array<Function*, 16> core_table{};
std::array<Function*, 16> core2_table{};

int get_module(int module, Function*** table, unsigned* count) {
  if (module != 1 && module != 5) return 0;
  std::array<Function, 16>& functions = module == 1 ? core : core2;
  std::array<Function*, 16>& addresses = module == 1 ? core_table : core2_table;
  for (std::size_t i = 1; i < functions.size(); ++i) addresses[i] = &functions[i];
  *table = addresses.data();
  *count = static_cast<unsigned>(addresses.size());
  return 1;
}

struct Callbacks {
  std::size_t size;
  int (*get_module)(int, Function***, unsigned*);
};

const void* get_export_table(std::uint32_t id) {
  static const Callbacks callbacks{sizeof(Callbacks), get_module};
  return id == 1 ? &callbacks : nullptr;
}

void initialise_nvtx() {
  static std::once_flag once;
  std::call_once(once, [] {
    const char* const path = std::getenv("NVTX_INJECTION64_PATH");
    if (path == nullptr) return;
    void* const library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    using Begin = int (*)(const void* (*)(std::uint32_t));
    const auto begin = reinterpret_cast<Begin>(::dlsym(library, "InitializeInjectionNvtx2"));
    if (begin != nullptr && begin(get_export_table) != 0) return;
    core.fill(nullptr);
    core2.fill(nullptr);
  });
}

/// The layout of nvtxEventAttributes_v2.
struct Attributes {
  std::uint16_t version = 3;
  std::uint16_t size = 48;
  std::uint32_t category = 0;
  std::int32_t color_type = 0;
  std::uint32_t color = 0;
  std::int32_t payload_type = 0;
  std::int32_t reserved = 0;
  std::uint64_t payload = 0;
  std::int32_t message_type = 0;
  const void* message = nullptr;
};
static_assert(sizeof(Attributes) == 48);

/// Returns the callback with this number that a tool has installed; null if there is none.
template <class Signature>
Signature* tool(const std::array<Function, 16>& functions, std::size_t number) {
  initialise_nvtx();
  return reinterpret_cast<Signature*>(functions[number]);
}

}  // namespace

void push_range(const char* name) {
  if (auto* const push = tool<int(const char*)>(core, 9)) push(name);
}

void push_range(const wchar_t* name) {
  if (auto* const push = tool<int(const wchar_t*)>(core, 10)) push(name);
}

void push_range(Message message) {
  const Attributes attributes{.message_type = message.type, .message = message.text};
  if (auto* const push = tool<int(const void*)>(core, 8)) push(&attributes);
}

void push_range_of_domain(Message message, void* domain) {
  const Attributes attributes{.message_type = message.type, .message = message.text};
  if (auto* const push = tool<int(void*, const void*)>(core2, 4)) push(domain, &attributes);
}

void pop_range() {
  if (auto* const pop = tool<int()>(core, 11)) pop();
}

void pop_range_of_domain(void* domain) {
  if (auto* const pop = tool<int(void*)>(core2, 5)) pop(domain);
}

std::uint64_t start_range(const wchar_t* name) {
  auto* const start = tool<std::uint64_t(const wchar_t*)>(core, 6);
  return start == nullptr ? 0 : start(name);
}

void end_range(std::uint64_t id) {
  if (auto* const end = tool<void(std::uint64_t)>(core, 7)) end(id);
}

void mark(const char* name) {
  if (auto* const put = tool<void(const char*)>(core, 2)) put(name);
}

void mark(const wchar_t* name) {
  if (auto* const put = tool<void(const wchar_t*)>(core, 3)) put(name);
}

void mark(Message message) {
  const Attributes attributes{.message_type = message.type, .message = message.text};
  if (auto* const put = tool<void(const void*)>(core, 1)) put(&attributes);
}

void mark_of_domain(Message message) {
  const Attributes attributes{.message_type = message.type, .message = message.text};
  if (auto* const put = tool<void(void*, const void*)>(core2, 1)) put(nullptr, &attributes);
}

const void* register_string(const char* text) {
  auto* const put = tool<const void*(void*, const char*)>(core2, 10);
  return put == nullptr ? nullptr : put(nullptr, text);
}

const void* register_string(const wchar_t* text) {
  auto* const put = tool<const void*(void*, const wchar_t*)>(core2, 11);
  return put == nullptr ? nullptr : put(nullptr, text);
}

}  // namespace fake_cuda
