#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/work/saved_answer.h"
#include "model/base/error.h"
#include "sim/compare/compare_document.h"
#include "sim/compare/difference.h"
#include "sim/compare/several.h"
#include "sim/output/json_writer.h"

namespace stepsim {
namespace {

/// Compares two saved answers as `stepsim compare` does: by each key in turn, and with a limit of 3 % for a slower
/// iteration.
void compare(const sim::Side& a, const sim::Side& b) {
  const std::vector<sim::Side> sides{a, b, a};
  const sim::Provenance provenance;
  for (const sim::By by : {sim::By::kName, sim::By::kClass, sim::By::kKind, sim::By::kCategory, sim::By::kOperator}) {
    try {
      const sim::Difference difference = sim::difference_of(a, b, by, sim::RowOrder::kRelative);
      std::vector<sim::Gate> gates;
      if (difference.has_iterations()) gates = {sim::gate_of(difference, 0.03, sim::AllowNoise::kNo)};
      constexpr std::size_t kRows = 20;
      sim::JsonWriter json{[](std::string_view) {}};
      const sim::Document document = sim::compare_document(difference, gates, kRows, provenance);
      STEPSIM_ASSERT(!sim::to_text(document).empty(), "a comparison says something");
      document.json(json);
      json.finish();
      const sim::Several several = sim::several_of(sides, by, sim::RowOrder::kDifference);
      static_cast<void>(sim::to_text(sim::several_document(several, kRows, provenance)));
    } catch (const UsageError&) {
      continue;  // the two sides cannot be compared by this key
    }
  }
}

}  // namespace
}  // namespace stepsim

/// Reads output of --json as `stepsim compare` does, and compares it with itself and with an iteration of 1 us.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const stepsim::sim::Side side =
        stepsim::cli::parse_saved_answer({reinterpret_cast<const char*>(data), size}, "fuzz");
    stepsim::compare(side, side);
    stepsim::compare({.name = "other", .iteration = stepsim::Duration{1000}}, side);
  } catch (const stepsim::InputError&) {
    return 0;
  }
  return 0;
}
