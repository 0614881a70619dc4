#include "scenarios/answer/memory_need.h"
#include "scenarios/answer/factors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/answer/sweep.h"
#include "scenarios/question/scenario.h"
#include "tests/model/rewrite/transformer_job.h"
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
  return MemoryNeeds(plan.divided_step).of(plan);
}

MemoryAnswer divided(Capture capture, const Parallelism& parallelism) {
  const stepsim::testing::Question question(std::move(capture));
  Plan plan = question.predictor().plan();
  plan.parallelism = parallelism;
  return MemoryNeeds(plan.divided_step).of(plan);
}

TEST(MemoryNeedTest, WithoutChangesIsTheRecordedPeak) {
  const MemoryAnswer answer = answer_to(job(), {});
  ASSERT_TRUE(answer.need);
  EXPECT_FALSE(answer.may_differ);
  EXPECT_EQ(answer.need->peak.mid, Bytes{11 * kGib});
  EXPECT_EQ(answer.need->peak.low, answer.need->peak.mid);
  EXPECT_EQ(answer.need->peak.high, answer.need->peak.mid);
  EXPECT_EQ(answer.need->capacity, Bytes{40 * kGib});
  EXPECT_EQ(answer.need->fits(), Fit::kYes);
}

TEST(MemoryNeedTest, TheRangeWidensWithEachDoublingOfTheBatch) {
  const MemoryNeed need = *answer_to(job(), {"batch.scale=4"}).need;
  EXPECT_EQ(need.peak.mid, Bytes{14 * kGib});
  const double error = 2 * kPeakErrorOfTwice;
  EXPECT_EQ(need.peak.high.count(), std::llround(14 * static_cast<double>(kGib) * (1 + error)));
  EXPECT_EQ(need.peak.low.count(), std::llround(14 * static_cast<double>(kGib) / (1 + error)));
}

TEST(MemoryNeedTest, FitsIfTheUpperEndOfTheRangeDoes) {
  const auto fit = [](double gib, std::int64_t capacity) {
    const Bytes peak{std::llround(gib * static_cast<double>(kGib))};
    return MemoryNeed{.peak = {peak, peak, peak}, .capacity = Bytes{capacity * kGib}}.fits();
  };
  // 5 % of fragmentation and 2 GiB outside of the allocator leave 36.19 GiB of 40; with 0.5 GiB there are 39.5.
  EXPECT_EQ(fit(36.1, 40), Fit::kYes);
  EXPECT_EQ(fit(36.3, 40), Fit::kUnsure);
  EXPECT_EQ(fit(39.4, 40), Fit::kUnsure);
  EXPECT_EQ(fit(39.6, 40), Fit::kNo);
  EXPECT_EQ(MemoryNeed{.peak = {.mid = Bytes{kGib}}}.fits(), std::nullopt);
}

TEST(MemoryNeedTest, AnotherDeviceHasItsOwnCapacity) {
  const MemoryNeed need = *answer_to(job(), {"device.to=H100"}).need;
  EXPECT_EQ(need.device, "H100");
  EXPECT_EQ(need.capacity, Bytes{80 * kGib});
}

TEST(MemoryNeedTest, ADeviceWithoutASizeInItsNameHasThatOfTheTrace) {
  Capture capture = std::move(stepsim::testing::GpuStep("Some device").job).capture();
  capture.allocations = allocations(Bytes{10 * kGib}, Bytes{kGib});
  EXPECT_EQ(answer_to(capture, {}).need->capacity, std::nullopt);
  capture.device_memory[0] = Bytes{20 * kGib};
  EXPECT_EQ(answer_to(capture, {}).need->capacity, Bytes{20 * kGib});
  EXPECT_EQ(answer_to(std::move(capture), {"device.to=H100"}).need->capacity, Bytes{80 * kGib});
}

TEST(MemoryNeedTest, WhatTheTraceStatesOfItsDeviceWins) {
  Capture capture = std::move(stepsim::testing::GpuStep("NVIDIA GH200 480GB").job).capture();
  capture.allocations = allocations(Bytes{10 * kGib}, Bytes{kGib});
  EXPECT_EQ(answer_to(capture, {}).need->capacity, Bytes{96 * kGib});
  capture.device_memory[0] = Bytes{101'468'602'368};
  EXPECT_EQ(answer_to(std::move(capture), {}).need->capacity, Bytes{101'468'602'368});
}

TEST(MemoryNeedTest, IsUnknownIfTheModelIs) {
  constexpr std::string_view kWhy =
      "no whole step has a forward and a backward pass; expected a trace of training with PyTorch with "
      "record_shapes=True";
  const MemoryAnswer cast = answer_to(job(), {"precision.to=bf16"});
  EXPECT_FALSE(cast.need);
  EXPECT_EQ(cast.why_none, kWhy);
  EXPECT_TRUE(cast.may_differ);
  EXPECT_EQ(divided(job(), {.tensor = 2}).why_none, kWhy);
}

/// Returns the id of what is assumed of the memory for a batch of another size; empty if nothing is.
std::string assumed_of_batch(Capture capture, const std::string& set) {
  const stepsim::testing::Question question(std::move(capture));
  Scenario scenario;
  add_set(scenario, set);
  Plan plan = question.predictor().plan();
  apply_all(scenario.changes, plan);
  const auto assumption = MemoryNeeds(plan.divided_step).assumption_for(plan);
  return assumption ? assumption->id : "";
}

TEST(MemoryNeedTest, OnlyABatchOfUnknownMemoryIsAssumedToFit) {
  Capture unknown = job();
  unknown.allocations = nullptr;
  EXPECT_EQ(assumed_of_batch(unknown, "batch.scale=2"), kBatchFits);
  EXPECT_EQ(assumed_of_batch(unknown, "batch.scale=0.5"), "");
  EXPECT_EQ(assumed_of_batch(job(), "batch.scale=2"), "") << "allocations were recorded";
  const stepsim::testing::TransformerJob transformer{};
  EXPECT_EQ(assumed_of_batch(transformer.capture(), "batch.scale=2"), "optimizer_states") << "estimated from shapes";
}

constexpr stepsim::testing::TransformerJob kTransformer{
    .layers = 4, .batch = 2, .sequence = 48, .hidden = 16, .ends = false};
// Of each layer in bytes: 12 h^2 parameters, and what Korthikanti et al. 2022 list without dropout, in 32 bits.
constexpr std::int64_t kLayers = 4;
constexpr std::int64_t kTokens = 96;
constexpr std::int64_t kHidden = 16;
constexpr std::int64_t kScores = std::int64_t{4} * 2 * 48 * 48;  // heads, samples and tokens squared
constexpr std::int64_t kParameters = kLayers * 12 * kHidden * kHidden * 4;
constexpr std::int64_t kActivations = kLayers * 4 * (16 * kTokens * kHidden + kScores);
// A call of the backward pass reads and writes as much as the largest tensor of the forward pass: the scores.
constexpr std::int64_t kWorking = 8 * kScores;
constexpr std::int64_t kPassing = kActivations + kWorking;

Capture transformer_with_peak(std::int64_t peak) {
  Capture capture = kTransformer.capture();
  capture.allocations = allocations(Bytes{peak - 1}, Bytes{1});
  return capture;
}

TEST(MemoryNeedTest, IsEstimatedFromShapesWithoutAllocations) {
  const MemoryAnswer answer = divided(kTransformer.capture(), {});
  ASSERT_TRUE(answer.need);
  const MemoryParts& parts = *answer.need->parts;
  EXPECT_EQ(parts.parameters, Bytes{kParameters});
  EXPECT_EQ(parts.gradients, Bytes{kParameters});
  EXPECT_EQ(parts.optimizer, Bytes{2 * kParameters});
  EXPECT_EQ(parts.activations, Bytes{kActivations});
  EXPECT_EQ(parts.working, Bytes{kWorking});
  EXPECT_EQ(answer.need->peak.mid, Bytes{4 * kParameters + kPassing});
  // No optimizer was captured, so there may be none.
  const auto passing = static_cast<double>(kPassing);
  EXPECT_EQ(answer.need->peak.low.count(), std::llround(2 * kParameters + passing * (1 - kShapesError)));
  EXPECT_EQ(answer.need->peak.high.count(), std::llround(4 * kParameters + passing * (1 + kShapesError)));
}

TEST(MemoryNeedTest, OfADividedJobActivationsFollowTheRecordedPeak) {
  // The recording has half as much again of activations and of what a call works on as was estimated.
  const auto peak = [](const Parallelism& parallelism) {
    return divided(transformer_with_peak(4 * kParameters + kPassing * 3 / 2), parallelism).need->peak.mid;
  };
  EXPECT_EQ(peak({}), Bytes{4 * kParameters + kPassing * 3 / 2});
  EXPECT_EQ(peak({.microbatches = 4}), Bytes{4 * kParameters + kPassing * 3 / 2 / 4});
  // A stage has one layer, and parts of four microbatches. It also has biases and norms, which have no gradients here.
  EXPECT_EQ(peak({.pipeline = 4, .microbatches = 4}),
            Bytes{kParameters + std::int64_t{4} * 4 * 13 * kHidden + kPassing * 3 / 2 / 4});
}

TEST(MemoryNeedTest, AReplicaHasACopyOfItsGradientsInBuckets) {
  const std::int64_t recorded = 4 * kParameters + kPassing;
  const MemoryNeed need = *divided(transformer_with_peak(recorded), {.data = 4}).need;
  EXPECT_EQ(need.peak.mid, Bytes{recorded + kParameters});
  // The gradients may be views of the buckets.
  EXPECT_EQ(need.peak.low.count(), std::llround(static_cast<double>(recorded) / (1 + kDivisionError)));
  EXPECT_EQ(need.peak.high.count(), std::llround(static_cast<double>(recorded + kParameters) * (1 + kDivisionError)));
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
  EXPECT_EQ(answer_to(std::move(capture), {}).need->peak.mid, Bytes{1});

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

TEST(MemoryNeedTest, APointOfASweepHasTheNeedOfItsPlan) {
  const stepsim::testing::Question question(job());
  Sweep sweep(question.predictor(), parse_scenario("sweep: {batch.scale: [2]}", "s.yaml"));
  std::vector<Outcome> outcomes;
  sweep.run(std::vector<std::size_t>{0},
            {.threads = 1, .done = [&](std::size_t, const Outcome& one) { outcomes.push_back(one); }});
  ASSERT_EQ(outcomes.size(), 1U);
  ASSERT_TRUE(outcomes[0].memory);
  EXPECT_EQ(outcomes[0].memory, answer_to(job(), {"batch.scale=2"}).need);
}

}  // namespace
}  // namespace stepsim::scenarios
