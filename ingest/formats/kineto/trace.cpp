#include "ingest/formats/kineto/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "ingest/formats/chrome_spans.h"
#include "ingest/formats/cupti_names.h"
#include "ingest/formats/kineto/arguments.h"
#include "ingest/json/json_values.h"
#include "ingest/parts/busy_time.h"
#include "ingest/parts/collective_calls.h"
#include "ingest/parts/element_types.h"
#include "ingest/parts/step_name.h"
#include "model/base/error.h"
#include "model/base/known_diagnostics.h"
#include "model/base/limits.h"
#include "model/base/number.h"
#include "model/base/text.h"
#include "model/job/collective.h"
#include "model/job/task_names.h"
#include "model/job/task_tables.h"

namespace stepsim::ingest {
namespace {

/// The largest accepted "External id"; larger ones are ignored as corrupt.
constexpr std::int64_t kLargestExternalId = std::int64_t{1} << 50;

constexpr std::int64_t kFewestMissing = 100;

/// True for calls that launch kernels, copies or memsets: "hipExtModuleLaunchKernel".
bool launches_work(std::string_view call) {
  return call.find("Launch") != std::string_view::npos || call.find("Memcpy") != std::string_view::npos ||
         call.find("Memset") != std::string_view::npos;
}

/// PyTorch gives each thread its "External id" numbers in blocks of this size. Later versions use blocks of 1024, which
/// count as two blocks here.
constexpr std::int64_t kBlock = 512;

}  // namespace

void RecordedShare::add(const ChromeEvent& op) {
  const auto found = std::find_if(op.argument_list.begin(), op.argument_list.end(), [](const ChromeArgument& argument) {
    return argument.key.size() == 11 && argument.key == "External id";
  });
  if (found == op.argument_list.end()) return;
  const std::int64_t number = as_integer(found->value).value_or(0);
  if (number <= 0 || number > kLargestExternalId) return;
  first_ = recorded_ == 0 ? number : std::min(first_, number);
  last_ = std::max(last_, number);
  const auto [block, is_new] = blocks_.try_emplace((number - 1) / kBlock, Numbers{number, number});
  if (!is_new) {
    block->second.first = std::min(block->second.first, number);
    block->second.last = std::max(block->second.last, number);
  }
  ++recorded_;
}

std::optional<std::int64_t> RecordedShare::one_in() const noexcept {
  if (recorded_ == 0) return std::nullopt;
  // Sums the distances between recorded numbers within each block. If they are small, the missing numbers are only the
  // unused ends of blocks.
  std::int64_t within = 0;
  for (const auto& [block, seen] : blocks_) within += seen.last - seen.first;
  if (within <= 2 * (recorded_ - static_cast<std::int64_t>(blocks_.size()))) return std::nullopt;
  const std::int64_t numbers = last_ - first_ + 1;
  if (numbers - recorded_ < kFewestMissing || numbers <= 2 * recorded_) return std::nullopt;
  return (numbers + recorded_ / 2) / recorded_;
}

namespace {

/// An unknown category causes a warning if its events cover at least this share of the time from the first to the last
/// event of the trace.
constexpr double kWorthAWarning = 0.01;

/// True for host operators whose arguments give the size of a message or of a gradient.
bool has_size_arguments(std::string_view name) {
  if (name.empty()) return false;
  switch (name.front()) {
    case 'r': return name == "record_param_comms";
    case 'n': return name.starts_with("nccl:");
    case 'g': return name.starts_with("gloo:");
    case 'c': return name.starts_with("c10d::");
    case 't': return name == "torch::autograd::AccumulateGrad";
    default: return starts_with_any(name, {"mpi:", "ucc:", "xccl:", "hccl:", "rccl:"});
  }
}

/// Parses "7", and "stream 7" as written in 2021.
std::int64_t number_at_end(std::string_view text) {
  const std::size_t blank = text.find_last_not_of("0123456789");
  std::string_view digits = blank == std::string_view::npos ? text : text.substr(blank + 1);
  if (blank == 0 && text.front() == '-') digits = text;
  return parse_number<std::int64_t>(digits).value_or(-1);
}

std::int32_t as_device(std::int64_t number) {
  return number < 0 || number > std::numeric_limits<std::int32_t>::max() ? -1 : static_cast<std::int32_t>(number);
}

bool is_on_device(EventKind kind) {
  return is_device_work(kind) || kind == EventKind::kSync || kind == EventKind::kDeviceAnnotation;
}

std::string_view phase_name(std::string_view phase) {
  if (phase == "s" || phase == "t" || phase == "f") return "flow";
  if (phase == "i" || phase == "I" || phase == "R") return "instant";
  if (phase == "C") return "counter";
  return "other phase";
}

}  // namespace

void KinetoTrace::add(const ChromeEvent& event) {
  if (event.phase == "X") {
    add_complete(event);
  } else if (event.phase == "M") {
    add_metadata(event);
  } else if (AscendParts::is_flow(event)) {
    ascend_.add_flow(event);
  } else {
    if (event.name == "[memory]") note_memory(event);
    leave_out(phase_name(event.phase));
  }
}

void KinetoTrace::add_complete(const ChromeEvent& event) {
  if (const AscendParts::Layer layer = ascend_.layer_of(event.process); layer != AscendParts::Layer::kNone)
    return add_ascend(event, layer);
  const KinetoCategory* const category = find_kineto_category(event.category);
  if (category == nullptr && event.category.empty()) {
    held_back_.push_back({std::string{event.name}, std::string{event.process}, std::string{event.thread},
                          std::string{event.arguments}, event.start_ns, event.duration_ns, event.has_duration,
                          event.offset});
    return;
  }
  if (category == nullptr) return note_unknown(event);
  if (!category->used) {
    if (category->name == "python_function") note_python(event);
    if (category->name == "overhead") return note_overhead(event);
    return leave_out(category->name);
  }
  EventKind kind = category->kind;
  const std::optional<std::int64_t> step = step_number(event.name);
  if (kind == EventKind::kOp && step) kind = EventKind::kAnnotation;
  if (!has_usable_time(event, is_device_work(kind), file_, sink_)) return;
  if (is_on_device(kind)) {
    const KinetoArguments arguments{event};
    const std::uint32_t number = append(event, kind, device_track(event, arguments), arguments.correlation);
    add_device_detail(number, arguments);
    if (kind == EventKind::kKernel) {
      if (const std::optional<KernelLaunch> launch = launch_of(arguments)) builder_.set_launch(number, *launch);
    }
    if (is_device_work(kind)) note_link(number, arguments);
  } else if (kind == EventKind::kRuntimeCall) {
    const KinetoArguments arguments{event};
    note_link(append(event, kind, host_track(event.process, event.thread), arguments.correlation), arguments);
  } else {
    const std::uint32_t number = append(event, kind, host_track(event.process, event.thread));
    add_host_detail(number, event);
    if (step) builder_.add_step(number, *step);
    if (kind == EventKind::kOp) {
      const auto which = operators_.number_of(event, builder_.trace().name.back());
      if (which) builder_.set_operator(number, *which);
      if (sink_.details) note_flops(number, event);
      recorded_share_.add(event);
    }
    if (category->name == "enqueue" || category->name == "dequeue")
      ascend_.note_queued(event, number, category->name == "dequeue");
  }
}

void KinetoTrace::note_overhead(const ChromeEvent& event) {
  if (!has_usable_time(event, false, file_, sink_)) return;
  const RecordedTime time = time_of(event);
  if (!in_time(time.start, time.length)) {
    return sink_.skip(diagnostic("time_out_of_range"), {file_, event.offset, {}}, event.name);
  }
  builder_.add_overhead(event.name, time, is_full_queue(event.name));
}

std::optional<HostDeviceTrace::ModuleCall> KinetoTrace::python_call(const ChromeEvent& event) {
  if (!event.start_ns) return std::nullopt;
  const Duration length{std::clamp<std::int64_t>(event.duration_ns.value_or(0), 0, kLongestEvent.count())};
  const Time begin{Duration{*event.start_ns}};
  if (!in_time(begin, length)) return std::nullopt;
  return HostDeviceTrace::ModuleCall{host_track(event.process, event.thread), builder_.text(event.name), begin, length};
}

void KinetoTrace::note_python(const ChromeEvent& event) {
  const bool module = event.name.starts_with(kModulePrefix);
  if (!module && !sink_.details) return;
  const auto call = python_call(event);
  if (!call) return;
  if (module) builder_.add_module(*call);
  if (sink_.details) builder_.add_python(*call);
}

void KinetoTrace::note_memory(const ChromeEvent& event) {
  if (!event.start_ns || !in_time(Time{Duration{*event.start_ns}})) return;
  HostDeviceTrace::MemoryEvent memory{.time = Time{Duration{*event.start_ns}},
                                      .track = host_track(event.process, event.thread)};
  const auto bytes = [](std::string_view value) {
    const std::int64_t number = as_integer(value).value_or(0);
    return Bytes{number < -kMostRecordedBytes || number > kMostRecordedBytes ? 0 : number};
  };
  event.for_each_argument([&](std::string_view key, std::string_view value) {
    switch (key.size()) {
      case 4:
        if (key == "Addr") memory.block = static_cast<std::uint64_t>(as_integer(value).value_or(0));
        break;
      case 5:
        if (key == "Bytes") memory.change = bytes(value);
        break;
      case 9:
        if (key == "Device Id") memory.device = as_device(as_integer(value).value_or(0));
        break;
      case 14:
        if (key == "Total Reserved") memory.reserved = bytes(value);
        break;
      case 15:
        if (key == "Total Allocated") memory.allocated = bytes(value);
        break;
      default: break;
    }
  });
  builder_.add_memory(memory);
}

void KinetoTrace::note_flops(std::uint32_t op, const ChromeEvent& event) {
  event.for_each_argument([&](std::string_view key, std::string_view value) {
    if (key != "flops") return;
    const std::int64_t flops = as_integer(value).value_or(0);
    if (flops > 0) builder_.set_flops(op, static_cast<double>(flops));
  });
}

void KinetoTrace::add_ascend(const ChromeEvent& event, AscendParts::Layer layer) {
  using enum AscendParts::Layer;
  if (layer == kDerived) return leave_out("Ascend's sums over other rows");
  if (layer == kCann) {
    if (!has_usable_time(event, false, file_, sink_)) return;
    // The file shows CANN's calls in a separate process. This moves the call to the same thread in the framework's
    // process, which contains the operator that made the call.
    const std::string_view process = host_process_.empty() ? event.process : std::string_view{host_process_};
    ChromeEvent call = event;
    call.name.remove_prefix(event.name.find('@') == std::string_view::npos ? 0 : event.name.find('@') + 1);
    const std::uint32_t number = append(call, EventKind::kRuntimeCall, host_track(process, event.thread));
    if (in_time(time_of(event).start, kLongestEvent)) ascend_.note_call(event.thread, number);
    return;
  }
  const std::optional<EventKind> kind = ascend_work(layer, event);
  if (!kind) return leave_out("Ascend's waits, and parts of collectives");
  if (!has_usable_time(event, true, file_, sink_)) return;
  KinetoArguments arguments{event};
  arguments.device = 0;
  constexpr std::int64_t kFirstGroup = 1000;  // streams of the NPU have smaller numbers
  if (layer == kCommunication) arguments.stream = kFirstGroup + number_at_end(event.thread);
  const std::uint32_t number = append(event, *kind, device_track(event, arguments));
  if (layer == kCommunication) add_collective(builder_.detail(number), ascend_collective(event));
  ascend_.note_work(event, number);
}

/// Adds the records without a category, which were kept until the names of all processes are known.
void KinetoTrace::add_held_back() {
  for (const HeldBack& held : held_back_) {
    ChromeEvent event;
    event.phase = "X";
    event.name = held.name;
    event.process = held.process;
    event.thread = held.thread;
    event.arguments = held.arguments;
    event.start_ns = held.start_ns;
    event.duration_ns = held.duration_ns;
    event.has_duration = held.has_duration;
    event.offset = held.offset;
    const AscendParts::Layer layer = ascend_.layer_of(event.process);
    if (layer == AscendParts::Layer::kNone) {
      note_unknown(event);
    } else {
      add_ascend(event, layer);
    }
  }
  held_back_.clear();
}

std::uint32_t KinetoTrace::append(const ChromeEvent& event, EventKind kind, TrackId track, std::int64_t correlation) {
  return builder_.add(kind, event.name, track, time_of(event), correlation);
}

void KinetoTrace::add_host_detail(std::uint32_t event, const ChromeEvent& record) {
  if (record.arguments.empty() || !has_size_arguments(record.name)) return;
  const KinetoArguments arguments{record};
  EventDetail& detail = builder_.detail(event);
  add_collective(detail, arguments);
  if (find_operation(as_text(arguments.collective)) != nullptr) note_link(event, arguments);
  if (record.name != "c10d::send" && record.name != "c10d::recv_") return;
  // The operator's third input is the peer's rank.
  ItemCursor inputs{arguments.concrete_inputs};
  std::string_view input;
  for (int i = 0; i < 3; ++i) {
    if (!inputs.next(input)) input = {};
  }
  detail.peer = as_device(as_integer(input).value_or(-1));
}

void KinetoTrace::add_device_detail(std::uint32_t event, const KinetoArguments& arguments) {
  const EventKind kind = builder_.trace().kind[event];
  if (kind == EventKind::kDeviceAnnotation || (kind == EventKind::kKernel && arguments.collective.empty())) return;
  EventDetail& detail = builder_.detail(event);
  if (kind == EventKind::kKernel) return add_collective(detail, arguments);
  detail.bytes = Bytes{arguments.bytes};
  if (kind == EventKind::kMemcpy) std::tie(detail.from, detail.to) = memory_kinds(builder_.name_of(event));
  if (kind != EventKind::kSync) return;
  detail.sync = sync_kind(builder_.name_of(event));
  detail.stream = arguments.stream.value_or(-1);
  detail.wait_stream = arguments.wait_stream;
  detail.wait_correlation = arguments.wait_correlation;
}

void KinetoTrace::add_collective(EventDetail& detail, const KinetoArguments& arguments) {
  const std::string collective = as_text(arguments.collective);
  const std::string ranks = as_text(arguments.group_ranks);
  const bool cut = ranks.find("...") != std::string::npos;
  const std::string group =
      ranks.empty() || (cut && !arguments.group_name.empty()) ? as_text(arguments.group_name) : ranks;
  DataSize size;
  size.elements = std::max(arguments.in_elements, arguments.out_elements);
  const std::string dtype = as_text(arguments.dtype);
  size.bytes = size.elements * element_size(dtype);
  if (arguments.collective.empty() || size.elements == 0) {
    if (const DataSize inputs = largest_input(arguments); inputs.elements > 0) size = inputs;
  }
  if (size.type_assumed) {
    sink_.diagnostics.count(diagnostic("element_type_assumed"));
  }
  detail.bytes = Bytes{size.bytes};
  detail.elements = size.elements;
  detail.sequence = arguments.sequence;
  if (!collective.empty()) detail.collective = builder_.text(collective);
  if (!group.empty()) detail.group = builder_.group(group);
  if (!dtype.empty()) detail.dtype = builder_.text(dtype);
  if (collective == "send") detail.peer = as_device(arguments.destination_rank);
  if (collective == "recv") detail.peer = as_device(arguments.source_rank);
}

void KinetoTrace::add_collective(EventDetail& detail, const AscendCollective& collective) {
  detail.bytes = Bytes{collective.bytes};
  detail.elements = collective.elements;
  detail.sequence = collective.sequence;
  detail.collective = builder_.text(collective.operation);
  if (!collective.group.empty()) detail.group = builder_.group(collective.group);
  if (!collective.dtype.empty()) detail.dtype = builder_.text(collective.dtype);
}

TrackId KinetoTrace::host_track(std::string_view process, std::string_view thread) {
  if (host_process_.empty()) host_process_ = process;
  return builder_.thread(process, thread);
}

TrackId KinetoTrace::device_track(const ChromeEvent& event, const KinetoArguments& arguments) {
  const std::int64_t device = arguments.device ? *arguments.device : number_at_end(event.process);
  const std::int64_t stream = arguments.stream ? *arguments.stream : number_at_end(event.thread);
  return builder_.stream(event.process, event.thread, as_device(device), stream);
}

void KinetoTrace::add_metadata(const ChromeEvent& event) {
  if (event.name == "process_name") {
    event.for_each_argument([&](std::string_view key, std::string_view value) {
      if (key == "name") ascend_.note_process(event.process, as_text(value));
    });
  }
  if (event.name != "thread_name") return;
  event.for_each_argument([&](std::string_view key, std::string_view value) {
    if (key == "name") thread_names_[{std::string{event.process}, std::string{event.thread}}] = as_text(value);
  });
}

void KinetoTrace::leave_out(std::string_view what) {
  const auto entry = left_out_.find(what);
  if (entry == left_out_.end()) {
    left_out_.emplace(what, 1);
  } else {
    ++entry->second;
  }
}

void KinetoTrace::report_left_out() {
  for (const auto& [what, count] : left_out_) {
    sink_.diagnostics.count_about(diagnostic("not used:"), what, {file_, {}, {}}, {}, count);
  }
}

void KinetoTrace::note_unknown(const ChromeEvent& event) {
  auto entry = unknown_.find(event.category);
  if (entry == unknown_.end()) entry = unknown_.emplace(event.category, BusyTime{}).first;
  const Time begin{Duration{event.start_ns.value_or(0)}};
  const Duration length{std::clamp<std::int64_t>(event.duration_ns.value_or(0), 0, kLongestEvent.count())};
  const bool has_time = event.start_ns && in_time(begin, length);
  entry->second.add(has_time ? begin : Time{}, has_time ? begin + length : Time{});
}

/// Reports unknown categories with considerable time, because they may be work that is missing from the replay.
void KinetoTrace::report_unknown() {
  Time first = Time::max();
  Time last = Time::min();
  const HostDeviceTrace& trace = builder_.trace();
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (!in_time(trace.start[i], trace.duration[i])) continue;
    first = std::min(first, trace.start[i]);
    last = std::max(last, trace.start[i] + trace.duration[i]);
  }
  for (auto& [category, busy] : unknown_) {
    const Duration length = busy.length();
    const double share =
        first < last ? static_cast<double>(length.count()) / static_cast<double>((last - first).count()) : 1;
    if (length == Duration{} || share < kWorthAWarning) {
      left_out_["other category"] += busy.count();
      continue;
    }
    const InputLocation file{file_, {}, {}};
    const std::string of_span = fmt::format("{:.0f} % of the span", 100 * std::min(1.0, share));
    if (category.empty()) {
      sink_.diagnostics.count(diagnostic("events without a category"), file, of_span, busy.count());
    } else {
      sink_.diagnostics.count_about(diagnostic("unknown category"), category, file, of_span, busy.count());
    }
  }
}

void KinetoTrace::report_sample() {
  const std::optional<std::int64_t> one_in = recorded_share_.one_in();
  if (!one_in) return;
  sink_.diagnostics.count(diagnostic("sampled_operators"), {file_, {}, {}},
                          fmt::format("one operator in {} is recorded", *one_in),
                          static_cast<std::uint64_t>(recorded_share_.recorded()));
}

void KinetoTrace::note_link(std::uint32_t event, const KinetoArguments& arguments) {
  has_correlations_ = has_correlations_ || arguments.correlation >= 0;
  const EventKind kind = builder_.trace().kind[event];
  const bool collective = kind == EventKind::kOp || kind == EventKind::kAnnotation;
  if (has_correlations_ && launched_.empty() && !collective) return;
  const std::int64_t id = as_integer(arguments.external_id).value_or(-1);
  if (id < 0) return;
  const auto of_operator =
      has_correlations_ && !collective ? launched_.find(id) : launched_.try_emplace(id, Launched{}).first;
  if (of_operator == launched_.end()) return;
  Launched& launched = of_operator->second;
  if (collective) {
    launched.collectives.push_back(event);
  } else if (kind != EventKind::kRuntimeCall) {
    launched.work.push_back(event);
  } else if (launches_work(builder_.name_of(event))) {
    launched.calls.push_back(event);
  }
}

/// An operator's calls and pieces of work belong together in their order, if there are as many; otherwise all have one
/// correlation.
void KinetoTrace::correlate_by_external_id() {
  if (has_correlations_) return;
  const std::vector<Time>& start = builder_.trace().start;
  std::int64_t next = 0;
  for (auto& [id, launched] : launched_) {
    if (launched.calls.empty()) continue;
    for (std::vector<std::uint32_t>* const events : {&launched.calls, &launched.work}) {
      std::stable_sort(events->begin(), events->end(),
                       [&](std::uint32_t a, std::uint32_t b) { return start[a] < start[b]; });
      const bool in_order = launched.calls.size() == launched.work.size();
      for (std::size_t i = 0; i < events->size(); ++i)
        builder_.set_correlation((*events)[i], next + (in_order ? static_cast<std::int64_t>(i) : 0));
    }
    next += static_cast<std::int64_t>(launched.calls.size());
  }
}

HostDeviceTrace KinetoTrace::finish(const TopMembers& members) && {
  add_held_back();
  report_unknown();
  report_sample();
  report_left_out();
  correlate_by_external_id();
  HostDeviceTrace trace = std::move(builder_).take();
  for (const auto& [id, launched] : launched_) {
    if (launched.collectives.size() != 1) continue;  // several in a file of several processes
    std::vector<LaunchedWork> work;
    for (const std::uint32_t event : launched.work) work.push_back({event});
    join_collective(launched.collectives.front(), work, trace);
  }
  for (Track& track : trace.tracks) {
    const auto name = thread_names_.find({track.process, track.thread});
    if (name != thread_names_.end()) track.name = name->second;
  }
  ascend_.join(trace);
  trace.operators = std::move(operators_).take();
  apply_members(trace, members, file_, sink_.diagnostics);
  return trace;
}

}  // namespace stepsim::ingest
