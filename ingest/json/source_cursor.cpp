#include "ingest/json/source_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "ingest/json/json_bytes.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

std::unique_ptr<char[]> room_for(std::size_t bytes) {
  return std::make_unique_for_overwrite<char[]>(bytes + json::kPadding);
}

}  // namespace

TextWindow::TextWindow(ByteSource& source) : source_(source), storage_(room_for(kInitial)) {
  std::memset(storage_.get(), 0, json::kPadding);
}

void TextWindow::make_room(std::size_t kept_from) {
  const std::size_t kept = size_ - kept_from;
  // Doubling the window keeps the cost of rescanning a long record linear in its length.
  if (kept > capacity_ / 2 && capacity_ < kLargest) {
    auto larger = room_for(capacity_ * 2);
    std::memcpy(larger.get(), storage_.get() + kept_from, kept);
    storage_ = std::move(larger);
    capacity_ *= 2;
  } else if (kept_from > 0) {
    std::memmove(storage_.get(), storage_.get() + kept_from, kept);
  }
  begin_offset_ += kept_from;
  size_ = kept;
}

void TextWindow::skip_to(std::uint64_t offset) noexcept {
  begin_offset_ = offset;
  size_ = 0;
  std::memset(storage_.get(), 0, json::kPadding);
}

bool TextWindow::more(std::uint64_t keep) {
  if (source_ended_) return false;
  make_room(keep - begin_offset_);
  // Reads until the window contains twice the kept text, even if the source delivers small pieces, so that a long
  // record is rescanned only a few times.
  const std::size_t kept = size_;
  const std::size_t wanted = std::min(capacity_, 2 * kept + 1);
  while (size_ < wanted && !source_ended_) {
    const std::size_t got = source_.read(std::span{storage_.get() + size_, capacity_ - size_});
    size_ += got;
    source_ended_ = got == 0;
  }
  std::memset(storage_.get() + size_, 0, json::kPadding);
  return size_ > kept;
}

char SourceCursor::behind_blanks() {
  while (true) {
    const char* const next = json::skip_blanks(window_.at(at_), window_.end());
    at_ = window_.offset(next);
    if (next != window_.end()) return *next;
    const std::uint64_t begin = window_.offset(window_.begin());
    if (!window_.more(at_ > begin + kLook ? at_ - kLook : begin)) return '\0';
  }
}

void SourceCursor::skip_byte_order_mark() {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const std::uint64_t begin = at_;
  for (const char mark : kByteOrderMark) {
    if (at_window_end()) static_cast<void>(window_.more(begin));
    if (*window_.at(at_) != mark) {
      at_ = begin;
      return;
    }
    advance();
  }
}

std::string_view SourceCursor::ended() const noexcept {
  return window_.source().truncated() ? "the gzip data is truncated or damaged" : "the file ends here";
}

std::string SourceCursor::unexpected(std::string_view expected) const {
  if (at_ == window_.end_offset()) return fmt::format("{}; expected {}", ended(), expected);
  return fmt::format("found '{}'; expected {}", shown(std::string_view{window_.at(at_), 1}), expected);
}

std::string SourceCursor::problem() const {
  switch (outcome_) {
    case Outcome::kBad:
      return fmt::format("found '{}'; expected {}", shown(std::string_view{&stopped_by_, 1}), expected_);
    case Outcome::kTooLong:
      return fmt::format("has no end within {} MiB; expected shorter text", TextWindow::kLargest >> 20);
    case Outcome::kCut: return fmt::format("{}; expected the rest of it", ended());
    case Outcome::kDone: break;
  }
  return {};
}

}  // namespace stepsim::ingest
