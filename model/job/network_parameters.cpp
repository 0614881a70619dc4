#include "model/job/network_parameters.h"

#include <algorithm>
#include <string>

#include "model/base/error.h"

namespace stepsim {
namespace {

double read_number(const NetworkParameter& parameter, const YamlField& field) {
  if (!field.is(YamlValue::Kind::kScalar)) field.reject(parameter.form);
  const std::string& text = field.value->text;
  const auto word = std::find_if(parameter.words.begin(), parameter.words.end(),
                                 [&text](const ParameterWord& known) { return known.word == text; });
  if (word != parameter.words.end()) return word->number;
  if (text.find_first_not_of("0123456789.eE+-") != std::string::npos) field.reject(parameter.form);
  return field.number(parameter.least, parameter.most);
}

}  // namespace

ParameterValue NetworkParameter::read(const YamlField& field) const {
  if (std::holds_alternative<Duration>(default_value)) return field.duration();
  if (std::holds_alternative<bool>(default_value)) return field.flag();
  return read_number(*this, field);
}

ParameterValue NetworkParameters::value_of(const NetworkParameter& parameter) const noexcept {
  for (const Entry& entry : entries_) {
    if (entry.parameter == &parameter) return entry.value;
  }
  return parameter.default_value;
}

void NetworkParameters::set_value(const NetworkParameter& parameter, ParameterValue value, bool assumed) {
  STEPSIM_ASSERT(value.index() == parameter.default_value.index(), "a parameter's values are of its type");
  std::erase_if(entries_, [&parameter](const Entry& entry) { return entry.parameter == &parameter; });
  if (value == parameter.default_value) return;
  const auto behind = std::find_if(entries_.begin(), entries_.end(),
                                   [&parameter](const Entry& entry) { return entry.parameter->key > parameter.key; });
  entries_.insert(behind, {&parameter, value, assumed});
}

bool NetworkParameters::is_given(const NetworkParameter& parameter) const noexcept {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&parameter](const Entry& entry) { return entry.parameter == &parameter && !entry.assumed; });
}

bool NetworkParameters::is_assumed(const NetworkParameter& parameter) const noexcept {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&parameter](const Entry& entry) { return entry.parameter == &parameter && entry.assumed; });
}

}  // namespace stepsim
