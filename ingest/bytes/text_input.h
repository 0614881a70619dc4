#ifndef STEPSIM_INGEST_BYTES_TEXT_INPUT_H
#define STEPSIM_INGEST_BYTES_TEXT_INPUT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/bytes/byte_source.h"
#include "model/base/error.h"

namespace stepsim::ingest {

/// Reads a ByteSource character by character and tracks offset and line. Memory is one buffer, whatever the file's
/// size.
class TextInput {
 public:
  /// `source` must outlive the input.
  explicit TextInput(ByteSource& source) : source_(&source) {}

  /// Returns the next character as 0 to 255 without consuming it, or kEnd at the end.
  [[nodiscard]] int peek() {
    if (next_ == end_ && !fill()) return kEnd;
    return static_cast<unsigned char>(buffer_[next_]);
  }
  /// Consumes the next character and returns it as 0 to 255. Returns kEnd at the end.
  int get() {
    const int character = peek();
    if (character == kEnd) return kEnd;
    ++next_;
    if (character == '\n') ++line_;
    return character;
  }

  /// Returns the rest of the current line without its '\n', and consumes both. Throws InputError, which names
  /// `expected`, if the line is longer than 1 MiB.
  [[nodiscard]] std::string next_line(std::string_view expected) {
    constexpr std::size_t kLongest = std::size_t{1} << 20U;
    const InputLocation where = at_line(line());
    std::string text;
    while (peek() != kEnd && peek() != '\n') {
      if (text.size() > kLongest)
        throw InputError(where, std::string{"a line of more than 1 MiB; expected "}.append(expected));
      text.push_back(static_cast<char>(get()));
    }
    get();
    return text;
  }

  /// Offset of the next character in the (decompressed) file.
  [[nodiscard]] std::uint64_t offset() const noexcept { return before_ + next_; }
  /// Line of the next character, counted from 1.
  [[nodiscard]] std::uint32_t line() const noexcept { return line_; }
  [[nodiscard]] ByteSource& source() const noexcept { return *source_; }

  [[nodiscard]] InputLocation at_offset(std::uint64_t offset) const { return {source_->name(), offset, {}}; }
  [[nodiscard]] InputLocation at_line(std::uint32_t line) const { return {source_->name(), {}, line}; }

  static constexpr int kEnd = -1;

 private:
  bool fill() {
    before_ += end_;
    next_ = 0;
    end_ = source_->read(buffer_);
    return end_ > 0;
  }

  ByteSource* source_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{64} << 10U);  // on the heap: thread stacks may be small
  std::size_t next_ = 0;
  std::size_t end_ = 0;
  std::uint64_t before_ = 0;  // bytes before the buffer
  std::uint32_t line_ = 1;
};

}  // namespace stepsim::ingest

#endif
