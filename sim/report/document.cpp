#include "sim/report/document.h"

#include <fmt/format.h>

#include <optional>

#include "model/base/text.h"
#include "sim/report/table_text.h"
#include "sim/report/terminal_text.h"

namespace stepsim::sim {
namespace {

constexpr std::size_t kLongest = 1000;

/// Makes the figures in a plain text bold.
std::string with_figures(std::string_view line, const TextStyle& style) {
  std::string text;
  std::size_t done = 0;
  for (const std::string_view figure : figures_in(line)) {
    const auto begin = static_cast<std::size_t>(figure.data() - line.data());
    text += line.substr(done, begin - done);
    text += toned(figure, Tone::kFigure, style);
    done = begin + figure.size();
  }
  return text.append(line.substr(done));
}

/// Returns a paragraph whose first line begins with `mark`; the other lines are indented by its width.
std::string paragraph(std::string_view content, Tone tone, const TextStyle& style, std::string_view mark = {}) {
  const std::string plain = shown(content, kLongest);
  std::string text;
  for (const std::string_view line : wrapped(plain, style.width == 0 ? 0 : style.width - mark.size())) {
    text += text.empty() ? std::string(mark) : std::string(mark.size(), ' ');
    text += tone == Tone::kFigure ? with_figures(line, style) : toned(line, tone, style);
    text += '\n';
  }
  return text;
}

std::string section_text(const Section& section, const TextStyle& style) {
  std::string text = "\n";
  if (!section.title.empty()) text += paragraph(section.title, Tone::kHeading, style);
  if (!section.lead.empty()) text += paragraph(section.lead, Tone::kPlain, style);
  const std::optional<Table> digest =
      section.table && style.rank_rows && !section.is_cut ? digest_of(*section.table, *style.rank_rows) : std::nullopt;
  if (section.table) text += to_text(digest ? *digest : *section.table, style);
  if (digest) {
    text += paragraph(fmt::format("The {} slowest of {} rows; --rows all prints every row", digest->rows().size() - 3,
                                  grouped(section.table->rows().size())),
                      Tone::kPlain, style, "- ");
  }
  for (const Sentence& sentence : section.sentences) {
    text += paragraph(sentence.text, Tone::kPlain, style, "- ");
    if (!sentence.detail.empty()) text += paragraph(sentence.detail, Tone::kPlain, style, "  ");
  }
  return text + section.verbatim;
}

}  // namespace

std::vector<Sentence> as_list(const std::vector<std::string>& texts) { return {texts.begin(), texts.end()}; }

void add_more_sentence(Section& section, std::size_t all, std::size_t rows, std::string_view option) {
  if (rows >= all) return;
  section.is_cut = true;
  section.sentences.emplace_back(fmt::format("{} more: {} {} or {} all", grouped(all - rows), option,
                                             std::min(all, 10 * std::max<std::size_t>(rows, 1)), option));
}

std::string to_text(const Document& document, const TextStyle& style) {
  std::string text;
  if (!document.warning.empty()) text += paragraph(document.warning, Tone::kWarning, style);
  text += paragraph(document.headline, Tone::kFigure, style);
  if (!document.caution.empty()) text += paragraph(document.caution, Tone::kCaution, style);
  if (!document.trust.empty()) text += paragraph(document.trust, Tone::kPlain, style);
  for (const Section& section : document.sections) {
    if (!section.empty() && !section.only_in_files && (section.brief || !style.brief))
      text += section_text(section, style);
  }
  return text;
}

}  // namespace stepsim::sim
