#include "model/job/parameter_server/workload.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "model/job/parameter_server/server_rules.h"

namespace stepsim {
namespace {

constexpr std::int64_t kDefaultBound = 4'096'000;  // default of BYTEPS_PARTITION_BYTES
constexpr std::int64_t kPage = 4'096;

/// Returns ceil(whole / part). Works for values whose sum exceeds 64 bits.
constexpr std::int64_t parts_of(std::int64_t whole, std::int64_t part) noexcept {
  return whole / part + (whole % part > 0 ? 1 : 0);
}

}  // namespace

Bytes partition_bound(const Job& job) {
  const std::int64_t bound = std::max<std::int64_t>(1, job.partition_bytes.value_or(Bytes{kDefaultBound}).count());
  if (job.exact.value_or(false)) return Bytes{bound};
  const std::int64_t grain = static_cast<std::int64_t>(job.local_size.value_or(1)) * kPage;
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max() / grain;  // no tensor is this large
  return Bytes{std::min(parts_of(bound, grain), largest) * grain};
}

std::int64_t partition_count(Bytes tensor, Bytes bound) noexcept {
  return std::max<std::int64_t>(1, parts_of(tensor.count(), bound.count()));
}

std::optional<Bytes> partition_size(Bytes tensor, Bytes bound, std::int64_t index) noexcept {
  if (index < 0 || index >= partition_count(tensor, bound)) return std::nullopt;
  return std::min(bound, tensor - Bytes{index * bound.count()});
}

std::optional<std::uint32_t> server_of(std::int64_t key, const Job& job) {
  if (!job.servers.has_value() || *job.servers == 0) return std::nullopt;
  if (*job.servers == 1) return 0;
  const ServerRule* const rule = job.key_hash ? find_server_rule(*job.key_hash) : &server_rules().front();
  return rule == nullptr || rule->server_of == nullptr ? std::nullopt : rule->server_of(key, job);
}

std::vector<std::uint32_t> engine_threads(const std::vector<Bytes>& first_pushes, std::uint32_t threads) {
  std::vector<Bytes> load(std::max(1U, threads));
  std::vector<std::uint32_t> thread_of;
  thread_of.reserve(first_pushes.size());
  for (const Bytes bytes : first_pushes) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += bytes;
    thread_of.push_back(static_cast<std::uint32_t>(least - load.begin()));
  }
  return thread_of;
}

void keep_steps(PsWorkload& workload, std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> kept;
  std::vector<std::optional<std::uint32_t>> place;
  for (const std::int64_t number : workload.steps) {
    const bool wanted = first <= number && number <= last;
    place.push_back(wanted ? std::optional{static_cast<std::uint32_t>(kept.size())} : std::nullopt);
    if (wanted) kept.push_back(number);
  }
  for (PsGpu& gpu : workload.gpus) {
    for (PsOperator& op : gpu.operators) {
      std::vector<PsRun> runs;
      for (std::size_t step = 0; step < place.size(); ++step) {
        if (place[step].has_value()) runs.push_back(op.runs[step]);
      }
      op.runs = std::move(runs);
    }
  }
  std::erase_if(workload.stages, [&](const PsStageRun& stage) { return !place[stage.step].has_value(); });
  for (PsStageRun& stage : workload.stages) stage.step = *place[stage.step];
  workload.steps = std::move(kept);
  if (workload.steps.empty() && workload.cannot_build.empty())
    workload.cannot_build = "the job cannot be rebuilt: none of the chosen steps was recorded whole by every GPU";
}

}  // namespace stepsim
