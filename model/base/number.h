#ifndef STEPSIM_MODEL_BASE_NUMBER_H
#define STEPSIM_MODEL_BASE_NUMBER_H

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace stepsim {

/// Parses all of `text` as std::from_chars does; `base` is for whole numbers only. Returns nothing if characters are
/// left over or the number does not fit.
template <class Number, class... Base>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text, Base... base) noexcept {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base...);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional{number} : std::nullopt;
}

}  // namespace stepsim

#endif
