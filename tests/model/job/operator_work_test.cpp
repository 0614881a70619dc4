#include "model/job/operator_work.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>
#include <vector>

namespace stepsim {
namespace {

constexpr std::int64_t kElement = 2;

TensorShape half(std::vector<std::int64_t> sizes) { return {std::move(sizes), kElement, Precision::kFloat16}; }

Work work(std::string_view name, std::vector<TensorShape> inputs) {
  return work_of({name, std::move(inputs), {}, {}, {}});
}

TEST(OperatorWorkTest, ProductOfMatricesIsTwoOperationsAnElementOfTheCube) {
  // A product of (m x k) and (k x n) does 2 m k n operations, reads m k + k n elements and writes m n.
  const Work product = work("aten::mm", {half({3, 5}), half({5, 7})});
  EXPECT_EQ(product.kind, KernelClass::kGemm);
  EXPECT_DOUBLE_EQ(product.flops, 2 * 3 * 5 * 7);
  EXPECT_DOUBLE_EQ(product.bytes, (3 * 5 + 5 * 7 + 3 * 7) * kElement);
  EXPECT_EQ(product.precision, Precision::kFloat16);
}

TEST(OperatorWorkTest, BiasIsReadAndTheBatchCounts) {
  const Work added = work("aten::addmm", {half({7}), half({3, 5}), half({5, 7})});
  EXPECT_DOUBLE_EQ(added.flops, 2 * 3 * 5 * 7);
  EXPECT_DOUBLE_EQ(added.bytes, (7 + 3 * 5 + 5 * 7 + 3 * 7) * kElement);
  const Work batch = work("aten::bmm", {half({4, 3, 5}), half({4, 5, 7})});
  EXPECT_DOUBLE_EQ(batch.flops, 4 * 2 * 3 * 5 * 7);
  EXPECT_DOUBLE_EQ(batch.bytes, 4.0 * (3 * 5 + 5 * 7 + 3 * 7) * kElement);
}

TEST(OperatorWorkTest, LinearHasItsWeightTransposed) {
  const Work linear = work("aten::linear", {half({2, 3, 5}), half({7, 5}), half({7})});
  EXPECT_DOUBLE_EQ(linear.flops, 2 * 2 * 3 * 5 * 7);
}

TEST(OperatorWorkTest, MatrixTimesVectorHasOneColumn) {
  EXPECT_DOUBLE_EQ(work("aten::mv", {half({3, 5}), half({5})}).flops, 2 * 3 * 5);
}

TEST(OperatorWorkTest, AttentionIsTwoProductsOverItsScores) {
  // The batch has 2 samples with 3 heads of size 8, 5 queries and 7 keys. There are two products: the scores, and the
  // scores times the values.
  const double product = 2.0 * 2 * 3 * 5 * 7 * 8;
  const Work flash =
      work("aten::_flash_attention_forward", {half({2, 5, 3, 8}), half({2, 7, 3, 8}), half({2, 7, 3, 8}), {}, {}});
  EXPECT_EQ(flash.kind, KernelClass::kAttention);
  EXPECT_DOUBLE_EQ(flash.flops, 2 * product);
  EXPECT_DOUBLE_EQ(flash.bytes, (2 * 2 * 5 * 3 * 8 + 2 * 2 * 7 * 3 * 8) * kElement) << "query, key, value, result";
  const Work outer =
      work("aten::_scaled_dot_product_flash_attention", {half({2, 3, 5, 8}), half({2, 3, 7, 8}), half({2, 3, 7, 8})});
  EXPECT_DOUBLE_EQ(outer.flops, flash.flops) << "heads before queries";
  const Work back = work("aten::_flash_attention_backward",
                         {half({2, 5, 3, 8}), half({2, 5, 3, 8}), half({2, 7, 3, 8}), half({2, 7, 3, 8})});
  EXPECT_DOUBLE_EQ(back.flops, 5 * product);
}

TEST(OperatorWorkTest, ConvolutionSlidesItsWeightOverTheResult) {
  // With padding 3 and stride 2 the result has (224 + 2 * 3 - 7) / 2 + 1 = 112 rows and columns. Each of its values
  // takes 3 x 7 x 7 multiplications, for each of 64 channels.
  OperatorCall call{"aten::cudnn_convolution", {half({8, 3, 224, 224}), half({64, 3, 7, 7})}, {2, 2}, {3, 3}, {1, 1}};
  EXPECT_DOUBLE_EQ(work_of(call).flops, 2.0 * 8 * 64 * 112 * 112 * 3 * 7 * 7);
  EXPECT_DOUBLE_EQ(work_of(call).bytes, (8.0 * 3 * 224 * 224 + 64 * 3 * 7 * 7 + 8.0 * 64 * 112 * 112) * kElement);
  call.dilation = {2, 2};  // the kernel spans 13 x 13, so the result has (224 + 6 - 13) / 2 + 1 = 109 rows
  EXPECT_DOUBLE_EQ(work_of(call).flops, 2.0 * 8 * 64 * 109 * 109 * 3 * 7 * 7);
}

TEST(OperatorWorkTest, ConvolutionWithoutItsStridesIsUnknown) {
  EXPECT_EQ(work("aten::convolution", {half({8, 3, 224, 224}), half({64, 3, 7, 7})}).bytes, 0);
}

TEST(OperatorWorkTest, GradientOfAConvolutionIsTwoOfItsSize) {
  const Work back =
      work("aten::convolution_backward", {half({8, 64, 112, 112}), half({8, 3, 224, 224}), half({64, 3, 7, 7})});
  EXPECT_DOUBLE_EQ(back.flops, 2 * 2.0 * 8 * 64 * 112 * 112 * 3 * 7 * 7);
}

TEST(OperatorWorkTest, LookupMovesTheRowsItFetchesNotTheTable) {
  // The lookup reads and writes 9 rows of 16 elements, and reads 9 indices of 8 bytes.
  const Work lookup = work("aten::index_select", {half({100'000, 16}), {}, {{9}, 8, Precision::kFloat32}});
  EXPECT_EQ(lookup.kind, KernelClass::kGather);
  EXPECT_DOUBLE_EQ(lookup.bytes, 2.0 * 9 * 16 * kElement + 9.0 * 8);
}

TEST(OperatorWorkTest, OtherOperatorsPassOnceOverInputsAndResult) {
  const Work add = work("aten::add", {half({4, 6}), half({4, 6}), {}});
  EXPECT_EQ(add.kind, KernelClass::kElementwise);
  EXPECT_EQ(add.flops, 0);
  EXPECT_DOUBLE_EQ(add.bytes, 3.0 * 4 * 6 * kElement);
  const Work outer = work("aten::mul", {half({4, 1}), half({6})});
  EXPECT_DOUBLE_EQ(outer.bytes, (4 + 6 + 4 * 6) * kElement) << "broadcast to 4 x 6";
  const Work cat = work("aten::cat", {half({4, 6}), half({5, 6})});
  EXPECT_DOUBLE_EQ(cat.bytes, (4 * 6 + 5 * 6 + 5 * 6) * kElement) << "they do not broadcast: the largest counts";
}

TEST(OperatorWorkTest, ShapesThatDoNotFitTellNothing) {
  const std::vector<Work> works{
      work("aten::mm", {}),
      work("aten::mm", {half({3})}),
      work("aten::mm", {half({3, 0}), half({0, 7})}),
      work("aten::addmm", {half({3, 5}), half({5, 7})}),
      work("aten::_flash_attention_forward", {half({2, 5, 3}), half({2, 7, 3}), half({2, 7, 3})}),
      work("aten::convolution_backward", {half({}), half({8, 3, 4}), half({0, 3, 4})}),
      work("aten::index_select", {half({100, 16})}),
      work("aten::index_select", {half({0}), half({4})}),
      work("aten::item", {{}}),
      work("", {}),
  };
  for (std::size_t i = 0; i < works.size(); ++i) {
    EXPECT_EQ(works[i].bytes, i == 7 ? 8 * 4 : 0) << i << ": an empty table has only its indices read";
    EXPECT_EQ(works[i].flops, 0) << i;
  }
}

TEST(OperatorWorkTest, ProductsTellTheirShape) {
  EXPECT_EQ(work("aten::mm", {half({3, 5}), half({5, 7})}).shape, (ProductShape{1, 3, 7, 5}));
  EXPECT_EQ(work("aten::bmm", {half({4, 3, 5}), half({4, 5, 7})}).shape, (ProductShape{4, 3, 7, 5}));
  EXPECT_EQ(work("aten::linear", {half({2, 3, 5}), half({7, 5}), half({7})}).shape, (ProductShape{1, 6, 7, 5}))
      << "one weight for all rows";
  EXPECT_EQ(work("aten::add", {half({3, 5}), half({3, 5})}).shape, ProductShape{});
}

TEST(OperatorWorkTest, ConvolutionIsAProductOfPixelsAndChannels) {
  // The result has 8 images of 10 x 10 places with 6 channels. Each of its values depends on 3 x 3 places of 4
  // channels.
  OperatorCall call{"aten::convolution", {half({8, 4, 10, 10}), half({6, 4, 3, 3})}, {1, 1}, {1, 1}, {1, 1}};
  EXPECT_EQ(work_of(call).shape, (ProductShape{1, 8 * 10 * 10, 6, 4 * 3 * 3}));
  // With two groups, an output channel reads half of the input channels.
  call.inputs[1] = half({6, 2, 3, 3});
  EXPECT_EQ(work_of(call).shape, (ProductShape{2, 8 * 10 * 10, 3, 2 * 3 * 3}));
}

}  // namespace
}  // namespace stepsim
