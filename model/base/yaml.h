#ifndef STEPSIM_MODEL_BASE_YAML_H
#define STEPSIM_MODEL_BASE_YAML_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"
#include "model/base/units.h"

namespace stepsim {

/// A YAML file as it was written: scalars are text, whatever YAML would make of `no` or `010`;
/// aliases are replaced by what they stand for.
struct YamlValue {  // NOLINT(misc-no-recursion): as deep as the file, which yaml-cpp bounds
  enum class Kind : std::uint8_t { kNothing, kScalar, kList, kMap };
  Kind kind = Kind::kNothing;
  std::uint32_t line = 1;
  std::string text;              ///< of a scalar
  std::vector<YamlValue> items;  ///< of a list; of a map its keys and values in turn
};

/// A value that is not of the form its key takes, whatever the capture is (exit 1).
class ValueError : public InputError {
 public:
  using InputError::InputError;
};

/// A value under the name it has in messages, with what readers ask of values. Each throws
/// InputError with file and line, what was found and what was expected.
struct YamlField {
  std::string name;
  const YamlValue* value = nullptr;
  const std::string* file = nullptr;

  [[noreturn]] void fail(std::string_view problem) const;
  /// "'workers' is 'two'; expected ..."
  [[noreturn]] void reject(std::string_view expected) const;

  [[nodiscard]] bool is(YamlValue::Kind kind) const noexcept { return value->kind == kind; }
  [[nodiscard]] const std::string& scalar(std::string_view expected) const;
  /// A word as frameworks are called. Not just any text: a forgotten quote takes in the rest of the file.
  [[nodiscard]] const std::string& word(std::string_view expected) const;
  /// Text of one line of at most 200 bytes.
  [[nodiscard]] const std::string& line_of_text(std::string_view expected) const;
  [[nodiscard]] std::optional<std::int64_t> integer() const noexcept;
  [[nodiscard]] std::uint32_t count(std::uint32_t least, std::uint32_t most) const;
  /// A plain decimal in [least, most].
  [[nodiscard]] double number(double least, double most) const;
  [[nodiscard]] bool flag() const;
  /// A size such as 25MiB, or a plain whole number of bytes.
  [[nodiscard]] Bytes bytes(std::int64_t least) const;
  [[nodiscard]] Bandwidth bandwidth() const;
  /// A time from 0 to an hour: sums of them do not overflow.
  [[nodiscard]] Duration duration() const;
  /// The value's place in `words`.
  [[nodiscard]] std::size_t one_of_words(const std::vector<std::string>& words) const;
  /// The items of a list, named "hosts[0]" and so on.
  [[nodiscard]] std::vector<YamlField> list(std::string_view expected) const;

  /// Hands each entry of a map to `take`, with its key's place in `known`. A key that is not
  /// known, given twice or no text is refused.
  void for_each_entry(std::span<const std::string> known,
                      const std::function<void(std::size_t key, const YamlField& field)>& take) const;
};

/// A known key of a map and what its value sets in `Target`.
template <class Target>
struct YamlKey {
  std::string_view name;
  void (*set)(Target& target, const YamlField& field);
};

template <class Target>
void read_map(const YamlField& map, const std::vector<YamlKey<Target>>& keys, Target& target) {
  std::vector<std::string> names;
  names.reserve(keys.size());
  for (const YamlKey<Target>& key : keys) names.emplace_back(key.name);
  map.for_each_entry(names, [&](std::size_t key, const YamlField& field) { keys[key].set(target, field); });
}

/// What is particular to a kind of file.
struct YamlForm {
  std::size_t largest = 0;   ///< bytes
  std::string_view example;  ///< an entry, for messages: "workers: 2"
};

/// Whether a file says anything. Throws InputError if it is neither empty nor a map.
[[nodiscard]] bool is_filled_map(const YamlField& file, const YamlForm& form);

/// Reads YAML text of one document; `name` stands for the path in messages. Throws InputError for
/// text that is not UTF-8, has control characters, is indented by tabs, is not YAML or holds a second document; for
/// more than form.largest bytes and for nesting beyond yaml-cpp's bound; and for an alias within what it stands for, or
/// aliases that stand for more than a million values.
[[nodiscard]] YamlValue parse_yaml(std::string_view text, const std::string& name, const YamlForm& form);

}  // namespace stepsim

#endif
