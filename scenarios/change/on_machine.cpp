#include "scenarios/change/on_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "model/base/text.h"
#include "model/cost/device/accelerator.h"
#include "model/cost/device/device_work.h"
#include "model/cost/network/network.h"
#include "model/job/kernel_class.h"
#include "scenarios/change/selection.h"

namespace stepsim::scenarios {
namespace {

const Accelerator* device_of(const Plan& plan) {
  return plan.other_device.empty() ? accelerator_of(*plan.captured) : find_accelerator(plan.other_device);
}

bool moves_device(const Plan& plan) {
  return !plan.other_device.empty() && device_of(plan) != accelerator_of(*plan.captured);
}

/// The factors of kernels by name. Names are stored once in a graph, so their addresses identify them.
class KernelFactors {
 public:
  explicit KernelFactors(const MeasuredMachine& machine) : machine_(machine) {}

  double of(TaskKind kind, std::string_view name) {
    const auto [found, is_new] = known_.try_emplace({name.data(), kind});
    if (is_new) found->second = factor_of(classify_kernel(kind, name));
    return found->second;
  }

 private:
  using Key = std::pair<const char*, TaskKind>;
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept {
      return std::hash<const char*>{}(key.first) ^ static_cast<std::size_t>(key.second);
    }
  };

  [[nodiscard]] double factor_of(KernelClass kernel_class) const {
    const double all = machine_.factor(MachinePart::kKernels);
    switch (kernel_class) {
      case KernelClass::kGemm:
      case KernelClass::kConvolution: return all * machine_.factor(MachinePart::kProducts);
      case KernelClass::kAttention: return all * machine_.factor(MachinePart::kAttention);
      default: return all;
    }
  }

  const MeasuredMachine& machine_;
  std::unordered_map<Key, double, Hash> known_;
};

/// Returns the numbers of the links inside hosts. Hosts without such links may have all devices on one switch.
std::vector<bool> links_inside(const Plan& plan) {
  const Cluster& cluster = plan.cluster;
  std::vector<bool> inside(cluster.links.size(),
                           plan.on_one_host || (cluster.shape && cluster.shape->hosts.size() == 1));
  for (const Cluster::UplinkPath& path : cluster.uplinks) {
    for (const Route* const route : {&path.out, &path.in})
      for (const LinkId link : *route) inside[link.index()] = true;
  }
  return inside;
}

}  // namespace

std::string name_of_device(const Plan& plan) {
  const Accelerator* const device = device_of(plan);
  return device == nullptr ? std::string() : std::string(device->name);
}

bool is_on_machine(const Plan& plan) { return plan.machine != nullptr && name_of_device(plan) == plan.machine->device; }

Plan without_machine(Plan plan) {
  plan.machine = nullptr;
  return plan;
}

void correct_durations(const Plan& plan, const Capture& graph, std::vector<Duration>& durations) {
  if (!is_on_machine(plan)) return;
  const bool is_modelled = is_modelled_step(*plan.captured);
  if (!is_modelled && !moves_device(plan)) return;
  const Dag& dag = graph.dag;
  const double calls = is_modelled ? plan.machine->factor(MachinePart::kCalls) : 1;
  KernelFactors kernels(*plan.machine);
  for (const TaskId task : dag.tasks()) {
    Duration& duration = durations[task.index()];
    const TaskClass task_class = class_of(dag.kind(task));
    if (task_class == TaskClass::kCompute) duration = scaled(duration, kernels.of(dag.kind(task), dag.name(task)));
    if (task_class == TaskClass::kHost) duration = scaled(duration, calls);
  }
}

std::shared_ptr<const Cluster> cluster_on_machine(const Plan& plan) {
  if (!is_on_machine(plan) || uses_links(*plan.captured)) return {std::shared_ptr<void>(), &plan.cluster};
  auto cluster = std::make_shared<Cluster>(plan.cluster);
  const std::vector<bool> inside = links_inside(plan);
  for (std::size_t i = 0; i < cluster->links.size(); ++i) {
    const double factor = plan.machine->factor(inside[i] ? MachinePart::kInside : MachinePart::kBetween);
    if (factor == 1) continue;
    cluster->links[i].change_bandwidth(scaled(cluster->links[i].bandwidth, 1 / factor));
    cluster->shape.reset();
  }
  return cluster;
}

std::optional<Assumption> machine_assumption(const Plan& plan) {
  if (plan.machine == nullptr) return std::nullopt;
  const MeasuredMachine& machine = *plan.machine;
  if (!is_on_machine(plan)) {
    return Assumption{std::string(kMeasuredMachine),
                      fmt::format("The measured steps of --machine are of {}, on which the job does not run after the "
                                  "changes: step times are those of models alone.",
                                  machine.device)};
  }
  std::string text = fmt::format("Modelled times are corrected by {} on {}: {} {:.1f} % off by the data sheet",
                                 counted(machine.runs, "measured step"), machine.device,
                                 machine.runs == 1 ? "it is" : "they are", 100 * machine.before);
  if (machine.left_out > 0)
    text += fmt::format(", and {:.1f} % if each is predicted from the others", 100 * machine.left_out);
  return Assumption{std::string(kMeasuredMachine), text + '.'};
}

}  // namespace stepsim::scenarios
