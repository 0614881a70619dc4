#ifndef STEPSIM_SIM_REPORT_CLASS_STYLE_H
#define STEPSIM_SIM_REPORT_CLASS_STYLE_H

#include <array>
#include <cstddef>
#include <string_view>

#include "sim/analysis/critical_path.h"

namespace stepsim::sim {

/// The name and the colours of a class of time in tables, pictures and on the page. page/src/classes.js contains the
/// same table (a test compares them). The colours are those of Okabe and Ito, which readers with any colour vision can
/// tell apart.
struct ClassStyle {
  std::string_view label;
  std::string_view colour;
  std::string_view ink;  ///< colour of text on `colour`
};

/// Indexed by PathClass.
inline constexpr std::array<ClassStyle, kPathClassCount> kClassStyles{{
    {"compute", "#0072b2", "#ffffff"},
    {"communication", "#d55e00", "#111111"},
    {"copies", "#009e73", "#111111"},
    {"CPU", "#56b4e9", "#111111"},
    {"queueing", "#e69f00", "#111111"},
    {"waiting", "#f0e442", "#111111"},
    {"waiting for data", "#000000", "#ffffff"},
}};

[[nodiscard]] constexpr const ClassStyle& style_of(PathClass path_class) noexcept {
  return kClassStyles[static_cast<std::size_t>(path_class)];
}

/// Returns the label for use in a sentence, for example "CPU work" in "12 ms of CPU work".
[[nodiscard]] constexpr std::string_view work_label(PathClass path_class) noexcept {
  return path_class == PathClass::kHost ? "CPU work" : style_of(path_class).label;
}

}  // namespace stepsim::sim

#endif
