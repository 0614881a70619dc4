#include "capture/nvtx/ranges.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "model/wire/text_hash.h"

namespace stepsim::capture::nvtx {

namespace {

constexpr char32_t kReplacement = 0xFFFD;

bool is_character(char32_t code) noexcept { return code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF); }

}  // namespace

// Only the initialised part of text_ is read.
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
Narrow::Narrow(const wchar_t* text) noexcept : there_(text != nullptr) {
  static_assert(sizeof(wchar_t) == 4, "wide characters are UTF-32 here");
  constexpr std::size_t kLongestCharacter = 4;
  for (; there_ && *text != L'\0' && size_ + kLongestCharacter < text_.size(); ++text) {
    const auto code = static_cast<char32_t>(*text);
    append(is_character(code) ? code : kReplacement);
  }
  text_[size_] = '\0';
}

void Narrow::append(char32_t code) noexcept {
  const auto put = [this](char32_t byte) { text_[size_++] = static_cast<char>(static_cast<unsigned char>(byte)); };
  const auto follow = [&put, code](unsigned shift) { put(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0U | (code >> 6U));
    return follow(0);
  }
  if (code < 0x10000) {
    put(0xE0U | (code >> 12U));
  } else {
    put(0xF0U | (code >> 18U));
    follow(12);
  }
  follow(6);
  follow(0);
}

const void* RegisteredStrings::handle_of(const char* text) noexcept {
  constexpr std::size_t kMostProbes = 1024;  // the table counts as full after this many probes
  if (text == nullptr) return nullptr;
  const std::size_t first = hash_of(text);
  char* copy = nullptr;
  for (std::size_t probe = 0; probe < kMostProbes; ++probe) {
    std::atomic<const char*>& slot = texts_[(first + probe) % kMost];
    const char* known = slot.load(std::memory_order_acquire);
    if (known == nullptr) {
      if (copy == nullptr) copy = ::strdup(text);
      if (copy == nullptr) return nullptr;
      if (slot.compare_exchange_strong(known, copy, std::memory_order_acq_rel)) return &slot;
    }
    if (std::strcmp(known, text) != 0) continue;
    std::free(copy);
    return &slot;
  }
  std::free(copy);
  return nullptr;
}

const char* RegisteredStrings::text_of(const void* handle) const noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(texts_.data());
  const auto at = reinterpret_cast<std::uintptr_t>(handle);
  if (at < begin || at >= begin + sizeof texts_ || (at - begin) % sizeof(texts_[0]) != 0) return nullptr;
  return texts_[(at - begin) / sizeof(texts_[0])].load(std::memory_order_acquire);
}

namespace {

constexpr std::uint32_t kCallbacksTable = 1;  // NVTX_ETID_CALLBACKS
constexpr int kCore = 1;                      // NVTX_CB_MODULE_CORE
constexpr int kCore2 = 5;                     // NVTX_CB_MODULE_CORE2

/// The values of NVTX_CBID_CORE_*.
enum Core : unsigned {
  kMarkEx = 1,
  kMarkA = 2,
  kMarkW = 3,
  kStartEx = 4,
  kStartA = 5,
  kStartW = 6,
  kEnd = 7,
  kPushEx = 8,
  kPushA = 9,
  kPushW = 10,
  kPop = 11,
};
/// The values of NVTX_CBID_CORE2_*.
enum Core2 : unsigned {
  kDomainMarkEx = 1,
  kDomainStartEx = 2,
  kDomainEnd = 3,
  kDomainPushEx = 4,
  kDomainPop = 5,
  kRegisterStringA = 10,
  kRegisterStringW = 11,
};

using Function = void (*)();

struct CallbacksTable {
  std::size_t size;
  int (*get_module)(int module, Function*** table, unsigned* count);
};

/// Offsets of the type of the message, and of the message, in nvtxEventAttributes_t.
constexpr std::size_t kMessageTypeAt = 32;
constexpr std::size_t kMessageAt = 40;
enum MessageType : std::int32_t { kAscii = 1, kUnicode = 2, kRegistered = 3 };  // NVTX_MESSAGE_TYPE_*

Listener the_listener;
RegisteredStrings registered;
std::atomic<std::uint64_t> next_id{1};

/// The ranges that a thread has pushed in one domain and not yet popped. Ranges nested deeper than 64 are counted but
/// not reported.
struct Stack {
  const void* domain = nullptr;
  std::array<std::uint64_t, 64> ids{};
  int depth = 0;
};
/// The stacks of a thread. NVTX pops the last range of the same domain, so that libraries do not close each other's
/// ranges. Domains that find no stack, because all are in use, share the last one.
thread_local std::array<Stack, 16> stacks;

Stack& stack_of(const void* domain) noexcept {
  Stack* free = nullptr;
  for (Stack& stack : stacks) {
    if (stack.depth > 0 && stack.domain == domain) return stack;
    if (stack.depth == 0 && free == nullptr) free = &stack;
  }
  if (free == nullptr) return stacks.back();
  free->domain = domain;
  return *free;
}

/// Calls `use` with the message in `attributes`, or with null if there is none, and returns its result.
template <class Use>
auto with_message(const void* attributes, Use use) noexcept {
  const char* const none = nullptr;
  if (attributes == nullptr) return use(none);
  const auto* const bytes = static_cast<const unsigned char*>(attributes);
  std::int32_t type = 0;
  const void* message = nullptr;
  std::memcpy(&type, bytes + kMessageTypeAt, sizeof type);
  std::memcpy(&message, bytes + kMessageAt, sizeof message);
  switch (type) {
    case kAscii: return use(static_cast<const char*>(message));
    case kUnicode: return use(Narrow(static_cast<const wchar_t*>(message)).get());
    case kRegistered: return use(registered.text_of(message));
    default: return use(none);
  }
}

std::uint64_t start(const char* name) noexcept {
  const std::uint64_t id = next_id.fetch_add(1, std::memory_order_relaxed);
  the_listener.begin(id, name);
  return id;
}

int push(const void* domain, const char* name) noexcept {
  Stack& stack = stack_of(domain);
  if (stack.depth < static_cast<int>(stack.ids.size())) stack.ids[static_cast<std::size_t>(stack.depth)] = start(name);
  return stack.depth++;
}

int pop(const void* domain) noexcept {
  Stack& stack = stack_of(domain);
  if (stack.depth == 0) return -1;
  --stack.depth;
  if (stack.depth < static_cast<int>(stack.ids.size()))
    the_listener.end(stack.ids[static_cast<std::size_t>(stack.depth)]);
  return stack.depth;
}

void mark(const char* name) noexcept { the_listener.mark(name); }

// The functions below have the names and signatures of NVTX's callbacks.
int domain_push_ex(void* domain, const void* attributes) {
  return with_message(attributes, [domain](const char* name) { return push(domain, name); });
}
void mark_ex(const void* attributes) { with_message(attributes, mark); }
void mark_a(const char* name) { mark(name); }
void mark_w(const wchar_t* name) { mark(Narrow(name).get()); }
std::uint64_t start_ex(const void* attributes) { return with_message(attributes, start); }
std::uint64_t start_a(const char* name) { return start(name); }
std::uint64_t start_w(const wchar_t* name) { return start(Narrow(name).get()); }
void end(std::uint64_t id) { the_listener.end(id); }
int push_ex(const void* attributes) { return domain_push_ex(nullptr, attributes); }
int push_a(const char* name) { return push(nullptr, name); }
int push_w(const wchar_t* name) { return push(nullptr, Narrow(name).get()); }
int pop_any() { return pop(nullptr); }
void domain_mark_ex(void*, const void* attributes) { mark_ex(attributes); }
std::uint64_t domain_start_ex(void*, const void* attributes) { return start_ex(attributes); }
void domain_end(void*, std::uint64_t id) { the_listener.end(id); }
int domain_pop(void* domain) { return pop(domain); }
const void* register_string_a(void*, const char* text) { return registered.handle_of(text); }
const void* register_string_w(void*, const wchar_t* text) { return registered.handle_of(Narrow(text).get()); }

class Module {
 public:
  Module(const CallbacksTable& callbacks, int number) noexcept {
    if (callbacks.get_module(number, &table_, &count_) == 0) table_ = nullptr;
  }
  [[nodiscard]] bool is_there() const noexcept { return table_ != nullptr; }
  template <class Typed>
  void set(unsigned number, Typed function) const noexcept {
    if (table_ != nullptr && number < count_ && table_[number] != nullptr)
      *table_[number] = reinterpret_cast<Function>(function);
  }

 private:
  Function** table_ = nullptr;
  unsigned count_ = 0;
};

}  // namespace

bool install(const void* (*get_export_table)(std::uint32_t), const Listener& listener) noexcept {
  const auto* const callbacks = static_cast<const CallbacksTable*>(get_export_table(kCallbacksTable));
  if (callbacks == nullptr || callbacks->size < sizeof *callbacks || callbacks->get_module == nullptr) return false;
  the_listener = listener;
  const Module core(*callbacks, kCore);
  core.set(kMarkEx, mark_ex);
  core.set(kMarkA, mark_a);
  core.set(kMarkW, mark_w);
  core.set(kStartEx, start_ex);
  core.set(kStartA, start_a);
  core.set(kStartW, start_w);
  core.set(kEnd, end);
  core.set(kPushEx, push_ex);
  core.set(kPushA, push_a);
  core.set(kPushW, push_w);
  core.set(kPop, pop_any);
  const Module core2(*callbacks, kCore2);
  core2.set(kDomainMarkEx, domain_mark_ex);
  core2.set(kDomainStartEx, domain_start_ex);
  core2.set(kDomainEnd, domain_end);
  core2.set(kDomainPushEx, domain_push_ex);
  core2.set(kDomainPop, domain_pop);
  core2.set(kRegisterStringA, register_string_a);
  core2.set(kRegisterStringW, register_string_w);
  return core.is_there();
}

}  // namespace stepsim::capture::nvtx
