#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ingest/config/config.h"
#include "model/base/error.h"

namespace {

using stepsim::RangeSchedule;

/// A schedule that was read can be written. The names that are written to prof.events must be the names that are read
/// back.
void check(const RangeSchedule& schedule) {
  static_cast<void>(to_text(schedule));
  const std::string events = to_events(schedule);
  if (to_events(stepsim::ingest::parse_events(events, "fuzz")) != events) __builtin_trap();
}

}  // namespace

/// Reads the input as YAML and as prof.events.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto parse : {stepsim::ingest::parse_ranges, stepsim::ingest::parse_events}) {
    try {
      RangeSchedule schedule = parse(text, "fuzz");
      // A schedule may have ten million iterations, and its text has one line for each. One iteration keeps the text
      // short.
      schedule.repeat = 1;
      check(schedule);
    } catch (const stepsim::InputError&) {
      continue;
    }
  }
  return 0;
}
