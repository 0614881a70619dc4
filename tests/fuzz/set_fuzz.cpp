#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/base/error.h"
#include "scenarios/question/points.h"
#include "scenarios/question/scenario.h"

/// Reads the input as the argument of --set: one change, or several values, separated by commas, that a sweep tries.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  stepsim::scenarios::Scenario scenario;
  try {
    stepsim::scenarios::add_set(scenario, {reinterpret_cast<const char*>(data), size});
    for (const stepsim::scenarios::Change& change : scenario.changes) static_cast<void>(change.to_text());
    const stepsim::scenarios::PointChanges values(scenario);
  } catch (const stepsim::UsageError&) {
    return 0;
  } catch (const stepsim::InputError&) {
    return 0;
  }
  return 0;
}
