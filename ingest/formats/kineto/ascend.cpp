#include "ingest/formats/kineto/ascend.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "ingest/json/json_values.h"
#include "ingest/parts/element_types.h"
#include "model/base/limits.h"
#include "model/base/text.h"
#include "model/job/collective.h"

namespace stepsim::ingest {
namespace {

constexpr std::string_view kCollectivePrefix = "hcom_";
constexpr std::string_view kOfOperators = "async_npu";  // category of flows from operators

/// Returns a member of args as text; empty if it is absent.
std::string argument(const ChromeEvent& event, std::string_view wanted) {
  std::string found;
  event.for_each_argument([&](std::string_view key, std::string_view value) {
    if (key == wanted) found = as_text(value);
  });
  return found;
}

/// Returns the call of a thread that is running at `time`; if there are several, the one that began last;
/// `trace.size()` if there is none.
std::size_t running_at(const HostDeviceTrace& trace, const std::vector<std::uint32_t>& calls, Time time) {
  constexpr int kDeepest = 32;
  auto at = std::upper_bound(calls.begin(), calls.end(), time,
                             [&](Time t, std::uint32_t call) { return t < trace.start[call]; });
  for (int depth = 0; at != calls.begin() && depth < kDeepest; ++depth) {
    --at;
    if (time <= trace.start[*at] + trace.duration[*at]) return *at;
  }
  return trace.size();
}

/// The operators of a trace by the place where they begin, and what was enqueued in them.
class Operators {
 public:
  using Place = std::tuple<std::string, std::string, std::int64_t>;  ///< process, thread, time in ns

  explicit Operators(const HostDeviceTrace& trace) : trace_(trace) {
    for (std::uint32_t event = 0; event < trace.size(); ++event) {
      if (trace.kind[event] != EventKind::kOp) continue;
      const auto [known, is_new] = at_.try_emplace(place_of(event), event);
      if (!is_new && trace.duration[known->second] < trace.duration[event]) known->second = event;
    }
  }

  void add_enqueued(std::uint32_t event) { enqueued_.emplace(place_of(event), event); }
  /// Returns the first event that was enqueued in the operator that begins at `place`, if there is one.
  [[nodiscard]] std::optional<std::uint32_t> enqueued_in(const Place& place) const {
    const auto op = at_.find(place);
    const auto found = enqueued_.lower_bound(place);
    if (op == at_.end() || found == enqueued_.end()) return std::nullopt;
    const auto& [process, thread, time] = found->first;
    const bool same_thread = process == std::get<0>(place) && thread == std::get<1>(place);
    const Time end = trace_.start[op->second] + trace_.duration[op->second];
    return same_thread && Time{Duration{time}} < end ? std::optional{found->second} : std::nullopt;
  }

 private:
  [[nodiscard]] Place place_of(std::uint32_t event) const {
    const Track& track = trace_.tracks[trace_.track[event].index()];
    return {track.process, track.thread, trace_.start[event].time_since_epoch().count()};
  }

  const HostDeviceTrace& trace_;
  std::map<Place, std::uint32_t> at_;
  std::map<Place, std::uint32_t> enqueued_;
};

}  // namespace

void AscendParts::note_process(std::string_view process, std::string_view name) {
  Layer layer = Layer::kNone;
  if (name == "CANN") layer = Layer::kCann;
  if (name == "Ascend Hardware") layer = Layer::kHardware;
  if (name == "HCCL" || name == "Communication") layer = Layer::kCommunication;
  if (name == "Overlap Analysis") layer = Layer::kDerived;
  if (layer != Layer::kNone) layers_.insert_or_assign(std::string{process}, layer);
}

AscendParts::Layer AscendParts::layer_of(std::string_view process) const {
  if (layers_.empty()) return Layer::kNone;
  const auto found = layers_.find(process);
  return found == layers_.end() ? Layer::kNone : found->second;
}

bool AscendParts::is_flow(const ChromeEvent& event) {
  return (event.category == "HostToDevice" || event.category == kOfOperators) &&
         (event.phase == "s" || event.phase == "f");
}

void AscendParts::add_flow(const ChromeEvent& flow) {
  if (!flow.start_ns) return;
  if (flow.category == kOfOperators) {
    auto& ends = flow.phase == "s" ? operators_ : work_of_operators_;
    ends.try_emplace(std::string{flow.id}, flow.process, flow.thread, *flow.start_ns);
  } else if (flow.phase == "s") {
    launched_.try_emplace(std::string{flow.name}, flow.thread, *flow.start_ns);
  } else {
    began_.try_emplace(std::string{flow.name}, flow.process, flow.thread, *flow.start_ns);
  }
}

void AscendParts::note_work(const ChromeEvent& work, std::uint32_t event) {
  work_.try_emplace(Place{work.process, work.thread, work.start_ns.value_or(0)}, event);
}

void AscendParts::note_queued(const ChromeEvent& operation, std::uint32_t event, bool taken) {
  std::string number = argument(operation, "correlation_id");
  if (number.empty()) return;
  if (taken) {
    taken_.emplace_back(std::move(number), event);
  } else {
    queued_.try_emplace(std::move(number), event);
  }
}

void AscendParts::join(HostDeviceTrace& trace) {
  for (auto& [thread, calls] : calls_) {
    std::stable_sort(calls.begin(), calls.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return trace.start[a] < trace.start[b]; });
  }
  std::int64_t next = 0;
  for (const auto& [flow, place] : began_) {
    const auto launch = launched_.find(flow);
    const auto work = work_.find(place);
    if (launch == launched_.end() || work == work_.end()) continue;
    const auto& [thread, time] = launch->second;
    const std::size_t call = running_at(trace, calls_[thread], Time{Duration{time}});
    if (call == trace.size()) continue;
    if (trace.correlation[call] < 0) trace.correlation.set(call, next++);
    trace.correlation.set(work->second, trace.correlation[call]);
  }
  for (const auto& [number, event] : taken_) {
    const auto from = queued_.find(number);
    if (from != queued_.end()) trace.hand_overs.push_back({from->second, event});
  }
  join_operators(trace, next);
}

/// Joins operators and work that no call of CANN joins. `next` is a correlation id that is still free. Precondition:
/// trace.hand_overs are complete.
void AscendParts::join_operators(HostDeviceTrace& trace, std::int64_t next) const {
  if (work_of_operators_.empty()) return;
  Operators operators(trace);
  for (const auto& [number, event] : queued_) operators.add_enqueued(event);
  std::map<std::uint32_t, std::uint32_t> taken_as;
  for (const TraceTables::HandOver& one : trace.hand_overs) taken_as.emplace(one.from, one.to);
  for (const auto& [flow, place] : work_of_operators_) {
    const auto from = operators_.find(flow);
    const auto work = work_.find(place);
    if (from == operators_.end() || work == work_.end() || trace.correlation[work->second] >= 0) continue;
    const std::optional<std::uint32_t> enqueued = operators.enqueued_in(from->second);
    if (!enqueued) continue;
    const auto taken = taken_as.find(*enqueued);
    const std::uint32_t call = taken == taken_as.end() ? *enqueued : taken->second;
    trace.kind[call] = EventKind::kRuntimeCall;
    if (trace.correlation[call] < 0) trace.correlation.set(call, next++);
    trace.correlation.set(work->second, trace.correlation[call]);
  }
}

std::optional<EventKind> ascend_work(AscendParts::Layer layer, const ChromeEvent& event) {
  if (layer == AscendParts::Layer::kCommunication)
    return event.name.starts_with(kCollectivePrefix) ? std::optional{EventKind::kKernel} : std::nullopt;
  const std::string type = argument(event, "Task Type");
  if (type == "PCIE_DMA_SQE" || type == "SDMA_SQE") return EventKind::kMemcpy;
  // These are parts of collectives, and waits and signals between streams.
  if (starts_with_any(type, {"EVENT_", "NOTIFY", "Notify", "PLACE_HOLDER", "Write Value", "WRITE_VALUE", "SDMA", "RDMA",
                             "CAPTURE"}))
    return std::nullopt;
  return event.name.starts_with("PROFILING_") ? std::nullopt : std::optional{EventKind::kKernel};
}

AscendCollective ascend_collective(const ChromeEvent& event) {
  AscendCollective collective;
  std::string_view rest = event.name.substr(kCollectivePrefix.size());
  const std::string_view operation = rest.substr(0, rest.find('_'));
  collective.operation = lower_case(operation);
  if (collective.operation == "receive") collective.operation = "recv";
  rest.remove_prefix(operation.size());
  rest.remove_prefix(std::min(rest.find_first_not_of('_'), rest.size()));
  const std::size_t bar = rest.find('_');
  collective.group = std::string{rest.substr(0, bar)};
  if (bar != std::string_view::npos) {
    const std::string_view number = rest.substr(bar + 1);
    collective.sequence = as_integer(number.substr(0, number.find('_'))).value_or(-1);
  }
  const ElementType* const type = find_element_type(argument(event, "data_type"));
  // For an all-gather and a reduce-scatter, HCCL counts only one rank's part.
  const NamedOperation* const known = find_operation(collective.operation);
  const bool whole =
      known == nullptr || (known->op != CollectiveOp::kAllGather && known->op != CollectiveOp::kReduceScatter);
  if (type != nullptr && whole) {
    collective.dtype = type->name;
    collective.elements = std::max<std::int64_t>(0, as_integer(argument(event, "count")).value_or(0));
    if (collective.elements <= kMostRecordedBytes / type->bytes) collective.bytes = collective.elements * type->bytes;
  }
  return collective;
}

}  // namespace stepsim::ingest
