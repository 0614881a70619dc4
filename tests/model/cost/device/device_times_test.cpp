#include "model/cost/device/roofline.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "model/base/error.h"
#include "model/cost/device/device_fit.h"
#include "model/job/dag_builder.h"
#include "model/rewrite/capture_edit.h"

namespace stepsim {
namespace {

/// Makes captures with one stream by hand.
class StreamCapture {
 public:
  explicit StreamCapture(std::string device) {
    capture_.devices.emplace(0, std::move(device));
    stream_ = builder_.add_lane({.name = "stream 7", .kind = LaneKind::kStream, .device = 0});
    thread_ = builder_.add_lane({.name = "thread 1", .kind = LaneKind::kThread});
  }

  TaskId work(TaskKind kind, std::string_view name, std::int64_t ns) { return add(kind, name, ns, stream_); }
  TaskId host(std::int64_t ns) { return add(TaskKind::kHost, "python", ns, thread_); }

  /// Adds a call of an operator that launched one kernel.
  TaskId call(std::string_view op, std::string_view shapes, const Work& work, std::string_view kernel, std::int64_t ns,
              TaskKind kind = TaskKind::kKernel) {
    const TaskId task = this->work(kind, kernel, ns);
    OperatorTable& table = capture_.operators;
    table.uses.push_back({task, static_cast<std::uint32_t>(table.operators.size()), table.occurrences++});
    table.operators.push_back({std::string{op}, std::string{shapes}, work});
    return task;
  }
  /// Adds one more kernel to the latest call.
  TaskId more(std::string_view kernel, std::int64_t ns) {
    OperatorTable::Use use = capture_.operators.uses.back();
    use.task = work(TaskKind::kKernel, kernel, ns);
    capture_.operators.uses.push_back(use);
    return use.task;
  }

  /// Returns the capture. Tasks keep the order in which they were added.
  Capture build() {
    capture_.dag = std::move(builder_).build().dag;
    return std::move(capture_);
  }

 private:
  TaskId add(TaskKind kind, std::string_view name, std::int64_t ns, LaneId lane) {
    return builder_.add_task({.kind = kind,
                              .name = builder_.intern(name),
                              .lane = lane,
                              .duration = Duration{ns},
                              .hint = Time{Duration{static_cast<std::int64_t>(builder_.task_count())}}});
  }

  DagBuilder builder_;
  Capture capture_;
  LaneId stream_;
  LaneId thread_;
};

constexpr std::string_view kGemm = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_nn";
constexpr std::string_view kAdd = "at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >";

Work gemm_of(double flops) { return {KernelClass::kGemm, flops, 1, Precision::kFloat16}; }
Work pass_of(double bytes) { return {KernelClass::kElementwise, 0, bytes, Precision::kFloat32}; }

Capture some_work() {
  StreamCapture maker{"A100"};
  maker.host(10'000);
  maker.call("aten::mm", "[[1]]", gemm_of(1e9), kGemm, 20'000);
  maker.call("aten::add", "[[2]]", pass_of(1e6), kAdd, 3'000);
  maker.work(TaskKind::kMemset, "Memset (Device)", 900);
  maker.work(TaskKind::kCopy, "Memcpy HtoD (Pinned -> Device)", 40'000);
  maker.work(TaskKind::kCollective, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 50'000);
  maker.work(TaskKind::kKernel, "who knows", 0);
  return maker.build();
}

// ---------------------------------------------------------------- roofline and fit alike

using Scale = std::function<Scaled(const DeviceWork&)>;

struct Way {
  std::string name;
  Scale (*between)(const Accelerator& from, const Accelerator& to, const DeviceFit& fit);
};

class EveryWayTest : public ::testing::TestWithParam<Way> {
 protected:
  [[nodiscard]] ScaledDurations scaled(std::string_view to) const {
    const DeviceFit fit = fit_devices(capture_, capture_);
    return scaled_durations(capture_, GetParam().between(accelerator_named("A100"), accelerator_named(to), fit));
  }

  Capture capture_ = some_work();
};

TEST_P(EveryWayTest, SameDeviceChangesNothingToTheNanosecond) {
  const ScaledDurations same = scaled("A100");
  ASSERT_EQ(same.duration.size(), capture_.dag.task_count());
  for (std::size_t i = 0; i < same.duration.size(); ++i)
    EXPECT_EQ(same.duration[i], capture_.dag.duration(TaskId{i})) << capture_.dag.name(TaskId{i});
}

TEST_P(EveryWayTest, HostWorkAndCollectivesStay) {
  const ScaledDurations other = scaled("H100");
  for (std::size_t i = 0; i < other.duration.size(); ++i) {
    const TaskKind kind = capture_.dag.kind(TaskId{i});
    if (kind != TaskKind::kHost && kind != TaskKind::kCollective) continue;
    EXPECT_EQ(other.duration[i], capture_.dag.duration(TaskId{i})) << capture_.dag.name(TaskId{i});
  }
}

TEST_P(EveryWayTest, SharesAddUpToTheDeviceTime) {
  const ScaledDurations other = scaled("V100");
  Duration before{};
  Duration after{};
  std::size_t pieces = 0;
  for (std::size_t i = 0; i < other.duration.size(); ++i) {
    if (capture_.dag.lane(TaskId{i}).kind != LaneKind::kStream) continue;
    before += capture_.dag.duration(TaskId{i});
    after += other.duration[i];
    ++pieces;
  }
  EXPECT_EQ(other.share.total().before, before);
  EXPECT_EQ(other.share.total().after, after);
  EXPECT_EQ(other.share.total().pieces, pieces);
  Duration by_class{};
  for (const ScaledShare::Part& part : other.share.named) by_class += part.after;
  EXPECT_EQ(by_class, after);
}

const std::array kWays{
    Way{"roofline",
        [](const Accelerator& from, const Accelerator& to, const DeviceFit&) -> Scale {
          return [&](const DeviceWork& work) { return roofline_scaled(work, from, to); };
        }},
    Way{"fitted",
        [](const Accelerator&, const Accelerator&, const DeviceFit& fit) -> Scale {
          return [&fit](const DeviceWork& work) { return scaled_by_fit(work, fit); };
        }},
};
INSTANTIATE_TEST_SUITE_P(All, EveryWayTest, ::testing::ValuesIn(kWays),
                         [](const auto& instance) { return instance.param.name; });

// ---------------------------------------------------------------- work of pieces

TEST(DeviceWorkTest, WorkOfACallGoesToThePiecesThatDoIt) {
  StreamCapture maker{"A100"};
  const TaskId product = maker.call("aten::mm", "[[1]]", gemm_of(8e9), kGemm, 30'000);
  const TaskId rest = maker.more("splitKreduce_kernel<float>", 10'000);
  const TaskId layout = maker.more("nchwToNhwcKernel", 5'000);
  const auto pieces = device_work(maker.build());
  // The first two kernels compute the product, and its work is divided between them by their times, 3 to 1. The kernel
  // that changes the layout gets none of it.
  ASSERT_TRUE(pieces[product.index()]->work.has_value());
  EXPECT_DOUBLE_EQ(pieces[product.index()]->work->flops, 6e9);
  ASSERT_TRUE(pieces[rest.index()]->work.has_value());
  EXPECT_DOUBLE_EQ(pieces[rest.index()]->work->flops, 2e9);
  EXPECT_FALSE(pieces[layout.index()]->work.has_value());
}

TEST(DeviceWorkTest, ShapesAroundAGraphOfKernelsSayNothingOfOne) {
  StreamCapture maker{"A100"};
  // The inputs of a compiled function include the parameters of all its layers, and its kernels include products, so
  // the shapes do not describe any of its kernels.
  const Work pass{KernelClass::kElementwise, 0, 4e8, Precision::kFloat32};
  const TaskId sum = maker.call("CompiledFunction", "[[4, 256], [8192, 512]]", pass, "triton_poi_fused_add", 50'000);
  const TaskId product = maker.more(kGemm, 90'000);
  const TaskId alone = maker.call("aten::add", "[[1000]]", pass, "elementwise_kernel", 50'000);
  const auto pieces = device_work(maker.build());
  for (const TaskId task : {sum, product}) {
    EXPECT_FALSE(pieces[task.index()]->work.has_value());
    EXPECT_FALSE(pieces[task.index()]->which.has_value());
  }
  EXPECT_TRUE(pieces[alone.index()]->work.has_value());
}

TEST(ProductTest, AWaveOfOneTileForEachMultiprocessorTakesTheTimeOfATile) {
  // If each multiprocessor gets exactly one tile of a x b elements, larger tiles do useless work, and smaller ones
  // start twice. The best time is 2 a b inner / rate of a multiprocessor + 1 us. The smallest tiles reach 0.55 of the
  // rate. With less than 2 x 1,024 of `inner`, no tile is shared.
  const Accelerator& device = accelerator_named("A100");
  const double processors = device.processors;
  const double rate = device.flops(Precision::kFloat16) / processors / 1e9;
  constexpr double kInner = 2'000;
  const auto expect_tile = [&](double rows, double columns, double efficiency) {
    const ProductShape wide{1, rows, columns * processors, kInner};
    EXPECT_DOUBLE_EQ(product_time(wide, Precision::kFloat16, device),
                     2 * rows * columns * kInner / (rate * efficiency) + 1'000)
        << rows << " x " << columns;
  };
  expect_tile(256, 128, 1);
  expect_tile(128, 256, 1);
  expect_tile(128, 128, 1);
  expect_tile(128, 64, 1);
  expect_tile(64, 128, 1);
  expect_tile(64, 64, 1);
  expect_tile(64, 32, 0.55);
  expect_tile(32, 64, 0.55);
  // Five of the smallest tiles for two multiprocessors: the mean of 2.5 and 3 waves.
  EXPECT_DOUBLE_EQ(product_time({1, 32, 64 * 2.5 * processors, kInner}, Precision::kFloat16, device),
                   2.75 * (2 * 32 * 64 * kInner / (rate * 0.55) + 1'000));
  EXPECT_EQ(product_time({1, 0, 128, kInner}, Precision::kFloat16, device), 0);
}

TEST(ProductTest, SharersOfATileStartNoSooner) {
  // The result is a single tile that 64 processors could share. Each of them starts once, and writes and reads its
  // partial results.
  const Accelerator& device = accelerator_named("A100");
  const ProductShape shape{1, 64, 64, 64 * 1024};
  const double arithmetic = 2 * shape.rows * shape.columns * shape.inner / device.flops(Precision::kFloat16) * 1e9;
  const double partial = 8 * shape.rows * shape.columns / device.cache_rate.bytes_per_second() * 1e9;
  constexpr double kStart = 1'000;
  EXPECT_GE(product_time(shape, Precision::kFloat16, device), kStart + arithmetic + partial);
  EXPECT_LE(product_time(shape, Precision::kFloat16, device), kStart + 2 * arithmetic + 64 * partial);
}

TEST(RooflineTest, ProductsReadAndWriteTheCacheButForTheirWeights) {
  constexpr double kRows = 2'048, kColumns = 512, kInner = 1'024;
  constexpr double kWeight = 2 * kInner * kColumns, kRest = 2 * kRows * (kInner + kColumns);
  const Work work{KernelClass::kGemm,
                  2 * kRows * kColumns * kInner,
                  kWeight + kRest,
                  Precision::kFloat16,
                  {1, kRows, kColumns, kInner}};
  const DeviceWork piece{Duration{100'000}, KernelClass::kGemm, Precision::kFloat16, work};
  Accelerator device = accelerator_named("L40S");
  const double arithmetic = product_time(work.shape, Precision::kFloat16, device);
  const double start = static_cast<double>(device.floor.count()) + 2'000;
  const double weight = kWeight / device.bytes_per_second() * 1e9;
  const double cached = kRest / device.cache_rate.bytes_per_second() * 1e9;
  const double uncached = kRest / device.bytes_per_second() * 1e9;
  EXPECT_NEAR(roofline_time(piece, device), start + std::hypot(arithmetic, weight + cached), 1e-6);
  device.cache = kWeight;  // less than three quarters of the data
  EXPECT_NEAR(roofline_time(piece, device), start + std::hypot(arithmetic, weight + uncached), 1e-6);
}

TEST(RooflineTest, QuantisingReadsAndWritesTheOperandsOfAProductOnceMore) {
  const Accelerator& h100 = accelerator_named("H100");
  const double side = 8192;
  const Work work{
      KernelClass::kGemm, 2 * side * side * side, 6 * side * side, Precision::kFloat16, {1, side, side, side}};
  DeviceWork product{std::chrono::milliseconds{2}, KernelClass::kGemm, Precision::kFloat16, work};
  product.precision_known = true;
  for (const Float8Recipe& recipe : kFloat8Recipes) {
    DeviceWork quantised = product;
    quantised.precision = quantised.work->precision = Precision::kFloat8;
    quantised.work->bytes = 4 * side * side;
    const double without = roofline_scaled(product, h100, quantised, h100).nanoseconds;
    quantised.recipe = &recipe;
    const double with = roofline_scaled(product, h100, quantised, h100).nanoseconds;
    // Two operands and one result of 8192 x 8192 numbers; a kernel for each operand.
    const double bytes = side * side * (2 * recipe.operand_bytes + recipe.result_bytes);
    const double added =
        2 * static_cast<double>(h100.floor.count()) + bytes / (h100.memory.bytes_per_second() * 0.92) * 1e9;
    EXPECT_NEAR(with - without, added, 1) << recipe.name;
    // Back in 16 bits, the product takes its recorded time again.
    quantised.recorded = Duration{std::llround(with)};
    EXPECT_NEAR(roofline_scaled(quantised, h100, product, h100).nanoseconds, 2e6, 2) << recipe.name;
  }
  // Large products reach 0.9 of twice the rate, so 2 ms of mostly arithmetic become about 2 / 1.8.
  DeviceWork quantised = product;
  quantised.precision = quantised.work->precision = Precision::kFloat8;
  EXPECT_NEAR(roofline_scaled(product, h100, quantised, h100).nanoseconds, 2e6 / 1.8, 2e6 / 1.8 * 0.03);
}

TEST(RooflineTest, SharesThatWereNotMeasuredWidenTheRange) {
  const DeviceWork pass{Duration{1'000'000}, KernelClass::kElementwise, Precision::kFloat32, pass_of(1e9)};
  const auto error = [&pass](std::string_view from, std::string_view to) {
    return roofline_scaled(pass, accelerator_named(from), accelerator_named(to)).error;
  };
  EXPECT_GT(error("A100", "RTX 3090"), error("A100", "H100"));
  EXPECT_GT(error("RTX 3080", "RTX 3090"), error("A100", "RTX 3090"));
}

TEST(RooflineTest, EachReasonToDoubtWidensTheRange) {
  // docs/internals/models.md lists the reasons. A100 and H100 are measured, so nothing is added for their kinds.
  const auto error = [](KernelClass kind, const Work& work, std::string_view from, std::string_view to) {
    const DeviceWork piece{Duration{1'000'000}, kind, work.precision, work};
    return roofline_scaled(piece, accelerator_named(from), accelerator_named(to)).error;
  };
  const Work product{KernelClass::kGemm, 1e12, 1e8, Precision::kFloat16, {1, 8'000, 8'000, 8'000}};
  Work batched = product;
  batched.shape.count = 16;
  const double plain = error(KernelClass::kGemm, product, "A100", "H100");
  EXPECT_DOUBLE_EQ(plain, 0.15);
  EXPECT_EQ(error(KernelClass::kGemm, product, "A100", "A100"), 0) << "nothing changes";
  EXPECT_DOUBLE_EQ(error(KernelClass::kGemm, batched, "A100", "H100"), 0.25) << "several algorithms";
  EXPECT_DOUBLE_EQ(error(KernelClass::kConvolution, product, "A100", "H100"), 0.25) << "several algorithms";
  EXPECT_GE(error(KernelClass::kGemm, product, "P100", "A100"), 0.50) << "onto the matrix units";
  EXPECT_GE(error(KernelClass::kGemm, product, "A100", "P100"), 0.50) << "off the matrix units";
  EXPECT_GE(error(KernelClass::kConvolution, product, "A100", "MI300X"), 0.25 + 0.25) << "another vendor's library";
  EXPECT_GE(error(KernelClass::kAttention, product, "A100", "MI300X"), 0.25 + 0.75) << "another vendor's library";
  EXPECT_GE(error(KernelClass::kGemm, product, "A100", "MI300X"), 0.15 + 0.10) << "another vendor's library";
  EXPECT_DOUBLE_EQ(error(KernelClass::kElementwise, pass_of(1e9), "A100", "H100"), 0.12);
}

TEST(RescaleTest, KernelsWithoutShapesStayWithinTheFactorsOfTheirLikesWithShapes) {
  const auto factor_of_last = [](std::size_t with_shapes, Duration last) {
    StreamCapture maker{"A100"};
    for (std::size_t i = 0; i < with_shapes; ++i) maker.call("aten::mm", "[[1]]", gemm_of(8e9), kGemm, 30'000);
    const TaskId task = maker.work(TaskKind::kKernel, kGemm, last.count());
    const auto scale = [](const DeviceWork& work) {
      const auto recorded = static_cast<double>(work.recorded.count());
      return work.work ? Scaled{recorded * 2, ScaledBy::kFlops} : Scaled{recorded * 8, ScaledBy::kClass};
    };
    return static_cast<double>(scaled_durations(maker.build(), scale).duration[task.index()].count()) /
           static_cast<double>(last.count());
  };
  EXPECT_DOUBLE_EQ(factor_of_last(kFewestMembers, Duration{40'000}), 2);
  EXPECT_DOUBLE_EQ(factor_of_last(kFewestMembers - 1, Duration{40'000}), 8) << "too few to tell";
  EXPECT_DOUBLE_EQ(factor_of_last(kFewestMembers, Duration{400'000}), 8) << "none is nearly as long";
}

TEST(DeviceWorkTest, KernelsThatDoNotTellTheirPrecisionHaveTheUsualOne) {
  StreamCapture maker{"MI300X"};
  maker.work(TaskKind::kKernel, "Cijk_Alik_Bljk_BBS_BH_MT256x128x64", 100'000);
  maker.work(TaskKind::kKernel, "Cijk_Alik_Bljk_SB_MT64x16x16", 10'000);
  const TaskId attention = maker.work(TaskKind::kKernel, "attn_fwd", 10'000);
  EXPECT_EQ(device_work(maker.build())[attention.index()]->precision, Precision::kFloat16);
}

TEST(DeviceWorkTest, SinglePrecisionProductMayBeDoneInTf32) {
  StreamCapture maker{"A100"};
  const Work single{KernelClass::kGemm, 1e9, 1, Precision::kFloat32};
  const TaskId rounded = maker.call("aten::mm", "[[1]]", single, "cutlass_80_tensorop_s1688gemm_128x64", 10'000);
  const TaskId exact = maker.call("aten::mm", "[[2]]", single, "ampere_sgemm_128x64_nn", 10'000);
  const auto pieces = device_work(maker.build());
  EXPECT_EQ(pieces[rounded.index()]->work->precision, Precision::kTensor32);
  EXPECT_EQ(pieces[exact.index()]->work->precision, Precision::kFloat32);
}

TEST(DeviceWorkTest, ProductThatAConvolutionLaunchedIsAConvolution) {
  StreamCapture maker{"V100"};
  const TaskId inside = maker.call("aten::cudnn_convolution", "", {}, "volta_sgemm_64x64_nt", 10'000);
  const TaskId outside = maker.call("aten::mm", "", {}, "volta_sgemm_64x64_nt", 10'000);
  const auto pieces = device_work(maker.build());
  EXPECT_EQ(pieces[inside.index()]->kind, KernelClass::kConvolution);
  EXPECT_EQ(pieces[outside.index()]->kind, KernelClass::kGemm);
  EXPECT_EQ(pieces[inside.index()]->named, KernelClass::kGemm) << "as 'stats' and selections call both";
  EXPECT_EQ(pieces[outside.index()]->named, KernelClass::kGemm);
}

TEST(DeviceWorkTest, KernelsAreCountedUnderTheClassOfTheirNames) {
  StreamCapture maker{"V100"};
  maker.call("aten::cudnn_convolution", "", {}, "volta_sgemm_64x64_nt", 10'000);
  maker.call("aten::mm", "", {}, "volta_sgemm_64x64_nt", 10'000);
  const ScaledDurations same = scaled_durations(
      maker.build(), [](const DeviceWork& piece) -> Scaled { return {double(piece.recorded.count())}; });
  EXPECT_EQ(same.share.named[static_cast<std::size_t>(KernelClass::kGemm)].pieces, 2U);
  EXPECT_EQ(same.share.named[static_cast<std::size_t>(KernelClass::kConvolution)].pieces, 0U);
}

/// Returns a capture with a hundred kernels that read a kilobyte each, and a long kernel. The i-th short kernel takes
/// `first` + i ns.
Capture small_kernels(std::int64_t first) {
  StreamCapture maker{"A100"};
  for (int i = 0; i < 100; ++i) maker.call("aten::add", std::to_string(i), pass_of(1024), kAdd, first + i);
  maker.call("aten::add", "long", pass_of(1e9), kAdd, 1'000'000);
  return maker.build();
}

TEST(DeviceWorkTest, KernelsOfACaptureStartAsLateAsItsShortestOnes) {
  const Duration floor = accelerator_named("A100").floor;
  const Capture late = small_kernels(floor.count() + 4'000);
  const DevicePieces pieces = device_work(late);
  for (const auto& [task, piece] : pieces) EXPECT_EQ(piece.late_start, Duration{4'000 + 5}) << "5 of 100 are shorter";
  const Capture usual = small_kernels(floor.count() - 200);
  const DevicePieces prompt = device_work(usual);
  for (const auto& [task, piece] : prompt) EXPECT_EQ(piece.late_start, Duration{});
}

TEST(DeviceWorkTest, AFewKernelsTellNothingOfTheShortest) {
  StreamCapture maker{"A100"};
  const TaskId only = maker.call("aten::add", "", pass_of(1024), kAdd, 50'000);
  EXPECT_EQ(device_work(maker.build())[only.index()]->late_start, Duration{});
}

TEST(DeviceWorkTest, OperatorsFollowTheirTasksThroughAnEdit) {
  CaptureEdit edit{some_work()};
  edit.remove(TaskId{1});  // task 1 is the product
  const Capture edited = std::move(edit).finish();
  ASSERT_EQ(edited.operators.uses.size(), 1U);
  EXPECT_EQ(edited.dag.name(edited.operators.uses[0].task), kAdd);
  EXPECT_EQ(edited.operators.operators[edited.operators.uses[0].which].name, "aten::add");
}

// ---------------------------------------------------------------- fitted

/// Returns a capture of 40 products and 40 additions on `device`. Their times are those that the roofline model
/// predicts from an A100, times the factor of the class. With `outlier`, one product takes 20 times as long.
Capture calls_on(const std::string& device, double product_factor, double addition_factor, bool outlier = false) {
  const Accelerator& from = accelerator_named("A100");
  const Accelerator& to = accelerator_named(device);
  StreamCapture maker{device};
  for (int i = 1; i <= 40; ++i) {
    const Work product = gemm_of(i * 1e10);
    const Work addition = pass_of(i * 1e8);
    const auto on = [&](KernelClass kind, const Work& work, std::int64_t recorded, double factor) {
      const DeviceWork piece{Duration{recorded}, kind, work.precision, work};
      return static_cast<std::int64_t>(roofline_scaled(piece, from, to).nanoseconds * factor);
    };
    const double off = outlier && i == 7 ? 20 : 1;
    maker.call("aten::mm", std::to_string(i), product, kGemm,
               on(KernelClass::kGemm, product, std::int64_t{i} * 50'000, product_factor * off));
    maker.call("aten::add", std::to_string(i), addition, kAdd,
               on(KernelClass::kElementwise, addition, std::int64_t{i} * 100'000, addition_factor));
  }
  return maker.build();
}

double factor_of(const DeviceFit& fit, KernelClass kind) { return fit.factor[static_cast<std::size_t>(kind)]; }

TEST(FittedDeviceTest, FindsTheFactorOfEachClassThatThePairHas) {
  const DeviceFit fit = fit_devices(calls_on("A100", 1, 1), calls_on("H100", 1.5, 0.8));
  EXPECT_EQ(fit.matched, 80U);
  EXPECT_EQ(fit.unmatched, 0U);
  // Regularization moves the factor of a class with n average calls 1 / (n + 1) of the way to the factor of all
  // classes. Here that is at most 3 % of log(1.5 / 0.8).
  EXPECT_NEAR(factor_of(fit, KernelClass::kGemm), 1.5, 0.03);
  EXPECT_NEAR(factor_of(fit, KernelClass::kElementwise), 0.8, 0.03);
}

TEST(FittedDeviceTest, ClassWithoutCallsHasTheCommonFactor) {
  const DeviceFit fit = fit_devices(calls_on("A100", 1, 1), calls_on("H100", 1.2, 1.2));
  EXPECT_NEAR(factor_of(fit, KernelClass::kSoftmax), 1.2, 1e-3);
}

TEST(FittedDeviceTest, OneWildCallHardlyMatters) {
  const DeviceFit fit = fit_devices(calls_on("A100", 1, 1), calls_on("H100", 1.5, 0.8, true));
  EXPECT_NEAR(factor_of(fit, KernelClass::kGemm), 1.5, 0.1);
}

TEST(FittedDeviceTest, ResidualIsTheShareOfTheMeasuredTimeThatTheFitMisses) {
  // 50 products of 30 us took 10 us each on the other device, except one that took 110 us. The fit's factor is 1/3,
  // because a single call of 50 hardly matters. So it misses 100 us of the 600 us that were measured.
  StreamCapture from{"Wonder 9000"};
  StreamCapture to{"Wonder 9001"};
  for (int i = 0; i < 50; ++i) {
    from.call("aten::mm", "x", gemm_of(1e9), kGemm, 30'000);
    to.call("aten::mm", "x", gemm_of(1e9), kGemm, i == 7 ? 110'000 : 10'000);
  }
  const Capture captured = from.build();
  const DeviceFit fit = fit_devices(captured, to.build());
  EXPECT_NEAR(fit.residual, 100.0 / 600, 0.005);
  // The fit predicts 10 us for each of the 50 calls.
  const Duration predicted =
      scaled_durations(captured, [&fit](const DeviceWork& work) { return scaled_by_fit(work, fit); })
          .share.total()
          .after;
  EXPECT_NEAR(static_cast<double>(predicted.count()), 500'000, 2'500);
}

TEST(FittedDeviceTest, UnknownDevicesAreFittedFromRecordedTimes) {
  StreamCapture from{"Wonder 9000"};
  StreamCapture to{"Wonder 9001"};
  for (int i = 0; i < 50; ++i) {
    from.call("aten::mm", "x", gemm_of(1e9), kGemm, 30'000);
    to.call("aten::mm", "x", gemm_of(1e9), kGemm, 10'000);
  }
  const DeviceFit fit = fit_devices(from.build(), to.build());
  EXPECT_EQ(fit.from, nullptr);
  EXPECT_NEAR(factor_of(fit, KernelClass::kGemm), 1.0 / 3, 1e-6);
}

TEST(FittedDeviceTest, CallsOfCollectivesSayNothingOfTheDevice) {
  StreamCapture from{"Wonder 9000"};
  StreamCapture to{"Wonder 9001"};
  for (int i = 0; i < 50; ++i) {
    for (StreamCapture* const maker : {&from, &to}) {
      const std::int64_t ns = maker == &from ? 30'000 : 10'000;
      maker->call("aten::mm", "x", gemm_of(1e9), kGemm, ns);
      maker->call("c10d::allreduce_", "x", pass_of(1e6), "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 40'000,
                  TaskKind::kCollective);
    }
  }
  const DeviceFit fit = fit_devices(from.build(), to.build());
  EXPECT_EQ(fit.matched, 50U);
  EXPECT_NEAR(factor_of(fit, KernelClass::kGemm), 1.0 / 3, 1e-6);
}

TEST(FittedDeviceTest, CapturesWithoutACommonCallAreAnError) {
  StreamCapture other{"H100"};
  other.work(TaskKind::kKernel, kGemm, 1'000);
  const Capture without_shapes = other.build();
  EXPECT_THROW((void)fit_devices(calls_on("A100", 1, 1), without_shapes), InputError);
}

}  // namespace
}  // namespace stepsim
