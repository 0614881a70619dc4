// Volumes and times of divided jobs that papers state in closed form.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "model/cost/collective/algorithm.h"
#include "model/job/group.h"
#include "model/rewrite/buckets.h"
#include "model/rewrite/parallel/added_collectives.h"
#include "model/rewrite/parallel/divided_step.h"
#include "model/rewrite/parallel/recompute.h"
#include "sim/engine/engine.h"
#include "sim/engine/machine.h"
#include "tests/model/rewrite/transformer_job.h"

namespace stepsim {
namespace {

using testing::kBackwardCalls;
using testing::kForwardCalls;
using testing::TransformerJob;

/// The length of a job whose collectives take no time.
Duration length_of(const Capture& capture) {
  const sim::Timeline timeline = sim::replay(capture.dag, sim::Machine::as_recorded(capture), {});
  return *std::max_element(timeline.finish.begin(), timeline.finish.end()) -
         *std::min_element(timeline.start.begin(), timeline.start.end());
}

/// Returns the bytes that the first rank of the groups with this name sends if all their collectives are rings.
Bytes sent_in_rings(const Dag& dag, std::string_view name) {
  Bytes sum{};
  for (const RendezvousId rendezvous : dag.all_rendezvous()) {
    const Collective& collective = dag.collective(rendezvous);
    if (dag.members(rendezvous).empty() || dag.group(collective.group).name != name) continue;
    const CollectiveShape shape = shape_of(collective, dag.group(collective.group).size, 1);
    for (std::uint32_t round = 0; round < ring_collective.rounds(shape); ++round) {
      std::vector<Send> sends;
      ring_collective.sends(shape, 0, round, sends);
      for (const Send& send : sends) sum += send.bytes;
    }
  }
  return sum;
}

// An all-reduce sends 2 (t - 1) / t of its payload B, and each layer has four. Divided by tokens, each is a
// reduce-scatter and an all-gather of (t - 1) / t, and the inputs of two layers are gathered once more: Korthikanti et
// al. 2022, 4.2.2 and 4.2.3.
TEST(DivisionTheoryTest, TokensAreExchangedInTheBytesOfAnAllReduce) {
  const TransformerJob job{.layers = 3, .heads = 8, .ends = false};
  const Capture capture = job.capture();
  const std::int64_t hidden = job.tokens() * job.hidden * 4;
  for (const std::uint32_t ranks : {2U, 4U, 8U}) {
    const std::int64_t part = hidden / ranks * (ranks - 1);
    const Capture whole = with_parallelism(capture, {.tensor = ranks});
    const Capture by_tokens = with_parallelism(capture, {.tensor = ranks, .sequence = true});
    const auto layers = static_cast<std::int64_t>(job.layers);
    EXPECT_EQ(sent_in_rings(whole.dag, "tensor parallel").count(), layers * 4 * 2 * part);
    EXPECT_EQ(sent_in_rings(by_tokens.dag, "tensor parallel").count(), layers * (4 * 2 + 2) * part);
  }
}

// ZeRO 1 and 2 exchange as much as an all-reduce, 2 Psi, and ZeRO 3 half as much again, 3 Psi, of which each rank sends
// (d - 1) / d: Rajbhandari et al. 2020, 7. From ZeRO 2 on, ranks have no room for the sum of several microbatches.
TEST(DivisionTheoryTest, ParametersAreExchangedTwoOrThreeTimes) {
  for (const bool ends : {false, true}) {
    const Capture capture = TransformerJob{.layers = 4, .ends = ends}.capture();
    const std::vector<Bytes> sizes = sizes_of(capture.gradients);
    const std::int64_t parameters = std::accumulate(sizes.begin(), sizes.end(), Bytes{}).count();
    for (const std::uint32_t replicas : {2U, 4U, 8U}) {
      const std::int64_t part = parameters / replicas * (replicas - 1);
      for (Parallelism parallelism : {Parallelism{}, Parallelism{.microbatches = 3}, Parallelism{.pipeline = 2},
                                      Parallelism{.pipeline = 2, .microbatches = 4, .interleave = 2}}) {
        const std::int64_t microbatches = parallelism.microbatches;
        const std::int64_t passes[] = {2, 2, microbatches + 1, 3 * microbatches};
        parallelism.data = replicas;
        for (parallelism.zero = 0; parallelism.zero < 4; ++parallelism.zero) {
          const Capture job = with_parallelism(capture, parallelism);
          EXPECT_EQ(sent_in_rings(job.dag, "data parallel").count(), passes[parallelism.zero] * part)
              << "ZeRO " << parallelism.zero << ", " << replicas << " replicas, " << parallelism.pipeline << " stages, "
              << microbatches << " microbatches";
        }
      }
    }
  }
}

// Layers that are computed again take 2 F + B in place of F + B, and with equal stages every microbatch does.
TEST(DivisionTheoryTest, LayersThatAreComputedAgainTakeAnotherForwardPass) {
  for (const bool ends : {false, true}) {
    const TransformerJob job{.layers = 4, .ends = ends};
    const Capture capture = job.capture();
    const auto calls = static_cast<std::int64_t>(4 * kForwardCalls);
    EXPECT_EQ(length_of(with_parallelism(capture, {.recompute = Recompute::kLayers})),
              length_of(capture) + calls * job.kernel);
    const std::int64_t left_out = 2 * std::int64_t{4};  // the last product and the sum of each layer
    EXPECT_EQ(length_of(with_parallelism(capture, {.recompute = Recompute::kNeeded})),
              length_of(capture) + (calls - left_out) * job.kernel);
    // the two products of attention and the softmax between them
    EXPECT_EQ(length_of(with_parallelism(capture, {.recompute = Recompute::kAttention})),
              length_of(capture) + 4 * 3 * job.kernel);
  }
}

TEST(DivisionTheoryTest, StagesThatComputeAgainHaveTheSameBubble) {
  const TransformerJob job{.layers = 12, .ends = false};
  const Capture capture = job.capture();
  for (const std::uint32_t stages : {1U, 2U, 4U}) {
    const auto calls = static_cast<std::int64_t>(12 / stages * (2 * kForwardCalls + kBackwardCalls));
    for (const std::uint32_t microbatches : {1U, 3U, 8U}) {
      const Parallelism parallelism{.pipeline = stages, .microbatches = microbatches, .recompute = Recompute::kLayers};
      EXPECT_EQ(length_of(with_parallelism(capture, parallelism)), calls * job.kernel * (microbatches + stages - 1))
          << stages << " stages, " << microbatches << " microbatches";
    }
  }
}

// A thread that takes longer than the device makes the calls of the forward pass again, too.
TEST(DivisionTheoryTest, CallsAreMadeAgain) {
  const TransformerJob job{.layers = 4, .call = Duration{30'000}, .ends = false};
  const Capture capture = job.capture();
  const auto calls = static_cast<std::int64_t>(4 * kForwardCalls);
  EXPECT_EQ(length_of(with_parallelism(capture, {.recompute = Recompute::kLayers})),
            length_of(capture) + calls * job.call);
}

// With free collectives, replicas take as long whatever they divide, but for the optimizer's work, and so do ranks that
// divide tokens, but for the work on them. What-ifs divide the work; here it keeps its time.
TEST(DivisionTheoryTest, FreeCollectivesTakeNoTime) {
  const TransformerJob job{.layers = 4, .kernel = Duration{1'000'000}};  // longer than calls of collectives
  const Capture capture = job.capture();
  const Duration whole = length_of(with_parallelism(capture, {.data = 4}));
  for (const std::uint32_t zero : {1U, 2U, 3U}) {
    const Duration divided = length_of(with_parallelism(capture, {.data = 4, .zero = zero}));
    EXPECT_GE(divided, whole) << zero;
    EXPECT_LE(divided, whole + 4 * kCollectiveCall) << zero;  // the first and the last calls are waited for
  }
  const Duration tensor = length_of(with_parallelism(capture, {.tensor = 4}));
  const Duration by_tokens = length_of(with_parallelism(capture, {.tensor = 4, .sequence = true}));
  EXPECT_GE(by_tokens, tensor);
  EXPECT_LE(by_tokens, tensor + 2 * kCollectiveCall);
}

}  // namespace
}  // namespace stepsim
