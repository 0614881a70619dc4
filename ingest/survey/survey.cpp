#include "ingest/survey/survey.h"

#include <algorithm>
#include <future>
#include <limits>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>
#include <variant>

#include "ingest/load/discover.h"
#include "ingest/load/read.h"
#include "ingest/parts/busy_time.h"
#include "ingest/privacy/scrubbed_files.h"
#include "ingest/stitch/host_device/rank_events.h"
#include "model/base/error.h"
#include "model/job/capture_contents.h"
#include "model/job/dag_builder.h"
#include "model/job/kernel_class.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

Duration span_of(const HostDeviceTrace& trace) {
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
  bool communicates = false;
  bool marks_step = false;
  bool host_collective = false;
};

std::vector<NameFacts> facts_of_names(const HostDeviceTrace& trace) {
  std::vector<NameFacts> facts(trace.texts.size());
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const std::string& name = trace.texts[i];
    facts[i] = {.launches = wait_of_call(name) == CallWait::kLaunch,
                .communicates = communication_kernel(name).has_value(),
                .marks_step = name.starts_with(kStepMark),
                .host_collective = name.starts_with("gloo:") || name.starts_with("mpi:")};
  }
  return facts;
}

/// Counts the events of a trace.
class Counter {
 public:
  Counter(const HostDeviceTrace& trace, HostDeviceContents& counts)
      : trace_(trace), counts_(counts), facts_(facts_of_names(trace)) {}

  void count() {
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      if (is_device_work(trace_.kind[i])) worked_.insert(trace_.correlation[i]);
      if (trace_.kind[i] == EventKind::kRuntimeCall) called_.insert(trace_.correlation[i]);
    }
    for (std::size_t i = 0; i < trace_.size(); ++i) count_event(i);
    counts_.host_threads = threads_.size();
    counts_.streams = streams_.size();
    counts_.devices = devices_.size();
  }

 private:
  void count_event(std::size_t event) {
    const NameFacts& name = facts_[trace_.name[event].index()];
    switch (trace_.kind[event]) {
      case EventKind::kOp: ++counts_.operators; break;
      case EventKind::kAnnotation:
        ++(name.marks_step ? counts_.step_marks : counts_.annotations);
        counts_.host_collectives += name.host_collective ? 1U : 0U;
        break;
      case EventKind::kRuntimeCall: count_call(event, name); break;
      case EventKind::kKernel:
        ++counts_.kernels;
        count_collective(event, name);
        break;
      case EventKind::kMemcpy:
      case EventKind::kMemset: ++counts_.copies; break;
      case EventKind::kSync: ++counts_.syncs; break;
      case EventKind::kDeviceAnnotation: break;
    }
    if (is_device_work(trace_.kind[event])) {
      const Track& track = trace_.tracks[trace_.track[event].index()];
      streams_.emplace(track.device, track.stream);
      devices_.insert(track.device);
      if (!known(called_, event)) ++counts_.work_without_launch;
    } else if (trace_.kind[event] != EventKind::kSync && trace_.kind[event] != EventKind::kDeviceAnnotation) {
      threads_.insert(trace_.track[event]);
    }
  }

  void count_call(std::size_t event, const NameFacts& name) {
    ++counts_.calls;
    if (!name.launches) return;
    ++counts_.launches;
    if (!known(worked_, event)) ++counts_.launches_without_work;
  }

  void count_collective(std::size_t event, const NameFacts& name) {
    const EventDetail* const detail = trace_.detail_of(event);
    const bool named = detail != nullptr && detail->collective.valid();
    if (!named && !name.communicates) return;
    ++counts_.collectives;
    if (detail == nullptr) return;
    if (detail->bytes > Bytes{}) ++counts_.sized_collectives;
    if (detail->sequence >= 0) ++counts_.sequenced_collectives;
  }

  [[nodiscard]] bool known(const std::unordered_set<std::int64_t>& correlations, std::size_t event) const {
    return trace_.correlation[event] >= 0 && correlations.contains(trace_.correlation[event]);
  }

  const HostDeviceTrace& trace_;
  HostDeviceContents& counts_;
  std::vector<NameFacts> facts_;
  std::unordered_set<std::int64_t> worked_;  ///< correlation ids of device work
  std::unordered_set<std::int64_t> called_;  ///< correlation ids of calls
  std::set<TrackId> threads_;
  std::set<std::pair<std::int32_t, std::int64_t>> streams_;
  std::set<std::int32_t> devices_;
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
                              .span = span_of(trace)};
    Counter(trace, counts).count();
    counts.shaped_operators = static_cast<std::uint64_t>(
        std::count_if(trace.operator_of.begin(), trace.operator_of.end(),
                      [&trace](const auto& call) { return !trace.operators[call.second].inputs.empty(); }));
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

/// Counts the content of one input. O(events).
SourceContents contents_of(const ReadInput& input) {
  SourceContents contents{.file = input.name,
                          .format = std::string(input.format),
                          .problem = {},
                          .events = input.sink.events,
                          .skipped = input.sink.skipped};
  for (const PartSink::Item& item : input.sink.parts) std::visit(PartCounter(contents), item.part);
  return contents;
}

void count_inputs(const ReadInputs& read, Survey& survey) {
  survey.diagnostics.merge(read.diagnostics);
  for (const ReadInput& input : read.inputs) {
    survey.contents.sources.push_back(contents_of(input));
    survey.diagnostics.merge(input.sink.diagnostics);
  }
}

/// Reads each file separately, so that an unusable file does not hide the others.
void count_one_by_one(const std::vector<std::string>& traces, const LoadOptions& options, Survey& survey) {
  for (const FoundFile& file : discover(traces).files) {
    try {
      count_inputs(read_inputs({file}, options, true), survey);
    } catch (const InputError& error) {
      survey.contents.sources.push_back({.file = file.path, .format = {}, .problem = error.what()});
    }
  }
}

}  // namespace

Survey survey(const std::vector<std::string>& traces, const LoadOptions& options) {
  Survey result;
  const std::optional<std::string> job_file = options.job_file ? options.job_file : find_job_file(traces);
  // Uses std::async and not side_by_side(): inside side_by_side(), each parallel part of loading would create an arena
  // of oneTBB threads.
  std::future<std::vector<PrivateContent>> private_parts;
  if (options.threads > 1) private_parts = std::async(find_private_content, traces, options);
  LoadOptions inspecting = options;
  inspecting.inspect = [&result](const ReadInputs& read) { count_inputs(read, result); };
  try {
    result.capture = load_with_details(traces, inspecting).capture;
    result.diagnostics = result.capture->diagnostics;
  } catch (const InputError& error) {
    if (error.where().file == job_file) throw;
    result.problem = error.what();
  } catch (const CycleError& error) {
    result.problem = error.what();
  }
  if (!result.capture && result.contents.sources.empty()) count_one_by_one(traces, options, result);
  result.contents.private_parts = private_parts.valid() ? private_parts.get() : find_private_content(traces, options);
  return result;
}

namespace {

std::optional<Rank> named_rank(const ReadInput& input) {
  for (const PartSink::Item& item : input.sink.parts) {
    const auto* const trace = std::get_if<HostDeviceTrace>(&item.part);
    if (trace != nullptr && trace->rank && *trace->rank <= std::numeric_limits<Rank>::max())
      return static_cast<Rank>(*trace->rank);
  }
  return std::nullopt;
}

}  // namespace

std::vector<RankFile> ranks_of_files(const std::vector<std::string>& traces, const LoadOptions& options) {
  const ReadInputs read = read_inputs(discover(traces).files, options);
  std::set<Rank> claimed;
  for (const ReadInput& input : read.inputs) {
    if (const auto rank = named_rank(input)) claimed.insert(*rank);
  }
  std::vector<RankFile> files;
  Rank next = 0;
  for (const ReadInput& input : read.inputs) {
    const std::optional<Rank> named = named_rank(input);
    while (!named && claimed.contains(next)) ++next;
    files.push_back({input.name, named ? *named : next++});
  }
  return files;
}

}  // namespace stepsim::ingest
