#include "ingest/stitch/parameter_server/step_numbers.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "model/base/known_diagnostics.h"

namespace stepsim::ingest {
namespace {

void take_step_of_the_one_before(RecordedGpu& gpu, Diagnostics& diagnostics) {
  std::int64_t step = kNoStep;
  for (OperatorRun& run : gpu.operators) {
    if (run.step < 0) {
      run.step = step;
      diagnostics.count(diagnostic("operator_without_step"));
    }
    step = run.step;
  }
}

void begin_steps_at_first_forward(RecordedGpu& gpu) {
  if (gpu.operators.empty()) return;
  auto mark = std::find_if(gpu.operators.begin(), gpu.operators.end(),
                           [&](const OperatorRun& run) { return gpu.name(run).starts_with("FW."); });
  if (mark == gpu.operators.end()) mark = gpu.operators.begin();
  const TextId first = mark->name;
  std::int64_t step = kNoStep;
  for (OperatorRun& run : gpu.operators) {
    if (run.name == first) ++step;
    run.step = step;
  }
}

void leave_out_chains_without_step(RecordedGpu& gpu, const std::string& folder, Diagnostics& diagnostics) {
  const std::size_t without = std::erase_if(gpu.chains, [](const StageChain& chain) { return chain.step < 0; });
  if (without == 0) return;
  diagnostics.count(diagnostic("partition_outside_steps"), {folder, {}, {}}, {}, without);
}

}  // namespace

void number_operators(RecordedGpu& gpu, Diagnostics& diagnostics) {
  const bool numbered =
      std::any_of(gpu.operators.begin(), gpu.operators.end(), [](const OperatorRun& run) { return run.step >= 0; });
  if (numbered) {
    take_step_of_the_one_before(gpu, diagnostics);
  } else {
    begin_steps_at_first_forward(gpu);
  }
}

void number_chains_by_producer(RecordedGpu& gpu, const std::string& folder, Diagnostics& diagnostics) {
  std::vector<std::vector<std::uint32_t>> runs(gpu.names.size());  // by name; each by start
  for (std::uint32_t i = 0; i < gpu.operators.size(); ++i) runs[gpu.operators[i].name.index()].push_back(i);
  std::vector<std::uint32_t> all(gpu.operators.size());
  std::iota(all.begin(), all.end(), 0U);
  std::set<std::pair<std::int64_t, std::int64_t>> taken;  // key, step
  for (StageChain& chain : gpu.chains) {
    const RecordedTensor& tensor = gpu.tensors[chain.tensor];
    const auto& candidates = tensor.producers.empty() ? all : runs[tensor.producers.front().index()];
    const auto next = std::upper_bound(candidates.begin(), candidates.end(), chain.stages.front().start,
                                       [&](Time time, std::uint32_t run) { return time < gpu.operators[run].start; });
    if (next == candidates.begin()) continue;
    const std::int64_t step = gpu.operators[*(next - 1)].step;
    if (step >= 0 && taken.emplace(chain.key, step).second) chain.step = step;
  }
  leave_out_chains_without_step(gpu, folder, diagnostics);
}

void number_chains_by_occurrence(RecordedGpu& gpu, const std::vector<std::int64_t>& numbers, const std::string& folder,
                                 Diagnostics& diagnostics) {
  for (StageChain& chain : gpu.chains) {
    if (numbers.empty()) {
      chain.step = chain.occurrence;
    } else if (chain.occurrence < numbers.size()) {
      chain.step = numbers[chain.occurrence];
    }
  }
  leave_out_chains_without_step(gpu, folder, diagnostics);
}

std::vector<std::int64_t> step_numbers(const RecordedGpu& gpu) {
  std::set<std::int64_t> numbers;
  for (const OperatorRun& run : gpu.operators) {
    if (run.step >= 0) numbers.insert(run.step);
  }
  return {numbers.begin(), numbers.end()};
}

}  // namespace stepsim::ingest
