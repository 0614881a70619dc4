#include "scenarios/answer/memory_need.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "scenarios/question/scenario.h"
#include "tests/scenarios/question.h"
#include "tests/scenarios/whatif/gpu_step.h"

namespace stepsim::scenarios {
namespace {

constexpr std::int64_t kGib = std::int64_t{1} << 30;

/// Allocations of a device: some that stay, and one block that grows with the samples.
std::shared_ptr<const AllocationTable> allocations(Bytes staying, Bytes growing) {
  AllocationTable table;
  table.operators = {{"aten::gelu", "", {}, {{{4, 16}, 4, Precision::kFloat32, ElementKind::kFloat}}}};
  table.memories.push_back({.rank = 0,
                            .device = 0,
                            .events = {{.block = 1, .change = growing, .allocated = staying + growing, .which = 0}}});
  return std::make_shared<const AllocationTable>(std::move(table));
}

/// A step on an A100 with 40 GiB that allocates 10 GiB and 1 GiB for its samples.
Capture job() {
  Capture capture = std::move(stepsim::testing::GpuStep("NVIDIA A100-SXM4-40GB").job).capture();
  capture.allocations = allocations(Bytes{10 * kGib}, Bytes{kGib});
  return capture;
}

MemoryAnswer answer_to(Capture capture, std::initializer_list<std::string> sets) {
  const stepsim::testing::Question question(std::move(capture));
  Scenario scenario;
  for (const std::string& set : sets) add_set(scenario, set);
  Plan plan = question.predictor().plan();
  apply_all(scenario.changes, plan);
  return MemoryNeeds(question.capture()).of(plan);
}

TEST(MemoryNeedTest, WithoutChangesIsTheRecordedPeak) {
  const MemoryAnswer answer = answer_to(job(), {});
  ASSERT_TRUE(answer.need);
  EXPECT_FALSE(answer.may_differ);
  EXPECT_EQ(answer.need->peak, Bytes{11 * kGib});
  EXPECT_EQ(answer.need->low, answer.need->peak);
  EXPECT_EQ(answer.need->high, answer.need->peak);
  EXPECT_EQ(answer.need->capacity, Bytes{40 * kGib});
  EXPECT_EQ(answer.need->fits(), Fit::kYes);
}

TEST(MemoryNeedTest, TheRangeWidensWithEachDoublingOfTheBatch) {
  const MemoryNeed need = *answer_to(job(), {"batch.scale=4"}).need;
  EXPECT_EQ(need.peak, Bytes{14 * kGib});
  const double error = 2 * kPeakErrorOfTwice;
  EXPECT_EQ(need.high.count(), std::llround(14 * static_cast<double>(kGib) * (1 + error)));
  EXPECT_EQ(need.low.count(), std::llround(14 * static_cast<double>(kGib) / (1 + error)));
}

TEST(MemoryNeedTest, FitsIfTheUpperEndOfTheRangeDoes) {
  const auto fit = [](double gib, std::int64_t capacity) {
    const Bytes peak{std::llround(gib * static_cast<double>(kGib))};
    return MemoryNeed{.peak = peak, .low = peak, .high = peak, .capacity = Bytes{capacity * kGib}}.fits();
  };
  // 5 % of fragmentation and 2 GiB outside of the allocator leave 36.19 GiB of 40; with 0.5 GiB there are 39.5.
  EXPECT_EQ(fit(36.1, 40), Fit::kYes);
  EXPECT_EQ(fit(36.3, 40), Fit::kUnsure);
  EXPECT_EQ(fit(39.4, 40), Fit::kUnsure);
  EXPECT_EQ(fit(39.6, 40), Fit::kNo);
  EXPECT_EQ(MemoryNeed{.peak = Bytes{kGib}}.fits(), std::nullopt);
}

TEST(MemoryNeedTest, AnotherDeviceHasItsOwnCapacity) {
  const MemoryNeed need = *answer_to(job(), {"device.to=H100"}).need;
  EXPECT_EQ(need.device, "H100");
  EXPECT_EQ(need.capacity, Bytes{80 * kGib});
}

TEST(MemoryNeedTest, IsUnknownIfTheSizesOfBlocksAre) {
  const MemoryAnswer cast = answer_to(job(), {"precision.to=bf16"});
  EXPECT_FALSE(cast.need);
  EXPECT_EQ(cast.why_none, "how another precision changes the sizes of blocks is not modelled");
  EXPECT_TRUE(cast.may_differ);
  const stepsim::testing::Question question(job());
  Plan plan = question.predictor().plan();
  plan.parallelism.tensor = 2;
  EXPECT_EQ(MemoryNeeds(question.capture()).of(plan).why_none, "how parallel ranks divide the memory is not modelled");
}

TEST(MemoryNeedTest, AReplicaHasACopyOfItsGradientsInBuckets) {
  Capture capture = job();
  const TaskId first{0U};
  capture.recording.step.assign(capture.dag.task_count(), 0);
  capture.gradients = {{.ready = first, .bytes = Bytes{kGib}}, {.ready = first, .bytes = Bytes{2 * kGib}}};
  const stepsim::testing::Question question(std::move(capture));
  Plan plan = question.predictor().plan();
  plan.parallelism.data = 4;
  const MemoryNeed need = *MemoryNeeds(question.capture()).of(plan).need;
  EXPECT_EQ(need.low, Bytes{11 * kGib});  // the gradients are views of the buckets
  EXPECT_EQ(need.peak, Bytes{14 * kGib});
  EXPECT_EQ(need.high, Bytes{14 * kGib});
}

TEST(MemoryNeedTest, IsUnknownWithoutAllocations) {
  Capture capture = job();
  capture.allocations = nullptr;
  EXPECT_EQ(answer_to(std::move(capture), {}).why_none,
            "the capture has no allocations; record with profile_memory=True and record_shapes=True");
}

TEST(MemoryNeedTest, TheFullestDeviceCounts) {
  Capture capture = job();
  AllocationTable table = *capture.allocations;
  table.memories.push_back(table.memories.front());
  table.memories.back().rank = 1;
  capture.devices.emplace(1, "NVIDIA A10");  // 24 GiB
  capture.allocations = std::make_shared<const AllocationTable>(std::move(table));
  EXPECT_EQ(answer_to(std::move(capture), {}).need->rank, 1);
}

TEST(MemoryNeedTest, TheHostsMemoryCountsOnlyWithoutDevices) {
  AllocationTable table = *allocations(Bytes{10}, Bytes{1});
  table.memories.front().device = -1;
  const auto on_host = std::make_shared<const AllocationTable>(table);
  table.memories.push_back({.rank = 0, .device = 0, .events = {{.block = 1, .allocated = Bytes{1}}}});
  const auto on_both = std::make_shared<const AllocationTable>(std::move(table));

  Capture capture = job();
  capture.allocations = on_both;
  EXPECT_EQ(answer_to(std::move(capture), {}).need->peak, Bytes{1});

  capture = job();
  capture.allocations = on_host;
  EXPECT_EQ(answer_to(std::move(capture), {}).why_none, "the allocations on devices were not recorded");

  stepsim::testing::GpuJob without_kernels;
  without_kernels.call("aten::mm", Duration{1'000});
  capture = std::move(without_kernels).capture();
  capture.allocations = on_host;
  EXPECT_EQ(answer_to(std::move(capture), {}).need->device, "CPU");
}

TEST(MemoryNeedTest, IsUnknownIfTheTraceHasNoTotals) {
  Capture capture = job();
  AllocationTable table = *capture.allocations;
  table.memories.front().events.front().allocated = {};
  capture.allocations = std::make_shared<const AllocationTable>(std::move(table));
  EXPECT_EQ(answer_to(std::move(capture), {}).why_none, "the trace does not state how much memory is allocated in all");
}

}  // namespace
}  // namespace stepsim::scenarios
