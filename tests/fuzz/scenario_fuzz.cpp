#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/base/error.h"
#include "scenarios/question/points.h"

namespace stepsim::scenarios {

/// Reads a scenario file with all points of its sweep, and writes its changes and its last point as text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const Scenario scenario = parse_scenario({reinterpret_cast<const char*>(data), size}, "fuzz");
    const Points points = points_of(scenario);
    const PointChanges changes(scenario);
    if (points.size() > 0) static_cast<void>(to_text(points.at(points.size() - 1)));
    for (const Change& change : scenario.changes) static_cast<void>(change.to_text());
  } catch (const stepsim::InputError&) {
    return 0;
  }
  return 0;
}

}  // namespace stepsim::scenarios
