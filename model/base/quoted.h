#ifndef STEPSIM_MODEL_BASE_QUOTED_H
#define STEPSIM_MODEL_BASE_QUOTED_H

#include <string>
#include <string_view>

/// Any text as a string of a file format, with its quotes.
namespace stepsim {

/// Appends `text` as a JSON string that is safe to show: bytes that are not UTF-8 become U+FFFD; '<', control
/// characters, line separators and bidirectional controls are escaped, so that the result may be part of a script in
/// a page and be read in a terminal.
void append_json_string(std::string& out, std::string_view text);

/// Appends `text` as a JSON string whose content is exactly `text`, bytes that are not UTF-8 included: for traces,
/// which are read again.
void append_exact_json_string(std::string& out, std::string_view text);

/// A text in GML, which is ASCII: quotes, ampersands and everything beyond ASCII are entities (&#233;). Bytes that are
/// not UTF-8 become U+FFFD. Source: Himsolt, "GML: a portable graph file format", 1997.
[[nodiscard]] std::string gml_quoted(std::string_view text);

}  // namespace stepsim

#endif
