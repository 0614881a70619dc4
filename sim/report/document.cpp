#include "sim/report/document.h"

#include <fmt/format.h>

#include "model/base/text.h"

namespace stepsim::sim {
namespace {

constexpr std::size_t kLongest = 1000;

std::string to_text(const Section& section) {
  std::string text = section.title.empty() ? "\n" : fmt::format("\n{}\n", shown(section.title));
  if (!section.lead.empty()) text += shown(section.lead, kLongest) + '\n';
  if (section.table) text += section.table->to_text();
  for (const Sentence& sentence : section.sentences) {
    text += fmt::format("- {}\n", shown(sentence.text, kLongest));
    if (!sentence.detail.empty()) text += fmt::format("  {}\n", shown(sentence.detail, kLongest));
  }
  return text + section.verbatim;
}

}  // namespace

std::vector<Sentence> as_list(const std::vector<std::string>& texts) { return {texts.begin(), texts.end()}; }

std::string to_text(const Document& document) {
  std::string text = document.warning.empty() ? "" : shown(document.warning, kLongest) + '\n';
  text += shown(document.headline, kLongest) + '\n';
  if (!document.caution.empty()) text += shown(document.caution, kLongest) + '\n';
  if (!document.trust.empty()) text += shown(document.trust, kLongest) + '\n';
  for (const Section& section : document.sections) {
    if (!section.empty()) text += to_text(section);
  }
  return text;
}

}  // namespace stepsim::sim
