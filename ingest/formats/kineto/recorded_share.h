#ifndef STEPSIM_INGEST_FORMATS_KINETO_RECORDED_SHARE_H
#define STEPSIM_INGEST_FORMATS_KINETO_RECORDED_SHARE_H

#include <cstdint>
#include <optional>

#include "ingest/chrome/chrome_events.h"

namespace stepsim::ingest {

/// Which share of the operators that ran is in a trace. PyTorch numbers operators and annotations one after the other
/// (args "External id"), so what was not recorded, or taken out later, leaves gaps. Whole captures have up to 1.3
/// numbers an operator, because annotations and calls of other threads take some; a sampled one has 70.
class RecordedShare {
 public:
  /// Takes note of one operator. O(arguments before its number): mostly 1.
  void add(const ChromeEvent& op);
  /// How many numbers there are for each operator recorded, if more than two and at least a hundred are missing.
  [[nodiscard]] std::optional<std::int64_t> one_in() const noexcept;
  [[nodiscard]] std::int64_t recorded() const noexcept { return recorded_; }

 private:
  std::int64_t recorded_ = 0;
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
};

}  // namespace stepsim::ingest

#endif
