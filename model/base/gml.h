#ifndef STEPSIM_MODEL_BASE_GML_H
#define STEPSIM_MODEL_BASE_GML_H

#include <string>
#include <string_view>

namespace stepsim {

/// A text in GML, with its quotes: GML is ASCII, so quotes, ampersands and all beyond are entities (&#233;). Bytes that
/// are not UTF-8 become U+FFFD. Source: Himsolt, "GML: a portable graph file format", 1997.
[[nodiscard]] std::string gml_quoted(std::string_view text);

}  // namespace stepsim

#endif
