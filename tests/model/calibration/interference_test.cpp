#include "model/calibration/interference.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/job/dag_builder.h"

namespace stepsim {
namespace {

/// Makes a capture of a rank with a compute stream and a stream for collectives. Times are in microseconds.
class DeviceMaker {
 public:
  void add(TaskKind kind, const std::string& name, std::int32_t step, std::int64_t start, std::int64_t length) {
    builder_.add_task({.kind = kind,
                       .name = builder_.intern(name),
                       .lane = kind == TaskKind::kCollective ? communication_ : compute_,
                       .duration = us(length)});
    capture_.recording.start.emplace_back(us(start));
    capture_.recording.finish.emplace_back(us(start + length));
    capture_.recording.step.push_back(step);
  }
  /// Adds a kernel of a single step, launched with `blocks` blocks.
  void add_launched(const std::string& name, std::uint64_t blocks, std::int64_t start, std::int64_t length) {
    const TaskId task{capture_.recording.start.size()};
    add(TaskKind::kKernel, name, -1, start, length);
    capture_.launches.uses.push_back({task, static_cast<std::uint32_t>(capture_.launches.launches.size())});
    capture_.launches.launches.push_back({.blocks = blocks, .threads = 128});
  }
  std::vector<Interference> found() {
    // Tasks without edges keep the order in which they were added.
    capture_.dag = std::move(builder_).build().dag;
    return interference_in(capture_);
  }
  /// Returns the evident slowdowns of all ranks.
  std::vector<Slowdown> evident() {
    capture_.dag = std::move(builder_).build().dag;
    return evident_slowdowns(capture_);
  }

 private:
  static Duration us(std::int64_t count) { return Duration{1000 * count}; }

  DagBuilder builder_;
  Capture capture_;
  LaneId compute_ = builder_.add_lane({.name = "stream 7", .kind = LaneKind::kStream, .device = 0});
  LaneId communication_ = builder_.add_lane({.name = "stream 9", .kind = LaneKind::kStream, .device = 0});
};

TEST(InterferenceTest, KernelIsComparedWithItselfInOtherSteps) {
  DeviceMaker device;
  device.add(TaskKind::kKernel, "sgemm", 0, 0, 100);     // without communication
  device.add(TaskKind::kKernel, "sgemm", 0, 100, 10);    // a much shorter kernel, without communication in both steps
  device.add(TaskKind::kKernel, "sgemm", 1, 1000, 150);  // overlapped by communication
  device.add(TaskKind::kKernel, "sgemm", 1, 1300, 10);
  device.add(TaskKind::kCollective, "ncclAllReduce", 1, 990, 200);

  const std::vector<Interference> found = device.found();

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kernel_class, KernelClass::kGemm);
  EXPECT_EQ(found[0].kernels, 1U);
  EXPECT_DOUBLE_EQ(found[0].factor, 1.5);  // 150 us instead of 100 us
}

TEST(InterferenceTest, LayersOfUnlikeWorkAreNotCompared) {
  // The step's second kernel is 5 times as long as the first and overlaps communication in both steps.
  DeviceMaker device;
  for (const std::int32_t step : {0, 1}) {
    const std::int64_t begin = std::int64_t{1000} * step;
    device.add(TaskKind::kKernel, "sgemm", step, begin, 100);
    device.add(TaskKind::kKernel, "sgemm", step, begin + 100, 500);
    device.add(TaskKind::kCollective, "ncclAllReduce", step, begin + 100, 500);
  }

  EXPECT_TRUE(device.found().empty());
}

/// Adds three groups of four kernels. Each group has a different grid. The groups run first without communication, and
/// then during a collective, where a kernel takes twice as long. The first kernel of each group takes 3 us there, but
/// is not compared, because it follows a kernel of another group.
void add_one_step(DeviceMaker& device, const std::string& name) {
  for (std::int64_t i = 0; i < 12; ++i) {
    const std::int64_t length = 10 + i / 4;
    const auto blocks = static_cast<std::uint64_t>(100 + i / 4);
    device.add_launched(name, blocks, 100 * i, length);
    device.add_launched(name, blocks, 2000 + 100 * i, i % 4 == 0 ? 3 : 2 * length);
  }
  device.add(TaskKind::kCollective, "ncclAllReduce", -1, 1950, 1300);
}

TEST(InterferenceTest, InsideOneStepKernelsThatWereLaunchedAlikeAfterTheSameKernelAreCompared) {
  DeviceMaker device;
  add_one_step(device, "vectorized_elementwise_kernel");
  const std::vector<Slowdown> found = device.evident();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kernel_class, KernelClass::kElementwise);
  EXPECT_EQ(found[0].kernels, 9U);
  EXPECT_DOUBLE_EQ(found[0].low, 2);
  EXPECT_DOUBLE_EQ(found[0].factor, 2);
}

TEST(InterferenceTest, InsideOneStepProductsWithoutShapesAreNotCompared) {
  // The grid of a matrix product does not determine its inner dimension, so equal grids do not mean equal work.
  DeviceMaker device;
  add_one_step(device, "sgemm");
  EXPECT_TRUE(device.evident().empty());
}

TEST(InterferenceTest, InsideOneStepOneKernelIsNoEvidence) {
  DeviceMaker device;
  for (std::int64_t i = 0; i < 6; ++i) {
    device.add_launched("vectorized_elementwise_kernel", 100, 100 * i, 10);
    device.add_launched("vectorized_elementwise_kernel", 100, 1000 + 100 * i, 20);
  }
  device.add(TaskKind::kCollective, "ncclAllReduce", -1, 950, 1000);
  EXPECT_TRUE(device.evident().empty());
}

TEST(InterferenceTest, ShortKernelsAreLeftOut) {
  DeviceMaker device;
  device.add(TaskKind::kKernel, "sgemm", 0, 0, 9);
  device.add(TaskKind::kKernel, "sgemm", 1, 1000, 18);
  device.add(TaskKind::kCollective, "ncclAllReduce", 1, 990, 200);

  EXPECT_TRUE(device.found().empty());
}

TEST(InterferenceTest, PartlyBesideAndUnequalCountsAreLeftOut) {
  DeviceMaker device;
  device.add(TaskKind::kKernel, "sgemm", 0, 0, 100);
  device.add(TaskKind::kKernel, "sgemm", 1, 1000, 100);  // half of it overlaps communication
  device.add(TaskKind::kKernel, "relu", 0, 200, 20);
  device.add(TaskKind::kKernel, "relu", 1, 1200, 30);  // during communication, but step 1 has two relu kernels
  device.add(TaskKind::kKernel, "relu", 1, 1300, 20);
  device.add(TaskKind::kCollective, "ncclAllReduce", 1, 1050, 190);

  EXPECT_TRUE(device.found().empty());
}

/// Returns a device with one kernel for each of `lengths`. Each takes 100 us alone in step 0, and the given length in
/// us during communication in step 1.
DeviceMaker beside(const std::vector<std::int64_t>& lengths) {
  DeviceMaker device;
  for (const std::int32_t step : {0, 1}) {
    std::int64_t now = std::int64_t{10'000} * step;
    for (const std::int64_t length : lengths) {
      device.add(TaskKind::kKernel, "sgemm", step, now, step == 0 ? 100 : length);
      now += 1'000;
    }
  }
  device.add(TaskKind::kCollective, "ncclAllReduce", 1, 10'000, 30'000);
  return device;
}

TEST(InterferenceTest, FiveKernelsOfWhichNoneIsShorterAreEvidence) {
  const std::vector<Slowdown> found = beside({110, 120, 130, 140, 150}).evident();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kernel_class, KernelClass::kGemm);
  EXPECT_EQ(found[0].kernels, 5U);
  EXPECT_DOUBLE_EQ(found[0].factor, 1.3);
  EXPECT_DOUBLE_EQ(found[0].low, 1.1);
  EXPECT_DOUBLE_EQ(found[0].high, 1.5);
}

TEST(InterferenceTest, FewKernelsAreNoEvidence) { EXPECT_TRUE(beside({150, 150, 150, 150}).evident().empty()); }

TEST(InterferenceTest, ClassesThatAlsoGetShorterAreNoEvidence) {
  // Communication cannot make kernels shorter, so these steps differ for another reason. One shorter kernel in ten is
  // tolerated, two are not.
  EXPECT_TRUE(beside({99, 150, 150, 150, 150}).evident().empty());
  EXPECT_EQ(beside({99, 150, 150, 150, 150, 150, 150, 150, 150, 150}).evident().size(), 1U);
  EXPECT_TRUE(beside({99, 99, 150, 150, 150, 150, 150, 150, 150, 150}).evident().empty());
}

TEST(InterferenceTest, KernelsThatDoNotCareHaveNoSlowdown) {
  EXPECT_TRUE(beside({100, 100, 100, 100, 100, 100}).evident().empty());
}

}  // namespace
}  // namespace stepsim
