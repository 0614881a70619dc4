#include "ingest/json/source_cursor.h"

#include <fmt/format.h>

#include "model/base/text.h"

namespace stepsim::ingest {

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
  for (const char mark : kByteOrderMark) {
    if (next_char() != mark) return;
    advance();
  }
}

std::string_view SourceCursor::ended() const noexcept {
  return window_.source().truncated() ? "the gzip data is cut off or damaged" : "the file ends here";
}

std::string SourceCursor::unexpected(std::string_view expected) const {
  if (at_ == window_.end_offset()) return fmt::format("{}; expected {}", ended(), expected);
  return fmt::format("found '{}'; expected {}", shown(std::string_view{window_.at(at_), 1}), expected);
}

std::string SourceCursor::problem() const {
  switch (outcome_) {
    case Outcome::kBad:
      return fmt::format("found '{}'; expected {}", shown(std::string_view{&stopped_by_, 1}), expected_);
    case Outcome::kTooLong: return fmt::format("found no end within {} MiB; expected less", TextWindow::kLargest >> 20);
    case Outcome::kCut: return fmt::format("{}; expected the rest of it", ended());
    case Outcome::kDone: break;
  }
  return {};
}

}  // namespace stepsim::ingest
