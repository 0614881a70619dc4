#include "sim/check/recorded.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "model/job/group.h"

namespace stepsim::sim {
namespace {

/// The columns of HostDeviceContents that can be summed.
constexpr std::uint64_t HostDeviceContents::*const kCounts[] = {
    &HostDeviceContents::host_threads,
    &HostDeviceContents::devices,
    &HostDeviceContents::streams,
    &HostDeviceContents::step_marks,
    &HostDeviceContents::operators,
    &HostDeviceContents::annotations,
    &HostDeviceContents::calls,
    &HostDeviceContents::kernels,
    &HostDeviceContents::copies,
    &HostDeviceContents::syncs,
    &HostDeviceContents::launches,
    &HostDeviceContents::launches_without_work,
    &HostDeviceContents::work_without_launch,
    &HostDeviceContents::collectives,
    &HostDeviceContents::sized_collectives,
    &HostDeviceContents::sequenced_collectives,
    &HostDeviceContents::host_collectives,
    &HostDeviceContents::shaped_operators,
    &HostDeviceContents::python_calls,
    &HostDeviceContents::module_calls,
    &HostDeviceContents::memory_events,
    &HostDeviceContents::flops_events,
};

bool communicates(const Dag& dag) {
  const IdRange<TaskId> tasks = dag.tasks();
  return std::any_of(tasks.begin(), tasks.end(), [&dag](TaskId task) {
    const TaskKind kind = dag.kind(task);
    return kind == TaskKind::kCollective || kind == TaskKind::kTransfer || kind == TaskKind::kControl;
  });
}

bool has_format(const CaptureContents& contents, std::string_view format) {
  return std::any_of(contents.sources.begin(), contents.sources.end(),
                     [format](const SourceContents& source) { return source.format == format; });
}

}  // namespace

bool holds_profile(const Examined& examined) {
  const std::vector<SourceContents>& sources = examined.contents.sources;
  return examined.capture == nullptr && !sources.empty() &&
         std::all_of(sources.begin(), sources.end(), [](const SourceContents& source) { return source.ranges > 0; });
}

Profiler profiler_of(const CaptureContents& contents) {
  if (has_format(contents, "nsys")) return Profiler::kNsight;
  return has_format(contents, "kineto") || has_format(contents, "legacy_autograd") ? Profiler::kPyTorch
                                                                                   : Profiler::kOther;
}

std::string_view how_to_share(const CaptureContents& contents) {
  if (has_format(contents, "nsys") || has_format(contents, "capture")) {
    return "'stepsim convert --scrub' rewrites only text, no databases and captures: keep the files, and share an "
           "answer such as 'stepsim replay IN --anonymous -o replay.html', which has names of work and nothing else of "
           "them";
  }
  return "'stepsim convert --scrub IN -o OUT' writes a copy without it";
}

Recorded recorded_of(const CaptureContents& contents) {
  Recorded recorded;
  std::set<std::string> hosts;
  for (const SourceContents& source : contents.sources) {
    for (const HostDeviceContents& process : source.processes) {
      for (const auto count : kCounts) recorded.sum.*count += process.*count;
      ++recorded.processes;
      if (!process.host.empty()) hosts.insert(process.host);
      if (!process.has_base_time) ++recorded.without_base_time;
      if (process.kernels > 0 && process.device_name.empty()) ++recorded.without_device_name;
      recorded.sum.world_size = std::max(recorded.sum.world_size, process.world_size);
    }
  }
  recorded.hosts = hosts.size();
  return recorded;
}

std::size_t ranks_in(const Examined& examined) {
  if (examined.capture != nullptr) return known_ranks(*examined.capture).size();
  std::set<std::int64_t> ranks;
  std::size_t unnamed = 0;
  for (const SourceContents& source : examined.contents.sources) {
    for (const HostDeviceContents& process : source.processes) {
      if (process.rank) {
        ranks.insert(*process.rank);
      } else {
        ++unnamed;
      }
    }
  }
  return ranks.size() + unnamed;
}

CollectiveSizes collective_sizes(const Examined& examined) {
  const HostDeviceContents sum = recorded_of(examined.contents).sum;
  const std::uint64_t unsized_parts = sum.collectives - sum.sized_collectives;
  if (examined.capture == nullptr) return {sum.collectives, unsized_parts};
  const Dag& dag = examined.capture->dag;
  CollectiveSizes sizes{.all = dag.rendezvous_count()};
  for (const RendezvousId rendezvous : dag.all_rendezvous()) {
    const Collective& collective = dag.collective(rendezvous);
    if (collective.bytes == Bytes{} && collective.op != CollectiveOp::kBarrier) ++sizes.unknown;
  }
  // The graph also has no size for collectives with ranks that are not in the input.
  if (sum.collectives > 0) sizes.unknown = std::min<std::uint64_t>(sizes.unknown, unsized_parts + sum.host_collectives);
  return sizes;
}

Questions applicable_to(const Examined& examined) {
  const Recorded recorded = recorded_of(examined.contents);
  const bool network = recorded.sum.collectives + recorded.sum.host_collectives > 0 ||
                       (examined.capture != nullptr && communicates(examined.capture->dag));
  const bool ranks = network || ranks_in(examined) > 1 || recorded.sum.world_size.value_or(1) > 1;
  const bool computes =
      std::any_of(examined.contents.sources.begin(), examined.contents.sources.end(),
                  [](const SourceContents& source) { return source.operator_events > 0 || source.graph_tasks > 0; });
  const bool device = recorded.device_work() > 0 || recorded.sum.calls > 0 || computes;
  Questions questions{Question::kReplay, Question::kHost};
  if (device) questions = questions | Questions{Question::kDevice};
  if (network) questions = questions | Questions{Question::kNetwork};
  if (ranks) questions = questions | Questions{Question::kRanks};
  return questions;
}

}  // namespace stepsim::sim
