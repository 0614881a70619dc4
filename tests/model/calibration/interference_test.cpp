#include "model/calibration/interference.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/job/dag_builder.h"

namespace stepsim {
namespace {

/// A rank with a compute stream and a stream for collectives, whose times are given in microseconds.
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
  std::vector<Interference> found() {
    // Without edges the tasks keep the order in which they were added.
    capture_.dag = std::move(builder_).build().dag;
    return interference_in(capture_);
  }
  /// The same, of all ranks.
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
  device.add(TaskKind::kKernel, "sgemm", 0, 0, 100);     // alone
  device.add(TaskKind::kKernel, "sgemm", 0, 100, 10);    // alone in both steps, and shorter by far
  device.add(TaskKind::kKernel, "sgemm", 1, 1000, 150);  // beside
  device.add(TaskKind::kKernel, "sgemm", 1, 1300, 10);
  device.add(TaskKind::kCollective, "ncclAllReduce", 1, 990, 200);

  const std::vector<Interference> found = device.found();

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kernel_class, KernelClass::kGemm);
  EXPECT_EQ(found[0].kernels, 1U);
  EXPECT_DOUBLE_EQ(found[0].factor, 1.5);  // 150 / 100
}

TEST(InterferenceTest, LayersOfUnlikeWorkAreNotCompared) {
  // The second layer is 5 times as long, and runs beside communication in both steps.
  DeviceMaker device;
  for (const std::int32_t step : {0, 1}) {
    device.add(TaskKind::kKernel, "sgemm", step, 1000 * step, 100);
    device.add(TaskKind::kKernel, "sgemm", step, 1000 * step + 100, 500);
    device.add(TaskKind::kCollective, "ncclAllReduce", step, 1000 * step + 100, 500);
  }

  EXPECT_TRUE(device.found().empty());
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
  device.add(TaskKind::kKernel, "sgemm", 1, 1000, 100);  // half of it beside
  device.add(TaskKind::kKernel, "relu", 0, 200, 20);
  device.add(TaskKind::kKernel, "relu", 1, 1200, 30);  // beside, but there are two in this step
  device.add(TaskKind::kKernel, "relu", 1, 1300, 20);
  device.add(TaskKind::kCollective, "ncclAllReduce", 1, 1050, 190);

  EXPECT_TRUE(device.found().empty());
}

/// As many kernels as there are lengths, 100 us alone in step 0 and of these lengths beside communication in step 1.
DeviceMaker beside(const std::vector<std::int64_t>& lengths) {
  DeviceMaker device;
  for (const std::int32_t step : {0, 1}) {
    std::int64_t now = 10'000 * step;
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
  // Communication shortens nothing: these steps differ by something else. One of ten may, two may not.
  EXPECT_TRUE(beside({99, 150, 150, 150, 150}).evident().empty());
  EXPECT_EQ(beside({99, 150, 150, 150, 150, 150, 150, 150, 150, 150}).evident().size(), 1U);
  EXPECT_TRUE(beside({99, 99, 150, 150, 150, 150, 150, 150, 150, 150}).evident().empty());
}

TEST(InterferenceTest, KernelsThatDoNotCareHaveNoSlowdown) {
  EXPECT_TRUE(beside({100, 100, 100, 100, 100, 100}).evident().empty());
}

}  // namespace
}  // namespace stepsim
