#include "scenarios/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/parameter_server/workload.h"

namespace stepsim::scenarios {

void Plan::begin_together() {
  begins_together_ = true;
  structure += "workers begin together\n";
}

bool has_sized_collectives(const Capture& capture) {
  const Dag& dag = capture.dag;
  for (std::size_t i = 0; i < dag.rendezvous_count(); ++i) {
    const Collective& collective = dag.collective(RendezvousId{i});
    const bool sized = collective.bytes > Bytes{} && collective.op != CollectiveOp::kUnknown;
    if (sized && collective.op != CollectiveOp::kSendRecv &&
        std::max<std::size_t>(dag.members(RendezvousId{i}).size(), collective.members) > 1)
      return true;
  }
  return false;
}

std::uint32_t captured_workers(const Capture& capture) {
  if (capture.parameter_server != nullptr) return capture.parameter_server->workers();
  return std::max(1U, static_cast<std::uint32_t>(capture.recording.ranks.size()) / capture.job.local_size.value_or(1));
}

std::string copies_assumption(std::uint32_t captured) {
  return fmt::format(
      "workers beyond the {} that were captured do what a captured one did, on a host and link like its own", captured);
}

std::size_t lone_collectives(const Capture& capture) {
  const Dag& dag = capture.dag;
  std::size_t count = 0;
  for (std::size_t i = 0; capture.parameter_server == nullptr && i < dag.task_count(); ++i) {
    if (dag.kind(TaskId{i}) != TaskKind::kCollective) continue;
    const RendezvousId rendezvous = dag.rendezvous(TaskId{i});
    if (!rendezvous.valid() || dag.members(rendezvous).size() < dag.collective(rendezvous).members) ++count;
  }
  return count;
}

bool uses_links(const Capture& capture) {
  if (capture.parameter_server != nullptr || has_sized_collectives(capture)) return true;
  const Dag& dag = capture.dag;
  for (std::size_t i = 0; i < dag.rendezvous_count(); ++i) {
    if (dag.collective(RendezvousId{i}).bytes > Bytes{}) return true;
  }
  return std::any_of(dag.lanes().begin(), dag.lanes().end(), [](const Lane& lane) { return lane.from.valid(); });
}

Bandwidth scaled(Bandwidth rate, double factor) noexcept {
  return Bandwidth::from_bytes_per_second(rate.bytes_per_second() * factor);
}

Duration scaled(Duration duration, double factor) noexcept {
  if (factor == 1) return duration;
  constexpr double kMost = static_cast<double>(std::numeric_limits<std::int64_t>::max() / 2);
  return Duration{std::llround(std::min(kMost, static_cast<double>(duration.count()) * factor))};
}

}  // namespace stepsim::scenarios
