#ifndef STEPSIM_INGEST_JSON_SOURCE_CURSOR_H
#define STEPSIM_INGEST_JSON_SOURCE_CURSOR_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ingest/bytes/byte_source.h"
#include "ingest/json/scanner.h"
#include "model/base/error.h"

namespace stepsim::ingest {

/// The part of a source that is in memory: begin() to end(), followed by zeros. more() moves the text, so callers must
/// store positions as offsets in the source.
class TextWindow {
 public:
  /// The window starts with kInitial bytes and never exceeds kLargest.
  static constexpr std::size_t kInitial = std::size_t{256} << 10;
  static constexpr std::size_t kLargest = std::size_t{64} << 20;

  /// `source` must outlive the window.
  explicit TextWindow(ByteSource& source);

  [[nodiscard]] const char* begin() const noexcept { return storage_.get(); }
  [[nodiscard]] const char* end() const noexcept { return storage_.get() + size_; }
  [[nodiscard]] std::uint64_t offset(const char* at) const noexcept {
    return begin_offset_ + static_cast<std::uint64_t>(at - storage_.get());
  }
  /// Returns the place of `offset` in memory. Precondition: the offset lies in the window.
  [[nodiscard]] const char* at(std::uint64_t offset) const noexcept {
    return storage_.get() + (offset - begin_offset_);
  }
  [[nodiscard]] std::uint64_t end_offset() const noexcept { return begin_offset_ + size_; }

  /// Drops the text before `keep` and reads more after end(). Returns false if nothing was read, because the source has
  /// ended or kLargest bytes are already kept.
  [[nodiscard]] bool more(std::uint64_t keep);
  /// Drops all text in memory. `offset` is the current position of the source.
  void skip_to(std::uint64_t offset) noexcept;
  [[nodiscard]] const ByteSource& source() const noexcept { return source_; }
  /// True after the source has ended, so that nothing follows end().
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

/// The result of a scan.
enum class Outcome : std::uint8_t {
  kDone,
  kBad,      ///< not JSON
  kCut,      ///< the source ended first
  kTooLong,  ///< longer than TextWindow::kLargest
};

/// A position in a source of JSON text. Moving the position reads more of the source.
class SourceCursor {
 public:
  /// `source` must outlive the cursor.
  explicit SourceCursor(ByteSource& source, json::Rules rules = json::Rules::kLenient)
      : window_(source), rules_(rules) {}

  /// Offset of the next byte.
  [[nodiscard]] std::uint64_t at() const noexcept { return at_; }
  void advance() noexcept { ++at_; }
  /// Moves to `offset`, forward or back. Precondition: the text there is still in memory. This is guaranteed for the
  /// last kLook bytes before at(), and for everything after the beginning of the last scan.
  void move_to(std::uint64_t offset) {
    STEPSIM_ASSERT(offset >= window_.offset(window_.begin()) && offset <= window_.end_offset(),
                   "the text there is still in memory");
    at_ = offset;
  }

  /// Skips any number of blanks. Returns the character after them, or 0 at the end of the source.
  [[nodiscard]] char next_char() {
    const char* const next = window_.at(at_);
    return json::is_blank(*next) || next == window_.end() ? behind_blanks() : *next;
  }
  /// Skips the three bytes that some editors put in front of UTF-8, if all three are next.
  void skip_byte_order_mark();
  /// True at the end of the text in memory.
  [[nodiscard]] bool at_window_end() const noexcept { return at_ == window_.end_offset(); }
  /// Continues at `offset`, the current position of the source, after another reader has used the text before it.
  /// Precondition: at_window_end().
  void skip_to(std::uint64_t offset) {
    window_.skip_to(offset);
    at_ = offset;
  }
  [[nodiscard]] bool at_end() const noexcept { return at_ == window_.end_offset() && window_.source_ended(); }

  /// Runs `step(scanner)` at the current position. If the text in memory ends first, reads more and runs the step
  /// again. Moves past the scanned text if the outcome is kDone.
  template <class Step>
  [[nodiscard]] Outcome scan(Step&& step);
  /// These functions describe the last scan that failed: how it ended, at which offset, and why ("found 'x'; expected
  /// y").
  [[nodiscard]] Outcome outcome() const noexcept { return outcome_; }
  [[nodiscard]] std::uint64_t stopped_at() const noexcept { return stopped_at_; }
  [[nodiscard]] std::string problem() const;
  /// Describes the next character: "found 'x'; expected y", where y is `expected`.
  [[nodiscard]] std::string unexpected(std::string_view expected) const;

  /// Moves to the next character that equals `first` or `second` and for which `matches(begin, at, end)` is true.
  /// Returns false if there is none. `begin` and `end` bound the text in memory: at least kLook bytes on each side, or
  /// all that exists.
  template <class Matches>
  [[nodiscard]] bool find(char first, char second, Matches&& matches);
  static constexpr std::uint64_t kLook = 256;

 private:
  [[nodiscard]] char behind_blanks();
  [[nodiscard]] std::string_view ended() const noexcept;

  TextWindow window_;
  json::Rules rules_;
  std::uint64_t at_ = 0;
  Outcome outcome_ = Outcome::kDone;  // of the last failed scan
  std::uint64_t stopped_at_ = 0;
  char stopped_by_ = '\0';
  const char* expected_ = nullptr;
};

template <class Step>
Outcome SourceCursor::scan(Step&& step) {
  while (true) {
    json::Scanner scanner{window_.at(at_), window_.end(), rules_};
    if (step(scanner)) {
      at_ = window_.offset(scanner.at());
      return Outcome::kDone;
    }
    stopped_at_ = window_.offset(scanner.at());
    stopped_by_ = *scanner.at();
    expected_ = scanner.error();
    if (!scanner.ended()) return outcome_ = Outcome::kBad;
    if (!window_.more(at_)) return outcome_ = window_.source_ended() ? Outcome::kCut : Outcome::kTooLong;
  }
}

template <class Matches>
bool SourceCursor::find(char first, char second, Matches&& matches) {
  while (true) {
    const char* p = window_.at(at_);
    // Stops before the last kLook bytes in memory, unless the source has ended, so that matches() sees enough text
    // after a position.
    const char* const last = window_.source_ended() ? window_.end() : window_.end() - kLook;
    for (; p < last; ++p) {
      if ((*p == first || *p == second) && matches(window_.begin(), p, window_.end())) {
        at_ = window_.offset(p);
        return true;
      }
    }
    at_ = window_.offset(p);
    if (window_.source_ended()) return false;
    const std::uint64_t begin = window_.offset(window_.begin());
    static_cast<void>(window_.more(at_ > begin + kLook ? at_ - kLook : begin));
  }
}

}  // namespace stepsim::ingest

#endif
