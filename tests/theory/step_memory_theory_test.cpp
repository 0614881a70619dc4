#include <gtest/gtest.h>

#include <algorithm>

#include "model/rewrite/parallel/divided_step.h"
#include "model/rewrite/parallel/step_memory.h"
#include "tests/model/rewrite/transformer_job.h"

namespace stepsim {
namespace {

using testing::TransformerJob;

constexpr TransformerJob kJob{.layers = 12,
                              .batch = 2,
                              .sequence = 48,
                              .hidden = 16,
                              .heads = 4,
                              .element_bytes = 2,
                              .dropout = true,
                              .ends = false};
/// The terms of Korthikanti et al. 2022, "Reducing Activation Recomputation in Large Transformer Models": sbh, and
/// as/h, of which each layer has five times as much.
constexpr double kSbh = kJob.sequence * kJob.batch * kJob.hidden;
constexpr double kScores = 5.0 * kJob.heads * kJob.sequence / kJob.hidden;

double activations(const Parallelism& parallelism) {
  const Capture capture = kJob.capture();
  return static_cast<double>(DividedStep(capture).memory(parallelism, 1, MemorySide::kUsual).activations.count());
}

// Table 2 of the paper.
TEST(StepMemoryTheoryTest, ActivationsOfALayerAreThoseOfKorthikanti) {
  const double layers = kJob.layers;
  EXPECT_EQ(activations({}), layers * kSbh * (34 + kScores));
  EXPECT_EQ(activations({.recompute = Recompute::kAttention}), layers * kSbh * 34);
  EXPECT_EQ(activations({.recompute = Recompute::kLayers}), layers * kSbh * 2);
  for (const std::uint32_t t : {2U, 4U}) {
    EXPECT_EQ(activations({.tensor = t}), layers * kSbh * (10 + 24.0 / t + kScores / t));
    EXPECT_EQ(activations({.tensor = t, .sequence = true}), layers * kSbh * (34 + kScores) / t);
    EXPECT_EQ(activations({.tensor = t, .recompute = Recompute::kAttention}), layers * kSbh * (10 + 24.0 / t));
    EXPECT_EQ(activations({.tensor = t, .sequence = true, .recompute = Recompute::kAttention}), layers * kSbh * 34 / t);
    EXPECT_EQ(activations({.tensor = t, .recompute = Recompute::kLayers}), layers * kSbh * 2);
  }
}

// With mixed precision and Adam, a parameter has 12 bytes of states (Rajbhandari et al. 2020). The loss works on
// numbers of 32 bits; with as many tokens as features, they have the sizes of the table of words.
TEST(StepMemoryTheoryTest, StatesDoNotDependOnTheNumberOfTokens) {
  constexpr std::int64_t kLayers = 4;
  constexpr std::int64_t kHidden = 16;
  constexpr std::int64_t kWords = 1000;
  constexpr std::int64_t kGradients = kLayers * 12 * kHidden * kHidden + 2 * kWords * kHidden;
  for (const std::int64_t tokens : {15, 16, 17, 64}) {
    const TransformerJob job{.layers = kLayers,
                             .batch = 1,
                             .sequence = tokens,
                             .hidden = kHidden,
                             .vocabulary = kWords,
                             .element_bytes = 2,
                             .loss = true};
    const MemoryParts parts = StepMemory(job.capture()).of({}, 1, MemorySide::kUsual);
    EXPECT_NEAR(static_cast<double>(parts.parameters.count()), 2 * kGradients, 1) << tokens << " tokens";
    EXPECT_NEAR(static_cast<double>(parts.optimizer.count()), 12 * kGradients, 1) << tokens << " tokens";
  }
}

// A modelled update moves two states and a copy of each parameter in 32 bits; other settings of Adam do not.
TEST(StepMemoryTheoryTest, AModelledUpdateLeavesNoDoubtAboutTheStates) {
  Capture captured = kJob.capture();
  captured.annotations.names.emplace_back("Optimizer.step#Adam.step");
  const auto states = [](const Capture& capture, MemorySide side) {
    const MemoryParts parts = StepMemory(capture).of({}, 1, side);
    return static_cast<double>(parts.optimizer.count()) / static_cast<double>(parts.parameters.count());
  };
  EXPECT_EQ(states(captured, MemorySide::kLeast), 2) << "two states in 16 bits";
  EXPECT_EQ(states(captured, MemorySide::kMost), 8) << "three states and a copy in 32 bits";
  Capture modelled = captured;
  modelled.assumptions.push_back({std::string(kModelledTimes), "modelled"});
  for (const MemorySide side : {MemorySide::kLeast, MemorySide::kUsual, MemorySide::kMost})
    EXPECT_EQ(states(modelled, side), 6);
}

TEST(StepMemoryTheoryTest, ACastJobKeepsTheActivationsOfOneInThatPrecision) {
  TransformerJob wide = kJob;
  wide.element_bytes = 4;
  const StepMemory memory(wide.capture());
  for (const Recompute recompute : {Recompute::kNothing, Recompute::kAttention, Recompute::kLayers}) {
    const MemoryParts cast = memory.of({.tensor = 2, .recompute = recompute}, 1, MemorySide::kUsual, 2);
    EXPECT_EQ(static_cast<double>(cast.activations.count()), activations({.tensor = 2, .recompute = recompute}));
  }
  // Parameters and their states keep 32 bits; the cast parameters come in addition.
  const MemoryParts before = memory.of({}, 1, MemorySide::kUsual);
  const MemoryParts after = memory.of({}, 1, MemorySide::kUsual, 2);
  EXPECT_EQ(after.parameters.count(), before.parameters.count() * 3 / 2);
  EXPECT_EQ(after.optimizer, before.optimizer);
}

// What a loss computes in 32 bits, and masks, keep their sizes.
TEST(StepMemoryTheoryTest, OnlyElementsOfTheProductsSizeAreCast) {
  TransformerJob narrow = kJob;
  narrow.ends = true;
  narrow.loss = true;
  TransformerJob wide = narrow;
  wide.element_bytes = 4;
  const StepMemory memory(narrow.capture());
  EXPECT_EQ(memory.of({}, 1, MemorySide::kUsual, 2), memory.of({}, 1, MemorySide::kUsual)) << "as it is";
  const MemoryParts cast = memory.of({}, 1, MemorySide::kUsual, 4);
  const MemoryParts captured = StepMemory(wide.capture()).of({}, 1, MemorySide::kUsual);
  EXPECT_EQ(cast.activations, captured.activations);
  EXPECT_EQ(cast.working, captured.working);
}

// The first stage of p has p microbatches in flight, and with v parts L (1 + (p - 1) / (p v)) layers' (4.2.3); all of
// them if every forward pass comes first (GPipe).
TEST(StepMemoryTheoryTest, AStageHoldsTheMicrobatchesInFlight) {
  const double layer = kSbh * (34 + kScores);
  constexpr std::uint32_t kMany = 24;
  for (const std::uint32_t p : {2U, 3U, 4U, 6U}) {
    const double of_stage = kJob.layers / static_cast<double>(p) * layer;
    EXPECT_DOUBLE_EQ(activations({.pipeline = p, .microbatches = kMany}), of_stage * p / kMany);
    EXPECT_DOUBLE_EQ(activations({.pipeline = p, .microbatches = 1}), of_stage);
    EXPECT_DOUBLE_EQ(
        activations({.pipeline = p, .microbatches = kMany, .schedule = PipelineSchedule::kAllForwardFirst}), of_stage);
    if (kJob.layers % (std::size_t{2} * p) != 0) continue;
    EXPECT_DOUBLE_EQ(activations({.pipeline = p, .microbatches = kMany, .interleave = 2}),
                     of_stage * (p + (p - 1) / 2.0) / kMany);
  }
}

// ZeRO: of the 2 + 2 + K bytes of a parameter with mixed precision and Adam (K = 12), the replicas divide K, then the
// gradients, then the parameters (Rajbhandari et al. 2020, figure 1).
TEST(StepMemoryTheoryTest, ReplicasDivideWhatZeroSays) {
  const StepMemory memory(kJob.capture());
  const auto parts = [&](std::uint32_t zero) { return memory.of({.data = 64, .zero = zero}, 1, MemorySide::kUsual); };
  const auto h = static_cast<double>(kJob.hidden);
  const double parameters = static_cast<double>(kJob.layers) * 12 * h * h;  // those that have gradients in this job
  const auto bytes = [](Bytes size) { return static_cast<double>(size.count()); };
  EXPECT_EQ(bytes(parts(0).parameters), 2 * parameters);
  EXPECT_EQ(bytes(parts(0).optimizer), 12 * parameters);
  EXPECT_EQ(bytes(parts(0).gradients), 2 * 2 * parameters);  // and as much in buckets
  EXPECT_EQ(bytes(parts(1).optimizer), 12 * parameters / 64);
  EXPECT_EQ(bytes(parts(1).gradients), 2 * parameters);
  EXPECT_EQ(bytes(parts(2).gradients), 2 * parameters / 64);
  EXPECT_EQ(bytes(parts(2).parameters), 2 * parameters);
  const double layer = 2 * parameters / static_cast<double>(kJob.layers);
  EXPECT_EQ(bytes(parts(3).parameters), 2 * parameters / 64 + 2 * layer);  // one layer is used while the next comes
}

// Megatron-LM sums gradients of bf16 in 32 bits; with its distributed optimizer (ZeRO-1), a parameter then takes
// 6 + 12 / d bytes (Megatron-LM, docs/source/api-guide/dist_optimizer.md). Of ZeRO-0, the bucket has 16 bits of them.
TEST(StepMemoryTheoryTest, GradientsOfSeveralMicrobatchesHave32Bits) {
  const StepMemory memory(kJob.capture());
  constexpr double kParameters = static_cast<double>(kJob.layers) * 12 * kJob.hidden * kJob.hidden;
  constexpr double kRounding = 3 / kParameters;
  const auto bytes = [&](std::uint32_t data, std::uint32_t zero, MemorySide side) {
    const MemoryParts parts = memory.of({.data = data, .microbatches = 4, .zero = zero}, 1, side);
    return static_cast<double>((parts.parameters + parts.gradients + parts.optimizer).count()) / kParameters;
  };
  EXPECT_NEAR(bytes(16, 1, MemorySide::kUsual), 6 + 12.0 / 16, kRounding);
  EXPECT_NEAR(bytes(1, 0, MemorySide::kUsual), 6 + 12, kRounding);
  EXPECT_NEAR(bytes(16, 0, MemorySide::kUsual), 6 + 12, kRounding);
  EXPECT_NEAR(bytes(16, 1, MemorySide::kLeast), 4, kRounding) << "no optimizer was captured, and sums may have 16 bits";
}

}  // namespace
}  // namespace stepsim
