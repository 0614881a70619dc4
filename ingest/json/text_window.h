#ifndef STEPSIM_INGEST_JSON_TEXT_WINDOW_H
#define STEPSIM_INGEST_JSON_TEXT_WINDOW_H

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ingest/bytes/byte_source.h"

namespace stepsim::ingest {

/// The part of a source that is in memory: begin() to end(), followed by zeros. more() moves the
/// text, so callers keep positions as offsets in the source.
class TextWindow {
 public:
  /// Starts with kInitial bytes of room and never holds more than kLargest.
  static constexpr std::size_t kInitial = std::size_t{256} << 10;
  static constexpr std::size_t kLargest = std::size_t{64} << 20;

  /// `source` must outlive the window.
  explicit TextWindow(ByteSource& source);

  [[nodiscard]] const char* begin() const noexcept { return storage_.get(); }
  [[nodiscard]] const char* end() const noexcept { return storage_.get() + size_; }
  [[nodiscard]] std::uint64_t offset(const char* at) const noexcept {
    return begin_offset_ + static_cast<std::uint64_t>(at - storage_.get());
  }
  /// Precondition: the offset lies in the window.
  [[nodiscard]] const char* at(std::uint64_t offset) const noexcept {
    return storage_.get() + (offset - begin_offset_);
  }
  [[nodiscard]] std::uint64_t end_offset() const noexcept { return begin_offset_ + size_; }

  /// Drops what lies before `keep` and reads on behind the end. False if nothing was read,
  /// because the source has ended or kLargest bytes are kept already.
  [[nodiscard]] bool more(std::uint64_t keep);
  /// Drops all text. The source reads on at `offset`.
  void skip_to(std::uint64_t offset) noexcept;
  [[nodiscard]] const ByteSource& source() const noexcept { return source_; }
  /// True once the source has nothing left behind end().
  [[nodiscard]] bool source_ended() const noexcept { return source_ended_; }

 private:
  void make_room(std::size_t kept_from);

  ByteSource& source_;
  std::unique_ptr<char[]> storage_;
  std::size_t capacity_ = kInitial;
  std::size_t size_ = 0;
  std::uint64_t begin_offset_ = 0;
  bool source_ended_ = false;
};

}  // namespace stepsim::ingest

#endif
