// Tests which operators count as pauses of their thread.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ingest/stitch/host_device/host_device.h"
#include "tests/ingest/stitched.h"
#include "tests/ingest/trace_maker.h"

namespace stepsim::ingest {
namespace {

using testing::stitched;
using testing::TraceMaker;
using testing::us;

/// A rank with steps of operators one after another, on one thread.
class PausingRank {
 public:
  /// Adds a step of operators called `name` that take these times in microseconds, 90 us apart.
  void step(const std::vector<int>& times, const std::string& name = "aten::view") {
    const double begin = at_;
    for (const int time : times) {
      events_.push_back(maker_.add(EventKind::kOp, name, thread_, at_, time));
      at_ += time + 90;
    }
    maker_.add(EventKind::kAnnotation, "ProfilerStep#" + std::to_string(steps_++), thread_, begin, at_ - begin);
  }
  /// Adds an event within the last operator, over all of its time but 20 us at each end.
  void nest(EventKind kind, const std::string& name) {
    const Time start = maker_.trace.start[events_.back()];
    maker_.add(kind, name, thread_, static_cast<double>(start.time_since_epoch().count()) / 1e3 + 20,
               static_cast<double>(maker_.trace.duration[events_.back()].count()) / 1e3 - 40);
  }
  /// Gives the operator that was added as `which` the shapes `shapes`.
  void shape(std::size_t which, const std::string& shapes) {
    maker_.trace.operators.push_back({.name = "aten::view", .shapes = shapes});
    same_shape(which, static_cast<std::uint32_t>(maker_.trace.operators.size() - 1));
  }
  void same_shape(std::size_t which, std::uint32_t shape) { maker_.trace.operator_of.set(events_[which], shape); }
  [[nodiscard]] const HostDeviceTrace& trace() const { return maker_.trace; }
  [[nodiscard]] Capture capture() const { return stitched({maker_.trace}); }
  [[nodiscard]] std::size_t pauses() const { return capture().recording.pauses.size(); }

 private:
  TraceMaker maker_;
  TrackId thread_ = maker_.thread("1");
  std::vector<std::uint32_t> events_;
  double at_ = 0;
  int steps_ = 0;
};

/// Returns the times of `count` operators of 10 us, but for those at `long_ones`, which take `length`.
std::vector<int> times(std::size_t count, const std::vector<std::size_t>& long_ones, int length = 29'000) {
  std::vector<int> all(count, 10);
  for (const std::size_t one : long_ones) all[one] = length;
  return all;
}

Duration total(const Recording& recording) {
  Duration sum{};
  for (const Recording::Pause& pause : recording.pauses) sum += pause.excess;
  return sum;
}

TEST(Pauses, OperatorsOfManyTimesTheirUsualTimeAreOnes) {
  PausingRank rank;
  for (int step = 0; step < 8; ++step)
    rank.step(times(100, step % 2 == 0 ? std::vector<std::size_t>{3} : std::vector<std::size_t>{50, 99}));
  const Capture capture = rank.capture();
  // 4 steps with one and 4 with two, each 29 ms - 10 us beyond the median.
  ASSERT_EQ(capture.recording.pauses.size(), 12U);
  EXPECT_EQ(total(capture.recording), 12 * us(28'990));
  TaskId last{};
  for (const Recording::Pause& pause : capture.recording.pauses) {
    EXPECT_GE(capture.dag.duration(pause.task), pause.excess);
    EXPECT_TRUE(!last.valid() || last < pause.task);
    last = pause.task;
  }
}

TEST(Pauses, NeedFiftyMediansAndAMillisecondMore) {
  const auto with = [](int usual, int length) {
    PausingRank rank;
    std::vector<int> all(20, usual);
    all[7] = length;
    rank.step(all);
    return rank.pauses();
  };
  EXPECT_EQ(with(30, 1'499), 0U) << "49.97 medians";
  EXPECT_EQ(with(30, 1'500), 1U);
  EXPECT_EQ(with(5, 1'004), 0U) << "0.999 ms more";
  EXPECT_EQ(with(5, 1'005), 1U);
}

TEST(Pauses, NeedFiveOperatorsOfTheKind) {
  PausingRank four;
  four.step({10, 10, 29'000, 10});
  EXPECT_EQ(four.pauses(), 0U);
  PausingRank five;
  five.step({10, 10, 29'000, 10, 10});
  EXPECT_EQ(five.pauses(), 1U);
}

TEST(Pauses, AreNoWorkOfOtherSizes) {
  PausingRank rank;  // as when the layers of a model are filled with random numbers
  rank.step({10, 10, 10, 300, 20, 2'000, 10, 8'000, 300, 40, 200}, "aten::uniform_");
  EXPECT_EQ(rank.pauses(), 0U);
}

TEST(Pauses, AreComparedWithTheSameShapes) {
  PausingRank rank;
  rank.step(times(15, {12}, 3'000));
  rank.shape(0, "[[8], []]");
  for (std::size_t i = 1; i < 12; ++i) rank.same_shape(i, 0);
  rank.shape(12, "[[100000], []]");
  EXPECT_EQ(rank.pauses(), 0U) << "the only one of its size";
  PausingRank alike;
  alike.step(times(15, {12}, 3'000));
  alike.shape(0, "[[8], []]");
  for (std::size_t i = 1; i < 15; ++i) alike.same_shape(i, 0);
  EXPECT_EQ(alike.pauses(), 1U);
}

TEST(Pauses, LaunchAndContainNothing) {
  for (const auto& [kind, name] : {std::pair{EventKind::kRuntimeCall, "cudaMalloc"}, {EventKind::kOp, "aten::empty"}}) {
    PausingRank rank;
    rank.step(times(20, {19}));
    rank.nest(kind, name);
    EXPECT_EQ(rank.pauses(), 0U) << name;
  }
}

TEST(Pauses, DoNotWait) {
  for (const std::string name : {"aten::item", "c10d::allreduce_", "record_param_comms",
                                 "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "aten::copy_"}) {
    PausingRank rank;
    rank.step(times(20, {9}), name);
    EXPECT_EQ(rank.pauses(), 0U) << name;
  }
}

TEST(Pauses, AreOfEachRank) {
  PausingRank rank;
  rank.step(times(20, {5}));
  PausingRank other;
  other.step(times(20, {}));
  const Capture capture = stitched({other.trace(), rank.trace()});
  ASSERT_EQ(capture.recording.pauses.size(), 1U);
  EXPECT_EQ(capture.dag.lane(capture.recording.pauses.front().task).rank, 1);
}

TEST(Pauses, StayWithTheirTasksIfStepsAreLeftOut) {
  PausingRank rank;
  rank.step(times(20, {5}));
  rank.step(times(20, {}));
  rank.step(times(20, {2, 4}));
  Assembly assembly;
  stitch_host_device({{rank.trace(), "trace", 0}}, assembly);
  keep_steps(assembly, 0, 1);
  const Capture capture = finish(std::move(assembly));
  ASSERT_EQ(capture.recording.pauses.size(), 1U);
  EXPECT_GE(capture.dag.duration(capture.recording.pauses.front().task), us(29'000));
}

}  // namespace
}  // namespace stepsim::ingest
