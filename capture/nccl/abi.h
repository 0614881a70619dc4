#ifndef STEPSIM_CAPTURE_NCCL_ABI_H
#define STEPSIM_CAPTURE_NCCL_ABI_H

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

/// The parts of NCCL's profiler plugin interface, versions 2 to 6, that this module uses. They are repeated here so
/// that the module builds without NCCL. Descriptors are declared only up to the last member that we read: NCCL
/// allocates them and always passes them by address. A test compares the offsets with NCCL's headers. Source:
/// nccl/profiler_v2.h to profiler_v6.h and profiler.h of the profiler example in NCCL's sources. Versions appeared with
/// NCCL 2.24 (v2), 2.26 (v3), 2.27 (v4), 2.28 (v5) and 2.29 (v6); NCCL uses the newest one that it knows.
namespace stepsim::capture::nccl {

inline constexpr int kVersionWithChannels = 3;  ///< without a timer of the GPU
inline constexpr int kVersionWithCalls = 5;
using Result = int;
inline constexpr Result kSuccess = 0;
/// NCCL's log function. It is not used.
using Logger = void (*)(int level, unsigned long flags, const char* file, int line, const char* format, ...);

/// Types of events, one bit each.
namespace event {
inline constexpr std::uint64_t kGroup = 1U << 0U;
inline constexpr std::uint64_t kCollective = 1U << 1U;
inline constexpr std::uint64_t kMessage = 1U << 2U;
inline constexpr std::uint64_t kProxyOp = 1U << 3U;
inline constexpr std::uint64_t kProxyStep = 1U << 4U;
inline constexpr std::uint64_t kKernelChannel = 1U << 6U;  ///< from v3 on
// From v5 on. NCCL reports them on the thread that does what they describe.
inline constexpr std::uint64_t kGroupCalls = 1U << 8U;      ///< GroupApi: the calls of one outermost group
inline constexpr std::uint64_t kCollectiveCall = 1U << 9U;  ///< CollApi; its parent is a GroupApi event
inline constexpr std::uint64_t kMessageCall = 1U << 10U;    ///< P2pApi; its parent is a GroupApi event
inline constexpr std::uint64_t kKernelLaunch = 1U << 11U;   ///< around a kernel's launch; parent as above
}  // namespace event

/// The states of ncclProfilerEventState_t that this module uses.
enum class State : int {
  kProxyOpFirst = 0,  ///< states 0 to 7 are of proxy operations and have ProxyOpArguments before v4
  kProxyOpLast = 7,
  kSendGpuWait = 8,
  kSendWait = 9,
  kReceiveWait = 10,
  kReceiveFlushWait = 11,
  kReceiveGpuWait = 12,
  kSendPeerWait = 20,       ///< from v4 on
  kKernelChannelStop = 22,  ///< from v4 on
};

/// Arguments of a proxy operation's state, up to v3.
struct ProxyOpArguments {
  std::size_t transferred;  ///< number of bytes transferred so far
  int steps;
};
/// Arguments of a state, from v4 on. For proxy steps, `number` is a number of bytes; for kKernelChannelStop, it is the
/// GPU's timer.
struct StateArguments {
  std::uint64_t number;
};

struct CollectiveV2 {
  const char* communicator_name;
  std::uint64_t communicator;
  std::uint64_t sequence;
  const char* function;
  const void* send_buffer;
  void* receive_buffer;
  std::size_t elements;
  int root;
  const char* element_type;
  std::size_t traffic_bytes;
  std::uint8_t channels;
  std::uint8_t warps;
  const char* algorithm;
  const char* protocol;
};
struct CollectiveV3 {
  const char* communicator_name;
  std::uint64_t communicator;
  std::uint64_t sequence;
  const char* function;
  const void* send_buffer;
  void* receive_buffer;
  std::size_t elements;
  int root;
  const char* element_type;
  std::uint8_t channels;
  std::uint8_t warps;
  const char* algorithm;
  const char* protocol;
};
struct CollectiveV4 {
  std::uint64_t sequence;
  const char* function;
  const void* send_buffer;
  void* receive_buffer;
  std::size_t elements;
  int root;
  const char* element_type;
  std::uint8_t channels;
  std::uint8_t warps;
  const char* algorithm;
  const char* protocol;
};
struct CollectiveV5 {
  std::uint64_t sequence;
  const char* function;
  const void* send_buffer;
  void* receive_buffer;
  std::size_t elements;
  int root;
  const char* element_type;
  std::uint8_t channels;
  std::uint8_t warps;
  const char* algorithm;
  const char* protocol;
  void* group;
};

struct MessageV2 {
  const char* communicator_name;
  std::uint64_t communicator;
  const char* function;
  void* buffer;
  const char* element_type;
  std::size_t elements;
  int peer;
};
struct MessageV4 {
  const char* function;
  void* buffer;
  const char* element_type;
  std::size_t elements;
  int peer;
  std::uint8_t channels;
};
struct MessageV5 {
  const char* function;
  void* buffer;
  const char* element_type;
  std::size_t elements;
  int peer;
  std::uint8_t channels;
  void* group;
};

struct GroupCalls {
  bool captured;  ///< a CUDA graph captures the calls: they launch nothing now
};
struct ProxyOp {
  ::pid_t process;  ///< process that began the operation; with PXN this may be another process
  std::uint8_t channel;
  int peer;
  int steps;
  int chunk_bytes;
  int is_send;
};
struct KernelChannelV3 {
  std::uint8_t channel;
};
struct KernelChannelV4 {
  std::uint8_t channel;
  std::uint64_t timer;  ///< GPU timer in nanoseconds
};

/// The layout of ncclProfilerEventDescr_vN_t. `parent` is the handle that startEvent() returned for the enclosing
/// event.
template <class Type, class Collective, class Message, class KernelChannel>
struct Descriptor {
  Type type;
  void* parent;
  int rank;
  union {
    Collective collective;
    Message message;
    ProxyOp proxy_op;
    KernelChannel kernel_channel;
    GroupCalls group_calls;  ///< from v5 on
  };
};
using DescriptorV2 = Descriptor<std::uint8_t, CollectiveV2, MessageV2, KernelChannelV3>;  ///< v2 has no kernel channels
using DescriptorV3 = Descriptor<std::uint8_t, CollectiveV3, MessageV2, KernelChannelV3>;
using DescriptorV4 = Descriptor<std::uint8_t, CollectiveV4, MessageV4, KernelChannelV4>;
using DescriptorV5 = Descriptor<std::uint64_t, CollectiveV5, MessageV5, KernelChannelV4>;
using DescriptorV6 = DescriptorV5;  ///< v6 added only types of events that we do not request

using InitV2 = Result (*)(void** context, int* activation);
using InitV4 = Result (*)(void** context, int* activation, const char* name, std::uint64_t id, int nodes, int ranks,
                          int rank, Logger log);
using InitV5 = Result (*)(void** context, std::uint64_t id, int* activation, const char* name, int nodes, int ranks,
                          int rank, Logger log);

/// ncclProfiler_vN_t: the type of the symbol ncclProfiler_vN.
template <class Init, class Descriptor>
struct Profiler {
  const char* name;
  Init init;
  Result (*start_event)(void* context, void** handle, Descriptor* descriptor);
  Result (*stop_event)(void* handle);
  Result (*record_event_state)(void* handle, int state, void* arguments);
  Result (*finalize)(void* context);
};
using ProfilerV2 = Profiler<InitV2, DescriptorV2>;
using ProfilerV3 = Profiler<InitV2, DescriptorV3>;
using ProfilerV4 = Profiler<InitV4, DescriptorV4>;
using ProfilerV5 = Profiler<InitV5, DescriptorV5>;
using ProfilerV6 = Profiler<InitV5, DescriptorV6>;

}  // namespace stepsim::capture::nccl

#endif
