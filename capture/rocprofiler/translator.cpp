#include "capture/rocprofiler/translator.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "capture/tracer/translation.h"

namespace stepsim::capture::rocprofiler {
namespace {

using wire::Kind;
using wire::Record;

/// The number of the first stream that stands for a queue. Work has such a stream if it was launched without a HIP
/// stream, for example by OpenMP. HIP's own streams are numbered from 0.
constexpr std::uint32_t kFirstQueue = 1'000'000;

std::uint32_t stream_of(std::uint64_t mark) noexcept { return static_cast<std::uint32_t>(mark - 1); }

std::uint32_t stream_of(const Dispatch& dispatch) noexcept {
  if (dispatch.external != 0) return stream_of(dispatch.external);
  return kFirstQueue + static_cast<std::uint32_t>(dispatch.info.queue % kFirstQueue);
}

/// Returns the CUpti_ActivityMemcpyKind of a copy; 0 if it is not known.
std::uint8_t kind_of(const Copy& copy) noexcept {
  switch (copy.operation) {
    case operation::kHostToDevice: return 1;
    case operation::kDeviceToHost: return 2;
    case operation::kDeviceToDevice: return copy.source == copy.destination ? 8 : 10;
    case operation::kHostToHost: return 9;
    default: return 0;
  }
}

std::uint64_t blocks_in(const DispatchInfo& info) noexcept {
  std::uint64_t blocks = 1;
  for (std::size_t i = 0; i < info.grid.size(); ++i) {
    const std::uint64_t size = std::max<std::uint64_t>(info.workgroup[i], 1);
    blocks *= std::max<std::uint64_t>((info.grid[i] + size - 1) / size, 1);
  }
  return blocks;
}

std::uint32_t threads_in(const DispatchInfo& info) noexcept {
  std::uint64_t threads = 1;
  for (const std::uint32_t size : info.workgroup) threads *= std::max<std::uint64_t>(size, 1);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(threads, 1U << 30U));
}

/// Reads a record. It may be unaligned.
template <class Payload>
Payload read(const void* payload) noexcept {
  Payload made;
  std::memcpy(&made, payload, sizeof made);
  return made;
}

}  // namespace

void Translator::add_kernel(const KernelSymbol& symbol) {
  constexpr std::string_view kEnding = ".kd";
  std::string_view name = symbol.name == nullptr ? "" : symbol.name;
  if (name.ends_with(kEnding)) name.remove_suffix(kEnding.size());
  const std::lock_guard lock(kernels_mutex_);
  kernels_.try_emplace(symbol.kernel, Kernel{std::string(name), symbol.vector_registers});
}

void Translator::add(const RecordHeader& header, Producer& producer) noexcept {
  if (header.category != kTracingCategory || header.payload == nullptr) return;
  switch (static_cast<BufferKind>(header.kind)) {
    case BufferKind::kHipCall: return add_call(read<Call>(header.payload), producer);
    case BufferKind::kCopy: return add_copy(read<Copy>(header.payload), producer);
    case BufferKind::kDispatch: return add_dispatch(read<Dispatch>(header.payload), producer);
  }
}

std::string_view Translator::name_of_call(std::int32_t operation) const noexcept {
  const auto number = static_cast<std::size_t>(operation);
  const char* const name = number < calls_.size() ? calls_[number] : nullptr;
  return name == nullptr ? std::string_view{} : std::string_view{name};
}

void Translator::add_call(const Call& call, Producer& producer) const noexcept {
  const std::string_view name = name_of_call(call.operation);
  producer.add({.kind = Kind::kCall,
                .which = name.empty() ? 0 : producer.text(name),
                .start = call.start + clock_behind_,
                .duration = length(call.start, call.end),
                .correlation = static_cast<std::uint32_t>(call.correlation),
                .stream = static_cast<std::uint32_t>(call.thread)});
}

void Translator::add_copy(const Copy& copy, Producer& producer) const noexcept {
  constexpr std::uint8_t kUnknownMemory = 0;
  constexpr std::uint8_t kDeviceMemory = 3;
  const std::uint16_t source = device(copy.source);
  const std::uint16_t destination = device(copy.destination);
  const auto memory = [](std::uint16_t device) { return device == Record::kNoDevice ? kUnknownMemory : kDeviceMemory; };
  producer.add({.kind = Kind::kMemcpy,
                .detail = kind_of(copy),
                .device = destination == Record::kNoDevice ? source : destination,
                .which = wire::memories(memory(source), memory(destination)),
                .start = copy.start + clock_behind_,
                .duration = length(copy.start, copy.end),
                .correlation = static_cast<std::uint32_t>(copy.correlation),
                .stream = copy.external == 0 ? Record::kNoStream : stream_of(copy.external),
                .a = copy.bytes});
}

void Translator::add_dispatch(const Dispatch& dispatch, Producer& producer) noexcept {
  const Kernel* const known = kernel(dispatch.info.kernel);
  const std::uint32_t launch = producer.launch({.blocks = blocks_in(dispatch.info),
                                                .threads = threads_in(dispatch.info),
                                                .registers = known == nullptr ? 0 : known->registers,
                                                .shared_memory = dispatch.info.group_segment_bytes});
  producer.add({.kind = Kind::kKernel,
                .device = device(dispatch.info.agent),
                .which = known == nullptr ? 0 : kernel_name(known->name.c_str(), producer),
                .start = dispatch.start + clock_behind_,
                .duration = length(dispatch.start, dispatch.end),
                .correlation = static_cast<std::uint32_t>(dispatch.correlation),
                .stream = stream_of(dispatch),
                .a = launch});
}

const Translator::Kernel* Translator::kernel(std::uint64_t number) noexcept {
  const std::lock_guard lock(kernels_mutex_);
  const auto found = kernels_.find(number);
  return found == kernels_.end() ? nullptr : &found->second;
}

std::uint16_t Translator::device(std::uint64_t agent) const noexcept {
  const auto found = devices_.find(agent);
  return found == devices_.end() ? Record::kNoDevice : found->second;
}

}  // namespace stepsim::capture::rocprofiler
