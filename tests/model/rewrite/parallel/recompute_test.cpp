#include "model/rewrite/parallel/recompute.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "model/base/error.h"
#include "model/rewrite/parallel/divided_step.h"
#include "model/rewrite/parallel/layers.h"
#include "tests/model/rewrite/data_parallel_job.h"
#include "tests/model/rewrite/transformer_job.h"

namespace stepsim {
namespace {

using ::testing::HasSubstr;
using testing::kBackwardCalls;
using testing::kForwardCalls;
using ::testing::Property;
using testing::tasks_named;
using ::testing::Throws;
using testing::TransformerJob;

std::size_t kernels(const Capture& of, std::string_view name) { return tasks_named(of.dag, name).size(); }

TEST(RecomputeTest, LayersAreComputedAgainBeforeTheirBackwardPass) {
  const Capture capture = TransformerJob{.layers = 3, .call = Duration{100}}.capture();
  const Capture again = with_recomputation(capture, Recompute::kLayers);
  const StepLayers layers = layers_of(calls_of_typical_step(again));
  EXPECT_EQ(layers.count, 3U);
  EXPECT_EQ(layers.down.length, kForwardCalls);
  EXPECT_EQ(layers.back.length, kForwardCalls + kBackwardCalls);
  EXPECT_EQ(kernels(again, "aten::gelu"), 6U);
  EXPECT_EQ(kernels(again, "aten::embedding"), kernels(capture, "aten::embedding"));
  EXPECT_EQ(again.gradients.size(), capture.gradients.size());
}

TEST(RecomputeTest, AttentionAloneIsComputedAgain) {
  const Capture capture = TransformerJob{.layers = 3, .call = Duration{100}}.capture();
  const Capture again = with_recomputation(capture, Recompute::kAttention);
  EXPECT_EQ(kernels(again, "aten::_softmax"), 6U);
  EXPECT_EQ(kernels(again, "aten::bmm"), kernels(capture, "aten::bmm") + 6U);
  EXPECT_EQ(kernels(again, "aten::addmm"), kernels(capture, "aten::addmm"));
}

// PyTorch's checkpoints with use_reentrant=False stop as soon as all that the backward pass reads is there: of the last
// product that is its input. A mask of what the layer then drops out is made after that product.
TEST(RecomputeTest, LayersAreComputedAgainUpToTheLastTensorThatIsNeeded) {
  for (const bool dropout : {false, true}) {
    const Capture capture = TransformerJob{.layers = 3, .call = Duration{100}, .dropout = dropout}.capture();
    const Capture again = with_recomputation(capture, Recompute::kNeeded);
    EXPECT_EQ(kernels(again, "aten::gelu"), 6U);
    EXPECT_EQ(kernels(again, "aten::native_dropout"), 2 * kernels(capture, "aten::native_dropout"));
    EXPECT_EQ(kernels(again, "aten::addmm"), kernels(capture, "aten::addmm") + (dropout ? 12U : 9U));
    EXPECT_EQ(kernels(again, "aten::add"), kernels(capture, "aten::add") + 3U);  // of attention
    EXPECT_EQ(layers_of(calls_of_typical_step(again)).count, 3U);
  }
}

// An operator that stepsim does not know may keep what it computes.
TEST(RecomputeTest, UnknownOperatorsAreComputedAgain) {
  Capture capture = TransformerJob{.layers = 3}.capture();
  for (OperatorTable::Operator& op : capture.operators.operators) {
    if (op.name == "aten::add") op.name = "mine::add";
  }
  const auto tasks = [&capture](Recompute recompute) {
    return with_recomputation(capture, recompute).dag.task_count();
  };
  EXPECT_EQ(tasks(Recompute::kNeeded), tasks(Recompute::kLayers));
}

// Tensor-parallel ranks sum the results of the layers again, too: two all-reduces of each layer's forward pass.
TEST(RecomputeTest, CollectivesInsideTheLayersAreRepeated) {
  const Capture capture = TransformerJob{.layers = 3, .ends = false}.capture();
  const auto reductions = [&capture](Recompute recompute) {
    const Capture again = with_parallelism(capture, {.tensor = 2, .recompute = recompute});
    const std::vector<TaskId> tasks = tasks_named(again.dag, "all_reduce (tensor parallel)");
    return std::count_if(tasks.begin(), tasks.end(),
                         [&again](TaskId task) { return again.dag.kind(task) == TaskKind::kCollective; });
  };
  EXPECT_EQ(reductions(Recompute::kNothing), 3 * 4);
  EXPECT_EQ(reductions(Recompute::kAttention), 3 * 4);
  EXPECT_EQ(reductions(Recompute::kLayers), 3 * 6);
  EXPECT_EQ(reductions(Recompute::kNeeded), 3 * 5);  // the last one sums what the last product computes
}

TEST(RecomputeTest, AModelWithoutAttentionIsRefused) {
  Capture capture = TransformerJob{}.capture();
  for (OperatorTable::Operator& op : capture.operators.operators) {
    if (op.name == "aten::bmm") op.work.shape.count = 1;
  }
  EXPECT_THAT([&] { (void)with_recomputation(capture, Recompute::kAttention); },
              Throws<CannotAnswer>(Property(&CannotAnswer::what, HasSubstr("no products of attention"))));
}

}  // namespace
}  // namespace stepsim
