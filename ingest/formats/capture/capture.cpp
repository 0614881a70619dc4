#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ingest/formats/capture/nccl.h"
#include "ingest/formats/capture/records.h"
#include "ingest/formats/cupti_names.h"
#include "ingest/formats/format.h"
#include "ingest/parts/host_device_builder.h"
#include "ingest/parts/part.h"
#include "ingest/parts/step_name.h"
#include "model/base/error.h"
#include "model/base/known_diagnostics.h"
#include "model/base/limits.h"
#include "model/base/number.h"
#include "model/base/text.h"
#include "model/job/kernel_class.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

using wire::Kind;
using wire::Record;

/// Converts a memory kind from CUPTI's numbers (1 and up, 0 = unknown) to those of Nsight Systems and names.h (0 and
/// up, 7 = unknown).
std::int64_t memory_kind(std::uint32_t kind) noexcept { return kind == 0 ? 7 : static_cast<std::int64_t>(kind) - 1; }

Bytes size_of(const Record& record) noexcept {
  return is_size(record.a) ? Bytes{static_cast<std::int64_t>(record.a)} : Bytes{};
}

std::int64_t stream_of(const Record& record) noexcept {
  return record.stream == Record::kNoStream ? -1 : static_cast<std::int64_t>(record.stream);
}

std::int32_t device_of(const Record& record) noexcept {
  return record.device == Record::kNoDevice ? -1 : static_cast<std::int32_t>(record.device);
}

std::int64_t correlation_of(const Record& record) noexcept {
  return record.correlation == 0 ? -1 : static_cast<std::int64_t>(record.correlation);
}

RecordedTime time_of(const Record& record) {
  return {Time{Duration{static_cast<std::int64_t>(record.start)}},
          Duration{static_cast<std::int64_t>(record.duration)}};
}

constexpr std::size_t kLongestReason = 1000;

class TraceMaker {
 public:
  TraceMaker(const CaptureRecords& records, const std::string& file, PartSink& sink)
      : records_(records), windows_(records.events), file_(file), sink_(sink) {
    process_ = session("pid");
    for (const Record& record : records.events) {
      if (record.kind == Kind::kCall) {
        call_starts_.try_emplace(record.correlation, record.start);
        call_threads_.try_emplace(record.correlation, record.stream);
      }
      if (record.kind != Kind::kEventRecord) continue;
      if (record.a != 0) event_records_.insert_or_assign(record.a, &record);
      records_of_event_[{record.which, record.b}].push_back(&record);
    }
    for (auto& [event, of_event] : records_of_event_) {
      std::stable_sort(of_event.begin(), of_event.end(),
                       [this](const Record* a, const Record* b) { return call_start(*a) < call_start(*b); });
    }
  }

  HostDeviceTrace make() && {
    for (const Record& record : records_.events) {
      if (is_wanted(record)) add(record);
    }
    if (!open_ranges_.empty())
      sink_.diagnostics.count(diagnostic("open_range"), {file_, {}, {}}, {}, open_ranges_.size());
    refuse_if_empty();
    add_default_stream_waits();
    add_steps();
    return finish();
  }

 private:
  /// Throws if the capture contains no events other than step marks. Step marks alone give a replay nothing to run.
  void refuse_if_empty() const {
    if (builder_.trace().size() > 0) return;
    const auto fail = [this](const std::string& why) { throw InputError({file_, {}, {}}, why); };
    if (!records_.reason.empty()) fail(fmt::format("nothing was recorded: {}", shown(records_.reason, kLongestReason)));
    if (windows_.steps().empty() && !session("waits_for_steps").empty())
      fail("no step of the schedule was marked, so nothing was recorded; expected a program that marks its steps");
    fail("the capture has no call, no device work and no range; expected a capture of a program that uses CUDA");
  }

  [[nodiscard]] std::string session(const std::string& key) const {
    const auto found = records_.session.find(key);
    return found == records_.session.end() ? std::string{} : found->second;
  }
  [[nodiscard]] std::optional<std::int64_t> session_number(const std::string& key) const {
    constexpr std::int64_t kMost = 1'000'000;
    const auto number = parse_number<std::int64_t>(session(key));
    return number && *number >= 0 && *number <= kMost ? number : std::nullopt;
  }

  [[nodiscard]] TrackId thread(std::uint32_t number) {
    return builder_.thread(process_, std::to_string(static_cast<std::int32_t>(number)));
  }

  /// True if the record belongs to the active steps. Device work belongs to the step of the call that started it.
  [[nodiscard]] bool is_wanted(const Record& record) const {
    if (record.kind == Kind::kRangeEnd) return true;
    const auto call = call_starts_.find(record.correlation);
    const bool of_call = record.kind != Kind::kCall && record.correlation != 0 && call != call_starts_.end();
    return windows_.contains(of_call ? call->second : record.start);
  }

  void add(const Record& record) {
    switch (record.kind) {
      case Kind::kCall:
        calls_.emplace_back(record.correlation, builder_.trace().size());
        builder_.add(EventKind::kRuntimeCall, call_name(name_of(record, "call without a name")), thread(record.stream),
                     time_of(record), correlation_of(record));
        return;
      case Kind::kKernel: return add_kernel(record);
      case Kind::kMemcpy: return add_copy(record);
      case Kind::kMemset: add_transfer(record, EventKind::kMemset, memset_name(memory_kind(record.which))); return;
      case Kind::kSync: return add_sync(record);
      case Kind::kRangeBegin: open_ranges_.insert_or_assign(record.a, &record); return;
      case Kind::kRangeEnd: return end_range(record);
      case Kind::kRangeMark:
        builder_.add(EventKind::kAnnotation, name_of(record, "mark without a name"), thread(record.stream),
                     time_of(record));
        return;
      case Kind::kOverhead:
        return builder_.add_overhead(name_of(record, "Other"), time_of(record), is_full_queue(name_of(record, {})));
      case Kind::kExternal: return not_used("external correlations");
      default: return;
    }
  }

  [[nodiscard]] std::string_view name_of(const Record& record, std::string_view otherwise) const {
    const std::string_view name = records_.text(record.which);
    return name.empty() ? otherwise : name;
  }

  void not_used(std::string_view what) {
    sink_.diagnostics.count_about(diagnostic("not used:"), what, {file_, {}, {}}, {}, 1);
  }

  void add_kernel(const Record& record) {
    const bool whole_graph = record.detail == 1;
    const std::string graph = whole_graph ? fmt::format("CUDA graph {}", record.a >> 32U) : std::string{};
    const std::uint32_t event = builder_.add(
        EventKind::kKernel, whole_graph ? std::string_view{graph} : name_of(record, "kernel without a name"),
        builder_.stream(device_of(record), stream_of(record)), time_of(record), correlation_of(record));
    if (communication_kernel(name_of(record, {}))) add_communication(record, event);
    const auto launch = static_cast<std::uint32_t>(record.a);
    if (launch != 0 && records_.launches[launch - 1]) builder_.set_launch(event, *records_.launches[launch - 1]);
    if (whole_graph) sink_.diagnostics.count(diagnostic("whole_graphs"), {file_, {}, {}}, graph);
  }

  void add_communication(const Record& record, std::uint32_t event) {
    const auto call = call_threads_.find(record.correlation);
    if (record.correlation == 0 || call == call_threads_.end()) return;
    communication_.push_back({event, call->second, call_start(record)});
  }

  void add_copy(const Record& record) {
    const std::int64_t from = memory_kind(record.which & 0xFFU);
    const std::int64_t to = memory_kind(record.which >> 8U & 0xFFU);
    EventDetail& detail = add_transfer(record, EventKind::kMemcpy, copy_name(record.detail, from, to));
    detail.from = memory_of(from);
    detail.to = memory_of(to);
  }

  EventDetail& add_transfer(const Record& record, EventKind kind, std::string_view name) {
    const TrackId track = builder_.stream(device_of(record), stream_of(record));
    EventDetail& detail = builder_.detail(builder_.add(kind, name, track, time_of(record), correlation_of(record)));
    detail.bytes = size_of(record);
    return detail;
  }

  void add_sync(const Record& record) {
    const SyncKind kind = sync_kind(std::int64_t{record.detail});
    if (kind == SyncKind::kNone) return not_used("waits of unknown kinds");
    const Record* waited_for = nullptr;
    if (kind == SyncKind::kEvent || kind == SyncKind::kStreamWait) {
      waited_for = awaited_by(record);
      if (waited_for == nullptr) return sink_.diagnostics.count(diagnostic("event_not_recorded"), {file_, {}, {}});
    }
    const auto context = records_.device_of_context.find(record.b);
    const std::int32_t device = context == records_.device_of_context.end() ? device_of(record) : context->second;
    RecordedTime time = time_of(record);
    if (record.start == 0) time.start = Time{Duration{static_cast<std::int64_t>(call_start(record))}};
    EventDetail& detail = builder_.detail(builder_.add(
        EventKind::kSync, sync_name(kind), builder_.stream(device, stream_of(record)), time, correlation_of(record)));
    detail.sync = kind;
    detail.stream = stream_of(record);
    if (waited_for == nullptr) return;
    detail.wait_stream = stream_of(*waited_for);
    detail.wait_correlation = correlation_of(*waited_for);
  }

  struct Launched {
    std::uint64_t called = 0;
    const Record* work = nullptr;
    bool on_default = false;
  };

  /// Returns the work on the default stream and on blocking streams, in the order of launches.
  [[nodiscard]] std::vector<Launched> work_in_default_order() const {
    std::map<std::pair<std::int32_t, std::uint32_t>, bool> is_default;  // by device and stream
    for (const auto& [key, kind] : records_.streams) {
      const auto device = records_.device_of_context.find(key.first);
      const bool ordered = kind == wire::StreamKind::kBlocking || kind == wire::StreamKind::kDefault;
      if (ordered && device != records_.device_of_context.end())
        is_default[{device->second, key.second}] = kind == wire::StreamKind::kDefault;
    }
    std::vector<Launched> launched;
    for (const Record& record : records_.events) {
      if (record.kind != Kind::kKernel && record.kind != Kind::kMemcpy && record.kind != Kind::kMemset) continue;
      const auto stream = is_default.find({device_of(record), record.stream});
      const std::uint64_t called = call_start(record);
      if (stream != is_default.end() && called > 0 && windows_.contains(called))
        launched.push_back({called, &record, stream->second});
    }
    std::stable_sort(launched.begin(), launched.end(),
                     [](const Launched& a, const Launched& b) { return a.called < b.called; });
    return launched;
  }

  /// Adds the waits that the legacy default stream implies: its work waits for all earlier work on blocking streams of
  /// the device, and later work on them waits for it. Source: "Stream synchronization behavior" in the CUDA Runtime API
  /// reference. If no waits were recorded, none are added, because the stitcher would then infer no others.
  void add_default_stream_waits() {
    struct Order {
      const Record* last_default = nullptr;
      std::map<std::uint32_t, const Record*> last_on;  ///< by blocking stream, since last_default
    };
    const bool has_waits = std::any_of(records_.events.begin(), records_.events.end(),
                                       [](const Record& record) { return record.kind == Kind::kSync; });
    if (!has_waits || records_.streams.empty()) return;
    std::map<std::int32_t, Order> orders;  // by device
    for (const Launched& one : work_in_default_order()) {
      Order& order = orders[device_of(*one.work)];
      if (one.on_default) {
        for (const auto& [stream, before] : order.last_on) add_default_stream_wait(*before, one);
        order.last_on.clear();
        order.last_default = one.work;
      } else {
        const bool first = order.last_on.insert_or_assign(one.work->stream, one.work).second;
        if (first && order.last_default != nullptr) add_default_stream_wait(*order.last_default, one);
      }
    }
  }

  /// The launch of `after` takes the place of the calls that record an event and wait for it.
  void add_default_stream_wait(const Record& before, const Launched& after) {
    if (before.correlation == after.work->correlation) return;  // in one CUDA graph
    const TrackId track = builder_.stream(device_of(*after.work), stream_of(*after.work));
    const RecordedTime time{Time{Duration{static_cast<std::int64_t>(after.called)}}, Duration{}};
    EventDetail& detail = builder_.detail(
        builder_.add(EventKind::kSync, sync_name(SyncKind::kStreamWait), track, time, correlation_of(*after.work)));
    detail.sync = SyncKind::kStreamWait;
    detail.stream = stream_of(*after.work);
    detail.wait_stream = stream_of(before);
    detail.wait_correlation = correlation_of(*after.work);
  }

  [[nodiscard]] std::uint64_t call_start(const Record& record) const {
    const auto call = call_starts_.find(record.correlation);
    return call == call_starts_.end() ? 0 : call->second;
  }

  /// Returns the recording of a CUDA event (cudaEventRecord) that `wait` waits for, found by its id. CUDA before 12.8
  /// gives no id; then the function returns the last recording of the same event before the call that waits. CUPTI
  /// numbers the events of each context from 1, and a stream may wait for an event of another context: that one is
  /// found only if no third context has an event of this number. Null if there is none.
  [[nodiscard]] const Record* awaited_by(const Record& wait) const {
    if (wait.a != 0) {
      const auto found = event_records_.find(wait.a);
      return found == event_records_.end() ? nullptr : found->second;
    }
    auto of_event = records_of_event_.find({wait.which, wait.b});
    if (of_event == records_of_event_.end()) {
      of_event = records_of_event_.lower_bound({wait.which, 0});
      const auto next = of_event == records_of_event_.end() ? of_event : std::next(of_event);
      const auto is_same = [&](auto at) { return at != records_of_event_.end() && at->first.first == wait.which; };
      if (!is_same(of_event) || is_same(next)) return nullptr;
    }
    const auto behind =
        std::lower_bound(of_event->second.begin(), of_event->second.end(), call_start(wait),
                         [this](const Record* record, std::uint64_t called) { return call_start(*record) < called; });
    return behind == of_event->second.begin() ? nullptr : *std::prev(behind);
  }

  void end_range(const Record& record) {
    const auto open = open_ranges_.find(record.a);
    if (open == open_ranges_.end()) return;
    const Record& begin = *open->second;
    const std::string_view name = name_of(begin, "range without a name");
    const RecordedTime time{time_of(begin).start, time_of(record).start - time_of(begin).start};
    const TrackId track = thread(begin.stream);
    if (!operators_.add(name, track, time, builder_)) builder_.add(EventKind::kAnnotation, name, track, time);
    open_ranges_.erase(open);
  }

  void add_steps() {
    for (const CaptureWindows::Step& step : windows_.steps()) {
      if (step.end != CaptureWindows::kOpen) mark(step.number, step.begin, step.end, thread(step.thread));
    }
    if (windows_.steps().empty() && !has_step_ranges()) find_steps();
  }

  /// True if the program named a range like a step.
  [[nodiscard]] bool has_step_ranges() const {
    const HostDeviceTrace& trace = builder_.trace();
    for (std::uint32_t i = 0; i < trace.size(); ++i) {
      if (trace.kind[i] == EventKind::kAnnotation && step_name(builder_.name_of(i))) return true;
    }
    return false;
  }

  void mark(std::uint64_t number, std::uint64_t begin, std::uint64_t end, TrackId track) {
    builder_.add_step(builder_.add(EventKind::kAnnotation, fmt::format("{}{}", kStepMark, number), track,
                                   {Time{Duration{static_cast<std::int64_t>(begin)}},
                                    Duration{static_cast<std::int64_t>(end - begin)}}),
                      static_cast<std::int64_t>(number));
  }

  /// Derives steps from the repeating sequence of launches on the thread that launched most kernels. Each repetition is
  /// a step. Each launch of the sequence has a pause before it in every repetition. The launch with the largest sum of
  /// pauses begins a step, because the host fetches a batch or reads a loss between two steps.
  void find_steps() {
    const HostDeviceTrace& trace = builder_.trace();
    std::unordered_map<std::int64_t, std::uint32_t> kernel_of;  // kernel name by correlation id
    for (std::uint32_t i = 0; i < trace.size(); ++i) {
      if (trace.kind[i] == EventKind::kKernel) kernel_of.try_emplace(trace.correlation[i], trace.name[i].value());
    }
    std::map<TrackId, std::vector<std::uint32_t>> launches;  // calls, in order of time
    for (const auto& [correlation, event] : calls_) {
      if (kernel_of.contains(correlation)) launches[trace.track[event]].push_back(static_cast<std::uint32_t>(event));
    }
    const auto most = std::max_element(launches.begin(), launches.end(),
                                       [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    if (most == launches.end()) return;
    const std::vector<std::uint32_t>& calls = most->second;
    std::vector<std::uint32_t> names;
    names.reserve(calls.size());
    for (const std::uint32_t call : calls) names.push_back(kernel_of.at(trace.correlation[call]));
    const std::optional<Repetition> found = repetition_of(names);
    if (!found) return sink_.diagnostics.count(diagnostic("no_steps_marked"), {file_, {}, {}});
    mark_rounds(calls, *found, most->first);
  }

  void mark_rounds(const std::vector<std::uint32_t>& calls, const Repetition& found, TrackId track) {
    const HostDeviceTrace& trace = builder_.trace();
    const auto begin_of = [&](std::size_t i) {
      return static_cast<std::uint64_t>(trace.start[calls[i]].time_since_epoch().count());
    };
    const auto rest_before = [&](std::size_t i) {
      const std::uint64_t end = begin_of(i - 1) + static_cast<std::uint64_t>(trace.duration[calls[i - 1]].count());
      return begin_of(i) - std::min(begin_of(i), end);
    };
    std::vector<double> rests(found.period, 0.0);
    for (std::size_t i = std::max<std::size_t>(found.first, 1); i < calls.size(); ++i)
      rests[(i - found.first) % found.period] += static_cast<double>(rest_before(i));
    const auto longest = static_cast<std::size_t>(std::max_element(rests.begin(), rests.end()) - rests.begin());
    std::vector<std::uint64_t> begins;
    for (std::size_t i = found.first + longest; i < calls.size(); i += found.period) begins.push_back(begin_of(i));
    for (std::size_t i = 0; i + 1 < begins.size(); ++i) mark(i, begins[i], begins[i + 1], track);
    sink_.diagnostics.count(diagnostic("steps_from_launches"), {file_, {}, {}},
                            fmt::format("every {} launches", found.period), begins.size() - 1);
  }

  HostDeviceTrace finish() {
    NcclUses nccl_uses = describe_by_nccl(
        records_, std::move(communication_), [this](std::uint64_t time) { return windows_.contains(time); }, builder_,
        file_, sink_);
    const std::optional<std::int32_t> device = busiest_device(builder_.trace());
    HostDeviceTrace trace = std::move(builder_).take();
    trace.operators = std::move(operators_).take();
    trace.transports = std::move(nccl_uses.transports);
    trace.rank = session_number("rank");
    trace.world_size = session_number("world");
    if (!trace.rank) use_rank_in_communicator(trace);
    trace.host_name = session("host");
    trace.has_base_time = true;
    if (const auto known = records_.devices.find(device.value_or(-1)); known != records_.devices.end()) {
      trace.device_name = known->second.name;
      if (known->second.memory > 0 && is_size(known->second.memory))
        trace.device_memory = static_cast<std::int64_t>(known->second.memory);
    }
    const bool nccl = std::any_of(trace.texts.begin(), trace.texts.end(),
                                  [](const std::string& text) { return communication_kernel(text).has_value(); });
    if (nccl) trace.backend = "nccl";
    return trace;
  }

  /// If no launcher stated the rank, uses the rank in the largest communicator.
  void use_rank_in_communicator(HostDeviceTrace& trace) const {
    const NcclCommunicator* largest = nullptr;
    for (const auto& [number, known] : records_.communicators) {
      const bool told = known.rank >= 0 && known.rank < known.size;
      if (told && (largest == nullptr || known.size > largest->size)) largest = &known;
    }
    if (largest == nullptr) return;
    trace.rank = largest->rank;
    if (!trace.world_size) trace.world_size = largest->size;
  }

  const CaptureRecords& records_;
  CaptureWindows windows_;
  const std::string& file_;
  PartSink& sink_;
  std::string process_;
  HostDeviceBuilder builder_;
  NvtxOperators operators_;
  std::unordered_map<std::uint32_t, std::uint64_t> call_starts_;   // start of each call by correlation id
  std::unordered_map<std::uint32_t, std::uint32_t> call_threads_;  // thread of each call by correlation id
  std::vector<LaunchedKernel> communication_;
  std::unordered_map<std::uint64_t, const Record*> event_records_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<const Record*>> records_of_event_;  // (event, context)
  std::unordered_map<std::uint64_t, const Record*> open_ranges_;
  std::vector<std::pair<std::int64_t, std::size_t>> calls_;  // (correlation id, event), in order of time
};

/// Returns the host and device events of a capture in the same form as Kineto's reader: the active steps of its
/// schedule, with a mark ProfilerStep#N around each. Device work belongs to the step in which it was launched. A wait
/// for a CUDA event is joined to the recording of that event that has the same id. Without marks, steps are derived
/// from repeating kernel launches (repetition_of()). Messages call the capture `file`.
HostDeviceTrace host_device_trace(const CaptureRecords& records, const std::string& file, PartSink& sink) {
  return TraceMaker(records, file, sink).make();
}

constexpr Sign kCaptureSigns[]{
    {.sure = 95, .begins = {wire::BlockHeader::kMagic.data(), wire::BlockHeader::kMagic.size()}}};

void read_capture(Input& input, PartSink& sink) {
  const CaptureRecords records = read_capture_records(input.stream(), sink);
  sink.add(host_device_trace(records, input.name(), sink));
}

}  // namespace

extern const Format capture_format{
    .name = "capture",
    .summary = "stepsim capture: calls, kernels, copies, waits, NVTX ranges and steps of one process",
    .recognise = kCaptureSigns,
    .read = read_capture,
};

}  // namespace stepsim::ingest
