#ifndef STEPSIM_CAPTURE_NVTX_RANGES_H
#define STEPSIM_CAPTURE_NVTX_RANGES_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// NVTX ranges as they begin and end, and marks, by NVTX's own way to tell a tool (NVTX_INJECTION64_PATH), so that one
/// can begin a step at once, and CUPTI need not be there. Source: nvtxDetail/nvtxTypes.h of NVTX 3, whose numbers and
/// layouts are written down in ranges.cpp, so that this builds without it.
namespace stepsim::capture::nvtx {

/// Wide characters as UTF-8, for as long as the object lives. What is no character becomes U+FFFD, and what is longer
/// than a record's text is cut between two characters. Allocates nothing.
class Narrow {
 public:
  /// `text` may be null: then there is no name.
  explicit Narrow(const wchar_t* text) noexcept;
  [[nodiscard]] const char* get() const noexcept { return there_ ? text_.data() : nullptr; }

 private:
  void append(char32_t code) noexcept;

  std::array<char, 8193> text_;  ///< wire::kLongestText and the end
  std::size_t size_ = 0;
  bool there_;
};

/// Strings that a program registers, to name them by a handle afterwards. Each is kept once, and for good. Threads may
/// register and look up at the same time; none waits for another, so that a child of fork() finds no lock taken.
class RegisteredStrings {
 public:
  /// The same handle for the same text, never null; null if `text` is null, or if there is no room for more.
  [[nodiscard]] const void* handle_of(const char* text) noexcept;
  /// Null for what is no handle of ours.
  [[nodiscard]] const char* text_of(const void* handle) const noexcept;

  static constexpr std::size_t kMost = std::size_t{1} << 16U;

 private:
  std::array<std::atomic<const char*>, kMost> texts_{};  ///< a hash table with open addressing
};

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
