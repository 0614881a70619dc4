#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ingest/config/config.h"
#include "model/base/error.h"
#include "sim/output/machine_yaml.h"

/// An accepted machine has a device and factors above 0, and can be written and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  stepsim::MeasuredMachine machine;
  try {
    machine = stepsim::ingest::parse_machine({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const stepsim::InputError&) {
    return 0;
  }
  for (const double factor : machine.factors)
    if (!(factor > 0)) __builtin_trap();
  const stepsim::MeasuredMachine again = stepsim::ingest::parse_machine(stepsim::sim::machine_yaml(machine), "written");
  if (again.device != machine.device || again.runs != machine.runs) __builtin_trap();
  return 0;
}
