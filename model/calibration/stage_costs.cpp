#include "model/calibration/parameter_server.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "model/base/median.h"

namespace stepsim {
namespace {

/// The stages of one partition, step and GPU, indexed by stage.
using Chain = std::array<const PsStageRun*, kPsStages>;

std::uint32_t local_size(const PsWorkload& workload) { return std::max(1U, workload.job.local_size.value_or(1)); }

bool is_root(const PsWorkload& workload, std::uint32_t gpu) {
  const auto& gpus = workload.gpus;
  return gpu + 1 == gpus.size() || gpus[gpu + 1].worker != gpus[gpu].worker;
}

std::vector<Chain> chains_of(const PsWorkload& workload, bool on_roots) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int64_t>, Chain> chains;
  for (const PsStageRun& run : workload.stages) {
    if (is_root(workload, run.gpu) == on_roots)
      chains[{run.gpu, run.step, run.key}][static_cast<std::size_t>(run.stage)] = &run;
  }
  std::vector<Chain> list;
  list.reserve(chains.size());
  for (const auto& [place, chain] : chains) list.push_back(chain);
  return list;
}

/// For each stage, the time when its thread finished the previous partition.
using ThreadFree = std::map<const PsStageRun*, Time>;

ThreadFree thread_free(const PsWorkload& workload) {
  std::map<std::pair<std::uint32_t, PsStage>, std::vector<const PsStageRun*>> rows;
  for (const PsStageRun& run : workload.stages) rows[{run.gpu, run.stage}].push_back(&run);
  ThreadFree free;
  for (auto& [row, runs] : rows) {
    std::stable_sort(runs.begin(), runs.end(),
                     [](const auto* a, const auto* b) { return a->run.start < b->run.start; });
    Time latest = Time::min();
    for (const PsStageRun* const run : runs) {
      free[run] = latest;
      latest = std::max(latest, run->run.finish);
    }
  }
  return free;
}

bool takes_turns(PsStage stage) noexcept { return stage == PsStage::kCopyToHost || stage == PsStage::kCopyToDevice; }

Duration median_duration(std::vector<double> values) { return Duration{std::llround(median(std::move(values)))}; }

}  // namespace

Duration PsStageCost::of(Bytes bytes) const noexcept {
  return Duration{std::llround(time.intercept + time.slope * static_cast<double>(bytes.count()))};
}

Bytes share_of(Bytes partition, std::uint32_t local_rank, std::uint32_t local_size) noexcept {
  constexpr std::int64_t kElement = 4;
  const std::int64_t share = partition.count() / kElement / local_size * kElement;
  return local_rank + 1 == local_size ? partition - Bytes{share * (std::int64_t{local_size} - 1)} : Bytes{share};
}

PsStageCosts stage_costs(const PsWorkload& workload, bool on_roots) {
  const ThreadFree free = thread_free(workload);
  std::array<std::vector<double>, kPsStages> sizes;
  std::array<std::vector<double>, kPsStages> times;
  std::array<std::vector<double>, kPsStages> waits;
  for (const Chain& chain : chains_of(workload, on_roots)) {
    const PsStageRun* before = nullptr;
    for (std::size_t stage = 0; stage < kPsStages; ++stage) {
      const PsStageRun* const run = chain[stage];
      if (run == nullptr) continue;
      const std::uint32_t rank = workload.gpus[run->gpu].local_rank;
      sizes[stage].push_back(static_cast<double>(share_of(run->bytes, rank, local_size(workload)).count()));
      times[stage].push_back(static_cast<double>((run->run.finish - run->run.start).count()));
      const bool kept =
          takes_turns(run->stage) && free.at(run) > (before == nullptr ? Time::min() : before->run.finish);
      if (before != nullptr && !kept)
        waits[stage].push_back(std::max(0.0, static_cast<double>((run->run.start - before->run.finish).count())));
      before = run;
    }
  }
  PsStageCosts costs;
  for (std::size_t stage = 0; stage < kPsStages; ++stage) {
    const bool network =
        stage == static_cast<std::size_t>(PsStage::kPush) || stage == static_cast<std::size_t>(PsStage::kPull);
    if (!network) costs[stage].time = fit_line(sizes[stage], times[stage]);
    costs[stage].hand_over = median_duration(std::move(waits[stage]));
  }
  return costs;
}

}  // namespace stepsim
