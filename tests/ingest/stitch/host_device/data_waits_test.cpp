#include "ingest/stitch/host_device/device_wait_passes.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/ingest/stitched.h"
#include "tests/ingest/trace_maker.h"

namespace stepsim::ingest {
namespace {

using testing::edge;
using testing::find;
using testing::stitched;
using testing::TraceMaker;

/// A thread with operators, each of which launches a kernel and reads and writes memory.
class Operators {
 public:
  /// Adds an operator "of KERNEL" at `at` us, whose kernel runs from `at` + 10 to `at` + 30 us.
  void launch(const std::string& kernel, std::int64_t stream, double at, const std::vector<int>& reads,
              const std::vector<int>& writes) {
    const std::uint32_t op = maker_.add(EventKind::kOp, "of " + kernel, thread_, at, 9);
    maker_.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread_, at + 1, 5, ++correlation_);
    maker_.add(EventKind::kKernel, kernel, maker_.stream(stream), at + 10, 20, correlation_);
    for (const int storage : reads) maker_.trace.storage_uses.push_back({op, false, storage});
    for (const int storage : writes) maker_.trace.storage_uses.push_back({op, true, storage});
  }
  [[nodiscard]] Capture capture() const { return stitched({maker_.trace}); }

 private:
  TraceMaker maker_;
  TrackId thread_ = maker_.thread("1");
  std::int64_t correlation_ = 0;
};

bool follows(const Capture& capture, std::string_view after, std::string_view before) {
  return edge(capture, find(capture, before), find(capture, after)).has_value();
}

TEST(DataWaitsTest, AKernelWaitsForWhatWroteItsMemoryOnAnotherStream) {
  Operators job;
  job.launch("writer", 7, 0, {}, {1});
  job.launch("reader", 20, 1000, {1}, {2});
  const Capture capture = job.capture();
  EXPECT_TRUE(follows(capture, "reader", "writer"));
  EXPECT_EQ(capture.diagnostics.count_of("data_stream_wait"), 1U);
}

TEST(DataWaitsTest, AKernelOfOtherMemoryDoesNotWait) {
  Operators job;
  job.launch("writer", 7, 0, {}, {1});
  job.launch("reader", 20, 1000, {2}, {3});
  EXPECT_FALSE(follows(job.capture(), "reader", "writer"));
}

TEST(DataWaitsTest, OfSeveralWritersOnOneStreamTheLastCounts) {
  Operators job;
  job.launch("first", 7, 0, {}, {1});
  job.launch("second", 7, 100, {}, {2});
  job.launch("reader", 20, 1000, {1, 2}, {3});
  job.launch("again", 20, 1100, {1}, {3});
  const Capture capture = job.capture();
  EXPECT_TRUE(follows(capture, "reader", "second"));
  EXPECT_FALSE(follows(capture, "reader", "first"));
  // Kernel "again" needs no wait, because its stream has already waited.
  EXPECT_EQ(capture.diagnostics.count_of("data_stream_wait"), 1U);
}

TEST(DataWaitsTest, AWaitThatTheTimesContradictIsLeftOut) {
  Operators job;
  job.launch("writer", 7, 0, {}, {1});     // the kernel runs until 30 us
  job.launch("reader", 20, 12, {1}, {2});  // the kernel runs from 22 us on
  EXPECT_FALSE(follows(job.capture(), "reader", "writer"));
}

}  // namespace
}  // namespace stepsim::ingest
