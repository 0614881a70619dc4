#ifndef STEPSIM_CAPTURE_CUPTI_ABI_H
#define STEPSIM_CAPTURE_CUPTI_ABI_H

#include <cstddef>
#include <cstdint>
#include <cstring>

/// The parts of CUPTI's activity interface that this module uses: numbers, functions, and offsets of members in
/// records. They are repeated here so that the module builds without CUDA, and because the layout is determined by the
/// loaded library, not by a header. Newer versions only append members to records, so one offset is valid for all
/// versions that have the member; a test compares all of them with CUDA's headers. Source: cupti_activity.h and
/// cupti_activity_deprecated.h of CUDA 13.0.
namespace stepsim::capture::cupti {

using Result = int;
inline constexpr Result kSuccess = 0;
inline constexpr Result kMaxLimitReached = 12;
inline constexpr Result kNotCompatible = 14;
inline constexpr Result kNotInitialised = 15;
inline constexpr Result kInsufficientPrivileges = 35;
inline constexpr Result kMultipleSubscribers = 39;
inline constexpr Result kUnknown = 999;

/// Values of CUpti_ActivityKind.
enum class Activity : std::uint32_t {
  kMemcpy = 1,
  kMemset = 2,
  kDriver = 4,
  kRuntime = 5,
  kDevice = 8,
  kContext = 9,
  kConcurrentKernel = 10,
  kOverhead = 17,
  kMemcpyPeer = 22,
  kCudaEvent = 36,
  kStream = 37,
  kSynchronization = 38,
  kExternalCorrelation = 39,
  kGraphTrace = 51,
};

/// Values of CUpti_CallbackDomain.
enum class Domain : std::uint32_t { kDriver = 1, kRuntime = 2 };

/// Values of CUPTI_DRIVER_TRACE_CBID_*.
enum DriverCall : std::uint32_t { kDriverGetVersion = 2, kProfilerStart = 308, kProfilerStop = 309 };

/// Values of CUpti_ActivityAttribute.
enum class Attribute : std::uint32_t {
  kZeroedBuffers = 5,     ///< uint8_t: the client sets the buffers to zero, not CUPTI in the program's thread
  kBuffersPerThread = 9,  ///< uint8_t: each thread of the program has a buffer of its own
};

/// Corresponds to CUpti_SubscriberParams.
struct SubscriberParams {
  std::size_t size = sizeof(SubscriberParams);
  const char* name = nullptr;
  char* name_of_other = nullptr;  ///< receives the name of the client that is subscribed already
  std::size_t size_of_other = 0;
};
inline constexpr std::size_t kSubscriberNameBytes = 64;

/// Each constant below is the first value of cuptiGetVersion() with which a record member or a behaviour exists.
inline constexpr std::uint32_t kGraphNodesSince = 13;       // CUDA 11.0
inline constexpr std::uint32_t kGraphIdsSince = 14;         // CUDA 11.1
inline constexpr std::uint32_t kSyncIdsSince = 26;          // CUDA 12.8
inline constexpr std::uint32_t kNoBufferAllowedSince = 27;  // CUDA 12.9; earlier versions crash if they get none

/// Corresponds to CUpti_CallbackFunc. `of_ours` is the pointer that was passed to subscribe().
using Callback = void (*)(void* of_ours, Domain, std::uint32_t callback, const void* data);

struct Functions {
  Result (*get_version)(std::uint32_t*) = nullptr;
  Result (*get_timestamp)(std::uint64_t*) = nullptr;
  Result (*register_callbacks)(void (*)(std::uint8_t**, std::size_t*, std::size_t*),
                               void (*)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t)) = nullptr;
  Result (*enable)(Activity) = nullptr;
  Result (*disable)(Activity) = nullptr;
  Result (*get_next_record)(std::uint8_t*, std::size_t, std::uint8_t**) = nullptr;
  Result (*get_dropped)(void*, std::uint32_t, std::size_t*) = nullptr;
  Result (*flush_all)(std::uint32_t) = nullptr;
  // Older versions may lack the functions below.
  Result (*get_callback_name)(Domain, std::uint32_t, const char**) = nullptr;
  Result (*get_result_string)(Result, const char**) = nullptr;
  Result (*subscribe)(void**, Callback, void*) = nullptr;
  Result (*unsubscribe)(void*) = nullptr;
  Result (*subscribe_by_name)(void**, Callback, void*, SubscriberParams*) = nullptr;
  Result (*enable_callback)(std::uint32_t, void*, Domain, std::uint32_t) = nullptr;
  Result (*set_thread_id_type)(std::uint32_t) = nullptr;
  Result (*set_attribute)(Attribute, std::size_t*, void*) = nullptr;
  Result (*enable_runtime_call)(std::uint32_t, std::uint8_t) = nullptr;
  Result (*enable_driver_call)(std::uint32_t, std::uint8_t) = nullptr;
};
inline constexpr std::uint32_t kFlushForced = 1;
inline constexpr std::uint32_t kSystemThreadIds = 1;

namespace offset {
namespace kernel {
inline constexpr std::size_t kRegisters = 6, kStart = 16, kEnd = 24, kDevice = 40, kStream = 48, kGrid = 52,
                             kBlock = 64, kStaticShared = 76, kDynamicShared = 80, kCorrelation = 92, kName = 104,
                             kGraphNode = 144, kGraph = 156;
}
namespace copy {
inline constexpr std::size_t kKind = 4, kSource = 5, kDestination = 6, kBytes = 8, kStart = 16, kEnd = 24, kDevice = 32,
                             kStream = 40, kCorrelation = 44, kGraphNode = 64;
}
namespace peer_copy {  // like copy, except for these offsets
inline constexpr std::size_t kCorrelation = 60, kGraphNode = 72;
}
namespace set {
inline constexpr std::size_t kBytes = 8, kStart = 16, kEnd = 24, kDevice = 32, kStream = 40, kCorrelation = 44,
                             kMemory = 50, kGraphNode = 64;
}
namespace sync {
inline constexpr std::size_t kType = 4, kStart = 8, kEnd = 16, kCorrelation = 24, kContext = 28, kStream = 32,
                             kEvent = 36, kSyncId = 40;
}
namespace event {
inline constexpr std::size_t kCorrelation = 4, kContext = 8, kStream = 12, kEvent = 16, kSyncId = 48;
}
namespace call {
inline constexpr std::size_t kCallback = 4, kStart = 8, kEnd = 16, kThread = 28, kCorrelation = 32, kReturned = 36;
}
namespace external {
inline constexpr std::size_t kKind = 4, kId = 8, kCorrelation = 16;
}
namespace overhead {
inline constexpr std::size_t kKind = 4, kObject = 12, kStart = 24, kEnd = 32;
}
namespace graph {
inline constexpr std::size_t kCorrelation = 4, kStart = 8, kEnd = 16, kDevice = 24, kGraph = 28, kStream = 36;
}
namespace context {
inline constexpr std::size_t kContext = 4, kDevice = 8;
}
namespace stream {
inline constexpr std::size_t kContext = 4, kStream = 8, kPriority = 12, kFlag = 16;
}
namespace device {
inline constexpr std::size_t kBandwidth = 8, kMemory = 16, kClock = 36, kProcessors = 44, kMajor = 104, kMinor = 108,
                             kDevice = 112, kUuid = 120, kName = 136;
}
}  // namespace offset

/// Reads a member of a record. The member may be unaligned.
template <class Value>
[[nodiscard]] Value member(const std::uint8_t* record, std::size_t offset) noexcept {
  Value value;
  std::memcpy(&value, record + offset, sizeof value);
  return value;
}

}  // namespace stepsim::capture::cupti

#endif
