#include "sim/report/text_style.h"

#include <fmt/format.h>

#include <array>

namespace stepsim::sim {

std::string toned(std::string_view text, Tone tone, const TextStyle& style) {
  // Bold, bold, bold red, yellow, faint: colours of the terminal's own palette, so that they suit its background.
  static constexpr std::array<std::string_view, 6> kSequences{"", "1", "1", "1;31", "33", "2"};
  const std::string_view sequence = kSequences[static_cast<std::size_t>(tone)];
  if (!style.color || sequence.empty() || text.empty()) return std::string{text};
  return fmt::format("\x1b[{}m{}\x1b[0m", sequence, text);
}

}  // namespace stepsim::sim
