#ifndef STEPSIM_CAPTURE_NCCL_OPEN_EVENTS_H
#define STEPSIM_CAPTURE_NCCL_OPEN_EVENTS_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "capture/writer/index_stack.h"

namespace stepsim::capture::nccl {

struct Communicator;

/// What is given to NCCL for an event, and comes back with calls about it: numbers in the bits of a pointer that points
/// nowhere. Never null.
struct EventHandle {
  enum class Kind : std::uint8_t { kGroup = 1, kOperation, kChannel, kProxyOp, kProxyStep };
  Kind kind{};
  bool is_send = false;
  std::uint32_t slot = 0;    ///< of an open event; below kMostSlots
  std::uint32_t number = 0;  ///< of its kind in the file, from 1

  static constexpr std::uint32_t kMostSlots = 1U << 20U;
  [[nodiscard]] void* pack() const noexcept;
  /// Nothing for null, and for what pack() does not make.
  [[nodiscard]] static std::optional<EventHandle> unpack(const void* handle) noexcept;
};

/// For whom a transfer waits.
enum class Waits : std::uint8_t { kForDevice, kForPeer, kForNetwork };

/// An event that began.
struct OpenEvent {
  Communicator* communicator = nullptr;
  std::uint64_t start = 0;
  std::uint64_t since = 0;   ///< of a transfer: when it began to wait as it does
  std::uint64_t device = 0;  ///< of a transfer: time that it waited for the device; of a channel: when it began there
  std::uint64_t peer = 0;    ///< of a transfer: time that it waited for the peer; of a channel: when it ended there
  std::uint64_t bytes = 0;   ///< transferred; of a proxy operation: its steps
  std::uint32_t parent = 0;  ///< number of the event around it
  std::uint32_t other_rank = 0;
  std::uint32_t steps = 0;
  std::uint8_t channel = 0;
  Waits waits = Waits::kForDevice;
  bool is_send = false;
};

/// Events that began and did not end, up to a number of them that is set at the start.
class OpenEvents {
 public:
  /// At most EventHandle::kMostSlots. Throws std::bad_alloc.
  explicit OpenEvents(std::uint32_t capacity);

  /// Keeps an event; nothing if there is no room.
  [[nodiscard]] std::optional<EventHandle> add(const OpenEvent& event, EventHandle::Kind kind) noexcept;
  /// The event, as long as it is open; null if it is not. One thread at a time may change it.
  [[nodiscard]] OpenEvent* find(const EventHandle& handle) noexcept;
  /// Takes it out; nothing if it is not there.
  [[nodiscard]] std::optional<OpenEvent> take(const EventHandle& handle) noexcept;

 private:
  struct Slot {
    std::atomic<std::uint32_t> number{0};  ///< of the event in it; 0: none
    OpenEvent event;
  };
  std::uint32_t capacity_;
  std::unique_ptr<Slot[]> slots_;
  IndexStack free_;
  std::atomic<std::uint32_t> next_{1};
};

}  // namespace stepsim::capture::nccl

#endif
