#include "capture/cupti/translator.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "capture/tracer/translation.h"

namespace stepsim::capture::cupti {
namespace {

using wire::Kind;
using wire::Record;

std::uint16_t device_number(std::uint32_t device) noexcept {
  return device < Record::kNoDevice ? static_cast<std::uint16_t>(device) : Record::kNoDevice;
}

std::uint64_t extent(std::int32_t blocks) noexcept { return static_cast<std::uint64_t>(std::max(blocks, 0)); }

std::uint64_t volume(const std::uint8_t* record, std::size_t offset) noexcept {
  std::uint64_t product = 1;
  for (std::size_t i = 0; i < 3; ++i)
    product *= extent(member<std::int32_t>(record, offset + i * sizeof(std::int32_t)));
  return product;
}

/// Returns the name of a CUpti_ActivityOverheadKind.
std::string_view overhead_name(std::uint32_t kind) noexcept {
  switch (kind) {
    case 1: return "Driver Compiler";
    case 1U << 16U: return "Buffer Flush";
    case 2U << 16U: return "Instrumentation";
    case 3U << 16U: return "Resource";
    case 4U << 16U: return "Runtime Triggered Module Loading";
    case 5U << 16U: return "Lazy Function Loading";
    case 6U << 16U: return "Command Buffer Full";
    case 7U << 16U: return "Activity Buffer Request";
    case 8U << 16U: return "UVM Activity Init";
    default: return "Other";
  }
}

/// Returns a UUID as nvidia-smi writes it: "GPU-", and the 16 bytes at `offset` as hexadecimal numbers.
std::array<char, 48> uuid(const std::uint8_t* record, std::size_t offset) noexcept {
  constexpr std::array<std::size_t, 5> kEnds{4, 6, 8, 10, 16};  // of its groups
  std::array<char, 48> text{"GPU"};
  std::size_t length = 3;
  std::size_t byte = 0;
  for (const std::size_t end : kEnds) {
    text[length++] = '-';
    for (; byte < end; ++byte, length += 2) std::snprintf(&text[length], 3, "%02x", record[offset + byte]);
  }
  return text;
}

void describe_device(const std::uint8_t* record, Producer& producer) noexcept {
  namespace at = offset::device;
  const auto number = [record](std::size_t offset) { return member<std::uint32_t>(record, offset); };
  const char* const name = member<const char*>(record, at::kName);
  const std::array<char, 48> place = uuid(record, at::kUuid);
  add_device({.number = device_number(number(at::kDevice)),
              .name = name == nullptr ? "" : name,
              .place = place.data(),
              .memory = member<std::uint64_t>(record, at::kMemory),
              .bandwidth = member<std::uint64_t>(record, at::kBandwidth) * 1'000,  // from kB/s
              .processors = number(at::kProcessors),
              .clock_khz = number(at::kClock),
              .architecture = number(at::kMajor) * 10'000 + number(at::kMinor) * 100},
             producer);
}

}  // namespace

void Translator::add(const std::uint8_t* record, Producer& producer) noexcept {
  switch (member<Activity>(record, 0)) {
    case Activity::kConcurrentKernel: return add_kernel(record, producer);
    case Activity::kGraphTrace: return add_graph(record, producer);
    case Activity::kMemcpy: return add_copy(record, false, producer);
    case Activity::kMemcpyPeer: return add_copy(record, true, producer);
    case Activity::kMemset: return add_set(record, producer);
    case Activity::kSynchronization: return add_sync(record, producer);
    case Activity::kCudaEvent: return add_event(record, producer);
    case Activity::kRuntime: return add_call(record, Domain::kRuntime, producer);
    case Activity::kDriver: return add_call(record, Domain::kDriver, producer);
    case Activity::kOverhead: return add_overhead(record, producer);
    case Activity::kExternalCorrelation:
      return producer.add({.kind = Kind::kExternal,
                           .detail = static_cast<std::uint8_t>(member<std::uint32_t>(record, offset::external::kKind)),
                           .correlation = member<std::uint32_t>(record, offset::external::kCorrelation),
                           .a = member<std::uint64_t>(record, offset::external::kId)});
    case Activity::kContext:
      return producer.add({.kind = Kind::kContext,
                           .device = device_number(member<std::uint32_t>(record, offset::context::kDevice)),
                           .a = member<std::uint32_t>(record, offset::context::kContext)});
    case Activity::kStream: {
      namespace at = offset::stream;
      return producer.add({.kind = Kind::kStream,
                           .detail = static_cast<std::uint8_t>(member<std::uint32_t>(record, at::kFlag)),
                           .which = member<std::uint32_t>(record, at::kPriority),
                           .stream = member<std::uint32_t>(record, at::kStream),
                           .a = member<std::uint32_t>(record, at::kContext)});
    }
    case Activity::kDevice: return describe_device(record, producer);
  }
}

std::uint64_t Translator::graph_node(const std::uint8_t* record, std::size_t offset) const noexcept {
  return library_.version < kGraphNodesSince ? 0 : member<std::uint64_t>(record, offset);
}

void Translator::add_kernel(const std::uint8_t* record, Producer& producer) noexcept {
  namespace at = offset::kernel;
  const auto start = member<std::uint64_t>(record, at::kStart);
  const std::uint64_t graph = library_.version < kGraphIdsSince ? 0 : member<std::uint32_t>(record, at::kGraph);
  const std::uint32_t launch = producer.launch(
      {.blocks = volume(record, at::kGrid),
       .threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(volume(record, at::kBlock), 1U << 30U)),
       .registers = member<std::uint16_t>(record, at::kRegisters),
       .shared_memory = extent(member<std::int32_t>(record, at::kStaticShared)) +
                        extent(member<std::int32_t>(record, at::kDynamicShared))});
  producer.add({.kind = Kind::kKernel,
                .device = device_number(member<std::uint32_t>(record, at::kDevice)),
                .which = kernel_name(member<const char*>(record, at::kName), producer),
                .start = start,
                .duration = length(start, member<std::uint64_t>(record, at::kEnd)),
                .correlation = member<std::uint32_t>(record, at::kCorrelation),
                .stream = member<std::uint32_t>(record, at::kStream),
                .a = launch | graph << 32U,
                .b = graph_node(record, at::kGraphNode)});
}

void Translator::add_graph(const std::uint8_t* record, Producer& producer) noexcept {
  namespace at = offset::graph;
  const auto start = member<std::uint64_t>(record, at::kStart);
  producer.add({.kind = Kind::kKernel,
                .detail = 1,
                .device = device_number(member<std::uint32_t>(record, at::kDevice)),
                .start = start,
                .duration = length(start, member<std::uint64_t>(record, at::kEnd)),
                .correlation = member<std::uint32_t>(record, at::kCorrelation),
                .stream = member<std::uint32_t>(record, at::kStream),
                .a = static_cast<std::uint64_t>(member<std::uint32_t>(record, at::kGraph)) << 32U});
}

void Translator::add_copy(const std::uint8_t* record, bool peer, Producer& producer) noexcept {
  namespace at = offset::copy;
  const auto start = member<std::uint64_t>(record, at::kStart);
  producer.add({.kind = Kind::kMemcpy,
                .detail = record[at::kKind],
                .device = device_number(member<std::uint32_t>(record, at::kDevice)),
                .which = wire::memories(record[at::kSource], record[at::kDestination]),
                .start = start,
                .duration = length(start, member<std::uint64_t>(record, at::kEnd)),
                .correlation = member<std::uint32_t>(record, peer ? offset::peer_copy::kCorrelation : at::kCorrelation),
                .stream = member<std::uint32_t>(record, at::kStream),
                .a = member<std::uint64_t>(record, at::kBytes),
                .b = graph_node(record, peer ? offset::peer_copy::kGraphNode : at::kGraphNode)});
}

void Translator::add_set(const std::uint8_t* record, Producer& producer) noexcept {
  namespace at = offset::set;
  const auto start = member<std::uint64_t>(record, at::kStart);
  producer.add({.kind = Kind::kMemset,
                .device = device_number(member<std::uint32_t>(record, at::kDevice)),
                .which = member<std::uint16_t>(record, at::kMemory),
                .start = start,
                .duration = length(start, member<std::uint64_t>(record, at::kEnd)),
                .correlation = member<std::uint32_t>(record, at::kCorrelation),
                .stream = member<std::uint32_t>(record, at::kStream),
                .a = member<std::uint64_t>(record, at::kBytes),
                .b = graph_node(record, at::kGraphNode)});
}

void Translator::add_sync(const std::uint8_t* record, Producer& producer) noexcept {
  namespace at = offset::sync;
  const auto start = member<std::uint64_t>(record, at::kStart);
  producer.add({.kind = Kind::kSync,
                .detail = static_cast<std::uint8_t>(member<std::uint32_t>(record, at::kType)),
                .which = member<std::uint32_t>(record, at::kEvent),
                .start = start,
                .duration = length(start, member<std::uint64_t>(record, at::kEnd)),
                .correlation = member<std::uint32_t>(record, at::kCorrelation),
                .stream = member<std::uint32_t>(record, at::kStream),
                .a = library_.version < kSyncIdsSince ? 0 : member<std::uint64_t>(record, at::kSyncId),
                .b = member<std::uint32_t>(record, at::kContext)});
}

void Translator::add_event(const std::uint8_t* record, Producer& producer) noexcept {
  namespace at = offset::event;
  producer.add({.kind = Kind::kEventRecord,
                .which = member<std::uint32_t>(record, at::kEvent),
                .correlation = member<std::uint32_t>(record, at::kCorrelation),
                .stream = member<std::uint32_t>(record, at::kStream),
                .a = library_.version < kSyncIdsSince ? 0 : member<std::uint64_t>(record, at::kSyncId),
                .b = member<std::uint32_t>(record, at::kContext)});
}

void Translator::add_call(const std::uint8_t* record, Domain domain, Producer& producer) noexcept {
  namespace at = offset::call;
  const char* const name = name_of_call(domain, member<std::uint32_t>(record, at::kCallback));
  const auto start = member<std::uint64_t>(record, at::kStart);
  producer.add({.kind = Kind::kCall,
                .detail = static_cast<std::uint8_t>(domain == Domain::kDriver ? 1 : 0),
                .which = name == nullptr ? 0 : producer.text(name),
                .start = start,
                .duration = length(start, member<std::uint64_t>(record, at::kEnd)),
                .correlation = member<std::uint32_t>(record, at::kCorrelation),
                .stream = member<std::uint32_t>(record, at::kThread),
                .a = member<std::uint32_t>(record, at::kReturned)});
}

void Translator::add_overhead(const std::uint8_t* record, Producer& producer) noexcept {
  namespace at = offset::overhead;
  constexpr std::size_t kThreadInObject = 4;  // threadId follows the 4 bytes of processId
  const auto start = member<std::uint64_t>(record, at::kStart);
  producer.add({.kind = Kind::kOverhead,
                .which = producer.text(overhead_name(member<std::uint32_t>(record, at::kKind))),
                .start = start,
                .duration = length(start, member<std::uint64_t>(record, at::kEnd)),
                .stream = member<std::uint32_t>(record, at::kObject + kThreadInObject)});
}

/// Returns CUPTI's name of a call, or null if CUPTI does not know it. Caches the name, which never changes, so
/// concurrent lookups are harmless.
const char* Translator::name_of_call(Domain domain, std::uint32_t callback) noexcept {
  if (callback >= kMostCallbacks || library_.functions.get_callback_name == nullptr) return nullptr;
  std::atomic<const char*>& known = names_[domain == Domain::kDriver ? 0 : 1][callback];
  const char* name = known.load(std::memory_order_acquire);
  if (name != nullptr) return name;
  if (library_.functions.get_callback_name(domain, callback, &name) != kSuccess) return nullptr;
  known.store(name, std::memory_order_release);
  return name;
}

}  // namespace stepsim::capture::cupti
