// Tests that a modelled step is read as PyTorch's profiler would have recorded it.
#include "ingest/modelled/modelled_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/formats/kineto/kineto_text.h"
#include "ingest/load/load.h"
#include "model/transformer/transformer_step.h"
#include "tests/ingest/read_text.h"
#include "tests/ingest/stitched.h"
#include "tests/sim/temporary_folder.h"

namespace stepsim::ingest::modelled_trace_test {
namespace {

constexpr Duration kHost{10'000};

Transformer small_model(std::string_view family) {
  Transformer model = find_transformer_family(family)->usual;
  model.layers = 2;
  model.hidden = 64;
  model.heads = 4;
  model.key_heads = 4;
  model.intermediate = 256;
  model.vocabulary = 1000;
  return model;
}

std::vector<TransformerCall> calls_of(std::string_view family, bool flash = true) {
  return transformer_calls(small_model(family),
                           {.device = &accelerator_named("A100"), .sequence = 128, .samples = 3, .flash = flash});
}

HostDeviceTrace trace_of(const std::vector<TransformerCall>& calls, Duration host = kHost) {
  return modelled_trace(calls, {.model = "gpt with 2 layers, on A100", .device = "A100", .samples = 3, .host = host});
}

std::string written(const HostDeviceTrace& trace) {
  std::string text;
  write_kineto(trace, {}, [&text](std::string_view more) { text += more; });
  return text;
}

Capture loaded(const std::vector<TransformerCall>& calls) {
  const stepsim::testing::TemporaryFolder folder;
  const std::string path = folder.file("step.json");
  std::ofstream(path) << written(trace_of(calls));
  return load({path}, {});
}

/// Returns the kernels in order of their starts.
std::vector<TaskId> kernels_of(const Capture& capture) {
  std::vector<TaskId> kernels;
  for (const TaskId task : capture.dag.tasks()) {
    if (capture.dag.kind(task) == TaskKind::kKernel) kernels.push_back(task);
  }
  std::sort(kernels.begin(), kernels.end(), [&](TaskId a, TaskId b) {
    return capture.recording.start[a.index()] < capture.recording.start[b.index()];
  });
  return kernels;
}

Duration rounded(double nanoseconds) { return Duration{std::max<std::int64_t>(1, std::llround(nanoseconds))}; }

// ---- read by every command

TEST(ModelledTraceTest, EachCallIsAKernelOfItsTime) {
  for (const std::string_view family : {"gpt", "llama", "mixtral", "bert"}) {
    const auto calls = calls_of(family);
    const Capture capture = loaded(calls);
    EXPECT_EQ(capture.skipped, 0U);
    const std::vector<TaskId> kernels = kernels_of(capture);
    ASSERT_EQ(kernels.size(), calls.size()) << family;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      EXPECT_EQ(capture.dag.name(kernels[i]), calls[i].kernel);
      EXPECT_EQ(capture.dag.duration(kernels[i]), rounded(calls[i].nanoseconds)) << calls[i].name;
    }
  }
}

TEST(ModelledTraceTest, EachKernelBelongsToItsOperatorAndPass) {
  for (const bool flash : {true, false}) {
    const auto calls = calls_of("gpt", flash);
    const Capture capture = loaded(calls);
    const std::vector<TaskId> kernels = kernels_of(capture);
    ASSERT_EQ(kernels.size(), calls.size());
    ASSERT_EQ(capture.operators.uses.size(), calls.size());
    std::map<std::size_t, const OperatorTable::Use*> use_of;
    for (const OperatorTable::Use& use : capture.operators.uses) use_of[use.task.index()] = &use;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const OperatorTable::Use* const use = use_of[kernels[i].index()];
      ASSERT_NE(use, nullptr) << calls[i].name;
      const OperatorTable::Operator& op = capture.operators.operators[use->which];
      EXPECT_EQ(op.name, calls[i].name);
      EXPECT_EQ(op.work, work_of({calls[i].name, calls[i].inputs, {}, {}, {}})) << calls[i].name;
      EXPECT_EQ(use->in_backward, calls[i].pass == Pass::kBackward) << calls[i].name;
      EXPECT_EQ(use->in_optimizer, calls[i].pass == Pass::kUpdate) << calls[i].name;
    }
  }
}

TEST(ModelledTraceTest, GradientsHaveTwoBytesForEachParameter) {
  const Capture capture = loaded(calls_of("llama"));
  Bytes sum{};
  for (const Gradient& gradient : capture.gradients) sum += gradient.bytes;
  EXPECT_DOUBLE_EQ(static_cast<double>(sum.count()), 2 * small_model("llama").parameters());
}

TEST(ModelledTraceTest, TheCaptureIsOneWholeStepOfItsSamples) {
  const Capture capture = loaded(calls_of("gpt"));
  ASSERT_EQ(capture.recording.steps.size(), 1U);
  EXPECT_EQ(capture.recording.steps[0].number, 1);
  EXPECT_TRUE(capture.recording.steps[0].whole);
  EXPECT_TRUE(capture.recording.steps[0].marked);
  EXPECT_EQ(capture.job.batch_size, 3U);
  EXPECT_EQ(capture.devices, (std::map<Rank, std::string>{{0, "A100"}}));
}

TEST(ModelledTraceTest, TheCaptureSaysThatNoStepWasMeasured) {
  const Capture capture = loaded(calls_of("gpt"));
  const auto found = std::find_if(capture.assumptions.begin(), capture.assumptions.end(),
                                  [](const auto& assumption) { return assumption.id == kModelledTimes; });
  ASSERT_NE(found, capture.assumptions.end());
  EXPECT_EQ(found->sentence, "No step was measured: stepsim computed the times of gpt with 2 layers, on A100.");
}

TEST(ModelledTraceTest, NoWaitIsUnexplained) {
  const Capture capture = loaded(calls_of("gpt"));
  EXPECT_EQ(testing::unexplained(capture), Duration{});
  EXPECT_TRUE(capture.recording.inferred.empty());
}

TEST(ModelledTraceTest, ATraceThatWasNotModelledSaysNothingOfIt) {
  HostDeviceTrace trace = trace_of(calls_of("gpt"));
  trace.modelled.clear();
  const auto [after, sink] = read_text<HostDeviceTrace>("kineto", written(trace));
  EXPECT_EQ(after.modelled, "");
  EXPECT_EQ(after.samples, std::nullopt);
}

// ---- the trace itself

TEST(ModelledTraceTest, ReadingTheWrittenTraceGivesItAgain) {
  for (const std::string_view family : {"gpt", "mixtral", "bert"}) {
    const HostDeviceTrace before = trace_of(calls_of(family, false));
    const auto [after, sink] = read_text<HostDeviceTrace>("kineto", written(before));
    EXPECT_EQ(sink.skipped, 0U);
    EXPECT_EQ(after.modelled, "gpt with 2 layers, on A100");
    EXPECT_EQ(after.samples, 3);
    EXPECT_EQ(after.device_name, "A100");
    ASSERT_EQ(after.size(), before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(after.kind[i], before.kind[i]);
      EXPECT_EQ(after.text(after.name[i]), before.text(before.name[i]));
      EXPECT_EQ(after.start[i], before.start[i]);
      EXPECT_EQ(after.duration[i], before.duration[i]);
      EXPECT_EQ(after.correlation[i], before.correlation[i]);
    }
    for (std::size_t i = 0; i < before.size(); ++i) {
      const bool has_shapes = before.operator_of[i] != HostDeviceTrace::kNone;
      ASSERT_EQ(after.operator_of[i] != HostDeviceTrace::kNone, has_shapes);
      if (!has_shapes) continue;
      const OperatorTable::Operator& op = after.operators[after.operator_of[i]];
      const OperatorTable::Operator& op_before = before.operators[before.operator_of[i]];
      EXPECT_EQ(op.name, op_before.name);
      ASSERT_EQ(op.inputs.size(), op_before.inputs.size()) << op.name;
      for (std::size_t k = 0; k < op.inputs.size(); ++k) {
        EXPECT_EQ(op.inputs[k].sizes, op_before.inputs[k].sizes) << op.name;
        EXPECT_EQ(op.inputs[k].element_bytes, op_before.inputs[k].element_bytes) << op.name;
        EXPECT_EQ(op.inputs[k].precision, op_before.inputs[k].precision) << op.name;
        EXPECT_EQ(op.inputs[k].element, op_before.inputs[k].element) << op.name;
      }
    }
  }
}

TEST(ModelledTraceTest, OperatorsAreListedOnce) {
  const auto calls = calls_of("gpt");
  const HostDeviceTrace trace = trace_of(calls);
  std::size_t with_shapes = 0;
  for (std::size_t i = 0; i < trace.size(); ++i)
    with_shapes += trace.operator_of[i] == HostDeviceTrace::kNone ? 0U : 1U;
  EXPECT_GE(with_shapes, calls.size());
  EXPECT_LT(trace.operators.size(), with_shapes / 2) << "two layers are alike";
}

TEST(ModelledTraceTest, AccumulationsHaveTheShapesOfTheParameters) {
  const HostDeviceTrace trace = trace_of(calls_of("llama"));
  double elements = 0;
  for (std::size_t event = 0; event < trace.size(); ++event) {
    if (trace.text(trace.name[event]) != kAccumulation) continue;
    const OperatorTable::Operator& op = trace.operators[trace.operator_of[event]];
    EXPECT_EQ(op.name, kAccumulation);
    ASSERT_EQ(op.inputs.size(), 1U);
    elements += op.inputs[0].bytes() / static_cast<double>(op.inputs[0].element_bytes);
  }
  EXPECT_DOUBLE_EQ(elements, small_model("llama").parameters());
}

/// Calls whose kernels take these nanoseconds.
std::vector<TransformerCall> calls_taking(const std::vector<double>& nanoseconds) {
  std::vector<TransformerCall> calls;
  calls.reserve(nanoseconds.size());
  for (const double time : nanoseconds) {
    calls.push_back(
        {.name = "aten::add", .inputs = {{{4}}}, .node = "", .kernel = "elementwise_kernel", .nanoseconds = time});
  }
  return calls;
}

/// Returns start and end of each kernel, relative to the start of the first call's launch.
std::vector<std::pair<std::int64_t, std::int64_t>> kernel_times(const HostDeviceTrace& trace) {
  std::vector<std::pair<std::int64_t, std::int64_t>> times;
  Time launch{};
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (trace.kind[i] == EventKind::kRuntimeCall && times.empty() && launch == Time{}) launch = trace.start[i];
    if (trace.kind[i] != EventKind::kKernel) continue;
    const Duration begin = trace.start[i] - launch;
    times.emplace_back(begin.count(), (begin + trace.duration[i]).count());
  }
  return times;
}

TEST(ModelledTraceTest, TheDeviceWaitsForTheCpuOrTheCpuIsAhead) {
  // A call takes 10 us. Its launch takes 3 us, after which its kernel may start.
  using Times = std::vector<std::pair<std::int64_t, std::int64_t>>;
  EXPECT_EQ(kernel_times(trace_of(calls_taking({2'000, 4'000}))), (Times{{3'000, 5'000}, {13'000, 17'000}}));
  EXPECT_EQ(kernel_times(trace_of(calls_taking({25'000, 4'000}))), (Times{{3'000, 28'000}, {28'000, 32'000}}));
}

TEST(ModelledTraceTest, TheStepEndsAfterTheDevice) {
  const HostDeviceTrace trace = trace_of(calls_taking({500'000}));
  Time kernels_end{};
  Time wait_end{};
  Time step_end{};
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const Time end = trace.start[i] + trace.duration[i];
    if (trace.kind[i] == EventKind::kKernel) kernels_end = std::max(kernels_end, end);
    if (trace.text(trace.name[i]) == "cudaDeviceSynchronize") wait_end = end;
    if (trace.text(trace.name[i]) == "ProfilerStep#1") step_end = end;
  }
  EXPECT_GT(wait_end, kernels_end);
  EXPECT_GT(step_end, wait_end);
}

TEST(ModelledTraceTest, TheCpuMayWaitForEachPass) {
  // The backward kernel is launched when the forward one, of 500 us, has ended, and not 10 us after its launch.
  std::vector<TransformerCall> calls = calls_taking({500'000, 4'000, 2'000});
  calls[1].pass = Pass::kBackward;
  calls[2].pass = Pass::kUpdate;
  ModelledStep step{.model = "", .device = "A100", .host = kHost};
  const auto waits = [&] {
    const HostDeviceTrace trace = modelled_trace(calls, step);
    std::int64_t number = 0;
    for (std::size_t i = 0; i < trace.size(); ++i)
      number += trace.text(trace.name[i]) == "cudaDeviceSynchronize" ? 1 : 0;
    return std::pair{number, kernel_times(trace)[1].first};
  };
  EXPECT_EQ(waits(), (std::pair<std::int64_t, std::int64_t>{1, 503'000})) << "the kernel waits for the device";
  step.waits_for_passes = true;
  // The wait ends 1 us after the kernel; then the call begins, and its launch ends 6 us later.
  EXPECT_EQ(waits(), (std::pair<std::int64_t, std::int64_t>{3, 503'000 + 1'000 + 6'000}));
}

TEST(ModelledTraceTest, EventsNestForTheShortestCalls) {
  const HostDeviceTrace trace = trace_of(calls_of("gpt"), Duration{1'000});
  std::map<std::int64_t, Time> launches;  // by correlation
  for (std::size_t i = 0; i < trace.size(); ++i) {
    EXPECT_GE(trace.duration[i], Duration{});
    if (trace.kind[i] != EventKind::kRuntimeCall || trace.text(trace.name[i]) != "cudaLaunchKernel") continue;
    const Time end = trace.start[i] + trace.duration[i];
    const std::size_t op = i - 1;  // the operator is added just before its launch
    ASSERT_EQ(trace.kind[op], EventKind::kOp);
    EXPECT_LE(trace.start[op], trace.start[i]);
    EXPECT_GE(trace.start[op] + trace.duration[op], end);
  }
}

TEST(ModelledTraceTest, AStepWithoutCallsHasNoKernels) {
  const HostDeviceTrace trace = trace_of({});
  EXPECT_EQ(trace.size(), 2U) << "the wait for the device, and the step";
}

}  // namespace
}  // namespace stepsim::ingest::modelled_trace_test
