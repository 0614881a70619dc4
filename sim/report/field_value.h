#ifndef STEPSIM_SIM_REPORT_FIELD_VALUE_H
#define STEPSIM_SIM_REPORT_FIELD_VALUE_H

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "model/base/units.h"
#include "sim/output/json_writer.h"
#include "sim/report/table.h"

/// Functions that show a value of each type in JSON, in a table and in a JSON Schema. Fields (sim/report/field.h) use
/// them.
namespace stepsim::sim {

/// How a number is shown to people, if its type does not determine it.
enum class Form : std::uint8_t {
  kPlain,    ///< counts, times and sizes in the form of their types
  kId,       ///< an integer that identifies a rank, a step or a device
  kShare,    ///< a ratio: "12.3 %"
  kChange,   ///< a ratio or a time: "+1.25 %", "+1.5 ms"
  kFactor,   ///< a ratio: "1.06x"
  kDecimal,  ///< for example "1.53"
  kRounded,  ///< nanoseconds with decimals, shown as a time
  kBytesPerSecond,
  kFlops,
  kFlopsPerSecond,
  kNumber,  ///< form for programs: times in nanoseconds, all digits, empty if there is no value
};

/// The layout of a field in its JSON object. Flags.
enum JsonLayout : std::uint8_t {
  kInLine = 0,
  kOnNewLine = 1,  ///< the field begins a new line
  kItemLines = 2,  ///< each item of its list begins a new line
  kLineAfter = 4,  ///< the next field begins a new line
  kIfAny = 8,  ///< left out if it is null, false, empty text or an empty list; a column, if it is absent in all rows
};
constexpr JsonLayout operator|(JsonLayout a, JsonLayout b) noexcept {
  return static_cast<JsonLayout>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
inline constexpr JsonLayout kRowLines = kItemLines | kLineAfter;

namespace field_detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
concept Nullable = is_optional<T> || std::is_pointer_v<T>;
template <class T>
struct UnwrappedOf {
  using type = T;
};
template <Nullable T>
struct UnwrappedOf<T> {
  using type = std::remove_cvref_t<decltype(*std::declval<T>())>;
};
/// The type that a pointer or an optional refers to; other types are unchanged.
template <class T>
using Unwrapped = typename UnwrappedOf<T>::type;
template <class T>
concept Text = std::convertible_to<const T&, std::string_view>;
template <class T>
concept Range = !Text<T> && requires(const T& range) {
  range.begin();
  range.end();
};
template <class T>
using ItemOfRange = std::remove_cvref_t<decltype(*std::declval<const T&>().begin())>;
template <class T>
inline constexpr bool is_entry = false;
template <Text Key, class Value>
inline constexpr bool is_entry<std::pair<Key, Value>> = true;
/// A list of pairs that begin with a text; it becomes an object.
template <class T>
concept Map = Range<T> && is_entry < std::pair < std::remove_cv_t<typename ItemOfRange<T>::first_type>,
typename ItemOfRange<T>::second_type >> ;

/// Returns the value in the type used for JSON.
template <class T>
decltype(auto) plain(const T& value) {
  if constexpr (std::is_same_v<T, Bytes>) {
    return value.count();
  } else if constexpr (std::is_same_v<T, Time>) {
    return value.time_since_epoch();
  } else if constexpr (std::is_same_v<T, Bandwidth>) {
    return value.bytes_per_second();
  } else if constexpr (std::is_enum_v<T>) {
    return to_text(value);
  } else {
    return (value);
  }
}

template <class T>
bool is_nothing(const T& value) {
  if constexpr (Nullable<T> || std::is_same_v<T, bool>) {
    return !value;
  } else if constexpr (Text<T>) {
    return std::string_view(value).empty();
  } else if constexpr (Range<T>) {
    return value.begin() == value.end();
  } else {
    return false;
  }
}

template <class T>
inline constexpr bool is_variant = false;
template <class... Types>
inline constexpr bool is_variant<std::variant<Types...>> = true;

template <class T>
void write_value(JsonWriter& json, const T& value, JsonLayout layout = kInLine) {
  if constexpr (Nullable<T>) {
    value ? write_value(json, *value, layout) : static_cast<void>(json.null());
  } else if constexpr (Map<T>) {
    json.begin_object();
    for (const auto& [key, mapped] : value) write_value(json.key(key), mapped);
    json.end_object();
  } else if constexpr (Range<T>) {
    json.begin_array();
    for (const auto& item : value) {
      if ((layout & kItemLines) != 0) json.new_line();
      write_value<ItemOfRange<T>>(json, item);
    }
    json.end_array();
  } else if constexpr (is_variant<T>) {
    std::visit([&json](const auto& held) { write_value(json, held); }, value);
  } else {
    json.value(plain(value));
  }
}

// Make the cell of a JSON value in the given form.
[[nodiscard]] Cell cell_of(Duration time, Form form);
[[nodiscard]] Cell cell_of(Bytes bytes, Form form);
[[nodiscard]] Cell cell_of(double number, Form form);
[[nodiscard]] Cell cell_of(std::string_view text, Form form);
template <class T>
Cell cell_of_value(const T& value, Form form) {
  if constexpr (Nullable<T>) {
    return value ? cell_of_value(*value, form) : Cell(form == Form::kNumber ? "" : "-");
  } else if constexpr (std::is_integral_v<T>) {
    return Cell(value);
  } else if constexpr (std::is_same_v<T, Bytes>) {
    return cell_of(value, form);
  } else if constexpr (Range<T>) {
    return "";  // a list has no column
  } else {
    return cell_of(plain(value), form);
  }
}

/// The type of a value in JSON.
template <class T>
using Plain = std::remove_cvref_t<decltype(plain(std::declval<const T&>()))>;

/// Returns what kind of number cell_of_value() makes of a non-empty value.
template <class T>
constexpr Numbers numbers_of(Form form) {
  if constexpr (Text<T> || std::is_enum_v<T>) return Numbers::kNone;
  return std::is_floating_point_v<Plain<T>> && form != Form::kRounded ? Numbers::kReal : Numbers::kInteger;
}
template <class T>
constexpr Unit unit_of(Form form) {
  if constexpr (std::is_same_v<Plain<T>, Duration>) return Unit::kNanoseconds;
  if constexpr (!std::is_floating_point_v<Plain<T>>) return Unit::kNone;
  switch (form) {
    case Form::kRounded: return Unit::kNanoseconds;
    case Form::kShare:
    case Form::kChange:
    case Form::kFactor: return Unit::kRatio;
    default: return Unit::kNone;
  }
}

/// Writes the JSON Schema of a value of this type.
template <class T>
void describe_value(JsonWriter& json, bool or_null = false) {
  if constexpr (Nullable<T>) {
    describe_value<Unwrapped<T>>(json, true);
  } else if constexpr (Map<T>) {
    json.begin_object().key("type").value("object").key("additionalProperties");
    describe_value<typename ItemOfRange<T>::second_type>(json);
    json.end_object();
  } else if constexpr (Range<T>) {
    json.begin_object().key("type").value("array").key("items");
    describe_value<ItemOfRange<T>>(json);
    json.end_object();
  } else if constexpr (is_variant<T>) {
    json.begin_object().end_object();
  } else {
    // A real number that is not finite is written as null.
    constexpr bool kReal = std::is_floating_point_v<Plain<T>>;
    constexpr std::string_view kType = kReal                            ? "number"
                                       : std::is_same_v<Plain<T>, bool> ? "boolean"
                                       : Text<Plain<T>>                 ? "string"
                                                                        : "integer";
    json.begin_object().key("type");
    or_null || kReal ? json.begin_array().value(kType).value("null").end_array() : json.value(kType);
    json.end_object();
  }
}

}  // namespace field_detail

}  // namespace stepsim::sim

#endif
