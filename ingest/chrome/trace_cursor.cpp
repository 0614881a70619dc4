#include "ingest/chrome/trace_cursor.h"

#include <fmt/format.h>

#include "model/base/text.h"

namespace stepsim::ingest {

char TraceCursor::next_char() {
  while (true) {
    json::Scanner scanner{window_.at(at_), window_.end()};
    scanner.skip_blanks();
    at_ = window_.offset(scanner.at());
    if (at_ < window_.end_offset()) return *scanner.at();
    const std::uint64_t begin = window_.offset(window_.begin());
    if (!window_.more(at_ > begin + kLook ? at_ - kLook : begin)) return '\0';
  }
}

std::string TraceCursor::unexpected(std::string_view expected) const {
  if (at_ == window_.end_offset()) return fmt::format("the file ends here; expected {}", expected);
  return fmt::format("found '{}'; expected {}", shown(std::string_view{window_.at(at_), 1}), expected);
}

std::string TraceCursor::problem() const {
  switch (outcome_) {
    case Outcome::kBad:
      return fmt::format("found '{}'; expected {}", shown(std::string_view{&stopped_by_, 1}), expected_);
    case Outcome::kTooLong: return fmt::format("found no end within {} MiB; expected less", TextWindow::kLargest >> 20);
    case Outcome::kCut: return "the file ends here; expected the rest of it";
    case Outcome::kDone: break;
  }
  return {};
}

}  // namespace stepsim::ingest
