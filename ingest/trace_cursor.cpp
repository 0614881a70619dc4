#include "ingest/trace_cursor.h"

#include <fmt/format.h>

#include "model/text.h"

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

void TraceCursor::stopped(const json::Scanner& scanner, Outcome outcome) {
  stopped_at_ = window_.offset(scanner.at());
  if (outcome == Outcome::kBad) {
    problem_ = fmt::format("found '{}' at byte {}; expected {}", shown(std::string_view{scanner.at(), 1}), stopped_at_, scanner.error());
  } else if (outcome == Outcome::kCut) {
    problem_ = "the file ends in the middle of it; expected the rest";
  } else {
    problem_ = fmt::format("it is longer than {0} MiB; expected at most that", TextWindow::kLargest >> 20);
  }
}

}  // namespace stepsim::ingest
