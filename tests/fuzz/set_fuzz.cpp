#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/base/error.h"
#include "scenarios/question/scenario.h"

/// What follows --set.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  stepsim::scenarios::Scenario scenario;
  try {
    stepsim::scenarios::add_set(scenario, {reinterpret_cast<const char*>(data), size});
    static_cast<void>(scenario.changes.back().to_text());
  } catch (const stepsim::UsageError&) {
    return 0;
  }
  return 0;
}
