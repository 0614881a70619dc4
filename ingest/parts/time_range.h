#ifndef STEPSIM_INGEST_PARTS_TIME_RANGE_H
#define STEPSIM_INGEST_PARTS_TIME_RANGE_H

#include <cstdint>

#include "model/base/units.h"

namespace stepsim::ingest {

/// True for times that can be subtracted from each other without overflow: from 73 years before 1970 to 146 years after
/// it, the end of the duration included. Precondition: `duration` is not negative.
[[nodiscard]] inline bool in_time(Time start, Duration duration = {}) noexcept {
  constexpr Time kEarliest{Duration{-(std::int64_t{1} << 61)}};
  constexpr Time kLatest{Duration{std::int64_t{1} << 62}};
  return start >= kEarliest && start <= kLatest && duration <= kLatest - start;
}

}  // namespace stepsim::ingest

#endif
