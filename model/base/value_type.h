#ifndef STEPSIM_MODEL_BASE_VALUE_TYPE_H
#define STEPSIM_MODEL_BASE_VALUE_TYPE_H

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/base/yaml.h"
#include "model/base/yaml_keys.h"

namespace stepsim {

/// One of the forms that a value may have: a word, or what YamlType::Form lists.
struct ValueForm {
  unsigned forms = 0;          ///< of YamlType::Form; 0 for a word
  std::string_view text{};     ///< the word, or what a value of this form is: "a rate"
  double number = 0;           ///< the number that a word stands for
  std::string_view example{};  ///< "25Gb/s"; may be empty
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool excludes_least = false;
  bool states_most = true;        ///< false if `most` is a technical limit, which help and schemas leave out
  std::string_view zero{};        ///< what 0 means: "no bound"; may be empty
  YamlType (*known)() = nullptr;  ///< for text: what it may be; null = anything
};

/// The values that a parameter may have: one or more forms. The text for people, the type for a JSON Schema and the
/// bounds of readers follow from it.
///
///     constexpr ValueType kBandwidth = value::rate("25Gb/s") | value::factor("2x");
///     text_of(kBandwidth);  // "a rate such as 25Gb/s, or a factor such as 2x"
class ValueType {
 public:
  constexpr ValueType() = default;
  constexpr ValueType(const ValueForm& form) : forms_{form}, count_(1) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] constexpr std::span<const ValueForm> forms() const noexcept { return {forms_.data(), count_}; }

  /// Allows another form. Precondition: there are fewer than kMost.
  constexpr void add(const ValueForm& form) { forms_.at(count_++) = form; }

 private:
  static constexpr std::size_t kMost = 6;
  std::array<ValueForm, kMost> forms_{};
  std::size_t count_ = 0;
};

/// Returns a type that allows the forms of both.
constexpr ValueType operator|(ValueType type, const ValueType& other) {
  for (const ValueForm& form : other.forms()) type.add(form);
  return type;
}

namespace value {

constexpr ValueForm rate(std::string_view example) {
  return {.forms = YamlType::kRate, .text = "a rate", .example = example};
}
constexpr ValueForm link_rate(std::string_view example) {
  return {.forms = YamlType::kLinkRate, .text = "a rate", .example = example};
}
constexpr ValueForm time(std::string_view example) {
  return {.forms = YamlType::kTime, .text = "a time", .example = example};
}
constexpr ValueForm size(std::string_view example, std::int64_t least, std::string_view zero = {}) {
  return {.forms = YamlType::kSize,
          .text = "a size",
          .example = example,
          .least = static_cast<double>(least),
          .zero = zero};
}
constexpr ValueForm factor(std::string_view example) {
  return {.forms = YamlType::kFactor, .text = "a factor", .example = example};
}
/// A factor such as 0.5x, or a number.
constexpr ValueForm factor_or_number(std::string_view example) {
  return {.forms = YamlType::kFactor | YamlType::kNumber, .text = "a factor", .example = example};
}
constexpr ValueForm number(double least, double most) {
  return {.forms = YamlType::kNumber, .text = "a number", .least = least, .most = most};
}
/// A number, or a factor such as 2x (scale_of() in scenarios/change/what_if.h).
constexpr ValueForm scale_from(double least, std::string_view example) {
  return {.forms = YamlType::kNumber | YamlType::kFactor, .text = "a number", .example = example, .least = least};
}
constexpr ValueForm scale_above(double least, std::string_view example) {
  ValueForm form = scale_from(least, example);
  form.excludes_least = true;
  return form;
}
constexpr ValueForm count(std::uint32_t least, std::uint32_t most) {
  return {.forms = YamlType::kWhole,
          .text = "a whole number",
          .least = static_cast<double>(least),
          .most = static_cast<double>(most)};
}
/// A whole number with a technical limit that nobody needs to know.
constexpr ValueForm count_from(std::uint32_t least, std::uint32_t limit) {
  ValueForm form = count(least, limit);
  form.states_most = false;
  return form;
}
constexpr ValueForm flag() { return {.forms = YamlType::kFlag, .text = "true or false"}; }
/// A word; beside numbers, it stands for one.
constexpr ValueForm word(std::string_view text, double number = 0) { return {.text = text, .number = number}; }
template <std::convertible_to<std::string_view>... Words>
constexpr ValueType one_of(const Words&... words) {
  return (ValueType() | ... | ValueType(word(words)));
}
/// The names of a list.
template <class List>
constexpr ValueType names_of(const List& list) {
  ValueType type;
  for (const auto& item : list) type.add(word(item.name));
  return type;
}
/// Text, of which `known` says what it may be.
constexpr ValueForm text(std::string_view what, std::string_view example = {}, YamlType (*known)() = nullptr) {
  return {.forms = YamlType::kText, .text = what, .example = example, .known = known};
}

}  // namespace value

/// Returns the values for people: "a number from 0 to 1", "fifo or priority".
[[nodiscard]] std::string text_of(const ValueType& type);
/// Returns a value for the examples of error messages.
[[nodiscard]] std::string example_of(const ValueType& type);
/// Returns the number that the value stands for if it is one of the words beside numbers. Throws InputError if it is
/// not a scalar.
[[nodiscard]] std::optional<double> number_of_word(const ValueType& type, const YamlField& value);
/// Returns the type for a JSON Schema, with the technical limits of counts if `limits` is true.
[[nodiscard]] YamlType yaml_type(const ValueType& type, bool limits = false);

}  // namespace stepsim

#endif
