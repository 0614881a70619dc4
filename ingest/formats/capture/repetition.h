#ifndef STEPSIM_INGEST_FORMATS_CAPTURE_REPETITION_H
#define STEPSIM_INGEST_FORMATS_CAPTURE_REPETITION_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace stepsim::ingest {

/// Where a sequence repeats itself up to its end.
struct Repetition {
  std::size_t first = 0;   ///< from here on
  std::size_t period = 0;  ///< every so many
};

/// The longest tail of `sequence` that is at least three times one period, and its shortest period; nothing if that is
/// less than half of the sequence. What repeats within a period, as layers do in a step, does not repeat over its end.
/// O(n). Source: the failure function of Knuth, Morris and Pratt (1977), of the reversed sequence.
[[nodiscard]] std::optional<Repetition> repetition_of(std::span<const std::uint32_t> sequence);

}  // namespace stepsim::ingest

#endif
