#ifndef STEPSIM_CAPTURE_NCCL_RECORDER_H
#define STEPSIM_CAPTURE_NCCL_RECORDER_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>

#include "capture/nccl/abi.h"
#include "capture/nccl/open_events.h"
#include "capture/writer/writer.h"

namespace stepsim::capture::nccl {

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
