#include "sim/report/document.h"

#include <fmt/format.h>

#include "model/base/text.h"

namespace stepsim::sim {

std::string to_text(const Document& document) {
  constexpr std::size_t kLongest = 1000;
  std::string text = shown(document.headline, kLongest) + '\n';
  for (const Document::Section& section : document.sections) {
    text += fmt::format("\n{}\n", shown(section.title));
    if (section.table) text += section.table->to_text();
    for (const std::string& sentence : section.sentences) text += fmt::format("- {}\n", shown(sentence, kLongest));
  }
  return text;
}

}  // namespace stepsim::sim
