#include "ingest/formats/kineto/ascend.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>

#include "ingest/json/json_values.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr std::string_view kCollectivePrefix = "hcom_";

/// Returns a member of args as text; empty if it is absent.
std::string argument(const ChromeEvent& event, std::string_view wanted) {
  std::string found;
  event.for_each_argument([&](std::string_view key, std::string_view value) {
    if (key == wanted) found = as_text(value);
  });
  return found;
}

struct ElementType {
  std::string_view ascend;
  std::string_view c10;
  std::int64_t bytes = 0;
};

constexpr auto kElementTypes = std::to_array<ElementType>({{"FP32", "Float", 4},
                                                           {"FP16", "Half", 2},
                                                           {"BFP16", "BFloat16", 2},
                                                           {"BF16", "BFloat16", 2},
                                                           {"FP64", "Double", 8},
                                                           {"INT64", "Long", 8},
                                                           {"INT32", "Int", 4},
                                                           {"INT8", "Char", 1},
                                                           {"UINT8", "Byte", 1}});

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

void AscendParts::add_flow(const ChromeEvent& flow) {
  if (!flow.start_ns) return;
  if (flow.phase == "s") {
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
    if (from != queued_.end()) trace.hand_overs.emplace_back(from->second, event);
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
  const std::string type = argument(event, "data_type");
  const auto* const known =
      std::find_if(kElementTypes.begin(), kElementTypes.end(), [&](const ElementType& t) { return t.ascend == type; });
  // For an all-gather and a reduce-scatter, HCCL counts only one rank's part.
  const bool whole = collective.operation != "allgather" && collective.operation != "reducescatter";
  if (known != kElementTypes.end() && whole) {
    collective.dtype = known->c10;
    collective.elements = std::max<std::int64_t>(0, as_integer(argument(event, "count")).value_or(0));
    if (collective.elements <= std::numeric_limits<std::int64_t>::max() / known->bytes)
      collective.bytes = collective.elements * known->bytes;
  }
  return collective;
}

}  // namespace stepsim::ingest
