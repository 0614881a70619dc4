#include "model/rewrite/parallel/tensor_division.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "model/rewrite/parallel/model_calls.h"
#include "tests/model/rewrite/transformer_job.h"

namespace stepsim {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using testing::kBackwardCalls;
using testing::kForwardCalls;
using testing::TransformerJob;

std::vector<Divided> part(const TensorDivision& division, std::size_t first, std::size_t count) {
  const auto begin = division.divided.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

TensorDivision divided(const Capture& capture) { return divide_calls(capture.operators, model_calls(capture), false); }

constexpr std::size_t kLookups = 2;

TEST(TensorDivisionTest, TheFirstLayerOfAPairIsDividedByColumnsAndTheSecondByItsInnerDimension) {
  using enum Divided;
  const TensorDivision division = divided(TransformerJob{}.capture());
  EXPECT_THAT(part(division, kLookups, kForwardCalls),
              ElementsAre(kNot, kColumns, kCount, kElements, kCount, kInner, kNot,  // attention
                          kNot, kColumns, kElements, kInner, kNot));
  EXPECT_EQ(division.products, 4U * 4 + 1);  // and the layer to the vocabulary
  EXPECT_EQ(division.whole_products, 0U);
}

TEST(TensorDivisionTest, ProductsOfTheBackwardPassAreDividedLikeTheirLayer) {
  using enum Divided;
  const TransformerJob job{.layers = 2};
  const TensorDivision division = divided(job.capture());
  const std::size_t backward = kLookups + 2 * kForwardCalls + 2;
  EXPECT_THAT(part(division, backward, 4), ElementsAre(kInner, kRows, kElements, kNot));  // the layer to the vocabulary
  EXPECT_THAT(part(division, backward + 4, kBackwardCalls),
              ElementsAre(kColumns, kColumns, kElements, kElements,      // the last layer, the activation
                          kInner, kRows, kElements, kNot,                // the one before, the norm
                          kColumns, kRows, kElements,                    // what follows the attention
                          kCount, kCount, kElements, kCount, kCount,     // the attention
                          kInner, kRows, kElements, kNot, kNot, kNot));  // queries, keys and values
}

// Megatron: two all-reduces of tokens x hidden in the forward and two in the backward pass of each layer (Narayanan et
// al. 2021, 3.2). The lookup and the layer to the vocabulary add one each.
TEST(TensorDivisionTest, ActivationsAreSummedFourTimesALayer) {
  for (const std::size_t layers : {2U, 3U, 8U}) {
    const TransformerJob job{.layers = layers};
    const TensorDivision division = divided(job.capture());
    ASSERT_EQ(division.exchanges.size(), 4 * layers + 2);
    const Bytes hidden{job.tokens() * job.hidden * 4};
    for (const TensorDivision::Exchange& one : division.exchanges) EXPECT_EQ(one.bytes, hidden);
  }
}

TEST(TensorDivisionTest, WhatNeedsASumWaitsForIt) {
  const TransformerJob job{.layers = 2};
  const Capture capture = job.capture();
  const std::vector<ModelCall> calls = model_calls(capture);
  for (const TensorDivision::Exchange& one : divide_calls(capture.operators, calls, false).exchanges) {
    ASSERT_TRUE(one.before.has_value());
    ASSERT_GT(*one.before, one.at);
    const std::string& name = capture.operators.operators[calls[*one.before].which].name;
    if (calls[one.at].pass == Pass::kBackward) {
      EXPECT_EQ(name, "aten::native_layer_norm_backward");
    } else if (one.at > kLookups) {
      EXPECT_EQ(name, "aten::add");  // the residual connection
    }
  }
}

/// The collectives of the first step of a capture, in the order in which they are launched.
std::vector<CollectiveOp> operations(const TensorDivision& division) {
  std::vector<CollectiveOp> operations;
  for (const TensorDivision::Exchange& one : division.exchanges) operations.push_back(one.op);
  return operations;
}

// Korthikanti et al. 2022, 4.2.2 and 4.2.3: g is an all-gather before each pair of layers and a reduce-scatter in the
// backward pass, its conjugate g' the reverse, and the input is gathered again for the gradient of the weight.
TEST(TensorDivisionTest, TokensAreGatheredBeforeAPairAndScatteredAfterIt) {
  using enum CollectiveOp;
  using enum Divided;
  const Capture capture = TransformerJob{.layers = 1, .ends = false}.capture();
  const TensorDivision division = divide_calls(capture.operators, model_calls(capture), true);
  EXPECT_THAT(operations(division), ElementsAre(kAllGather, kReduceScatter, kAllGather, kReduceScatter,  // forward
                                                kAllGather, kAllGather, kReduceScatter,  // backward of each pair
                                                kAllGather, kAllGather, kReduceScatter));
  EXPECT_THAT(part(division, 0, 2), ElementsAre(kElements, kColumns));                     // a norm, a layer
  EXPECT_THAT(part(division, 5, 4), ElementsAre(kInner, kElements, kElements, kColumns));  // the residual connection
  EXPECT_THAT(part(division, kForwardCalls + 19, 3), ElementsAre(kElements, kElements, kElements));
  for (const TensorDivision::Exchange& one : division.exchanges) {
    if (one.op != kAllGather) continue;
    EXPECT_TRUE(one.before.has_value());
    EXPECT_EQ(capture.operators.operators[model_calls(capture)[*one.before].which].work.kind, KernelClass::kGemm);
  }
}

// Before and after the layers: the lookup's result is scattered and its gradient gathered; the layer to the vocabulary
// gathers its input twice, and scatters the gradient of its input.
TEST(TensorDivisionTest, EveryLayerExchangesTheSameTokens) {
  for (const std::size_t layers : {1U, 2U, 5U}) {
    const TransformerJob job{.layers = layers};
    const Capture capture = job.capture();
    const std::vector<CollectiveOp> all = operations(divide_calls(capture.operators, model_calls(capture), true));
    EXPECT_EQ(std::count(all.begin(), all.end(), CollectiveOp::kReduceScatter), 4 * layers + 2);
    EXPECT_EQ(std::count(all.begin(), all.end(), CollectiveOp::kAllGather), 6 * layers + 3);
    EXPECT_EQ(std::count(all.begin(), all.end(), CollectiveOp::kAllReduce), 0);
  }
}

TEST(TensorDivisionTest, SeparateQueriesKeysAndValuesAreDividedByColumns) {
  const auto layer = [](std::int64_t from, std::int64_t to) {
    const std::vector<TensorShape> inputs{{.sizes = {96, from}, .element = ElementKind::kFloat},
                                          {.sizes = {from, to}, .element = ElementKind::kFloat}};
    return OperatorTable::Operator{
        "aten::mm", "", work_of({.name = "aten::mm", .inputs = inputs, .stride = {}, .padding = {}, .dilation = {}}),
        inputs};
  };
  OperatorTable table;
  table.operators = {layer(16, 16), {"aten::_softmax", "", {}, {}}, layer(16, 48), layer(48, 16)};
  std::vector<ModelCall> calls(7);
  const std::vector<std::uint32_t> which{0, 0, 0, 1, 0, 2, 3};
  for (std::size_t i = 0; i < calls.size(); ++i) calls[i].which = which[i];
  using enum Divided;
  EXPECT_THAT(divide_calls(table, calls, false).divided,
              ElementsAre(kColumns, kColumns, kColumns, kElements, kInner, kColumns, kInner));
}

TEST(TensorDivisionTest, AModelWithoutPairsOfLayersIsNotDivided) {
  const TransformerJob job{.layers = 0};
  const Capture capture = job.capture();
  OperatorTable table = capture.operators;
  for (OperatorTable::Operator& op : table.operators) op.work.kind = KernelClass::kConvolution;
  const TensorDivision division = divide_calls(table, model_calls(capture), false);
  EXPECT_THAT(division.divided, Each(Divided::kNot));
  EXPECT_EQ(division.products, 0U);
}

}  // namespace
}  // namespace stepsim
