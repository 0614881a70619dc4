#ifndef STEPSIM_CLI_HELP_FIELD_WORDS_H
#define STEPSIM_CLI_HELP_FIELD_WORDS_H

#include <span>
#include <string_view>

namespace stepsim::cli {

/// A word of the field that reports do not use, and where stepsim has what it means.
struct FieldWord {
  std::string_view name;
  std::string_view also;            ///< other names, separated by commas; may be empty
  std::string_view meaning;         ///< one sentence
  std::string_view here;            ///< what stepsim says about it: complete sentences
  std::string_view ask{};           ///< the command that answers; may be empty
  std::string_view not_modelled{};  ///< related changes that no what-if predicts: a part of a sentence; may be empty
};

/// Returns all words, with related ones together.
[[nodiscard]] std::span<const FieldWord> field_words() noexcept;

}  // namespace stepsim::cli

#endif
