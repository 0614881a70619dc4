#include "capture/nccl/recorder.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <optional>

namespace stepsim::capture::nccl {

namespace {

constexpr unsigned kSendBit = 3;
constexpr unsigned kSlotBits = 4;
constexpr unsigned kNumberBits = 24;

}  // namespace

void* EventHandle::pack() const noexcept {
  const std::uint64_t bits = static_cast<std::uint64_t>(kind) | std::uint64_t{is_send} << kSendBit |
                             static_cast<std::uint64_t>(slot) << kSlotBits |
                             static_cast<std::uint64_t>(number) << kNumberBits;
  return reinterpret_cast<void*>(std::uintptr_t{bits});
}

std::optional<EventHandle> EventHandle::unpack(const void* handle) noexcept {
  constexpr std::uint64_t kKindMask = (1U << kSendBit) - 1;
  const auto bits = std::uint64_t{reinterpret_cast<std::uintptr_t>(handle)};
  const auto kind = static_cast<Kind>(bits & kKindMask);
  if (kind < Kind::kGroup || kind > Kind::kLaunch || bits >> kNumberBits > 0xFFFFFFFF) return std::nullopt;
  return EventHandle{.kind = kind,
                     .is_send = (bits >> kSendBit & 1U) != 0,
                     .slot = static_cast<std::uint32_t>(bits >> kSlotBits) & (kMostSlots - 1),
                     .number = static_cast<std::uint32_t>(bits >> kNumberBits)};
}

OpenEvents::OpenEvents(std::uint32_t capacity)
    : capacity_(std::min(capacity, EventHandle::kMostSlots)), slots_(new Slot[capacity_]), free_(capacity_) {
  for (std::uint32_t i = capacity_; i-- > 0;) free_.push(i);
}

std::optional<EventHandle> OpenEvents::add(const OpenEvent& event, EventHandle::Kind kind) noexcept {
  const std::optional<std::uint32_t> slot = free_.pop();
  if (!slot) return std::nullopt;
  std::uint32_t number = next_.fetch_add(1, std::memory_order_relaxed);
  if (number == 0) number = next_.fetch_add(1, std::memory_order_relaxed);
  slots_[*slot].event = event;
  slots_[*slot].number.store(number, std::memory_order_release);
  return EventHandle{.kind = kind, .is_send = event.is_send, .slot = *slot, .number = number};
}

OpenEvent* OpenEvents::find(const EventHandle& handle) noexcept {
  if (handle.slot >= capacity_) return nullptr;
  Slot& slot = slots_[handle.slot];
  return slot.number.load(std::memory_order_acquire) == handle.number ? &slot.event : nullptr;
}

std::optional<OpenEvent> OpenEvents::take(const EventHandle& handle) noexcept {
  OpenEvent* const found = find(handle);
  if (found == nullptr) return std::nullopt;
  const OpenEvent event = *found;
  std::uint32_t number = handle.number;
  if (!slots_[handle.slot].number.compare_exchange_strong(number, 0, std::memory_order_acq_rel)) return std::nullopt;
  free_.push(handle.slot);
  return event;
}

namespace {

using Kind = EventHandle::Kind;
using wire::Record;

constexpr std::uint64_t kHigh = std::uint64_t{1} << 32U;

/// Builds a text such as "AllReduce/ncclFloat32/RING/LL" without allocating memory.
class OperationText {
 public:
  explicit OperationText(const Operation& operation) noexcept {
    append(operation.function);
    for (const char* const part : {operation.element_type, operation.algorithm, operation.protocol}) {
      put('/');
      append(part);
    }
  }
  [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), size_}; }

 private:
  void put(char c) noexcept {
    if (size_ < text_.size()) text_[size_++] = c;
  }
  void append(const char* part) noexcept {
    constexpr int kLongest = 60;
    for (int i = 0; part != nullptr && i < kLongest && part[i] != '\0'; ++i) put(part[i] == '/' ? '_' : part[i]);
  }

  std::array<char, 256> text_{};
  std::size_t size_ = 0;
};

/// Returns the event number in `handle` if it is a handle of this kind, else 0.
std::uint32_t number_in(const void* handle, Kind kind) noexcept {
  const std::optional<EventHandle> event = EventHandle::unpack(handle);
  return event && event->kind == kind ? event->number : 0;
}

std::optional<EventHandle> calls_in(const void* handle) noexcept {
  const std::optional<EventHandle> event = EventHandle::unpack(handle);
  return event && event->kind == Kind::kCalls ? event : std::nullopt;
}

/// True for events that are in OpenEvents until they end. Of others only the beginning counts.
bool has_slot(Kind kind) noexcept { return kind != Kind::kGroup && kind != Kind::kOperation && kind != Kind::kCalls; }

Waits after(State state) noexcept {
  switch (state) {
    case State::kSendGpuWait:
    case State::kReceiveGpuWait: return Waits::kForDevice;
    case State::kSendPeerWait: return Waits::kForPeer;
    default: return Waits::kForNetwork;
  }
}

bool is_transfer_state(State state) noexcept {
  return (state >= State::kSendGpuWait && state <= State::kReceiveGpuWait) || state == State::kSendPeerWait;
}

/// If the transfer was waiting for the device or the peer, adds the time since its last change of state to that wait.
void advance(OpenEvent& event, std::uint64_t now) noexcept {
  const std::uint64_t waited = now - std::min(now, event.since);
  if (event.waits == Waits::kForDevice) event.device += waited;
  if (event.waits == Waits::kForPeer) event.peer += waited;
  event.since = now;
}

Record record_of(const OpenEvent& event, const EventHandle& handle, std::uint64_t now) noexcept {
  Record record{.which = event.parent, .start = event.start, .duration = now - std::min(now, event.start)};
  switch (handle.kind) {
    case Kind::kChannel:
      record.kind = wire::Kind::kNcclChannel;
      record.device = event.channel;
      record.a = event.device;
      record.b = event.peer;
      break;
    case Kind::kProxyOp:
      record.kind = wire::Kind::kNcclProxyOp;
      record.detail = event.is_send ? 1 : 0;
      record.device = event.channel;
      record.correlation = handle.number;
      record.stream = event.other_rank;
      record.a = event.bytes;
      record.b = event.steps;
      break;
    case Kind::kLaunch:
      record.kind = wire::Kind::kNcclLaunch;
      record.detail = event.is_captured ? 1 : 0;
      record.a = event.communicator->number;
      break;
    default:
      record.kind = wire::Kind::kNcclProxyStep;
      record.detail = event.is_send ? 1 : 0;
      record.correlation = static_cast<std::uint32_t>(std::min(event.bytes, kHigh - 1));
      record.a = event.device;
      record.b = event.peer;
      break;
  }
  return record;
}

}  // namespace

void CaptureSink::add(std::uint32_t /*communicator*/, Record record, std::string_view text) noexcept {
  writer_.with_producer([&](Producer& producer) {
    if (!text.empty()) record.which = producer.text(text);
    producer.add(record);
  });
}

Recorder::Recorder(Target target, std::uint32_t events) : target_(target), open_(events) {}

Recorder::~Recorder() {
  for (Communicator* one = last_.load(std::memory_order_acquire); one != nullptr;) {
    Communicator* const before = one->before;
    delete one;
    one = before;
  }
}

Communicator* Recorder::begin_communicator(std::uint8_t version) noexcept {
  auto* const made = new (std::nothrow) Communicator;
  if (made == nullptr) return nullptr;
  made->number = communicators_.fetch_add(1, std::memory_order_relaxed) + 1;
  made->version = version;
  made->before = last_.load(std::memory_order_relaxed);
  while (!last_.compare_exchange_weak(made->before, made, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return made;
}

void Recorder::describe(Communicator& communicator, const char* name, std::uint64_t id, int ranks, int rank,
                        int nodes) noexcept {
  const auto at_least_0 = [](int number) { return static_cast<std::uint64_t>(std::max(number, 0)); };
  communicator.id.store(id, std::memory_order_relaxed);
  const std::lock_guard lock(communicator.describing);
  communicator.record = {.kind = wire::Kind::kNcclCommunicator,
                         .detail = communicator.version,
                         .correlation = communicator.number,
                         .stream = static_cast<std::uint32_t>(at_least_0(nodes)),
                         .a = id,
                         .b = at_least_0(ranks) + (rank < 0 ? 0 : (at_least_0(rank) + 1) * kHigh)};
  communicator.name = {};
  if (name != nullptr) std::strncpy(communicator.name.data(), name, communicator.name.size() - 1);
  add_properties(communicator);
}

void Recorder::describe_all() noexcept {
  for (Communicator* one = last_.load(std::memory_order_acquire); one != nullptr; one = one->before) {
    const std::lock_guard lock(one->describing);
    if (one->record.kind == wire::Kind::kNcclCommunicator) add_properties(*one);
  }
}

void Recorder::add_properties(const Communicator& communicator) noexcept {
  wire::Record record = communicator.record;
  record.start = target_.now();
  target_.sink->add(communicator.number, record, communicator.name.data());
}

void Recorder::end_communicator(const Communicator& communicator) noexcept {
  const std::int64_t open = communicator.open.load(std::memory_order_relaxed);
  tell_status(communicator.number, static_cast<std::uint64_t>(std::max<std::int64_t>(open, 0)));
}

void* Recorder::begin_group() noexcept {
  if (!target_.recording()) return nullptr;
  return EventHandle{.kind = Kind::kGroup, .number = groups_.fetch_add(1, std::memory_order_relaxed) + 1}.pack();
}

void* Recorder::begin_calls(bool captured) noexcept {
  return EventHandle{
      .kind = Kind::kCalls, .slot = captured ? 1U : 0U, .number = calls_.fetch_add(1, std::memory_order_relaxed) + 1}
      .pack();
}

void* Recorder::begin_launch(Communicator& communicator, void* calls) noexcept {
  const std::optional<EventHandle> parent = calls_in(calls);
  if (!parent || !target_.recording()) return nullptr;
  return begin({.communicator = &communicator, .parent = parent->number, .is_captured = parent->slot == 1},
               Kind::kLaunch);
}

void* Recorder::begin_operation(const Communicator& communicator, const Operation& operation) noexcept {
  if (!target_.recording()) return nullptr;
  const std::uint32_t number = operations_.fetch_add(1, std::memory_order_relaxed) + 1;
  const bool has_root = operation.root >= 0 && operation.root < Record::kNoDevice;
  const std::uint64_t now = target_.now();
  target_.sink->add(communicator.number,
                    {.kind = operation.is_message ? wire::Kind::kNcclMessage : wire::Kind::kNcclCollective,
                     .detail = operation.channels,
                     .device = has_root ? static_cast<std::uint16_t>(operation.root) : Record::kNoDevice,
                     .start = now,
                     .duration = operation.elements,
                     .correlation = number,
                     .stream = target_.thread(),
                     .a = operation.sequence,
                     .b = communicator.number + number_in(operation.group, Kind::kGroup) * kHigh},
                    OperationText(operation).view());
  if (const std::optional<EventHandle> calls = calls_in(operation.calls)) {
    target_.sink->add(communicator.number,
                      {.kind = wire::Kind::kNcclCalls,
                       .detail = static_cast<std::uint8_t>(calls->slot),
                       .which = number,
                       .start = now,
                       .correlation = calls->number},
                      {});
  }
  return EventHandle{.kind = Kind::kOperation, .number = number}.pack();
}

void* Recorder::begin(OpenEvent event, Kind kind) noexcept {
  event.start = target_.now();
  event.since = event.start;
  const std::optional<EventHandle> handle = open_.add(event, kind);
  if (handle) {
    event.communicator->open.fetch_add(1, std::memory_order_relaxed);
    return handle->pack();
  }
  // The count of lost events is written each time it doubles, so that the file of a killed program states more than
  // half of the true number.
  const std::uint64_t lost = lost_.fetch_add(1, std::memory_order_relaxed) + 1;
  if ((lost & (lost - 1)) == 0) record_lost();
  return nullptr;
}

void* Recorder::begin_channel(Communicator& communicator, void* operation, std::uint8_t channel,
                              std::uint64_t timer) noexcept {
  const std::uint32_t parent = number_in(operation, Kind::kOperation);
  if (parent == 0) return nullptr;
  return begin({.communicator = &communicator,
                .device = target_.has_device_timer ? timer : 0,
                .parent = parent,
                .channel = channel},
               Kind::kChannel);
}

void* Recorder::begin_proxy_op(Communicator& communicator, void* operation, const ProxyOp& op) noexcept {
  const bool ours = op.process == ::getpid();
  const std::uint32_t parent = ours ? number_in(operation, Kind::kOperation) : 0;
  if (ours ? parent == 0 : !target_.recording()) return nullptr;
  return begin({.communicator = &communicator,
                .parent = parent,
                .other_rank = static_cast<std::uint32_t>(op.peer),
                .steps = static_cast<std::uint32_t>(std::max(op.steps, 0)),
                .channel = op.channel,
                .is_send = op.is_send != 0},
               Kind::kProxyOp);
}

void* Recorder::begin_proxy_step(Communicator& communicator, void* proxy_op) noexcept {
  const std::optional<EventHandle> parent = EventHandle::unpack(proxy_op);
  if (!parent || parent->kind != Kind::kProxyOp) return nullptr;
  return begin({.communicator = &communicator,
                .parent = parent->number,
                .waits = parent->is_send ? Waits::kForDevice : Waits::kForNetwork,
                .is_send = parent->is_send},
               Kind::kProxyStep);
}

void Recorder::change(void* handle, State state, std::uint64_t number) noexcept {
  const std::optional<EventHandle> known = EventHandle::unpack(handle);
  OpenEvent* const event = known && has_slot(known->kind) ? open_.find(*known) : nullptr;
  if (event == nullptr) return;
  if (known->kind == Kind::kProxyStep && is_transfer_state(state)) {
    advance(*event, target_.now());
    event->waits = after(state);
    // In other states, NCCL may pass the byte count of the previous transfer.
    if (state == State::kSendWait || state == State::kReceiveFlushWait) event->bytes = number;
  } else if (known->kind == Kind::kChannel && state == State::kKernelChannelStop) {
    if (target_.has_device_timer) event->peer = number;
  } else if (known->kind == Kind::kProxyOp && state >= State::kProxyOpFirst && state <= State::kProxyOpLast) {
    event->bytes = std::max(event->bytes, number);
  }
}

void Recorder::end(void* handle) noexcept {
  const std::optional<EventHandle> known = EventHandle::unpack(handle);
  if (!known || !has_slot(known->kind)) return;
  std::optional<OpenEvent> event = open_.take(*known);
  if (!event) return;
  event->communicator->open.fetch_sub(1, std::memory_order_relaxed);
  const std::uint64_t now = target_.now();
  if (known->kind == Kind::kProxyStep) advance(*event, now);
  Record record = record_of(*event, *known, now);
  if (known->kind == Kind::kLaunch) record.stream = target_.thread();
  target_.sink->add(event->communicator->number, record, {});
}

void Recorder::tell_status(std::uint32_t communicator, std::uint64_t unfinished) noexcept {
  target_.sink->add(communicator,
                    {.kind = wire::Kind::kNcclStatus,
                     .start = target_.now(),
                     .correlation = communicator,
                     .a = lost_.load(std::memory_order_relaxed),
                     .b = unfinished},
                    {});
}

}  // namespace stepsim::capture::nccl
