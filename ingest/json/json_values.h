#ifndef STEPSIM_INGEST_JSON_JSON_VALUES_H
#define STEPSIM_INGEST_JSON_JSON_VALUES_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// What the text of a JSON value means. Numbers are exact: no double in between. A number in
/// quotes counts as the number, and may be written in ways that JSON has not: "+5", ".5", "5.".
namespace stepsim::ingest {

/// An integer in any spelling ("12", "\"12\"", "12.0", "1.2e1"); nothing if it is none or does
/// not fit.
[[nodiscard]] std::optional<std::int64_t> as_integer(std::string_view raw) noexcept;
/// A decimal number times 10^power, rounded to the nearest integer, halves away from zero;
/// nothing if it is no number or does not fit.
[[nodiscard]] std::optional<std::int64_t> scaled_decimal(std::string_view raw, int power) noexcept;
/// Microseconds ("12.345", "1e3") as nanoseconds: scaled_decimal(raw, 3), but fast for what
/// nearly all time stamps look like.
[[nodiscard]] std::optional<std::int64_t> microseconds_as_ns(std::string_view raw) noexcept;
/// The content of a string; other values as they are written.
[[nodiscard]] std::string as_text(std::string_view raw);

}  // namespace stepsim::ingest

#endif
