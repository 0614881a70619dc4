#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model/rewrite/data_parallel_job.h"
#include "tests/scenarios/sample_questions.h"
#include "tests/scenarios/whatif/gpu_step.h"

namespace stepsim::testing::precision_test {
namespace {

const Accelerator& a100() { return accelerator_named("A100"); }

Work in(Precision precision, Work work, double bytes) {
  work.precision = precision;
  work.bytes *= bytes;
  return work;
}

/// Returns the time of a GpuStep if its product runs in `precision`, and the product and the activation move `bytes`
/// times as many bytes. The optimizer does not change.
Duration step_in(Precision precision, double bytes, const Accelerator& from = a100(), const Accelerator& to = a100()) {
  const Work product = GpuStep::product();
  const Work activation = GpuStep::activation();
  const Work update = GpuStep::update();
  return kLaunch + scaled_by_roofline(GpuStep::kProductTime, product, from, in(precision, product, bytes), to) +
         scaled_by_roofline(GpuStep::kActivationTime, activation, from, in(Precision::kFloat32, activation, bytes),
                            to) +
         scaled_by_roofline(GpuStep::kUpdateTime, update, from, update, to);
}

TEST(PrecisionWhatIf, ProductsScaleWithTheUnitsAndStreamingKernelsWithTheirBytes) {
  const Question question = GpuStep().question();
  EXPECT_EQ(question.iteration({"precision.to=bf16"}), step_in(Precision::kFloat16, 0.5));
  EXPECT_EQ(question.iteration({"precision.to=fp16"}), step_in(Precision::kFloat16, 0.5));
  EXPECT_EQ(question.iteration({"precision.to=tf32"}), step_in(Precision::kTensor32, 1));
}

TEST(PrecisionWhatIf, TheCapturedPrecisionChangesNothingToTheNanosecond) {
  const Question question = GpuStep().question();
  const scenarios::Prediction before = question.predicted({});
  for (const char* const set : {"precision.to=fp32", "precision.to=recorded", "precision.from=bf16"}) {
    const scenarios::Prediction after = question.predicted({set});
    EXPECT_EQ(after.timeline.start, before.timeline.start) << set;
    EXPECT_EQ(after.timeline.finish, before.timeline.finish) << set;
  }
}

TEST(PrecisionWhatIf, AProductIsNeverFasterThanTheUnits) {
  const Duration product = GpuStep().question().iteration({"precision.to=bf16"}) - kLaunch;
  EXPECT_GE(static_cast<double>(product.count()), best_time(in(Precision::kFloat16, GpuStep::product(), 0.5), a100()));
}

TEST(PrecisionWhatIf, StartsFromTheDeviceOfAnEarlierChange) {
  const Accelerator& h100 = accelerator_named("H100");
  // The times of the three kernels are rounded after each of the two changes.
  EXPECT_NEAR(static_cast<double>(GpuStep().question().iteration({"device.to=H100", "precision.to=bf16"}).count()),
              static_cast<double>(step_in(Precision::kFloat16, 0.5, a100(), h100).count()), 6);
  EXPECT_NEAR(static_cast<double>(GpuStep().question().iteration({"precision.to=bf16", "device.to=H100"}).count()),
              static_cast<double>(step_in(Precision::kFloat16, 0.5, a100(), h100).count()), 6);
}

TEST(PrecisionWhatIf, RefusesADeviceWithoutTheUnits) {
  const Question question = GpuStep().question();
  EXPECT_THAT(problem_of(question, {"precision.to=fp8"}),
              ::testing::HasSubstr("A100 SXM 40GB has no units for fp8; expected one of fp32, tf32, bf16, fp16, or"));
  EXPECT_EQ(problem_of(question, {"device.to=H100", "precision.to=fp8"}), "taken");
  EXPECT_THAT(problem_of(question, {"device.to=V100", "precision.to=bf16"}), ::testing::HasSubstr("bf16"));
  EXPECT_EQ(problem_of(question, {"device.to=V100", "precision.to=fp16"}), "taken");
}

/// Returns a forward pass on an H100: two linear layers, attention, and the layer of the logits.
Question layers_in(Precision precision) {
  const auto tensor = [precision](std::vector<std::int64_t> sizes) {
    return TensorShape{std::move(sizes), precision == Precision::kFloat16 ? 2 : 4, precision, ElementKind::kFloat};
  };
  GpuJob job("NVIDIA H100 80GB HBM3");
  const auto add = [&job](const char* kernel, const char* op, std::vector<TensorShape> inputs) {
    const TaskId task = job.launch(kernel, TaskKind::kKernel, kLaunch, std::chrono::microseconds{1'000});
    job.is_of(task, {op, std::move(inputs), {}, {}, {}});
  };
  const TensorShape heads = tensor({1, 32, 8192, 128});
  add("gemm", "aten::mm", {tensor({8192, 4096}), tensor({4096, 12288})});
  add("flash_attention_kernel", "aten::_scaled_dot_product_flash_attention", {heads, heads, heads});
  add("gemm", "aten::mm", {tensor({8192, 4096}), tensor({4096, 4096})});
  add("softmax_kernel", "aten::_softmax", {tensor({8192, 32000})});
  add("gemm", "aten::mm", {tensor({8192, 4096}), tensor({4096, 32000})});
  return std::move(job).question();
}

/// Returns whether each kernel's time changes.
std::vector<bool> kernels_that_change(const Question& question, const char* set) {
  const scenarios::Prediction before = question.predicted({});
  const scenarios::Prediction after = question.predicted({set});
  const Dag& dag = after.graph->dag;
  std::vector<bool> changed;
  for (const TaskId task : dag.tasks()) {
    if (dag.kind(task) != TaskKind::kKernel) continue;
    const auto length = [task](const scenarios::Prediction& of) {
      return of.timeline.finish[task.index()] - of.timeline.start[task.index()];
    };
    changed.push_back(length(after) != length(before));
  }
  return changed;
}

TEST(PrecisionWhatIf, Float8ChangesOnlyLinearLayersBeforeTheLast) {
  EXPECT_THAT(kernels_that_change(layers_in(Precision::kFloat16), "precision.to=fp8"),
              ::testing::ElementsAre(true, false, true, false, false));
}

TEST(PrecisionWhatIf, Tensor32ChangesProductsButNotAttentionInOneKernel) {
  EXPECT_THAT(kernels_that_change(layers_in(Precision::kFloat32), "precision.to=tf32"),
              ::testing::ElementsAre(true, false, true, false, true));
  EXPECT_THAT(kernels_that_change(layers_in(Precision::kFloat32), "precision.to=bf16"),
              ::testing::ElementsAre(true, true, true, true, true));
}

TEST(PrecisionWhatIf, RecipesOfFloat8TakeAsMuchLongerAsTheirTraffic) {
  const Question question = layers_in(Precision::kFloat16);
  // Per number of an operand, rowwise moves 4 bytes and tensorwise 3; per result, 8 / 3 bytes and none. The two layers
  // have 4096 * (8192 + 12288) and 4096 * (8192 + 4096) numbers in operands, 8192 * 12288 and 8192 * 4096 in results.
  const double operands = 4096.0 * (8192 + 12288 + 8192 + 4096);
  const double results = 8192.0 * (12288 + 4096);
  const double bandwidth = 3.35e12 * 0.92;
  const Duration more =
      question.iteration({"precision.recipe=rowwise"}) - question.iteration({"precision.recipe=tensorwise"});
  EXPECT_NEAR(static_cast<double>(more.count()), (operands + 8.0 / 3 * results) / bandwidth * 1e9, 4);
  EXPECT_EQ(question.iteration({"precision.to=fp8"}), question.iteration({"precision.recipe=rowwise"}));
  // The times of two kernels are rounded after each of two changes.
  EXPECT_NEAR(static_cast<double>(question.iteration({"precision.to=fp8", "precision.recipe=mxfp8"}).count()),
              static_cast<double>(question.iteration({"precision.recipe=mxfp8"}).count()), 4);
}

/// Returns a job with a kernel of 100 us, whose precision and shapes were not recorded.
Question silent() {
  GpuJob job("NVIDIA A100-SXM4-40GB");
  (void)job.launch("my_softmax", TaskKind::kKernel, kLaunch, std::chrono::microseconds{100});
  return std::move(job).question();
}

TEST(PrecisionWhatIf, RefusesToGuessTheCapturedPrecision) {
  EXPECT_THAT(
      problem_of(silent(), {"precision.to=bf16"}),
      ::testing::AllOf(::testing::HasSubstr("expected also 'from'"), ::testing::HasSubstr("record_shapes=True")));
  EXPECT_EQ(silent().iteration({"precision.from=fp32", "precision.to=bf16"}),
            kLaunch + a100().floor + (std::chrono::microseconds{100} - a100().floor) / 2);
}

TEST(PrecisionWhatIf, GradientsScaleTheBytesOfReductions) {
  // Half of the gradient bytes at half of the bandwidth take the same time.
  const Question whole = data_parallel_question();
  const Question halved = data_parallel_question();
  EXPECT_LT(halved.iteration({"precision.gradients=0.5x"}), whole.iteration());
  EXPECT_EQ(halved.iteration({"precision.gradients=0.5x", "network.bandwidth=0.5x"}), whole.iteration());
  EXPECT_THAT(problem_of(streams_question(), {"precision.gradients=0.5x"}),
              ::testing::HasSubstr("none of the 2 collectives has a known size"));
}

TEST(PrecisionWhatIf, RefusesACaptureWithoutKernels) {
  EXPECT_THAT(problem_of(byteps_question(), {"precision.to=bf16"}), ::testing::HasSubstr("has no GPU kernels"));
}

}  // namespace
}  // namespace stepsim::testing::precision_test
