#ifndef STEPSIM_SIM_REPORT_TEXT_STYLE_H
#define STEPSIM_SIM_REPORT_TEXT_STYLE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stepsim::sim {

/// How a report is written as text. The default is that of a pipe or a file: lines of any length, nothing left out.
struct TextStyle {
  std::size_t width = 0;  ///< columns of the terminal; no line is longer. 0: no bound
  bool color = false;     ///< bold type and colours, as escape sequences (ECMA-48 SGR)
  bool brief = false;     ///< what stands above the sections only
};

/// What a piece of text is, so that it can be shown so.
enum class Tone : std::uint8_t { kPlain, kHeading, kFigure, kWarning, kCaution, kAside };

/// `text` between the escape sequences of its tone where the style has colour. Precondition: `text` is safe for a
/// terminal (model/base/text.h).
[[nodiscard]] std::string toned(std::string_view text, Tone tone, const TextStyle& style);

}  // namespace stepsim::sim

#endif
