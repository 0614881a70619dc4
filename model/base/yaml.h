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

/// A YAML file as written: scalars are text, even `no` or `010`, which YAML would convert; aliases are replaced by the
/// values they refer to.
struct YamlValue {  // NOLINT(misc-no-recursion): as deep as the file, which yaml-cpp limits
  enum class Kind : std::uint8_t { kNothing, kScalar, kList, kMap };
  Kind kind = Kind::kNothing;
  std::uint32_t line = 1;
  std::string text;              ///< text of a scalar
  std::vector<YamlValue> items;  ///< items of a list; alternating keys and values of a map
};

/// Returns the texts of all scalars in a value, in order, with "[" and "]" around those of a list or map. Different
/// values have different results.
[[nodiscard]] std::vector<std::string> scalars_of(const YamlValue& value);

/// A value has the wrong form for its key, independently of the capture (exit 1).
class ValueError : public InputError {
 public:
  using InputError::InputError;
};

/// A value of a YAML file with its name for messages, and functions that convert it. If the value does not have the
/// right form, they throw InputError with file and line, what was found and what was expected; integer() returns
/// nothing instead.
struct YamlField {
  std::string name;
  const YamlValue* value = nullptr;
  const std::string* file = nullptr;

  [[noreturn]] void fail(std::string_view problem) const;
  /// Throws InputError: "'workers' is 'two'; expected ..."
  [[noreturn]] void reject(std::string_view expected) const;

  [[nodiscard]] bool is(YamlValue::Kind kind) const noexcept { return value->kind == kind; }
  [[nodiscard]] const std::string& scalar(std::string_view expected) const;
  /// Returns the value if it can be the name of a framework: at most 60 letters, digits and "-_.+". Other text is
  /// refused: if a quote is not closed, for example, the value contains the lines that follow it.
  [[nodiscard]] const std::string& word(std::string_view expected) const;
  /// Returns text of one line of at most 200 bytes.
  [[nodiscard]] const std::string& line_of_text(std::string_view expected) const;
  [[nodiscard]] std::optional<std::int64_t> integer() const noexcept;
  [[nodiscard]] std::uint32_t count(std::uint32_t least, std::uint32_t most) const;
  /// Returns a plain decimal in [least, most].
  [[nodiscard]] double number(double least, double most) const;
  [[nodiscard]] bool flag() const;
  /// Returns a size such as 25MiB, or a plain whole number of bytes.
  [[nodiscard]] Bytes bytes(std::int64_t least) const;
  [[nodiscard]] Bandwidth bandwidth() const;
  [[nodiscard]] LinkRate link_rate() const;
  /// Returns a time from 0 to one hour. The limit keeps sums of such times from overflowing.
  [[nodiscard]] Duration duration() const;
  /// Returns the index of the value in `words`.
  [[nodiscard]] std::size_t one_of_words(const std::vector<std::string>& words) const;
  /// Returns the items of a list, named "hosts[0]" and so on.
  [[nodiscard]] std::vector<YamlField> list(std::string_view expected) const;

  /// Calls `take` for each entry of a map, with the index of its key in `known`. Refuses a key that is unknown,
  /// repeated or not text.
  void for_each_entry(std::span<const std::string> known,
                      const std::function<void(std::size_t key, const YamlField& field)>& take) const;
};

/// Properties of one kind of file.
struct YamlForm {
  std::size_t largest = 0;   ///< maximum size in bytes
  std::string_view example;  ///< an example of an entry, for messages: "workers: 2"
};

/// True if the file has entries, false if it is empty. Throws InputError if it is neither empty nor a map.
[[nodiscard]] bool is_filled_map(const YamlField& file, const YamlForm& form);

/// Parses one YAML document; `name` is its path in messages. Throws InputError if the text is not UTF-8, has control
/// characters, is indented by tabs, is not YAML, has a second document, is longer than form.largest bytes or nested
/// deeper than yaml-cpp allows. Also throws if an alias refers to a value that contains it, or if aliases expand to
/// more than a million values.
[[nodiscard]] YamlValue parse_yaml(std::string_view text, const std::string& name, const YamlForm& form);

}  // namespace stepsim

#endif
