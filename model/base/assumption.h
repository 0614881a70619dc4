#ifndef STEPSIM_MODEL_BASE_ASSUMPTION_H
#define STEPSIM_MODEL_BASE_ASSUMPTION_H

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace stepsim {

/// Something that an answer rests on and that the input does not show. Reports print the sentence; code
/// finds an assumption by its id and never by its words.
struct Assumption {
  std::string id;        ///< the kind, stable: "copies", "link_latency"
  std::string sentence;  ///< for people, one line; may name numbers and files, so a kind may be there twice

  friend auto operator<=>(const Assumption& a, const Assumption& b) = default;
};

using Assumptions = std::vector<Assumption>;

/// Adds `more` at the end.
void append(Assumptions& assumptions, const Assumptions& more);

/// Takes out every assumption of this kind.
void remove_assumption(Assumptions& assumptions, const std::string& id);

/// The first assumption of this kind, or null. Points into `assumptions`.
[[nodiscard]] const Assumption* find_assumption(const Assumptions& assumptions, std::string_view id);

/// The sentences, in order.
[[nodiscard]] std::vector<std::string> sentences_of(const Assumptions& assumptions);

}  // namespace stepsim

#endif
