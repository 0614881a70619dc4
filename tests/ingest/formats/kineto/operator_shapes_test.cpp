// Tests how shapes of operators get from a Kineto file to the device work that the operators launched.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/stitch/host_device/host_device.h"
#include "tests/ingest/read_text.h"

namespace stepsim::ingest::operator_shapes_test {
namespace {

/// Returns an operator on thread 2 with these args. Times are in microseconds.
std::string op(std::string_view name, double start, double duration, std::string_view args) {
  return R"({"ph":"X","cat":"cpu_op","name":")" + std::string{name} + R"(","pid":1,"tid":2,"ts":)" +
         std::to_string(start) + R"(,"dur":)" + std::to_string(duration) + R"(,"args":{)" + std::string{args} + "}}";
}

/// Returns a launch on thread 2 that begins at `start` us, and its kernel, which begins 100 us later.
std::string launch(std::string_view kernel, double start, int correlation) {
  const std::string id = R"(,"args":{"correlation":)" + std::to_string(correlation);
  return R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":2,"ts":)" + std::to_string(start) +
         R"(,"dur":2)" + id + "}}," + R"({"ph":"X","cat":"kernel","name":")" + std::string{kernel} +
         R"(","pid":0,"tid":7,"ts":)" + std::to_string(start + 100) + R"(,"dur":5)" + id +
         R"(,"device":0,"stream":7}})";
}

HostDeviceTrace read(const std::vector<std::string>& events, std::string_view members = "") {
  std::string list;
  for (const std::string& event : events) list += (list.empty() ? "" : ",") + event;
  return read_text<HostDeviceTrace>(
             "kineto", "{" + std::string{members} + R"("baseTimeNanoseconds": 0, "traceEvents": [)" + list + "]}")
      .part;
}

Capture stitched(HostDeviceTrace trace) {
  Assembly assembly;
  stitch_host_device({{std::move(trace), "file", 0}}, assembly);
  return finish(std::move(assembly));
}

constexpr std::string_view kProduct =
    R"("Input Dims": [[3, 5], [5, 7]], "Input type": ["c10::BFloat16", "c10::BFloat16"])";
constexpr std::string_view kSum = R"("Input Dims": [[4, 6], [4, 6], []], "Input type": ["float", "float", "Scalar"])";

TEST(OperatorShapesTest, EqualCallsAreOneWithTheirWork) {
  const HostDeviceTrace trace =
      read({op("aten::mm", 10, 5, kProduct), op("aten::add", 20, 5, kSum), op("aten::mm", 30, 5, kProduct)});
  ASSERT_EQ(trace.operators.size(), 2U);
  EXPECT_EQ(trace.operators[0].name, "aten::mm");
  EXPECT_EQ(trace.operators[0].shapes, "[[3, 5], [5, 7]]");
  EXPECT_DOUBLE_EQ(trace.operators[0].work.flops, 2 * 3 * 5 * 7);
  EXPECT_DOUBLE_EQ(trace.operators[0].work.bytes, 2 * (3 * 5 + 5 * 7 + 3 * 7));
  EXPECT_EQ(trace.operators[0].work.precision, Precision::kFloat16);
  EXPECT_DOUBLE_EQ(trace.operators[1].work.bytes, 4 * 3 * 4 * 6);
  EXPECT_EQ(trace.operator_of[0], 0U);
  EXPECT_EQ(trace.operator_of[1], 1U);
  EXPECT_EQ(trace.operator_of[2], 0U);
}

TEST(OperatorShapesTest, CallsDifferByNameTypesAndShapes) {
  const HostDeviceTrace trace = read({
      op("aten::add", 10, 1, R"("Input Dims": [[4], [4]], "Input type": ["float", "float"])"),
      op("aten::mul", 20, 1, R"("Input Dims": [[4], [4]], "Input type": ["float", "float"])"),
      op("aten::add", 30, 1, R"("Input Dims": [[4], [4]], "Input type": ["double", "double"])"),
      op("aten::add", 40, 1, R"("Input Dims": [[4], [1]], "Input type": ["float", "float"])"),
  });
  EXPECT_EQ(trace.operators.size(), 4U);
  EXPECT_DOUBLE_EQ(trace.operators[2].work.bytes, 8 * 3 * 4);
}

TEST(OperatorShapesTest, WithoutShapesOnlyConvolutionsAreKnownByTheirName) {
  const HostDeviceTrace trace = read({op("aten::mm", 10, 5, ""), op("aten::cudnn_convolution", 20, 5, "")});
  ASSERT_EQ(trace.operators.size(), 1U);
  EXPECT_EQ(trace.operators[0].name, "aten::cudnn_convolution");
  EXPECT_TRUE(trace.operators[0].inputs.empty());
  EXPECT_EQ(trace.operators[0].work, Work{}) << "its size is not known";
}

TEST(OperatorShapesTest, ConvolutionTakesItsSettingsFromTheConcreteInputs) {
  constexpr std::string_view kShapes =
      R"("Input Dims": [[8, 3, 224, 224], [64, 3, 7, 7], [], [], [], []], "Input type": ["float", "float"],)";
  const auto call = [&](std::string_view name, std::string_view concrete) {
    const HostDeviceTrace trace =
        read({op(name, 10, 1, std::string{kShapes} + R"("Concrete Inputs": )" + std::string{concrete})});
    return trace.operators.at(0).work.flops;
  };
  // The output has (224 + 2 * 3 - 7) / 2 + 1 = 112 elements in each dimension.
  const double flops = 2.0 * 8 * 64 * 112 * 112 * 3 * 7 * 7;
  EXPECT_DOUBLE_EQ(call("aten::convolution", R"(["", "", "", "[2, 2]", "[3, 3]", "[1, 1]"])"), flops);
  EXPECT_DOUBLE_EQ(call("aten::cudnn_convolution", R"(["", "", "[3, 3]", "[2, 2]", "[1, 1]"])"), flops);
  EXPECT_DOUBLE_EQ(call("aten::miopen_convolution", R"(["", "", "", "[3, 3]", "[2, 2]", "[1, 1]"])"), flops);
}

TEST(OperatorShapesTest, InputsAreKeptWithWhatTheirElementsAre) {
  const HostDeviceTrace trace = read({op("aten::embedding", 10, 1,
                                         R"("Input Dims": [[9, 4], [7], [[2], [3]], []],)"
                                         R"("Input type": ["c10::Half", "long int", "TensorList", "Scalar"])")});
  const std::vector<TensorShape>& inputs = trace.operators.at(0).inputs;
  ASSERT_EQ(inputs.size(), 5U);
  EXPECT_EQ(inputs[0].element, ElementKind::kFloat);
  EXPECT_EQ(inputs[0].precision, Precision::kFloat16);
  EXPECT_EQ(inputs[1].element, ElementKind::kOther);
  EXPECT_EQ(inputs[1].sizes, std::vector<std::int64_t>{7});
  EXPECT_EQ(inputs[2].element, ElementKind::kUnknown);
  EXPECT_EQ(inputs[3].element, ElementKind::kUnknown);
}

TEST(OperatorShapesTest, CallsWithinTheOptimizersStepAreMarked) {
  const std::string step =
      R"({"ph":"X","cat":"user_annotation","name":"Optimizer.step#SGD.step","pid":1,"tid":2,"ts":30,"dur":20})";
  const Capture capture =
      stitched(read({op("aten::add", 10, 10, kSum), launch("forward", 12, 1), step, op("aten::add", 32, 10, kSum),
                     launch("update", 34, 2), op("aten::add", 60, 10, kSum), launch("next", 62, 3)}));
  std::map<std::string, bool> in_optimizer;
  for (const OperatorTable::Use& use : capture.operators.uses)
    in_optimizer.emplace(capture.dag.name(use.task), use.in_optimizer);
  EXPECT_EQ(in_optimizer, (std::map<std::string, bool>{{"forward", false}, {"update", true}, {"next", false}}));
}

TEST(OperatorShapesTest, EachTensorOfAListCounts) {
  const HostDeviceTrace trace =
      read({op("aten::cat", 10, 1, R"("Input Dims": [[[4, 6], [5, 6]], []], "Input type": ["TensorList", "Scalar"])")});
  EXPECT_DOUBLE_EQ(trace.operators.at(0).work.bytes, 4 * (4 * 6 + 5 * 6 + 5 * 6)) << "4 bytes per element are assumed";
}

TEST(OperatorShapesTest, ViewsAndOperatorsWithoutSizesAreNotStored) {
  const HostDeviceTrace trace = read({
      op("aten::mm", 10, 1, R"("External id": 7)"),
      op("aten::arange", 20, 1, R"("Input Dims": [[], [], []], "Input type": ["Scalar"])"),
      op("aten::transpose", 30, 1, R"("Input Dims": [[3, 5]], "Input type": ["float"])"),
  });
  EXPECT_TRUE(trace.operators.empty());
  EXPECT_TRUE(trace.operator_of.empty());
  const Capture capture = stitched(trace);
  EXPECT_TRUE(capture.operators.operators.empty());
  EXPECT_TRUE(capture.operators.uses.empty());
}

TEST(OperatorShapesTest, DamagedShapesAreIgnored) {
  for (const std::string_view args :
       {R"("Input Dims": "7")", R"("Input Dims": 7)", R"("Input Dims": [[-3, 5], [5, 7]])", R"("Input Dims": {"a": 1})",
        R"("Input Dims": [[99999999999999999999, 5], [5, 7]], "Input type": ["float", "float"])",
        R"("Input Dims": [["x1", 5], [5, 7]], "Input type": [1, {}])"}) {
    const HostDeviceTrace trace = read({op("aten::mm", 10, 1, args), op("aten::mm", 20, 1, kProduct)});
    std::vector<double> flops;
    for (const OperatorTable::Operator& known : trace.operators) {
      if (known.work.flops != 0) flops.push_back(known.work.flops);
    }
    EXPECT_EQ(flops, std::vector<double>{2 * 3 * 5 * 7}) << "only those of the sound one beside " << args;
  }
}

TEST(OperatorShapesTest, KernelBelongsToTheInnermostOperatorAroundItsLaunch) {
  const Capture capture = stitched(read({
      op("aten::linear", 10, 50, R"("Input Dims": [[3, 5], [7, 5]], "Input type": ["float", "float"])"),
      op("aten::mm", 20, 30, kProduct),
      launch("gemm", 25, 1),
      launch("splitKreduce", 30, 2),
      launch("copy", 55, 3),
      launch("alone", 70, 4),
      op("aten::mm", 80, 30, kProduct),
      launch("gemm", 85, 5),
  }));
  ASSERT_EQ(capture.operators.uses.size(), 4U);
  std::vector<std::pair<std::string, std::string>> kernels;
  std::vector<std::uint32_t> occurrences;
  for (const OperatorTable::Use& use : capture.operators.uses) {
    kernels.emplace_back(capture.dag.name(use.task), capture.operators.operators[use.which].name);
    occurrences.push_back(use.occurrence);
  }
  const std::vector<std::pair<std::string, std::string>> expected{
      {"gemm", "aten::mm"}, {"splitKreduce", "aten::mm"}, {"copy", "aten::linear"}, {"gemm", "aten::mm"}};
  EXPECT_EQ(kernels, expected);
  // Calls are numbered by their start: 0 is linear, 1 is the product inside it, 2 is the second product.
  EXPECT_EQ(occurrences, (std::vector<std::uint32_t>{1, 1, 0, 2}));
  EXPECT_EQ(capture.operators.occurrences, 3U);
}

TEST(OperatorShapesTest, RanksKeepTheirOperatorsApart) {
  const auto events = std::vector<std::string>{op("aten::mm", 20, 30, kProduct), launch("gemm", 25, 1)};
  Assembly assembly;
  stitch_host_device({{read(events), "a", 0}, {read(events), "b", 1}}, assembly);
  const Capture capture = finish(std::move(assembly));
  ASSERT_EQ(capture.operators.uses.size(), 2U);
  EXPECT_NE(capture.operators.uses[0].occurrence, capture.operators.uses[1].occurrence);
  EXPECT_EQ(capture.operators.operators[capture.operators.uses[1].which].name, "aten::mm");
  EXPECT_LT(capture.operators.uses[0].task, capture.operators.uses[1].task);
}

TEST(OperatorShapesTest, CaptureNamesItsDevices) {
  const auto devices = [](std::string_view members) {
    return stitched(read({launch("gemm", 25, 1)}, members)).devices;
  };
  using Devices = std::map<Rank, std::string>;
  EXPECT_EQ(devices(R"("deviceProperties": [{"id": 0, "name": "A"}, {"id": 1, "name": "B"}],)"), (Devices{{0, "A"}}));
  // A process that sees one device of several may list it with a different number than its kernels have.
  EXPECT_EQ(devices(R"("deviceProperties": [{"id": 3, "name": "C"}],)"), (Devices{{0, "C"}}));
  EXPECT_EQ(devices(R"("deviceProperties": [{"id": 3, "name": "C"}, {"id": 4, "name": "D"}],)"), Devices{});
}

}  // namespace
}  // namespace stepsim::ingest::operator_shapes_test
