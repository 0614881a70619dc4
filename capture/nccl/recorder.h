#ifndef STEPSIM_CAPTURE_NCCL_RECORDER_H
#define STEPSIM_CAPTURE_NCCL_RECORDER_H

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "capture/nccl/abi.h"
#include "capture/writer/buffers.h"
#include "capture/writer/writer.h"

namespace stepsim::capture::nccl {

struct Communicator;

/// The handle of an event that NCCL gets and passes back in later calls: numbers packed into the bits of a pointer that
/// is never dereferenced. The pointer is never null.
struct EventHandle {
  enum class Kind : std::uint8_t { kGroup = 1, kOperation, kChannel, kProxyOp, kProxyStep, kCalls, kLaunch };
  Kind kind{};
  bool is_send = false;
  std::uint32_t slot = 0;  ///< index of the event in OpenEvents, below kMostSlots; calls: 1 if captured by a CUDA graph
  std::uint32_t number = 0;  ///< number of the event; calls, groups and operations are counted separately

  static constexpr std::uint32_t kMostSlots = 1U << 20U;
  [[nodiscard]] void* pack() const noexcept;
  /// Returns nullopt for null, and for values that pack() does not produce.
  [[nodiscard]] static std::optional<EventHandle> unpack(const void* handle) noexcept;
};

/// What a transfer is waiting for.
enum class Waits : std::uint8_t { kForDevice, kForPeer, kForNetwork };

/// An event that has begun and not ended: a kernel's launch, a kernel channel, a proxy operation, or one of its
/// transfers (a proxy step).
struct OpenEvent {
  Communicator* communicator = nullptr;
  std::uint64_t start = 0;
  std::uint64_t since = 0;   ///< transfer: start of the current wait
  std::uint64_t device = 0;  ///< transfer: time spent waiting for the device; channel: GPU time at its beginning
  std::uint64_t peer = 0;    ///< transfer: time spent waiting for the peer; channel: GPU time at its end
  std::uint64_t bytes = 0;   ///< number of transferred bytes
  std::uint32_t parent = 0;  ///< number of the enclosing event
  std::uint32_t other_rank = 0;
  std::uint32_t steps = 0;
  std::uint8_t channel = 0;
  Waits waits = Waits::kForDevice;
  bool is_send = false;
  bool is_captured = false;  ///< launch: by a CUDA graph
};

/// The events that have begun and not ended, up to a fixed capacity.
class OpenEvents {
 public:
  /// `capacity` is at most EventHandle::kMostSlots. Throws std::bad_alloc.
  explicit OpenEvents(std::uint32_t capacity);

  /// Stores an event and returns its handle; nullopt if there is no room.
  [[nodiscard]] std::optional<EventHandle> add(const OpenEvent& event, EventHandle::Kind kind) noexcept;
  /// Returns the event if it is open, else null. Only one thread at a time may change it.
  [[nodiscard]] OpenEvent* find(const EventHandle& handle) noexcept;
  /// Removes and returns the event; nullopt if it is not open.
  [[nodiscard]] std::optional<OpenEvent> take(const EventHandle& handle) noexcept;

 private:
  struct Slot {
    std::atomic<std::uint32_t> number{0};  ///< number of the event in the slot; 0 = empty
    OpenEvent event;
  };
  std::uint32_t capacity_;
  std::unique_ptr<Slot[]> slots_;
  IndexStack free_;
  std::atomic<std::uint32_t> next_{1};
};

/// The destination of records. Functions may be called by several threads at once.
class Sink {
 public:
  virtual ~Sink() = default;
  /// Takes a record about communicator number `communicator` (0 = none). If `text` is not empty, it is what `which`
  /// names.
  virtual void add(std::uint32_t communicator, wire::Record record, std::string_view text) noexcept = 0;
};

/// Writes records to a capture file.
class CaptureSink : public Sink {
 public:
  explicit CaptureSink(Writer& writer) : writer_(writer) {}
  void add(std::uint32_t communicator, wire::Record record, std::string_view text) noexcept override;

 private:
  Writer& writer_;
};

/// The destination of records, and the functions that provide their time and thread.
struct Target {
  Sink* sink = nullptr;
  std::uint64_t (*now)() noexcept = nullptr;     ///< nanoseconds since 1970
  std::uint32_t (*thread)() noexcept = nullptr;  ///< number of the calling thread
  bool (*recording)() noexcept = nullptr;        ///< true if events that begin now are to be recorded
  bool has_device_timer = true;                  ///< false if the timer of channels does not count nanoseconds
};

/// A communicator of NCCL. The object is kept after the communicator has ended, because NCCL may still use it.
struct Communicator {
  std::uint32_t number = 0;           ///< number in the file, from 1
  std::uint8_t version = 0;           ///< interface version that created it
  std::atomic<std::uint64_t> id{0};   ///< NCCL's id; 0 = not known yet
  std::atomic<std::int64_t> open{0};  ///< number of events that have begun and not ended
  std::mutex describing;              ///< guards record and name
  wire::Record record;                ///< its properties, as describe() was told last; a default one before that
  std::array<char, 128> name{};       ///< truncated if longer; empty if not known
  Communicator* before = nullptr;     ///< previous communicator in the list
};

/// A collective, a send or a receive, as NCCL enqueues it. Texts may be null.
struct Operation {
  bool is_message = false;
  const char* function = nullptr;
  const char* element_type = nullptr;
  const char* algorithm = nullptr;
  const char* protocol = nullptr;
  std::uint64_t elements = 0;
  std::uint64_t sequence = 0;  ///< for collectives the sequence number, for sends and receives the peer's rank
  int root = -1;
  std::uint8_t channels = 0;
  void* group = nullptr;  ///< handle of the group
  void* calls = nullptr;  ///< handle of the calls that asked for it
};

/// Converts events of any version of NCCL's profiler interface to records. Thread-safe, and lock-free except for the
/// properties of communicators. Only the constructor throws. Memory is allocated only by the constructor, by
/// begin_communicator(), and for a text that is recorded for the first time. Handles contain numbers, not addresses, so
/// using an outdated handle, or one of another process, is harmless.
class Recorder {
 public:
  /// Accepts at most `events` events in progress; further ones are lost and counted. Throws std::bad_alloc.
  Recorder(Target target, std::uint32_t events);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Returns null if there is no memory. The communicator lives as long as the recorder.
  [[nodiscard]] Communicator* begin_communicator(std::uint8_t version) noexcept;
  /// Records the properties of a communicator. May be called again when more properties are known.
  void describe(Communicator& communicator, const char* name, std::uint64_t id, int ranks, int rank,
                int nodes) noexcept;
  /// Records the properties of all communicators again, for a new file.
  void describe_all() noexcept;
  void end_communicator(const Communicator& communicator) noexcept;

  /// The functions begin_...() return the handle of the event that begins, or null if it is not recorded. All functions
  /// that take a handle accept null.
  [[nodiscard]] void* begin_group() noexcept;
  /// Also returns a handle while nothing is recorded, because the replays of a CUDA graph refer to the calls that it
  /// captured, and may be recorded later.
  [[nodiscard]] void* begin_calls(bool captured) noexcept;
  [[nodiscard]] void* begin_launch(Communicator& communicator, void* calls) noexcept;
  [[nodiscard]] void* begin_operation(const Communicator& communicator, const Operation& operation) noexcept;
  [[nodiscard]] void* begin_channel(Communicator& communicator, void* operation, std::uint8_t channel,
                                    std::uint64_t timer) noexcept;
  [[nodiscard]] void* begin_proxy_op(Communicator& communicator, void* operation, const ProxyOp& op) noexcept;
  [[nodiscard]] void* begin_proxy_step(Communicator& communicator, void* proxy_op) noexcept;

  /// Changes the state of an event. `number` is the argument of the state: a number of bytes or the GPU's timer (see
  /// StateArguments).
  void change(void* handle, State state, std::uint64_t number) noexcept;
  void end(void* handle) noexcept;

  /// Records how many events have been lost so far.
  void record_lost() noexcept { tell_status(0, 0); }

 private:
  [[nodiscard]] void* begin(OpenEvent event, EventHandle::Kind kind) noexcept;
  void add_properties(const Communicator& communicator) noexcept;
  void tell_status(std::uint32_t communicator, std::uint64_t unfinished) noexcept;

  Target target_;
  OpenEvents open_;
  std::atomic<std::uint32_t> communicators_{0};
  std::atomic<Communicator*> last_{nullptr};  ///< last element of the list of all communicators
  std::atomic<std::uint32_t> groups_{0};
  std::atomic<std::uint32_t> calls_{0};
  std::atomic<std::uint32_t> operations_{0};
  std::atomic<std::uint64_t> lost_{0};
};

}  // namespace stepsim::capture::nccl

#endif
