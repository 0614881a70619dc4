#ifndef STEPSIM_MODEL_BASE_ASSUMPTION_H
#define STEPSIM_MODEL_BASE_ASSUMPTION_H

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace stepsim {

/// Something that an answer assumes because the input does not show it. Reports print the sentence; code finds an
/// assumption by its id, never by its text.
struct Assumption {
  std::string id;        ///< stable name of the kind: "copies", "link_latency"
  std::string sentence;  ///< one line for people; sentences with the same id can differ

  friend auto operator<=>(const Assumption& a, const Assumption& b) = default;
};

using Assumptions = std::vector<Assumption>;

/// Appends `more` to `assumptions`.
void append(Assumptions& assumptions, const Assumptions& more);

/// Removes every assumption with this id.
void remove_assumption(Assumptions& assumptions, const std::string& id);

/// Returns the first assumption with this id, or null. The pointer is into `assumptions`.
[[nodiscard]] const Assumption* find_assumption(const Assumptions& assumptions, std::string_view id);

/// Returns the sentences of the assumptions, in the same order.
[[nodiscard]] std::vector<std::string> sentences_of(const Assumptions& assumptions);

}  // namespace stepsim

#endif
