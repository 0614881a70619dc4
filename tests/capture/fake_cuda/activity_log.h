#ifndef STEPSIM_TESTS_CAPTURE_FAKE_CUDA_ACTIVITY_LOG_H
#define STEPSIM_TESTS_CAPTURE_FAKE_CUDA_ACTIVITY_LOG_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "capture/cupti/abi.h"

/// The interface between the fake device and the fake CUPTI.
namespace fake_cuda {

using stepsim::capture::cupti::Activity;

/// Returns the result of cuptiGetVersion(): FAKE_CUPTI_VERSION or, if that is not set, the version of CUDA 13.0 Update
/// 1.
[[nodiscard]] std::uint32_t cupti_version();

/// Returns the size in bytes of a record of this kind in this version of CUPTI.
[[nodiscard]] std::size_t size_of(Activity kind, std::uint32_t version);

/// A record with the size that it has in version cupti_version(). Members that this version does not have are not
/// written.
class ActivityRecord {
 public:
  explicit ActivityRecord(Activity kind) : bytes_(size_of(kind, cupti_version()), 0) { set(0, kind); }

  template <class Value>
  ActivityRecord& set(std::size_t offset, Value value) {
    if (offset + sizeof value <= bytes_.size()) std::memcpy(bytes_.data() + offset, &value, sizeof value);
    return *this;
  }
  [[nodiscard]] const std::vector<std::uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

/// Records the activity if its kind is enabled. The record is complete from the time `complete` on.
void log(Activity kind, const ActivityRecord& record, std::int64_t complete);
[[nodiscard]] bool is_enabled(Activity kind);
/// Tells the fake CUPTI that the program uses CUDA from now on.
void program_began();

/// Calls of the CUDA runtime, with CUPTI's numbers for them.
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
/// CUPTI's number of the driver's cuLaunchKernel().
constexpr std::uint32_t kDriverLaunchKernel = 307;

}  // namespace fake_cuda

#endif
