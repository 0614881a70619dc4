#include "model/cost/device/device_work.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace stepsim {
namespace {

TensorShape floats(std::vector<std::int64_t> sizes, Precision precision = Precision::kFloat32) {
  return {std::move(sizes), precision == Precision::kFloat16 ? 2 : 4, precision, ElementKind::kFloat};
}

TensorShape integers(std::vector<std::int64_t> sizes) {
  return {std::move(sizes), 8, Precision::kFloat32, ElementKind::kOther};
}

/// Makes calls of operators with one kernel each.
class Calls {
 public:
  DeviceWork add(std::string_view name, KernelClass kind, std::vector<TensorShape> inputs) {
    const OperatorCall call{name, std::move(inputs), {1}, {0}, {1}};
    const Work work = work_of(call);
    table_.operators.push_back({std::string(name), "", work, call.inputs});
    DeviceWork piece{Duration{10'000}, kind, work.precision, work};
    piece.precision_known = true;
    piece.which = static_cast<std::uint32_t>(table_.operators.size()) - 1;
    return piece;
  }
  [[nodiscard]] const OperatorTable& table() const { return table_; }

 private:
  OperatorTable table_;
};

// ---------------------------------------------------------------- division among ranks

TEST(PartOfRankTest, AProductIsDividedInOneDimensionAndReadsWhatIsNotDividedWhole) {
  Calls calls;
  DeviceWork product = calls.add("aten::mm", KernelClass::kGemm, {floats({64, 32}), floats({32, 16})});
  product.amount = 1;
  const auto elements = [](double rows, double inner, double columns) {
    return rows * inner + inner * columns + rows * columns;
  };
  const double whole = elements(64, 32, 16);
  const auto expect_part = [&](Divided divided, double rows, double inner, double columns) {
    product.divided = divided;
    const DeviceWork part = part_of_rank(product, 4);
    EXPECT_DOUBLE_EQ(part.amount, 0.25);
    EXPECT_DOUBLE_EQ(part.work->flops, product.work->flops / 4);
    EXPECT_DOUBLE_EQ(part.work->shape.rows, rows);
    EXPECT_DOUBLE_EQ(part.work->shape.inner, inner);
    EXPECT_DOUBLE_EQ(part.work->shape.columns, columns);
    EXPECT_DOUBLE_EQ(part.work->bytes, product.work->bytes * elements(rows, inner, columns) / whole);
  };
  expect_part(Divided::kRows, 16, 32, 16);
  expect_part(Divided::kColumns, 64, 32, 4);
  expect_part(Divided::kInner, 64, 8, 16);
  product.divided = Divided::kNot;
  EXPECT_EQ(part_of_rank(product, 4), product);
  product.divided = Divided::kRows;
  EXPECT_EQ(part_of_rank(product, 1), product);
}

TEST(PartOfRankTest, WorkOfTheOptimizerAndOfElementsIsDividedEvenly) {
  Calls calls;
  DeviceWork pass = calls.add("aten::add", KernelClass::kElementwise, {floats({64, 32}), floats({64, 32})});
  pass.divided = Divided::kElements;
  EXPECT_DOUBLE_EQ(part_of_rank(pass, 4).work->bytes, pass.work->bytes / 4);
  pass.divided = Divided::kNot;
  pass.in_optimizer = true;
  EXPECT_DOUBLE_EQ(part_of_rank(pass, 2).work->bytes, pass.work->bytes / 2);
}

TEST(SizeOfTest, PrecisionsHaveTheSizesOfTheirElements) {
  EXPECT_EQ(size_of(Precision::kFloat64), 8);
  EXPECT_EQ(size_of(Precision::kFloat32), 4);
  EXPECT_EQ(size_of(Precision::kTensor32), 4);
  EXPECT_EQ(size_of(Precision::kFloat16), 2);
  EXPECT_EQ(size_of(Precision::kFloat8), 1);
}

// ---------------------------------------------------------------- precision

TEST(InPrecisionTest, ProductsHaveTheNewArithmeticAndFewerBytes) {
  Calls calls;
  const DeviceWork product = calls.add("aten::mm", KernelClass::kGemm, {floats({64, 32}), floats({32, 16})});
  const DeviceWork half = in_precision(product, calls.table(), Precision::kFloat16);
  EXPECT_EQ(half.work->precision, Precision::kFloat16);
  EXPECT_DOUBLE_EQ(half.work->flops, 2.0 * 64 * 32 * 16);
  EXPECT_DOUBLE_EQ(half.work->bytes, 2.0 * (64 * 32 + 32 * 16 + 64 * 16));
  const DeviceWork rounded = in_precision(product, calls.table(), Precision::kTensor32);
  EXPECT_EQ(rounded.work->precision, Precision::kTensor32);
  EXPECT_DOUBLE_EQ(rounded.work->bytes, product.work->bytes) << "tf32 is stored as fp32 is";
}

TEST(InPrecisionTest, WhatStreamsMovesItsFloatsInTheNewSizeAndItsIntegersAsBefore) {
  Calls calls;
  const DeviceWork add = calls.add("aten::where", KernelClass::kElementwise, {floats({1000, 6}), integers({1000, 1})});
  // The inputs are 6000 floats (24,000 bytes) and 1000 integers (8,000 bytes). In half precision the floats take 12,000
  // bytes.
  EXPECT_DOUBLE_EQ(in_precision(add, calls.table(), Precision::kFloat16).work->bytes / add.work->bytes, 20.0 / 32);
  EXPECT_EQ(in_precision(add, calls.table(), Precision::kTensor32), add);
}

TEST(InPrecisionTest, OnlyProductsAreDoneInEightBits) {
  Calls calls;
  const DeviceWork add = calls.add("aten::add", KernelClass::kElementwise, {floats({1000}), floats({1000})});
  EXPECT_DOUBLE_EQ(in_precision(add, calls.table(), Precision::kFloat8).work->bytes, add.work->bytes / 2);
  const DeviceWork half = calls.add("aten::add", KernelClass::kElementwise,
                                    {floats({1000}, Precision::kFloat16), floats({1000}, Precision::kFloat16)});
  EXPECT_EQ(in_precision(half, calls.table(), Precision::kFloat8), half);
}

TEST(InPrecisionTest, OnlyProductsOfLinearLayersAreQuantised) {
  Calls calls;
  const Float8Recipe& recipe = kFloat8Recipes[0];
  const Precision bf16 = Precision::kFloat16;
  const DeviceWork product =
      calls.add("aten::mm", KernelClass::kGemm, {floats({64, 32}, bf16), floats({32, 16}, bf16)});
  const DeviceWork quantised = in_precision(product, calls.table(), Precision::kFloat8, &recipe);
  EXPECT_EQ(quantised.work->precision, Precision::kFloat8);
  EXPECT_EQ(quantised.recipe, &recipe);
  EXPECT_DOUBLE_EQ(quantised.work->bytes, 64 * 32 + 32 * 16 + 2.0 * 64 * 16) << "results keep 16 bits";
  EXPECT_EQ(in_precision(product, calls.table(), Precision::kFloat8), product) << "no recipe";
  const DeviceWork back = in_precision(quantised, calls.table(), bf16);
  EXPECT_DOUBLE_EQ(back.work->bytes, product.work->bytes);
  EXPECT_EQ(back.recipe, nullptr);
  // Attention's products and attention in one kernel stay in the 16 bits that they have.
  const DeviceWork scores =
      calls.add("aten::bmm", KernelClass::kGemm, {floats({8, 64, 32}, bf16), floats({8, 32, 64}, bf16)});
  const TensorShape heads = floats({1, 8, 64, 32}, bf16);
  const DeviceWork attention =
      calls.add("aten::_scaled_dot_product_flash_attention", KernelClass::kAttention, {heads, heads, heads});
  const DeviceWork softmax = calls.add("aten::_softmax", KernelClass::kSoftmax, {floats({8, 64, 64}, bf16)});
  for (const DeviceWork& piece : {scores, attention, softmax})
    EXPECT_EQ(in_precision(piece, calls.table(), Precision::kFloat8, &recipe), piece);
}

TEST(InPrecisionTest, WithoutShapesTheAmountChanges) {
  DeviceWork piece{Duration{10'000}, KernelClass::kSoftmax, Precision::kFloat32, {}};
  piece.precision_known = true;
  EXPECT_DOUBLE_EQ(in_precision(piece, {}, Precision::kFloat16).amount, 0.5);
  EXPECT_DOUBLE_EQ(in_precision(in_precision(piece, {}, Precision::kFloat16), {}, Precision::kFloat32).amount, 1);
}

TEST(InPrecisionTest, TheSamePrecisionChangesNothing) {
  Calls calls;
  for (const KernelClass kind : {KernelClass::kGemm, KernelClass::kElementwise}) {
    const DeviceWork piece = calls.add("aten::mm", kind, {floats({64, 32}), floats({32, 16})});
    EXPECT_EQ(in_precision(piece, calls.table(), Precision::kFloat32), piece);
  }
}

TEST(InPrecisionTest, TheOptimizerAndWhatHasOrTellsNoPrecisionStays) {
  Calls calls;
  DeviceWork update = calls.add("aten::add_", KernelClass::kElementwise, {floats({1000}), floats({1000})});
  DeviceWork silent = update;
  update.in_optimizer = true;
  silent.precision_known = false;
  DeviceWork collective{Duration{10'000}, KernelClass::kCollective, Precision::kFloat32, {}};
  collective.precision_known = true;
  DeviceWork unknown = collective;
  unknown.kind = KernelClass::kUnknown;
  for (const DeviceWork& piece : {update, silent, collective, unknown})
    EXPECT_EQ(in_precision(piece, calls.table(), Precision::kFloat16), piece);
}

// ---------------------------------------------------------------- samples

/// The calls of a linear layer from 32 to 16 features on 64 samples: the forward product, both backward products and
/// some other work. The framework's outer call, aten::linear, shows which input is the weight.
struct Layer {
  Layer() {
    (void)calls.add("aten::linear", KernelClass::kGemm, {floats({64, 32}), floats({16, 32}), floats({16})});
    forward = calls.add("aten::addmm", KernelClass::kGemm, {floats({16}), floats({64, 32}), floats({32, 16})});
    to_input = calls.add("aten::mm", KernelClass::kGemm, {floats({64, 16}), floats({16, 32})});
    to_weight = calls.add("aten::mm", KernelClass::kGemm, {floats({16, 64}), floats({64, 32})});
    activation = calls.add("aten::relu", KernelClass::kElementwise, {floats({64, 16})});
    decay = calls.add("aten::mul", KernelClass::kElementwise, {floats({16, 32}), floats({})});
    bucket = calls.add("aten::copy_", KernelClass::kCopy, {floats({528}), floats({528})});
  }
  Calls calls;
  DeviceWork forward, to_input, to_weight, activation, decay, bucket;
};

TEST(SampleGrowthTest, OperationsOfAllProductsWithSamplesGrowWithThem) {
  const Layer layer;
  const SampleGrowth growth(layer.calls.table(), 3);
  EXPECT_EQ(growth.parameters(), 2U) << "the weight and the bias";
  for (const DeviceWork& product : {layer.forward, layer.to_input, layer.to_weight})
    EXPECT_DOUBLE_EQ(growth.grown(product).work->flops, 3.0 * 2 * 64 * 32 * 16);
}

TEST(SampleGrowthTest, ProductsGrowInTheDimensionThatCountsSamples) {
  const Layer layer;
  const SampleGrowth growth(layer.calls.table(), 3);
  const auto shape = [&](DeviceWork product) {
    product.work->shape = {1, 10, 20, 30};
    return growth.grown(product).work->shape;
  };
  EXPECT_EQ(shape(layer.forward), (ProductShape{1, 30, 20, 30})) << "samples times a weight: more rows";
  EXPECT_EQ(shape(layer.to_weight), (ProductShape{1, 10, 20, 90})) << "a gradient sums over samples";
  Calls calls;
  const DeviceWork scores = calls.add("aten::bmm", KernelClass::kGemm, {floats({8, 64, 32}), floats({8, 32, 64})});
  EXPECT_EQ(SampleGrowth(calls.table(), 3).grown(scores).work->shape.count, 3 * 8.0) << "more samples, more products";
}

TEST(SampleGrowthTest, BytesGrowAsTheShareOfInputsThatCarriesSamples) {
  const Layer layer;
  const SampleGrowth growth(layer.calls.table(), 3);
  const auto ratio = [&](const DeviceWork& piece) { return growth.grown(piece).work->bytes / piece.work->bytes; };
  EXPECT_DOUBLE_EQ(ratio(layer.to_input), 1 + 2 * (64.0 * 16) / (64 * 16 + 16 * 32));
  EXPECT_DOUBLE_EQ(ratio(layer.to_weight), 3);
  EXPECT_DOUBLE_EQ(ratio(layer.activation), 3);
}

/// A layer from 32 to 16 features, and one from 32 to 32, on 32 samples: each tensor of samples has the sizes of a
/// weight.
struct SquareLayer {
  SquareLayer() {
    (void)calls.add("aten::linear", KernelClass::kGemm, {floats({32, 32}), floats({16, 32}), floats({16})});
    (void)calls.add("aten::linear", KernelClass::kGemm, {floats({32, 32}), floats({32, 32})});
    norm = calls.add("aten::native_layer_norm", KernelClass::kNormalisation, {floats({32, 32}), floats({32})});
    forward = calls.add("aten::mm", KernelClass::kGemm, {floats({32, 32}), floats({32, 16})});
    activation = calls.add("aten::relu", KernelClass::kElementwise, {floats({32, 16})});
    cast = calls.add("aten::_to_copy", KernelClass::kElementwise, {floats({32, 16})});
    to_input = calls.add("aten::mm", KernelClass::kGemm, {floats({32, 16}), floats({16, 32})});
    sum = calls.add("aten::add_", KernelClass::kElementwise, {floats({16, 32}), floats({16, 32})});
  }
  Calls calls;
  DeviceWork norm, forward, activation, cast, to_input, sum;
};

TEST(SampleGrowthTest, PlacesTellSamplesFromWeightsOfTheSameSizes) {
  const SquareLayer layer;
  const SampleGrowth growth(layer.calls.table(), 3);
  const auto ratio = [&](const DeviceWork& piece) { return growth.grown(piece).work->bytes / piece.work->bytes; };
  EXPECT_DOUBLE_EQ(ratio(layer.forward), 1 + 2 * (32.0 * 32) / (32 * 32 + 32 * 16));
  EXPECT_DOUBLE_EQ(ratio(layer.to_input), 2) << "half of its factors are the weight";
  EXPECT_EQ(growth.grown(layer.forward).work->shape.rows, 3 * 32);
  EXPECT_DOUBLE_EQ(ratio(layer.norm), 1 + 2 * (32.0 * 32) / (32 * 32 + 32));
  EXPECT_DOUBLE_EQ(ratio(layer.activation), 3);
  EXPECT_DOUBLE_EQ(ratio(layer.cast), 3) << "the weight is stored as 16 x 32";
  EXPECT_DOUBLE_EQ(ratio(layer.sum), 1) << "of a gradient";
}

TEST(SampleGrowthTest, AGradientOfAWeightSumsOverSamplesThatAreAsManyAsFeatures) {
  Calls calls;
  (void)calls.add("aten::linear", KernelClass::kGemm, {floats({32, 32}), floats({16, 32})});
  (void)calls.add("aten::mm", KernelClass::kGemm, {floats({32, 16}), floats({16, 32})});  // the gradient of the input
  const DeviceWork gradient = calls.add("aten::mm", KernelClass::kGemm, {floats({16, 32}), floats({32, 32})});
  const DeviceWork grown = SampleGrowth(calls.table(), 3).grown(gradient);
  EXPECT_EQ(grown.work->shape, (ProductShape{1, 16, 32, 96}));
  EXPECT_DOUBLE_EQ(grown.work->bytes, 3 * gradient.work->bytes);
}

TEST(SampleGrowthTest, ParametersBucketsTheOptimizerAndCollectivesDoNotGrow) {
  const Layer layer;
  const SampleGrowth growth(layer.calls.table(), 3);
  DeviceWork update = layer.activation;
  update.in_optimizer = true;
  const DeviceWork collective{Duration{10'000}, KernelClass::kCollective, Precision::kFloat32, {}};
  for (const DeviceWork& piece : {layer.decay, layer.bucket, update, collective}) EXPECT_EQ(growth.grown(piece), piece);
}

TEST(SampleGrowthTest, GradientsThatAccumulateTellParametersToo) {
  Calls calls;
  (void)calls.add("torch::autograd::AccumulateGrad", KernelClass::kElementwise, {floats({48, 24})});
  const DeviceWork clip = calls.add("aten::mul", KernelClass::kElementwise, {floats({48, 24})});
  EXPECT_EQ(SampleGrowth(calls.table(), 2).grown(clip), clip);
}

TEST(SampleGrowthTest, LookupsGrowWithTheirIndicesAndNotWithTheirTable) {
  Calls calls;
  const DeviceWork lookup =
      calls.add("aten::embedding", KernelClass::kGather, {floats({100'000, 64}), integers({8, 512})});
  EXPECT_DOUBLE_EQ(SampleGrowth(calls.table(), 2).grown(lookup).work->bytes, 2 * lookup.work->bytes);
}

TEST(SampleGrowthTest, WhatHasNoOperatorGrowsInProportion) {
  const DeviceWork piece{Duration{10'000}, KernelClass::kSoftmax, Precision::kFloat32, {}};
  EXPECT_DOUBLE_EQ(SampleGrowth({}, 2.5).grown(piece).amount, 2.5);
}

TEST(SampleGrowthTest, ArithmeticOfUnknownShapeGrowsWithSamplesHoweverLargeItsParametersAre) {
  Calls calls;
  // The layer's parameters have a thousand times as many bytes as its samples. Its work is unknown, because it is
  // computed by a library.
  DeviceWork product =
      calls.add("aten::_cudnn_rnn", KernelClass::kGemm, {floats({64, 32}), floats({2048, 1000}), floats({64, 32})});
  product.work.reset();
  EXPECT_DOUBLE_EQ(SampleGrowth(calls.table(), 8).grown(product).amount, 8);
}

TEST(SampleGrowthTest, AsManySamplesChangeNothing) {
  const Layer layer;
  for (const DeviceWork& piece : {layer.forward, layer.to_weight, layer.activation, layer.decay})
    EXPECT_EQ(SampleGrowth(layer.calls.table(), 1).grown(piece), piece);
}

}  // namespace
}  // namespace stepsim
