#include "model/base/yaml_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/text.h"

namespace stepsim {
namespace {

using Kind = YamlValue::Kind;

constexpr std::size_t kShown = 60;  // bytes of a value in a message

std::string_view kind_text(Kind kind) noexcept {
  switch (kind) {
    case Kind::kMap: return "a map";
    case Kind::kList: return "a list";
    case Kind::kScalar: return "a value";
    case Kind::kNothing: return "nothing";
  }
  return {};
}

std::string with_hint(std::string_view expected, std::string_view word, const std::vector<std::string>& words) {
  const auto nearest = nearest_name(word, words);
  return nearest.has_value() ? fmt::format("{} (did you mean '{}'?)", expected, *nearest) : std::string(expected);
}

/// What a unit parser makes of the value; its complaint becomes ours.
template <class Parse>
auto with_unit(const YamlField& field, Parse parse) {
  const std::string& text = field.scalar("a value with its unit");
  try {
    return parse(text);
  } catch (const std::invalid_argument& error) {
    throw ValueError({*field.file, {}, field.value->line}, fmt::format("'{}': {}", field.name, error.what()));
  }
}

}  // namespace

void YamlField::fail(std::string_view problem) const { throw InputError({*file, {}, value->line}, problem); }

void YamlField::reject(std::string_view expected) const {
  const std::string found =
      is(Kind::kScalar) ? fmt::format("'{}'", shown(value->text, kShown)) : std::string(kind_text(value->kind));
  throw ValueError({*file, {}, value->line}, fmt::format("'{}' is {}; expected {}", name, found, expected));
}

const std::string& YamlField::scalar(std::string_view expected) const {
  if (!is(Kind::kScalar) || value->text.empty()) reject(expected);
  return value->text;
}

const std::string& YamlField::word(std::string_view expected) const {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+";
  const std::string& text = scalar(expected);
  if (text.size() > 60 || text.find_first_not_of(kLetters) != std::string::npos) reject(expected);
  return text;
}

const std::string& YamlField::line_of_text(std::string_view expected) const {
  const std::string& text = scalar(expected);
  if (text.size() > 200 || text.find('\n') != std::string::npos) reject(expected);
  return text;
}

std::optional<std::int64_t> YamlField::integer() const noexcept {
  return is(Kind::kScalar) ? parse_number<std::int64_t>(value->text) : std::nullopt;
}

std::uint32_t YamlField::count(std::uint32_t least, std::uint32_t most) const {
  const auto number = integer();
  if (!number.has_value() || *number < least || *number > most) {
    reject(fmt::format("a whole number from {} to {}", least, most));
  }
  return static_cast<std::uint32_t>(*number);
}

double YamlField::number(double least, double most) const {
  const std::string expected = fmt::format("a number from {} to {}", least, most);
  const auto number = parse_number<double>(scalar(expected));
  if (!number || !(*number >= least && *number <= most)) reject(expected);
  return *number;
}

bool YamlField::flag() const {
  const std::string& text = scalar("true or false");
  if (text != "true" && text != "false") reject("true or false");
  return text == "true";
}

Bytes YamlField::bytes(std::int64_t least) const {
  const auto number = integer();
  const Bytes size = number.has_value() ? Bytes{*number} : with_unit(*this, parse_bytes);
  if (size.count() < least) reject(fmt::format("at least {} bytes", least));
  return size;
}

Bandwidth YamlField::bandwidth() const { return with_unit(*this, parse_bandwidth); }

Duration YamlField::duration() const {
  const Duration time = with_unit(*this, parse_duration);
  if (time < Duration{} || time > std::chrono::hours{1}) reject("a time from 0 to 3600s");
  return time;
}

std::size_t YamlField::one_of_words(const std::vector<std::string>& words) const {
  const std::string expected = one_of(words);
  const std::string& text = scalar(expected);
  const auto word = std::find(words.begin(), words.end(), text);
  if (word == words.end()) reject(with_hint(expected, text, words));
  return static_cast<std::size_t>(word - words.begin());
}

std::vector<YamlField> YamlField::list(std::string_view expected) const {
  if (!is(Kind::kList)) reject(expected);
  std::vector<YamlField> items;
  for (const YamlValue& item : value->items) items.push_back({fmt::format("{}[{}]", name, items.size()), &item, file});
  return items;
}

void YamlField::for_each_entry(std::span<const std::string> known,
                               const std::function<void(std::size_t, const YamlField&)>& take) const {
  std::vector<std::uint32_t> first_line(known.size(), 0);
  for (std::size_t i = 0; i + 1 < value->items.size(); i += 2) {
    const YamlValue& key = value->items[i];
    const YamlField at{name, &key, file};
    if (key.kind != Kind::kScalar) at.fail(fmt::format("a key is {}; expected a name", kind_text(key.kind)));
    const auto found = std::find(known.begin(), known.end(), key.text);
    if (found == known.end()) {
      const auto nearest = nearest_name(key.text, known);
      const std::string hint = nearest.has_value() ? fmt::format("did you mean '{}'? ", *nearest) : std::string{};
      at.fail(fmt::format("unknown key '{}'; {}expected {}", shown(key.text, kShown), hint, one_of(known)));
    }
    const auto place = static_cast<std::size_t>(found - known.begin());
    if (first_line[place] != 0) {
      at.fail(fmt::format("'{}' is given twice, first in line {}; expected it once", key.text, first_line[place]));
    }
    first_line[place] = key.line;
    take(place, {key.text, &value->items[i + 1], file});
  }
}

bool is_filled_map(const YamlField& file, const YamlForm& form) {
  if (file.is(Kind::kNothing)) return false;
  if (!file.is(Kind::kMap)) {
    file.fail(fmt::format("the file holds {}; expected a map of keys such as '{}'", kind_text(file.value->kind),
                          form.example));
  }
  return true;
}

}  // namespace stepsim
