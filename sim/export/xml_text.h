#ifndef STEPSIM_SIM_EXPORT_XML_TEXT_H
#define STEPSIM_SIM_EXPORT_XML_TEXT_H

#include <string>
#include <string_view>

namespace stepsim::sim {

/// `text` as the content of an XML element or attribute. Bytes that are not UTF-8 and what XML 1.0 has no characters
/// for become U+FFFD; of control characters, tab and line feed stay.
[[nodiscard]] std::string xml_escaped(std::string_view text);

}  // namespace stepsim::sim

#endif
