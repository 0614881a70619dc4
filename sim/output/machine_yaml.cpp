#include "sim/output/machine_yaml.h"

#include <fmt/format.h>

namespace stepsim::sim {

std::string machine_yaml(const MeasuredMachine& machine) {
  std::string text = fmt::format("device: {}\nfactors:  # times over modelled times\n", machine.device);
  for (const MachinePart part : kAllMachineParts)
    text += fmt::format("  {}: {:.4f}  # {}\n", to_text(part), machine.factor(part), description_of(part));
  if (machine.outside_allocator > Bytes{})
    text += fmt::format("outside_allocator: {}\n", machine.outside_allocator.count());
  text += fmt::format("runs: {}\nbefore: {:.5f}\nafter: {:.5f}\n", machine.runs, machine.before, machine.after);
  if (machine.left_out > 0) text += fmt::format("left_out: {:.5f}\n", machine.left_out);
  if (!machine.fitted_on.empty()) text += fmt::format("fitted_on: {}\n", machine.fitted_on);
  return text;
}

}  // namespace stepsim::sim
