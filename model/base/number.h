#ifndef STEPSIM_MODEL_BASE_NUMBER_H
#define STEPSIM_MODEL_BASE_NUMBER_H

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace stepsim {

/// The number that `text` is, as std::from_chars reads it. Nothing if any of the text is left over or the number
/// does not fit.
template <class Number>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text) noexcept {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional{number} : std::nullopt;
}

}  // namespace stepsim

#endif
