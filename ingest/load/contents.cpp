#include "ingest/load/contents.h"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "ingest/parts/busy_time.h"
#include "ingest/parts/collective_calls.h"
#include "ingest/stitch/host_device/rank_events.h"
#include "model/job/kernel_class.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

/// Returns the time from the first start to the last end.
Duration length_of(const HostDeviceTrace& trace) {
  Time first = Time::max();
  Time last = Time::min();
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (!in_time(trace.start[i], trace.duration[i])) continue;
    first = std::min(first, trace.start[i]);
    last = std::max(last, trace.start[i] + trace.duration[i]);
  }
  return first < last ? last - first : Duration{};
}

/// Properties derived from a name, computed once for each of a trace's texts.
struct NameFacts {
  bool launches = false;
  bool launches_kernel = false;
  bool communicates = false;
  bool host_collective = false;
};

std::vector<NameFacts> facts_of_names(const HostDeviceTrace& trace) {
  std::vector<NameFacts> facts(trace.texts.size());
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const std::string& name = trace.texts[i];
    facts[i] = {.launches = wait_of_call(name) == CallWait::kLaunch,
                .launches_kernel = launches_kernel(name),
                .communicates = communication_kernel(name).has_value(),
                .host_collective = is_host_collective(name)};
  }
  return facts;
}

/// Counts the events of a trace.
class Counter {
 public:
  Counter(const HostDeviceTrace& trace, HostDeviceContents& counts)
      : trace_(trace),
        counts_(counts),
        facts_(facts_of_names(trace)),
        has_host_events_(trace.tracks.size(), false),
        has_work_(trace.tracks.size(), false) {}

  void count() {
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      if (trace_.correlation[i] < 0) continue;
      if (is_device_work(trace_.kind[i])) worked_.push_back(trace_.correlation[i]);
      if (trace_.kind[i] != EventKind::kRuntimeCall) continue;
      called_.push_back(trace_.correlation[i]);
      if (facts_[trace_.name[i].index()].launches_kernel) kernel_launches_.push_back(trace_.correlation[i]);
    }
    std::sort(worked_.begin(), worked_.end());
    std::sort(called_.begin(), called_.end());
    std::sort(kernel_launches_.begin(), kernel_launches_.end());
    for (std::size_t i = 0; i < trace_.size(); ++i) count_event(i);
    counts_.launches_without_work -= std::min(counts_.launches_without_work, extra_work());
    count_tracks();
  }

 private:
  void count_event(std::size_t event) {
    const NameFacts& name = facts_[trace_.name[event].index()];
    switch (trace_.kind[event]) {
      case EventKind::kOp: ++counts_.operators; break;
      case EventKind::kAnnotation:
        ++(trace_.marks_step(static_cast<std::uint32_t>(event)) ? counts_.step_marks : counts_.annotations);
        counts_.host_collectives += name.host_collective ? 1U : 0U;
        break;
      case EventKind::kRuntimeCall: count_call(event, name); break;
      case EventKind::kKernel:
        ++counts_.kernels;
        count_collective(event, name);
        break;
      case EventKind::kMemcpy:
        ++counts_.copies;
        count_collective(event, name);
        break;
      case EventKind::kMemset: ++counts_.copies; break;
      case EventKind::kSync: ++counts_.syncs; break;
      case EventKind::kDeviceAnnotation: break;
    }
    if (is_device_work(trace_.kind[event])) {
      has_work_[trace_.track[event].index()] = true;
      if (!known(called_, event)) ++counts_.work_without_launch;
    } else if (trace_.kind[event] != EventKind::kSync && trace_.kind[event] != EventKind::kDeviceAnnotation) {
      has_host_events_[trace_.track[event].index()] = true;
    }
  }

  void count_tracks() {
    std::set<std::pair<std::int32_t, std::int64_t>> streams;
    std::set<std::int32_t> devices;
    for (std::size_t i = 0; i < trace_.tracks.size(); ++i) {
      counts_.host_threads += has_host_events_[i] ? 1U : 0U;
      if (!has_work_[i]) continue;
      streams.emplace(trace_.tracks[i].device, trace_.tracks[i].stream);
      devices.insert(trace_.tracks[i].device);
    }
    counts_.streams = streams.size();
    counts_.devices = devices.size();
  }

  void count_call(std::size_t event, const NameFacts& name) {
    ++counts_.calls;
    // Where nothing joins a call to work, nothing shows that the work is missing either. Ascend's calls are nested, and
    // only one of two has the flow to their work.
    if (!name.launches || trace_.correlation[event] < 0) return;
    ++counts_.launches;
    if (!known(worked_, event)) ++counts_.launches_without_work;
  }

  /// Returns how much work has the correlation of a call that launched other work. It is the work of a call without
  /// any: ROCm gives work of two calls one number.
  [[nodiscard]] std::uint64_t extra_work() const {
    std::uint64_t extra = 0;
    for (auto call = kernel_launches_.begin(); call != kernel_launches_.end();) {
      const auto next = std::upper_bound(call, kernel_launches_.end(), *call);
      const auto [first, last] = std::equal_range(worked_.begin(), worked_.end(), *call);
      extra += static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(0, (last - first) - (next - call)));
      call = next;
    }
    return extra;
  }

  /// Kernels and copies with the same detail are one collective (join_collective()).
  void count_collective(std::size_t event, const NameFacts& name) {
    const EventDetail* const detail = trace_.detail_of(event);
    const bool named = names_collective(trace_, event);
    if (!named && !name.communicates) return;
    if (named && !counted_.insert(trace_.detail[event]).second) return;
    ++counts_.collectives;
    if (detail == nullptr) return;
    if (detail->bytes > Bytes{}) ++counts_.sized_collectives;
    if (detail->sequence >= 0) ++counts_.sequenced_collectives;
  }

  /// True if the event has one of the correlations, which are sorted.
  [[nodiscard]] bool known(const std::vector<std::int64_t>& correlations, std::size_t event) const {
    return std::binary_search(correlations.begin(), correlations.end(), trace_.correlation[event]);
  }

  const HostDeviceTrace& trace_;
  HostDeviceContents& counts_;
  std::vector<NameFacts> facts_;
  std::unordered_set<std::uint32_t> counted_;  ///< collectives, by their details
  std::vector<std::int64_t> worked_;           ///< correlation ids of device work
  std::vector<std::int64_t> called_;           ///< correlation ids of calls
  std::vector<std::int64_t> kernel_launches_;  ///< correlation ids of calls that launch a kernel
  std::vector<bool> has_host_events_;          ///< by track
  std::vector<bool> has_work_;                 ///< by track
};

/// Adds one part to the counts of its source.
class PartCounter {
 public:
  explicit PartCounter(SourceContents& contents) : contents_(contents) {}

  void operator()(const HostDeviceTrace& trace) const {
    HostDeviceContents counts{.rank = trace.rank,
                              .world_size = trace.world_size,
                              .host = trace.host_name,
                              .device_name = trace.device_name,
                              .backend = trace.backend,
                              .has_base_time = trace.has_base_time,
                              .span = length_of(trace)};
    Counter(trace, counts).count();
    for (std::size_t i = 0; i < trace.size(); ++i) {
      const std::uint32_t which = trace.operator_of[i];
      if (which != HostDeviceTrace::kNone && !trace.operators[which].inputs.empty()) ++counts.shaped_operators;
    }
    counts.python_calls = trace.python.size();
    counts.module_calls = trace.modules.size();
    counts.memory_events = trace.memory.size();
    counts.flops_events = trace.flops_of.size();
    counts.overheads = overhead_uses(trace);
    contents_.processes.push_back(std::move(counts));
  }
  void operator()(const StageTrace& stages) const {
    std::set<std::int64_t> keys;
    for (const StageTrace::Event& event : stages.events) {
      if (event.key >= 0) keys.insert(event.key);
    }
    contents_.stages += stages.events.size();
    contents_.partitions += keys.size();
  }
  void operator()(const HorovodTrace& timeline) const {
    contents_.stages += timeline.phases.size();
    contents_.tensors += timeline.tensors.size();
  }
  void operator()(const OperatorTrace& operators) const {
    contents_.operator_events += operators.events.size();
    for (const OperatorTrace::Event& event : operators.events) {
      if (event.step >= 0) ++contents_.operators_with_step;
      if (!event.inputs.empty()) ++contents_.operators_with_inputs;
    }
  }
  void operator()(const OperatorGraph& graph) const { contents_.graph_nodes += graph.nodes.size(); }
  void operator()(const TensorTable& table) const { contents_.tensors += table.tensors.size(); }
  void operator()(const TaskGraph& graph) const { contents_.graph_tasks += graph.tasks.size(); }
  void operator()(const ExecutionGraph& graph) const { contents_.graph_tasks += graph.nodes.size(); }
  void operator()(const ExecutionTrace& trace) const { contents_.graph_tasks += trace.runs.size(); }
  void operator()(const RangeProfile& profile) const {
    contents_.ranges += profile.ranges.size();
    for (const MeasuredRange& range : profile.ranges) contents_.samples += range.lengths.size();
  }
  /// Ignores parts of other types, such as those of a dPRO trial. Their records are counted in SourceContents::events.
  template <class OfTrial>
  void operator()(const OfTrial& /*part*/) const {}

 private:
  SourceContents& contents_;
};

}  // namespace

SourceContents contents_of(const std::string& name, std::string_view format, const PartSink& sink) {
  SourceContents contents{
      .file = name, .format = std::string(format), .problem = {}, .events = sink.events, .skipped = sink.skipped};
  for (const PartSink::Item& item : sink.parts) std::visit(PartCounter(contents), item.part);
  return contents;
}

}  // namespace stepsim::ingest
