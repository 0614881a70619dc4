#ifndef STEPSIM_INGEST_FORMATS_KINETO_RECORDED_SHARE_H
#define STEPSIM_INGEST_FORMATS_KINETO_RECORDED_SHARE_H

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "ingest/chrome/chrome_events.h"

namespace stepsim::ingest {

/// Which share of the operators that ran is in a trace. PyTorch numbers operators and annotations one after the other
/// (args "External id"), so what was not recorded, or taken out later, leaves gaps. Whole captures have up to 1.3
/// numbers an operator, because annotations and calls of other threads take some; a sampled one has 70. Each thread
/// takes its numbers by the block (512, later 1024), so what is left of a block that a thread did not use up is no gap.
class RecordedShare {
 public:
  /// Takes note of one operator. O(arguments before its number): mostly 1.
  void add(const ChromeEvent& op);
  /// How many numbers there are for each operator recorded, if more than two and at
  /// least a hundred are missing.
  [[nodiscard]] std::optional<std::int64_t> one_in() const noexcept;
  [[nodiscard]] std::int64_t recorded() const noexcept { return recorded_; }

 private:
  struct Numbers {
    std::int64_t first = 0;
    std::int64_t last = 0;
  };

  std::int64_t recorded_ = 0;
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
  std::unordered_map<std::int64_t, Numbers> blocks_;  ///< those of which a number was seen
};

}  // namespace stepsim::ingest

#endif
