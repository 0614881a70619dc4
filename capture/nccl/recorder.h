#ifndef STEPSIM_CAPTURE_NCCL_RECORDER_H
#define STEPSIM_CAPTURE_NCCL_RECORDER_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "capture/nccl/abi.h"
#include "capture/writer/buffers.h"
#include "capture/writer/writer.h"

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

/// Where records go, and what they are stamped with.
struct Target {
  Writer* writer = nullptr;
  std::uint64_t (*now)() noexcept = nullptr;     ///< nanoseconds since 1970
  std::uint32_t (*thread)() noexcept = nullptr;  ///< number of this thread
  bool (*recording)() noexcept = nullptr;        ///< whether what begins now is wanted
};

/// A communicator of NCCL while it lives, and after that: NCCL may call with what it ended.
struct Communicator {
  std::uint32_t number = 0;           ///< in the file, from 1
  std::uint8_t version = 0;           ///< of the interface by which it came
  std::atomic<std::uint64_t> id{0};   ///< NCCL's; 0: not known yet
  std::atomic<std::int64_t> open{0};  ///< events that began and did not end
  Communicator* before = nullptr;     ///< that came before it
};

/// A collective, or a send or a receive, as NCCL enqueues it. Texts may be null.
struct Operation {
  bool is_message = false;
  const char* function = nullptr;
  const char* element_type = nullptr;
  const char* algorithm = nullptr;
  const char* protocol = nullptr;
  std::uint64_t elements = 0;
  std::uint64_t sequence = 0;  ///< of a message: the peer
  int root = -1;
  std::uint8_t channels = 0;
  void* group = nullptr;  ///< handle
};

/// Makes records of what NCCL's profiler interface tells, whatever its version. Any thread may call; none waits for
/// another, nothing throws, and no memory but that of the constructor is taken, but for communicators. Handles hold
/// numbers, not addresses, so what is done with an old one, or with one of another process, does no harm.
class Recorder {
 public:
  /// `events` may be in progress at once; more are lost, and counted. Throws std::bad_alloc.
  Recorder(Target target, std::uint32_t events);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Null if there is no memory. It lives as long as the recorder.
  [[nodiscard]] Communicator* begin_communicator(std::uint8_t version) noexcept;
  /// Says what is known of it, once more than before.
  void describe(Communicator& communicator, const char* name, std::uint64_t id, int ranks, int rank,
                int nodes) noexcept;
  void end_communicator(const Communicator& communicator) noexcept;

  /// Each gives the handle of an event that began; null, which the others take as well, if it is not recorded.
  [[nodiscard]] void* begin_group() noexcept;
  [[nodiscard]] void* begin_operation(const Communicator& communicator, const Operation& operation) noexcept;
  [[nodiscard]] void* begin_channel(Communicator& communicator, void* operation, std::uint8_t channel,
                                    std::uint64_t timer) noexcept;
  [[nodiscard]] void* begin_proxy_op(Communicator& communicator, void* operation, const ProxyOp& op) noexcept;
  [[nodiscard]] void* begin_proxy_step(Communicator& communicator, void* proxy_op) noexcept;

  /// The transfers of the event have come to a state. `number`: bytes, or the GPU's timer, as StateArguments.
  void change(void* handle, State state, std::uint64_t number) noexcept;
  void end(void* handle) noexcept;

  /// Tells how many events were lost until now.
  void tell_lost() noexcept { tell_status(0, 0); }

 private:
  [[nodiscard]] void* begin(OpenEvent event, EventHandle::Kind kind) noexcept;
  void tell_status(std::uint32_t communicator, std::uint64_t unfinished) noexcept;
  void add(const wire::Record& record) noexcept;

  Target target_;
  OpenEvents open_;
  std::atomic<std::uint32_t> communicators_{0};
  std::atomic<Communicator*> last_{nullptr};  ///< a list of them all
  std::atomic<std::uint32_t> groups_{0};
  std::atomic<std::uint32_t> operations_{0};
  std::atomic<std::uint64_t> lost_{0};
};

}  // namespace stepsim::capture::nccl

#endif
