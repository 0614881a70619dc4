#include "capture/nccl/open_events.h"

#include <algorithm>

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
  if (kind < Kind::kGroup || kind > Kind::kProxyStep || bits >> kNumberBits > 0xFFFFFFFF) return std::nullopt;
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

}  // namespace stepsim::capture::nccl
