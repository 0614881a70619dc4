#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/csv.h"
#include "model/base/error.h"
#include "scenarios/calibration/measured_runs.h"

/// Every accepted line has a measured time and says what was measured.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string> options{"layers", "micro-batch", "sequence", "device"};
  try {
    const stepsim::CsvTable table = stepsim::parse_csv({reinterpret_cast<const char*>(data), size}, "fuzz");
    for (const stepsim::scenarios::MeasuredRun& run : stepsim::scenarios::measured_runs_of(table, options).runs) {
      if (run.step <= stepsim::Duration{} || run.name.empty() || run.model.empty() == run.capture.empty())
        __builtin_trap();
    }
  } catch (const stepsim::InputError&) {
    return 0;
  }
  return 0;
}
