#include "model/rewrite/parallel/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  EXPECT_THAT([] { (void)cuts_of({.layers = 3}, 4); },
              Throws<CannotAnswer>(Property(&CannotAnswer::what, HasSubstr("3 repeated layers"))));
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
  const Capture staged = with_stages(capture, {.pipeline = 2, .microbatches = 3});
  const auto kernels = [](const Capture& of, std::string_view name) { return tasks_named(of.dag, name).size(); };
  for (const std::string_view name : {"aten::addmm", "aten::mm", "aten::bmm", "aten::native_layer_norm_backward"})
    EXPECT_EQ(kernels(staged, name), 3 * kernels(capture, name)) << name;
  EXPECT_EQ(kernels(staged, "aten::_foreach_add_"), 2U);  // each stage has an optimizer
  EXPECT_EQ(kernels(staged, "sends activations"), 3U);
  EXPECT_EQ(kernels(staged, "receives gradients"), 3U);
  EXPECT_THAT(staged.recording.ranks, ElementsAre(0, 1));
  EXPECT_EQ(staged.gradients.size(), capture.gradients.size());
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
