#ifndef STEPSIM_MODEL_BASE_PATTERN_H
#define STEPSIM_MODEL_BASE_PATTERN_H

#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace stepsim {

/// A text is not a regular expression. what() says why, as part of a sentence.
class PatternProblem : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A regular expression in the syntax of RE2. Matching takes time linear in the text, whatever the expression is.
class Pattern {
 public:
  static constexpr std::size_t kLongest = 4096;  ///< bytes

  /// Throws PatternProblem if the text is too long or no regular expression.
  explicit Pattern(const std::string& text);

  /// True if the expression matches a part of `text`.
  [[nodiscard]] bool matches(std::string_view text) const;
  /// True if the expression has a group with this name: (?P<name>...).
  [[nodiscard]] bool has_group(const std::string& name) const;
  /// Returns what a group matched in the first match; nothing if there is none. Precondition: has_group(name).
  [[nodiscard]] std::optional<std::string> matched_by(const std::string& name, std::string_view text) const;

 private:
  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace stepsim

#endif
