#include "ingest/formats/capture/repetition.h"

#include <vector>

namespace stepsim::ingest {

std::optional<Repetition> repetition_of(std::span<const std::uint32_t> sequence) {
  constexpr std::size_t kTimes = 3;
  const std::size_t n = sequence.size();
  const auto reversed = [&](std::size_t i) { return sequence[n - 1 - i]; };
  // failure[i]: how long the longest border of the first i + 1 of the reversed sequence is.
  std::vector<std::size_t> failure(n, 0);
  std::optional<Repetition> longest;
  for (std::size_t i = 1; i < n; ++i) {
    std::size_t border = failure[i - 1];
    while (border > 0 && reversed(i) != reversed(border)) border = failure[border - 1];
    failure[i] = reversed(i) == reversed(border) ? border + 1 : 0;
    const std::size_t length = i + 1;
    const std::size_t period = length - failure[i];
    if (length >= kTimes * period && 2 * length >= n) longest = Repetition{n - length, period};
  }
  return longest;
}

}  // namespace stepsim::ingest
