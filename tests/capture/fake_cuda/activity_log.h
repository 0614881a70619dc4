#ifndef STEPSIM_TESTS_CAPTURE_FAKE_CUDA_ACTIVITY_LOG_H
#define STEPSIM_TESTS_CAPTURE_FAKE_CUDA_ACTIVITY_LOG_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/capture/fake_cuda/record_layout.h"

/// The interface between the fake device and the fake CUPTI.
namespace fake_cuda {

using fake_cupti::Activity;
using fake_cupti::Call;
namespace layout = fake_cupti::layout;

/// Returns the result of cuptiGetVersion(): FAKE_CUPTI_VERSION or, if that is not set, the version of CUDA 13.0 Update
/// 1.
[[nodiscard]] std::uint32_t cupti_version();

/// Returns the size in bytes of a record of this kind in this version of CUPTI.
[[nodiscard]] std::size_t size_of(Activity kind, std::uint32_t version);

/// A record with the size that it has in version cupti_version(). Members that this version does not have are not
/// written.
class ActivityRecord {
 public:
  explicit ActivityRecord(Activity kind) : bytes_(size_of(kind, cupti_version()), 0) { set(layout::kKind, kind); }

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

}  // namespace fake_cuda

#endif
