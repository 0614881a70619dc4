#include "model/rewrite/parallel/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "model/rewrite/parallel/layers.h"
#include "tests/model/rewrite/data_parallel_job.h"
#include "tests/model/rewrite/transformer_job.h"

namespace stepsim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kBackwardCalls;
using testing::kForwardCalls;
using ::testing::Property;
using ::testing::SizeIs;
using testing::tasks_named;
using ::testing::Throws;
using testing::TransformerJob;

TEST(RepeatedPartTest, TheShortestPeriodThatCoversMostIsFound) {
  const std::vector<std::uint32_t> sequence{7, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 9};
  const RepeatedPart found = repeated_part_of(sequence);
  EXPECT_EQ(found.first, 1U);
  EXPECT_EQ(found.length, 3U);
  EXPECT_EQ(found.count, 3U);
  EXPECT_EQ(repeated_part_of(std::vector<std::uint32_t>{1, 2, 3, 4}).count, 0U);
  EXPECT_EQ(repeated_part_of({}).count, 0U);
}

StageCuts cuts_of(const TransformerJob& job, std::uint32_t stages) {
  const Capture capture = job.capture();
  return stage_cuts(capture, calls_of_typical_step(capture), stages);
}

TEST(StageCutsTest, StagesBeginBetweenLayers) {
  const TransformerJob job{.layers = 4, .ends = false};
  const StageCuts cuts = cuts_of(job, 2);
  const std::size_t backward = 4 * kForwardCalls;
  EXPECT_THAT(cuts.layers, ElementsAre(2, 2));
  EXPECT_THAT(cuts.forward, ElementsAre(0, 2 * kForwardCalls));
  EXPECT_THAT(cuts.backward, ElementsAre(backward + 2 * kBackwardCalls, backward));
  EXPECT_THAT(cuts.activations, ElementsAre(Bytes{job.tokens() * job.hidden * 4}));
  EXPECT_EQ(cuts.update, backward + 4 * kBackwardCalls);
}

/// Returns the longest stage of a cut.
double longest(const std::vector<double>& times, const std::vector<std::size_t>& first) {
  double most = 0;
  for (std::size_t stage = 0; stage < first.size(); ++stage) {
    const bool is_last = stage + 1 == first.size();
    double time = (stage == 0 ? times.front() : 0) + (is_last ? times.back() : 0);
    for (std::size_t layer = first[stage]; layer < (is_last ? times.size() - 2 : first[stage + 1]); ++layer)
      time += times[layer + 1];
    most = std::max(most, time);
  }
  return most;
}

/// Returns the longest stage of the best cut, of all cuts of the layers from `begin` on into the stages that are left.
// NOLINTNEXTLINE(misc-no-recursion): as deep as there are stages
double best_of_all(const std::vector<double>& times, std::uint32_t stages, std::vector<std::size_t> first = {0}) {
  if (first.size() == stages) return longest(times, first);
  double best = std::numeric_limits<double>::max();
  for (std::size_t next = first.back() + 1; next + (stages - first.size() - 1) < times.size() - 2; ++next) {
    std::vector<std::size_t> more = first;
    more.push_back(next);
    best = std::min(best, best_of_all(times, stages, std::move(more)));
  }
  return best;
}

TEST(FirstLayersTest, TheLongestStageIsAsShortAsInAnyCut) {
  std::mt19937 random(71);
  const auto draw = [&random](int most) { return static_cast<int>(random() % static_cast<unsigned>(most + 1)); };
  for (int run = 0; run < 300; ++run) {
    const std::size_t layers = static_cast<std::size_t>(draw(8)) + 1;
    const auto stages = static_cast<std::uint32_t>(draw(static_cast<int>(layers) - 1)) + 1;
    std::vector<double> times;
    for (std::size_t i = 0; i < layers + 2; ++i) times.push_back(draw(3) == 0 ? draw(20) : 4);
    const std::vector<std::size_t> first = first_layers(times, stages, {});
    ASSERT_EQ(first.size(), stages);
    EXPECT_EQ(longest(times, first), best_of_all(times, stages)) << run;
    EXPECT_EQ(std::adjacent_find(first.begin(), first.end(), std::greater_equal<>()),
              first.end());  // no stage is empty
  }
}

TEST(FirstLayersTest, OnlyAnEndWithWorkIsAStageOfItsOwn) {
  const auto first = [](double before, double after) { return first_layers({before, 30, 10, 10, after}, 4, {}); };
  EXPECT_THAT(first(0, 1), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(first(1, 0), ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(first(1, 1), ElementsAre(0, 0, 1, 2)) << "31 are more than 11";
  EXPECT_THAT(first(1, 25), ElementsAre(0, 1, 2, 3)) << "35 are more than 31";
  EXPECT_THROW(static_cast<void>(first(0, 0)), CannotAnswer);
}

// The step of LLaMA-2-7B on 8 stages: the layer to the vocabulary takes 0.6 of a layer's time.
TEST(FirstLayersTest, EqualLayersAreDividedEqually) {
  const auto first = [](std::size_t layers, std::uint32_t stages, double last) {
    std::vector<double> times(layers + 2, 10);
    times.front() = 0;
    times.back() = last;
    return first_layers(times, stages, {});
  };
  EXPECT_THAT(first(32, 8, 6), ElementsAre(0, 4, 8, 12, 16, 20, 24, 28));
  // 5 layers at most. From the end, each cut is the first after an equal division of what is before it: after 335 * 7 /
  // 8 = 293, 300 * 6 / 7 = 257, 260 * 5 / 6 = 217, 176, 135, 93 and 50.
  EXPECT_THAT(first(32, 8, 15), ElementsAre(0, 5, 10, 14, 18, 22, 26, 30));
  EXPECT_THAT(first(12, 5, 0), ElementsAre(0, 3, 6, 8, 10));  // 3 layers at most: cuts after 96, 75, 53 and 30
}

// Stages that compute their layers again are cut by what they compute then: the layer to the vocabulary counts less.
TEST(StageCutsTest, WhatIsComputedAgainCounts) {
  const Capture capture = TransformerJob{.layers = 9}.capture();
  const std::vector<ModelCall> calls = calls_of_typical_step(capture);
  const StepLayers layers = layers_of(calls);
  const std::vector<double> once = layer_times(capture, calls, layers);
  const std::vector<double> again = layer_times(capture, calls, layers, Recompute::kLayers);
  const double kernel = 10'000;
  EXPECT_EQ(once[1], (kForwardCalls + kBackwardCalls) * kernel);
  EXPECT_EQ(again[1], (2 * kForwardCalls + kBackwardCalls) * kernel);
  EXPECT_EQ(again.front(), once.front());
  EXPECT_EQ(again.back(), once.back());
}

TEST(StageCutsTest, AStageWithOtherWorkHasFewerLayers) {
  // The last stage also has a norm and the layer to the vocabulary with its two products, 7 calls in all.
  TransformerJob job{.layers = 9};
  EXPECT_THAT(cuts_of(job, 3).layers, ElementsAre(3, 3, 3));
  Capture capture = job.capture();
  const std::vector<ModelCall> calls = calls_of_typical_step(capture);
  const std::size_t head = 2 + 9 * kForwardCalls + 1;
  CaptureEdit edit(capture);
  edit.builder().set_duration(calls[head].first, job.kernel * 50);  // longer than a layer
  const Capture longer = std::move(edit).finish();
  const StageCuts cuts = stage_cuts(longer, calls_of_typical_step(longer), 3);
  EXPECT_LT(cuts.layers.back(), 3U);
  EXPECT_EQ(cuts.layers[0] + cuts.layers[1] + cuts.layers[2], 9U);
}

TEST(StageCutsTest, MoreStagesThanLayersAreRefused) {
  EXPECT_THAT([] { (void)cuts_of({.layers = 3, .ends = false}, 4); },
              Throws<CannotAnswer>(Property(&CannotAnswer::what, HasSubstr("3 repeated layers"))));
  EXPECT_THAT([] { (void)cuts_of({.layers = 3}, 6); },
              Throws<CannotAnswer>(Property(&CannotAnswer::what, HasSubstr("expected at most 5"))));
}

// As Megatron-LM counts the embedding and the loss: the 126 layers of LLaMA-405B have 16 stages of 8 parts each.
TEST(StageCutsTest, WhatIsBeforeOrAfterTheLayersCanBeAStage) {
  EXPECT_THAT(cuts_of({.layers = 3}, 5).layers, ElementsAre(0, 1, 1, 1, 0));
  // The last stage would have the 7 calls after the layers and a layer, the first one 4 calls and a layer.
  EXPECT_THAT(cuts_of({.layers = 3}, 4).layers, ElementsAre(1, 1, 1, 0));
  const Capture capture = TransformerJob{.layers = 4}.capture();
  const std::vector<ModelCall> calls = calls_of_typical_step(capture);
  EXPECT_THAT(stage_cuts(capture, calls, 3, std::vector<std::uint32_t>{0, 3, 1}).layers, ElementsAre(0, 3, 1));
  EXPECT_THAT(
      [&] {
        (void)stage_cuts(capture, calls, 3, std::vector<std::uint32_t>{2, 0, 2});
      },
      Throws<CannotAnswer>(Property(&CannotAnswer::what, HasSubstr("part 2 of the split has no layer"))));
}

TEST(StageCutsTest, StagesHaveAsManyLayersAsTheSplitSays) {
  const Capture capture = TransformerJob{.layers = 7, .ends = false}.capture();
  const std::vector<ModelCall> calls = calls_of_typical_step(capture);
  const auto cut = [&](const std::vector<std::uint32_t>& split) { return stage_cuts(capture, calls, 3, split); };
  const StageCuts cuts = cut({1, 4, 2});
  EXPECT_THAT(cuts.layers, ElementsAre(1, 4, 2));
  EXPECT_THAT(cuts.forward, ElementsAre(0, kForwardCalls, 5 * kForwardCalls));
  EXPECT_THAT(
      [&] {
        (void)cut({1, 4, 3});
      },
      Throws<CannotAnswer>(Property(&CannotAnswer::what, HasSubstr("3 parts with 8 layers in all; expected 3 "
                                                                   "parts with the 7 repeated layers"))));
  EXPECT_THAT(
      [&] {
        (void)cut({3, 4});
      },
      Throws<CannotAnswer>(Property(&CannotAnswer::what, HasSubstr("2 parts with 7 layers in all"))));
}

TEST(WithStagesTest, EveryMicrobatchHasEveryCallOnce) {
  const TransformerJob job{.layers = 4};
  const Capture capture = job.capture();
  const auto kernels = [](const Capture& of, std::string_view name) { return tasks_named(of.dag, name).size(); };
  for (const Parallelism& parallelism :
       {Parallelism{.pipeline = 2, .microbatches = 3}, Parallelism{.pipeline = 6, .microbatches = 3},
        Parallelism{.pipeline = 3, .microbatches = 3, .interleave = 2},
        Parallelism{.pipeline = 2, .microbatches = 3, .split = {0, 4}}}) {
    const Capture staged = with_stages(capture, parallelism);
    const std::size_t stages = parallelism.pipeline;
    const std::size_t links = parallelism.parts_of_pipeline() - 1;
    for (const std::string_view name : {"aten::addmm", "aten::mm", "aten::bmm", "aten::native_layer_norm_backward"})
      EXPECT_EQ(kernels(staged, name), 3 * kernels(capture, name)) << name;
    EXPECT_EQ(kernels(staged, "aten::_foreach_add_"), stages);  // each stage has an optimizer
    EXPECT_EQ(kernels(staged, "sends activations"), 3 * links);
    EXPECT_EQ(kernels(staged, "receives gradients"), 3 * links);
    EXPECT_THAT(staged.recording.ranks, SizeIs(stages));
    EXPECT_EQ(staged.gradients.size(), capture.gradients.size());
  }
}

// The passes of a stage follow each other on its thread and on its stream.
TEST(WithStagesTest, AThreadOrStreamRunsOneTaskAfterTheOther) {
  const Capture staged = with_stages(TransformerJob{.layers = 4}.capture(), {.pipeline = 2, .microbatches = 3});
  const Dag& dag = staged.dag;
  std::vector<bool> follows(dag.task_count(), false);
  for (const TaskId task : dag.tasks()) {
    for (const TaskId next : dag.successors(task)) {
      if (dag.lane_id(task) == dag.lane_id(next)) follows[next.index()] = true;
    }
  }
  std::map<LaneId, std::size_t> first;
  for (const TaskId task : dag.tasks()) {
    if (!dag.rendezvous(task).valid() && !follows[task.index()]) ++first[dag.lane_id(task)];
  }
  EXPECT_EQ(first.size(), 4U) << "a thread and a stream for each stage";
  for (const auto& [lane, tasks] : first) EXPECT_EQ(tasks, 1U) << dag.lanes()[lane.index()].name;
}

// A neutral number of microbatches and a change of the batch divide them later, as they divide durations.
TEST(WithStagesTest, MessagesCarryTheActivationsOfAllSamples) {
  const TransformerJob job{.layers = 4};
  const Capture staged = with_stages(job.capture(), {.pipeline = 4, .microbatches = 3});
  for (const TaskId task : tasks_named(staged.dag, "sends activations")) {
    EXPECT_EQ(staged.dag.bytes(task), Bytes{job.tokens() * job.hidden * 4});
    EXPECT_TRUE(staged.dag.collective(staged.dag.rendezvous(task)).of_activations);
  }
}

}  // namespace
}  // namespace stepsim
