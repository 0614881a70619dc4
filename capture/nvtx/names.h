#ifndef STEPSIM_CAPTURE_NVTX_NAMES_H
#define STEPSIM_CAPTURE_NVTX_NAMES_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

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

}  // namespace stepsim::capture::nvtx

#endif
