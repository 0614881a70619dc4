#ifndef STEPSIM_TESTS_CAPTURE_FAKE_CUDA_RECORD_LAYOUT_H
#define STEPSIM_TESTS_CAPTURE_FAKE_CUDA_RECORD_LAYOUT_H

#include <cstddef>
#include <cstdint>

/// CUPTI's numbers, as the fake CUPTI uses them. They are written down here a second time, and not taken from
/// capture/cupti/abi.h, so that a wrong number in the reader makes the tests of captures fail. Source:
/// cupti_activity.h, cupti_driver_cbid.h and cupti_runtime_cbid.h of CUDA 13.0.
namespace fake_cupti {

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

/// Values of CUpti_ActivityAttribute.
enum class Attribute : std::uint32_t { kZeroedBuffers = 5, kBuffersPerThread = 9 };

/// Values of CUPTI_DRIVER_TRACE_CBID_*.
enum DriverCall : std::uint32_t {
  kDriverGetVersion = 2,
  kDriverLaunchKernel = 307,
  kProfilerStart = 308,
  kProfilerStop = 309,
};

/// Calls of the CUDA runtime: values of CUPTI_RUNTIME_TRACE_CBID_*.
enum class Call : std::uint32_t {
  kGetLastError = 10,
  kLaunchKernel = 211,
  kGraphLaunch = 311,
  kMemcpyAsync = 41,
  kMemcpyPeerAsync = 119,
  kMemsetAsync = 51,
  kEventRecord = 135,
  kStreamWaitEvent = 147,
  kEventSynchronize = 137,
  kStreamSynchronize = 131,
  kDeviceSynchronize = 165,
};

/// Places of members in records, in bytes.
namespace layout {
inline constexpr std::size_t kKind = 0;  // of every record
namespace kernel {
inline constexpr std::size_t kRegisters = 6, kStart = 16, kEnd = 24, kDevice = 40, kStream = 48, kGrid = 52,
                             kBlock = 64, kCorrelation = 92, kName = 104, kGraphNode = 144, kGraph = 156;
}
namespace copy {
inline constexpr std::size_t kKind = 4, kSource = 5, kDestination = 6, kBytes = 8, kStart = 16, kEnd = 24, kDevice = 32,
                             kStream = 40, kCorrelation = 44;
}
namespace peer_copy {  // the others are those of a copy
inline constexpr std::size_t kCorrelation = 60;
}
namespace set {
inline constexpr std::size_t kBytes = 8, kStart = 16, kEnd = 24, kDevice = 32, kStream = 40, kCorrelation = 44,
                             kMemory = 50;
}
namespace sync {
inline constexpr std::size_t kType = 4, kStart = 8, kEnd = 16, kCorrelation = 24, kContext = 28, kStream = 32,
                             kEvent = 36, kSyncId = 40;
}
namespace event {
inline constexpr std::size_t kCorrelation = 4, kContext = 8, kStream = 12, kEvent = 16, kSyncId = 48;
}
namespace call {
inline constexpr std::size_t kCallback = 4, kStart = 8, kEnd = 16, kThread = 28, kCorrelation = 32;
}
namespace overhead {
inline constexpr std::size_t kKind = 4, kThread = 16, kStart = 24, kEnd = 32;
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
}  // namespace layout

}  // namespace fake_cupti

#endif
