#ifndef STEPSIM_MODEL_BASE_QUOTED_H
#define STEPSIM_MODEL_BASE_QUOTED_H

#include <string>
#include <string_view>

/// Functions that quote any text as a string of a file format.
namespace stepsim {

/// Appends `text` as a JSON string that is safe to display. Bytes that are not UTF-8 become U+FFFD. '<', control
/// characters, line separators and bidirectional controls are escaped, so that the result can be placed in a <script>
/// element of an HTML page or printed in a terminal.
void append_json_string(std::string& out, std::string_view text);

/// Appends `text` as a JSON string that decodes to exactly `text`, including bytes that are not UTF-8. Used for traces,
/// because programs read them again.
void append_exact_json_string(std::string& out, std::string_view text);

/// Quotes a text for GML, which is ASCII: quotes, ampersands and all non-ASCII characters become entities (&#233;).
/// Bytes that are not UTF-8 become U+FFFD. Source: Himsolt, "GML: a portable graph file format", 1997.
[[nodiscard]] std::string gml_quoted(std::string_view text);

}  // namespace stepsim

#endif
