#include "scenarios/search/step_parts.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "sim/analysis/activity.h"
#include "sim/analysis/intervals.h"

namespace stepsim::scenarios {
namespace {

/// The kinds of device work, in the order in which they count.
enum Kind : std::uint8_t { kCompute, kTensor, kPipeline, kData, kKinds };

using OfRank = std::array<std::vector<sim::Interval>, kKinds>;

Kind kind_of(const Dag& dag, TaskId task) {
  const RendezvousId rendezvous = dag.rendezvous(task);
  if (!rendezvous.valid()) return kCompute;
  const Collective& collective = dag.collective(rendezvous);
  if (collective.op == CollectiveOp::kSendRecv) return kPipeline;
  return collective.of_activations ? kTensor : kData;
}

}  // namespace

std::string_view StepParts::limit() const noexcept {
  struct Named {
    std::string_view name;
    Duration time;
  };
  const std::array parts{Named{"tensor", tensor}, Named{"pipeline", pipeline}, Named{"data", data},
                         Named{has_stages ? "bubble" : "idle", idle}};
  const Duration rest = tensor + pipeline + data + idle;
  if (rest * 9 < compute) return "compute";
  return std::max_element(parts.begin(), parts.end(), [](const Named& a, const Named& b) { return a.time < b.time; })
      ->name;
}

StepParts step_parts(const Prediction& prediction) {
  const Dag& dag = prediction.graph->dag;
  std::map<Rank, OfRank> ranks;
  Rank last = 0;
  Time end = Time::min();
  for (const TaskId task : dag.tasks()) {
    const Lane& lane = dag.lane(task);
    if (lane.kind != LaneKind::kStream) continue;
    const sim::Interval work = sim::own_work(dag, prediction.timeline, task);
    ranks[lane.rank][kind_of(dag, task)].push_back(work);
    if (work.end > end) last = lane.rank;
    end = std::max(end, work.end);
  }
  std::array<Duration, kKinds> times{};
  std::vector<sim::Interval> all;
  Duration before{};
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const std::vector<sim::Interval>& more = ranks[last][kind];
    all.insert(all.end(), more.begin(), more.end());
    const Duration length = sim::union_length(all);
    times[kind] = length - before;
    before = length;
  }
  StepParts parts{times[kCompute], times[kTensor], times[kPipeline], times[kData], {}, !ranks[last][kPipeline].empty()};
  const std::vector<RecordedStep>& steps = prediction.graph->recording.steps;
  const auto count =
      std::count_if(steps.begin(), steps.end(), [last](const RecordedStep& step) { return step.rank == last; });
  const std::array members{&parts.compute, &parts.tensor, &parts.pipeline, &parts.data};
  for (Duration* const part : members) *part /= std::max<std::int64_t>(count, 1);
  // In the long run, steps may be shorter than the replayed ones.
  const Duration sum = parts.compute + parts.tensor + parts.pipeline + parts.data;
  if (sum > prediction.iteration) {
    const double share = static_cast<double>(prediction.iteration.count()) / static_cast<double>(sum.count());
    for (Duration* const part : members)
      *part = Duration{static_cast<std::int64_t>(static_cast<double>(part->count()) * share)};
  }
  parts.idle = std::max(Duration{}, prediction.iteration - parts.compute - parts.tensor - parts.pipeline - parts.data);
  return parts;
}

}  // namespace stepsim::scenarios
