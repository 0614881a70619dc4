// Tests the inline profiler on streams of fake devices (fake_cuda/): it must measure the work that the test runs. The
// results are read back by the reader of HugeCTR's files.

#include "capture/inline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <barrier>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/capture/inline/fake_cuda/cuda_runtime_api.h"
#include "tests/ingest/read_text.h"
#include "tests/sim/temporary_folder.h"

namespace stepsim {
namespace {

using ingest::Parsed;
using profiling::Profiler;
using stepsim::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t kMicrosecond = 1000;

std::vector<Duration> microseconds(std::initializer_list<std::int64_t> times) {
  std::vector<Duration> made;
  for (const std::int64_t time : times) made.emplace_back(time * kMicrosecond);
  return made;
}

/// Makes a profiler with a given schedule that writes to a temporary folder, and reads its result.
class InlineTest : public ::testing::Test {
 protected:
  Profiler& profiler(const std::string& schedule) {
    std::ofstream(folder_.file("prof.schedule")) << schedule;
    made_ = std::make_unique<Profiler>(folder_.file(""));
    return *made_;
  }
  [[nodiscard]] std::vector<std::filesystem::path> results() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.file(""))) {
      if (entry.path().filename() != "prof.schedule") found.push_back(entry.path());
    }
    return found;
  }
  [[nodiscard]] Parsed<RangeProfile> result() const {
    std::ostringstream text;
    text << std::ifstream(results().at(0)).rdbuf();
    return ingest::read_text<RangeProfile>("inline_profile", text.str());
  }

  TemporaryFolder folder_;
  std::unique_ptr<Profiler> made_;
};

/// Three iterations run 10 us of other work and then fprop, which takes 5, 6 and 7 us. The first iteration is warm-up,
/// so only 6 and 7 us are measured.
TEST_F(InlineTest, ARangeIsMeasuredInTheIterationsOfItsLines) {
  Profiler& measuring = profiler("1\nfprop 2 fc1 0\nfprop 3 fc1 0");
  const cudaStream_t stream = fake_cuda::stream(0, 100);
  for (int i = 0; i < 3; ++i) {
    measuring.begin_iteration();
    fake_cuda::run(stream, 10 * kMicrosecond);
    measuring.start("fprop", stream);
    fake_cuda::run(stream, (5 + i) * kMicrosecond);
    measuring.stop("fprop", stream);
    measuring.end_iteration();
  }
  const Parsed<RangeProfile> found = result();
  EXPECT_THAT(found.sink.diagnostics.entries(), IsEmpty());
  ASSERT_THAT(found.part.ranges, SizeIs(1));
  EXPECT_EQ(found.part.ranges[0].name, "fprop");
  EXPECT_EQ(found.part.ranges[0].layer, "fc1");
  EXPECT_EQ(found.part.ranges[0].lengths, microseconds({6, 7}));
  EXPECT_EQ(found.part.ranges[0].offsets, microseconds({10, 10}));
  EXPECT_THAT(found.part.iterations, SizeIs(2));
  EXPECT_FALSE(found.part.host.empty());
}

/// The three occurrences of fprop in an iteration take 10, 20 and 30 us. Iteration 2 measures occurrence 0 (layer fc1),
/// iteration 3 measures occurrence 2 (layer fc3).
TEST_F(InlineTest, OccurrencesOfANameAreToldApart) {
  Profiler& measuring = profiler("1\nfprop 2 fc1 0\nfprop 3 fc3 2");
  const cudaStream_t stream = fake_cuda::stream(0, 101);
  for (int i = 0; i < 3; ++i) {
    measuring.begin_iteration();
    for (int k = 0; k < 3; ++k) {
      measuring.start("fprop", stream);
      fake_cuda::run(stream, 10 * (k + 1) * kMicrosecond);
      measuring.stop("fprop", stream);
    }
    measuring.end_iteration();
  }
  const RangeProfile found = result().part;
  ASSERT_THAT(found.ranges, SizeIs(2));
  EXPECT_EQ(found.ranges[0].layer, "fc1");
  EXPECT_EQ(found.ranges[0].lengths, microseconds({10}));
  EXPECT_EQ(found.ranges[1].layer, "fc3");
  EXPECT_EQ(found.ranges[1].occurrence, 2);
  EXPECT_EQ(found.ranges[1].lengths, microseconds({30}));
  EXPECT_EQ(found.ranges[1].offsets, microseconds({30}));  // after two occurrences of 10 and 20 us
}

/// Starts and stops are numbered together in the order of their first appearance: start of outer 0, start of inner 1,
/// stop of inner 2, stop of outer 3.
TEST_F(InlineTest, IndicesShowNesting) {
  Profiler& measuring = profiler("1\nouter 2 l 0\ninner 3 l 0");
  const cudaStream_t stream = fake_cuda::stream(0, 102);
  for (int i = 0; i < 3; ++i) {
    measuring.begin_iteration();
    measuring.start("outer", stream);
    measuring.start("inner", stream);
    fake_cuda::run(stream, kMicrosecond);
    measuring.stop("inner", stream);
    measuring.stop("outer", stream);
    measuring.end_iteration();
  }
  const RangeProfile found = result().part;
  ASSERT_THAT(found.ranges, SizeIs(2));
  EXPECT_THAT(std::pair(found.ranges[0].start_index, found.ranges[0].end_index), std::pair(0, 3));
  EXPECT_THAT(std::pair(found.ranges[1].start_index, found.ranges[1].end_index), std::pair(1, 2));
}

/// Each of four threads uses a separate device and runs a range of (device + 1) us on it. The thread of device 0 marks
/// where iterations begin and end.
TEST_F(InlineTest, EveryDeviceIsMeasuredByEventsOfItsOwn) {
  constexpr int kDevices = 4;
  constexpr int kIterations = 6;
  Profiler& measuring = profiler("2\nstep 3 l 0\nstep 4 l 0\nstep 5 l 0\nstep 6 l 0");
  const std::int64_t misplaced = fake_cuda::misplaced();
  std::barrier together(kDevices);
  std::vector<std::thread> threads;
  for (int device = 0; device < kDevices; ++device) {
    threads.emplace_back([&, device] {
      static_cast<void>(cudaSetDevice(device));
      const cudaStream_t stream = fake_cuda::stream(device, 103);
      for (int i = 0; i < kIterations; ++i) {
        if (device == 0) measuring.begin_iteration();
        together.arrive_and_wait();
        measuring.start("step", stream);
        fake_cuda::run(stream, (device + 1) * kMicrosecond);
        measuring.stop("step", stream);
        together.arrive_and_wait();
        if (device == 0) measuring.end_iteration();
        together.arrive_and_wait();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const RangeProfile found = result().part;
  EXPECT_EQ(fake_cuda::misplaced(), misplaced);
  ASSERT_THAT(found.ranges, SizeIs(kDevices));
  for (const MeasuredRange& range : found.ranges) {
    const Duration expected{(range.device + 1) * kMicrosecond};
    EXPECT_THAT(range.lengths, ElementsAre(expected, expected, expected, expected)) << range.device;
  }
}

TEST_F(InlineTest, AStreamThatIsCapturedIsNotMarked) {
  Profiler& measuring = profiler("1\na 2 l 0\na 3 l 0\na 4 l 0");
  const cudaStream_t stream = fake_cuda::stream(0, 104);
  for (int i = 0; i < 4; ++i) {
    fake_cuda::capture(stream, i == 2);
    measuring.begin_iteration();
    measuring.start("a", stream);
    fake_cuda::run(stream, i * kMicrosecond);
    measuring.stop("a", stream);
    ::testing::internal::CaptureStderr();
    measuring.end_iteration();
    const std::string said = ::testing::internal::GetCapturedStderr();
    if (i == 3) {
      EXPECT_THAT(said, HasSubstr("without 1 measurements that failed"));
    }
  }
  EXPECT_EQ(result().part.ranges.at(0).lengths, microseconds({1, 3}));
}

/// If CUDA fails, measurements are lost, but the program does not see an error.
TEST_F(InlineTest, ErrorsOfCudaStayInside) {
  Profiler& measuring = profiler("1\na 2 l 0\na 3 l 0");
  const cudaStream_t stream = fake_cuda::stream(0, 105);
  for (int i = 0; i < 3; ++i) {
    fake_cuda::fail_events(i == 1);
    measuring.begin_iteration();
    measuring.start("a", stream);
    fake_cuda::run(stream, 4 * kMicrosecond);
    measuring.stop("a", stream);
    measuring.end_iteration();
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  }
  EXPECT_EQ(result().part.ranges.at(0).lengths, microseconds({4}));
}

TEST_F(InlineTest, AnErrorOfTheProgramIsLeftForItToFind) {
  Profiler& measuring = profiler("1\na 2 l 0");
  const cudaStream_t stream = fake_cuda::stream(0, 106);
  for (int i = 0; i < 2; ++i) {
    measuring.begin_iteration();
    if (i == 1) fake_cuda::set_last_error(cudaErrorInvalidValue);
    measuring.start("a", stream);
    measuring.stop("a", stream);
    measuring.end_iteration();
  }
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(InlineTest, BehindTheScheduleNothingIsRecorded) {
  Profiler& measuring = profiler("1\na 2 l 0");
  const cudaStream_t stream = fake_cuda::stream(0, 107);
  const auto iterate = [&] {
    measuring.begin_iteration();
    measuring.start("a", stream);
    measuring.stop("a", stream);
    measuring.end_iteration();
  };
  iterate();
  iterate();
  EXPECT_THAT(results(), SizeIs(1));
  const std::int64_t records = fake_cuda::records();
  iterate();
  EXPECT_EQ(fake_cuda::records(), records);
}

TEST_F(InlineTest, AnIterationThatNobodyEndsEndsWhereTheNextBegins) {
  Profiler& measuring = profiler("1\na 2 l 0\na 3 l 0");
  const cudaStream_t stream = fake_cuda::stream(0, 108);
  for (int i = 0; i < 4; ++i) {
    measuring.begin_iteration();
    measuring.start("a", stream);
    fake_cuda::run(stream, 2 * kMicrosecond);
    measuring.stop("a", stream);
  }
  EXPECT_EQ(result().part.ranges.at(0).lengths, microseconds({2, 2}));
}

TEST_F(InlineTest, StopsWithoutStartsAndStartsWithoutStopsCostOnlyThemselves) {
  Profiler& measuring = profiler("1\na 2 l 0\nb 3 l 0\nc 4 l 0");
  const cudaStream_t stream = fake_cuda::stream(0, 109);
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 4; ++i) {
    measuring.begin_iteration();
    measuring.stop("a", stream);
    measuring.start("b", stream);
    measuring.start("c", stream);
    fake_cuda::run(stream, 3 * kMicrosecond);
    measuring.stop("c", stream);
    measuring.end_iteration();
  }
  // Range a is stopped without a start twice: in the warm-up iteration and in iteration 2, which measures it.
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("2 stops had no start"));
  const Parsed<RangeProfile> found = result();
  ASSERT_THAT(found.part.ranges, SizeIs(1));  // c; a was not started and b was not stopped
  EXPECT_EQ(found.sink.diagnostics.count_of("bad_range"), 1U);
  EXPECT_EQ(found.part.ranges[0].lengths, microseconds({3}));
}

TEST_F(InlineTest, WithoutAScheduleItSaysSoOnceAndStaysIdle) {
  ::testing::internal::CaptureStderr();
  Profiler idle(folder_.file(""));
  const std::int64_t records = fake_cuda::records();
  idle.begin_iteration();
  idle.start("a", fake_cuda::stream(0, 110));
  idle.stop("a", fake_cuda::stream(0, 110));
  idle.end_iteration();
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("prof.schedule, which 'stepsim schedule' writes"));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1);
  EXPECT_EQ(fake_cuda::records(), records);
  EXPECT_THAT(results(), IsEmpty());
}

TEST_F(InlineTest, AScheduleOfOtherRangesIsSaidAfterTheWarmUp) {
  ::testing::internal::CaptureStderr();
  Profiler& measuring = profiler("1\na 2 l 0");
  measuring.begin_iteration();
  measuring.start("other", fake_cuda::stream(0, 111));
  measuring.end_iteration();
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("no range of the schedule was met"));
}

TEST_F(InlineTest, AFolderThatIsGoneCostsTheResultAlone) {
  Profiler& measuring = profiler("1\na 2 l 0");
  std::filesystem::remove_all(folder_.file(""));
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) {
    measuring.begin_iteration();
    measuring.start("a", fake_cuda::stream(0, 112));
    measuring.stop("a", fake_cuda::stream(0, 112));
    measuring.end_iteration();
  }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("cannot be written"));
}

std::string problem_of(const std::string& schedule) {
  std::istringstream text(schedule);
  return profiling::read_schedule(text, "s").problem;
}

TEST(InlineScheduleTest, MistakesNameLineFoundAndExpected) {
  EXPECT_EQ(problem_of("10\na 11 l 0\na 12 l 0"), "");
  EXPECT_EQ(problem_of("10\r\na 11 l 0\r\n"), "");
  EXPECT_THAT(problem_of(""), HasSubstr("s:1: the schedule lists no ranges"));
  EXPECT_THAT(problem_of("ten\n"), HasSubstr("s:1: 'ten' is not a number of warm-up iterations; expected"));
  EXPECT_THAT(problem_of("0\na 1 l 0"), HasSubstr("s:1: '0'"));
  EXPECT_THAT(problem_of("10\n"), HasSubstr("s:2: the schedule lists no ranges"));
  EXPECT_THAT(problem_of("10\na 11 l"), HasSubstr("s:2: 'a 11 l'; expected name, iteration, layer and occurrence"));
  EXPECT_THAT(problem_of("10\na 12 l 0"), HasSubstr("s:2: iteration '12'; expected 11"));
  EXPECT_THAT(problem_of("10\na 11 l -1"), HasSubstr("an occurrence from 0 on"));
  EXPECT_THAT(problem_of("99999999999999999999\n"), HasSubstr("is not a number"));
}

}  // namespace
}  // namespace stepsim
