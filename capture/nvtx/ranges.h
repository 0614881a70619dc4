#ifndef STEPSIM_CAPTURE_NVTX_RANGES_H
#define STEPSIM_CAPTURE_NVTX_RANGES_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// Receives NVTX ranges and marks through NVTX's interface for tools (NVTX_INJECTION64_PATH). Events arrive at the time
/// of the NVTX call, so a range can mark the beginning of a step, and CUPTI is not needed. Source:
/// nvtxDetail/nvtxTypes.h of NVTX 3; ranges.cpp repeats its numbers and layouts, so that it builds without NVTX.
namespace stepsim::capture::nvtx {

/// Converts wide characters to UTF-8; the result lives as long as the object. Invalid characters become U+FFFD. A text
/// longer than wire::kLongestText bytes is cut between two characters. Does not allocate.
class Narrow {
 public:
  /// `text` may be null; get() then returns null.
  explicit Narrow(const wchar_t* text) noexcept;
  [[nodiscard]] const char* get() const noexcept { return there_ ? text_.data() : nullptr; }

 private:
  void append(char32_t code) noexcept;

  std::array<char, 8193> text_;  ///< wire::kLongestText and a terminating zero
  std::size_t size_ = 0;
  bool there_;
};

/// Strings that a program registers in order to refer to them by handles. Each is stored once and never freed.
/// Lock-free: threads may register and look up at the same time, and a child of fork() never inherits a locked mutex.
class RegisteredStrings {
 public:
  /// Returns the handle of a text. Equal texts have the same handle. Returns null if `text` is null or the table is
  /// full.
  [[nodiscard]] const void* handle_of(const char* text) noexcept;
  /// Returns the text of a handle; null if the handle is unknown.
  [[nodiscard]] const char* text_of(const void* handle) const noexcept;

  static constexpr std::size_t kMost = std::size_t{1} << 16U;

 private:
  std::array<std::atomic<const char*>, kMost> texts_{};  ///< a hash table with open addressing
};

/// The functions that receive events. They must not throw.
struct Listener {
  void (*begin)(std::uint64_t id, const char* name) = nullptr;  ///< `name` may be null
  void (*end)(std::uint64_t id) = nullptr;
  void (*mark)(const char* name) = nullptr;  ///< `name` may be null
};

/// Installs our functions as NVTX's tool callbacks for pushed and popped ranges, started and ended ranges, and marks,
/// in all domains. Names are UTF-8: wide characters are converted, and registered strings are kept until the process
/// ends. A message of any other type gives no name. `get_export_table` is the argument of InitializeInjectionNvtx2.
/// Returns false if the caller is not NVTX 3. The listener is set once, before the first event arrives.
bool install(const void* (*get_export_table)(std::uint32_t), const Listener& listener) noexcept;

}  // namespace stepsim::capture::nvtx

#endif
