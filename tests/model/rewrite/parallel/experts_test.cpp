#include "model/rewrite/parallel/experts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"
#include "model/rewrite/parallel/divided_step.h"
#include "model/rewrite/parallel/step_memory.h"
#include "tests/model/rewrite/transformer_job.h"

namespace stepsim {
namespace {

using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;
using testing::TransformerJob;

constexpr TransformerJob kExpertsJob{.layers = 3, .batch = 2, .sequence = 96, .hidden = 16, .experts = 8};
constexpr double kTokensOfExpertsJob = 2 * 96;

/// The payloads and the ranks of the collectives of groups with this name, on rank 0.
struct FoundCollectives {
  std::vector<Bytes> payloads;
  std::vector<Rank> ranks;
};
FoundCollectives collectives(const Capture& capture, std::string_view group) {
  FoundCollectives found;
  for (const RendezvousId rendezvous : capture.dag.all_rendezvous()) {
    const Collective& collective = capture.dag.collective(rendezvous);
    if (capture.dag.members(rendezvous).empty() || capture.dag.group(collective.group).name != group) continue;
    found.payloads.push_back(collective.bytes);
    found.ranks = capture.dag.group(collective.group).ranks;
  }
  return found;
}
std::int64_t bytes_in(const std::vector<Bytes>& payloads) {
  std::int64_t bytes = 0;
  for (const Bytes one : payloads) bytes += one.count();
  return bytes;
}

TEST(ExpertsTest, EachLayerSendsItsTokensToExpertsAndBackInBothPasses) {
  const Capture divided = with_parallelism(kExpertsJob.capture(), {.data = 8, .expert = 4});
  const FoundCollectives found = collectives(divided, "expert parallel");
  const Bytes tokens{static_cast<std::int64_t>(kTokensOfExpertsJob) * kExpertsJob.hidden * kExpertsJob.element_bytes};
  EXPECT_EQ(found.payloads, std::vector<Bytes>(4 * kExpertsJob.layers, tokens));
  EXPECT_EQ(found.ranks, (std::vector<Rank>{0, 1, 2, 3}));
}

TEST(ExpertsTest, ReplicasOfTheSameExpertsReduceTheirGradients) {
  const Capture whole = with_parallelism(kExpertsJob.capture(), {.data = 8});
  const Capture divided = with_parallelism(kExpertsJob.capture(), {.data = 8, .expert = 4});
  const std::int64_t experts =
      static_cast<std::int64_t>(kExpertsJob.layers) * 2 * 8 * 16 * 64 * kExpertsJob.element_bytes;
  const FoundCollectives of_experts = collectives(divided, "replicas of experts");
  EXPECT_EQ(bytes_in(of_experts.payloads), experts / 4);
  EXPECT_EQ(of_experts.ranks, (std::vector<Rank>{0, 4}));
  EXPECT_EQ(bytes_in(collectives(divided, "data parallel").payloads),
            bytes_in(collectives(whole, "data parallel").payloads) - experts);
  // Where each replica has experts of its own, nothing has their gradients but that one.
  EXPECT_EQ(
      bytes_in(collectives(with_parallelism(kExpertsJob.capture(), {.data = 8, .expert = 8}), "replicas of experts")
                   .payloads),
      0);
}

TEST(ExpertsTest, TheirGradientsHaveAShareOfAllBytes) {
  const Capture capture = kExpertsJob.capture();
  const Experts experts(capture.operators);
  double all = 0;
  for (const Gradient& gradient : capture.gradients) all += static_cast<double>(gradient.bytes.count());
  // In each layer, each of 8 experts has two weights of 16 by 64 elements.
  const double own = static_cast<double>(kExpertsJob.layers) * 2 * 8 * 16 * 64 * kExpertsJob.element_bytes;
  EXPECT_DOUBLE_EQ(experts.share_of(capture.gradients), own / all);
  EXPECT_EQ(experts.share_of({}), 0);
}

TEST(ExpertsTest, ProductsOfFewerExpertsHaveMoreTokensEach) {
  const Capture capture = kExpertsJob.capture();
  const Experts experts(capture.operators);
  ASSERT_EQ(experts.count(), 8U);
  std::set<double> inner;
  std::size_t products = 0;
  for (std::uint32_t which = 0; which < capture.operators.operators.size(); ++which) {
    const OperatorTable::Operator& op = capture.operators.operators[which];
    DeviceWork piece = device_work_of(op, op.work.kind, StepRate::kUsual);
    piece.which = which;
    const DeviceWork part = experts.part_of_rank(piece, 4, 1);
    if (!experts.is_product(which)) {
      const bool on_weight = op.name == "aten::add_" && op.inputs[0].sizes.size() == 3;
      EXPECT_DOUBLE_EQ(part.work->bytes, piece.work->bytes / (on_weight ? 4 : 1)) << op.name;
      continue;
    }
    ++products;
    const ProductShape& shape = part.work->shape;
    EXPECT_EQ(shape.count, 2);
    EXPECT_DOUBLE_EQ(part.work->flops, piece.work->flops);
    EXPECT_DOUBLE_EQ(shape.count * shape.rows * shape.inner * shape.columns,
                     8 * piece.work->shape.rows * piece.work->shape.inner * piece.work->shape.columns);
    inner.insert(shape.inner);
  }
  EXPECT_EQ(products, 4U) << "two layers, whose gradients of inputs have the same shapes, and two gradients of weights";
  EXPECT_EQ(inner, (std::set<double>{16, 64, 96})) << "of weights' gradients, the 4 * 24 tokens of an expert";
}

TEST(ExpertsTest, ReplicasKeepOnlyTheirExperts) {
  TransformerJob job = kExpertsJob;
  job.ends = false;  // the layer to the vocabulary shares its weight with the lookup
  const StepMemory memory(job.capture());
  const double experts = static_cast<double>(kExpertsJob.layers) * 2 * 8 * 16 * 64 * 4;
  const auto parameters = [&](const Parallelism& parallelism) {
    return static_cast<double>(memory.of(parallelism, 1, MemorySide::kUsual).parameters.count());
  };
  // The job has no gradients of its norms' weights, which lowers all sizes by less than 1 %.
  EXPECT_NEAR(parameters({.data = 8}) - parameters({.data = 8, .expert = 4}), experts * 3 / 4, 0.01 * experts);
  const auto states = [&](const Parallelism& parallelism) {
    return memory.of(parallelism, 1, MemorySide::kUsual).optimizer;
  };
  EXPECT_EQ(states({.data = 8, .zero = 1, .expert = 4}), states({.data = 8, .zero = 1}))
      << "all replicas together have each state once";
}

TEST(ExpertsTest, WhatCannotBeDividedIsRefused) {
  const auto refused = [](const Capture& capture, const Parallelism& parallelism, const char* why) {
    EXPECT_THAT([&] { (void)DividedStep(capture).work(parallelism); },
                Throws<CannotAnswer>(Property(&CannotAnswer::what, HasSubstr(why))));
  };
  refused(TransformerJob{}.capture(), {.data = 4, .expert = 4}, "no experts were found");
  refused(kExpertsJob.capture(), {.data = 3, .expert = 3}, "8 experts, which 3 ranks cannot divide equally");
}

}  // namespace
}  // namespace stepsim
