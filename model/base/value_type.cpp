#include "model/base/value_type.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "model/base/text.h"

namespace stepsim {
namespace {

/// Returns "a whole number from 0 to 3".
std::string text_of(const ValueForm& form) {
  std::string text(form.text);
  if (!form.example.empty()) text += fmt::format(" such as {}", form.example);
  if (!form.zero.empty()) text += fmt::format(", 0 for {}", form.zero);
  if ((form.forms & (YamlType::kNumber | YamlType::kWhole)) == 0) return text;
  if (std::isfinite(form.least)) text += fmt::format(" {} {}", form.excludes_least ? "above" : "from", form.least);
  if (std::isfinite(form.most) && form.states_most) text += fmt::format(" to {}", form.most);
  return text;
}

}  // namespace

std::string text_of(const ValueType& type) {
  std::vector<std::string> texts;
  bool only_words = true;
  for (const ValueForm& form : type.forms()) {
    texts.push_back(text_of(form));
    only_words = only_words && form.forms == 0;
  }
  return texts.size() == 2 && !only_words ? fmt::format("{}, or {}", texts[0], texts[1]) : one_of(texts);
}

std::string example_of(const ValueType& type) {
  const ValueForm& form = type.forms().front();
  if (!form.example.empty()) return std::string(form.example);
  if ((form.forms & YamlType::kFlag) != 0) return "true";
  if (!std::isfinite(form.least)) return std::string(form.text);
  return fmt::format("{}", form.states_most ? form.most : form.least + 1);
}

std::optional<double> number_of_word(const ValueType& type, const YamlField& value) {
  if (!value.is(YamlValue::Kind::kScalar)) value.reject(text_of(type));
  for (const ValueForm& form : type.forms())
    if (form.forms == 0 && form.text == value.value->text) return form.number;
  return std::nullopt;
}

YamlType yaml_type(const ValueType& type, bool limits) {
  YamlType made;
  for (const ValueForm& form : type.forms()) {
    made.forms |= form.forms;
    if (form.forms == 0) made.words.emplace_back(form.text);
    if (std::isfinite(form.least)) made.least = form.least;
    if (std::isfinite(form.most) && (form.states_most || limits)) made.most = form.most;
    made.excludes_least = made.excludes_least || form.excludes_least;
    if (form.known == nullptr) continue;
    const YamlType known = form.known();
    made.forms = (made.forms & ~static_cast<unsigned>(YamlType::kText)) | known.forms;
    made.pattern = known.pattern;
    made.words.insert(made.words.end(), known.words.begin(), known.words.end());
  }
  return made;
}

}  // namespace stepsim
