#include "ingest/stitch/parameter_server/parameter_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "ingest/stitch/parameter_server/clocks.h"
#include "ingest/stitch/parameter_server/gpu_split.h"
#include "ingest/stitch/parameter_server/tasks.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

/// Plans GPUs with operators first: their steps have numbers that the others' have not.
std::vector<GpuPlan> plan_all(const std::vector<GpuParts>& gpus, const Job& job, Diagnostics& diagnostics) {
  const Barrier barrier = job.barrier.value_or(Barrier::kGlobal);
  std::vector<GpuPlan> plans(gpus.size());
  std::vector<std::int64_t> numbers;
  for (const bool with_operators : {true, false}) {
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      if (gpus[i].operators.has_value() != with_operators) continue;
      plans[i] = plan_gpu(gpus[i], barrier, numbers, diagnostics);
      if (numbers.empty() && !plans[i].opaque) numbers = step_numbers(plans[i]);
    }
  }
  return plans;
}

void number_ranks(std::vector<GpuPlan>& plans, const Job& job) {
  std::uint32_t local_size = job.local_size.value_or(1);
  for (const GpuPlan& plan : plans) local_size = std::max(local_size, plan.local_rank + 1);
  for (GpuPlan& plan : plans) plan.rank = static_cast<Rank>(std::uint64_t{plan.worker} * local_size + plan.local_rank);
}

void state_assumptions(const PsTasks& tasks) {
  std::vector<std::string>& sentences = tasks.out.assumptions;
  if (std::any_of(tasks.gpus.begin(), tasks.gpus.end(), [](const GpuPlan& plan) { return plan.opaque; })) {
    sentences.emplace_back(
        "no operators were recorded: what a GPU did between two releases of gradients is one opaque segment");
  }
  const auto has_pushes = [](const GpuPlan& plan) {
    return std::any_of(plan.chains.begin(), plan.chains.end(), [](const Chain& chain) {
      return std::any_of(chain.stages.begin(), chain.stages.end(),
                         [](const StageSpan& span) { return span.stage == Stage::kPush; });
    });
  };
  if (std::none_of(tasks.gpus.begin(), tasks.gpus.end(), has_pushes)) return;
  sentences.emplace_back(
      "a server's copying and summing is part of the pulls that wait for it: no server was recorded");
  if (tasks.job.servers.has_value() && !tasks.job.key_hash.has_value()) {
    sentences.emplace_back("keys are spread over servers by djb2, as BytePS does by default (key_hash in job.yaml)");
  }
  if (!tasks.job.control.has_value()) {
    sentences.emplace_back(
        "acknowledgements and pull requests wait in line behind bulk data, as in BytePS (control in job.yaml)");
  }
}

}  // namespace

void stitch_parameter_server(std::vector<GpuParts> gpus, const Job& job, Assembly& assembly) {
  gpus = split_processes(std::move(gpus));
  std::stable_sort(gpus.begin(), gpus.end(), [](const GpuParts& a, const GpuParts& b) {
    return std::tuple{a.worker, a.local_rank} < std::tuple{b.worker, b.local_rank};
  });
  std::vector<GpuPlan> plans = plan_all(gpus, job, assembly.diagnostics);
  const Job known = with_inferred(job, plans, assembly.assumptions);
  PsTasks tasks{known, assembly, std::move(plans), {}, {}, {}, {}, {}, {}, {}};
  number_ranks(tasks.gpus, known);
  tasks.clocks = align_worker_clocks(tasks.gpus, known, assembly.diagnostics);
  add_operators(tasks);
  assembly.parameter_server = workload_of(tasks);
  add_stages(tasks);
  add_links(tasks);
  order_lanes(tasks);
  join_and_break_cycles(tasks);
  explain_polling(tasks);
  state_assumptions(tasks);
  for (const HostClock& clock : tasks.clocks) assembly.clocks.push_back(clock);
}

}  // namespace stepsim::ingest
