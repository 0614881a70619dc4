// Tests which operators compute on a rank without a device.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/stitch/host_device/host_device.h"
#include "tests/ingest/read_text.h"

namespace stepsim::ingest {
namespace {

/// Returns an event on thread 2. Times are in microseconds.
std::string event(std::string_view category, std::string_view name, int start, int duration,
                  std::string_view dims = "") {
  std::string args = dims.empty() ? "" : R"(,"args":{"Input Dims":)" + std::string{dims} + "}";
  return R"({"ph":"X","pid":1,"tid":2,"cat":")" + std::string{category} + R"(","name":")" + std::string{name} +
         R"(","ts":)" + std::to_string(start) + R"(,"dur":)" + std::to_string(duration) + args + "}";
}

std::string op(std::string_view name, int start, int duration, std::string_view dims = "") {
  return event("cpu_op", name, start, duration, dims);
}

/// Returns the capture of a rank with these events.
Capture capture_of(const std::vector<std::string>& events) {
  std::string list;
  for (const std::string& one : events) list += (list.empty() ? "" : ",") + one;
  auto trace =
      read_text<HostDeviceTrace>("kineto", R"({"baseTimeNanoseconds": 0, "traceEvents": [)" + list + "]}").part;
  Assembly assembly;
  stitch_host_device({{std::move(trace), "file", 0}}, assembly);
  return finish(std::move(assembly));
}

/// Returns the kinds of the tasks that these events become, by name.
std::map<std::string, TaskKind> kinds(const std::vector<std::string>& events) {
  const Capture capture = capture_of(events);
  std::map<std::string, TaskKind> kinds;
  for (std::size_t i = 0; i < capture.dag.task_count(); ++i)
    kinds.emplace(capture.dag.name(TaskId{i}), capture.dag.kind(TaskId{i}));
  return kinds;
}

/// Adds an optimizer whose parameters are one matrix of 32 by 64.
std::vector<std::string> with_optimizer(std::vector<std::string> events) {
  events.push_back(event("user_annotation", "Optimizer.step#SGD.step", 9'000, 500));
  events.push_back(op("aten::add_", 9'100, 300, "[[32, 64], [32, 64], []]"));
  return events;
}

TEST(RecordedEventsTest, EachCountsForTheTaskInWhichItBegins) {
  // The children are too short for separate tasks and join their parent; the operator after them becomes a separate
  // task.
  const Capture capture = capture_of(
      {op("aten::linear", 100, 100), op("aten::t", 110, 5), op("aten::mm", 120, 5), op("aten::relu", 300, 100)});
  std::map<std::string, std::uint32_t> events;
  for (std::size_t i = 0; i < capture.dag.task_count(); ++i)
    events[std::string(capture.dag.name(TaskId{i}))] += capture.recording.events.at(i);
  EXPECT_EQ(events.at("aten::linear"), 3U);
  EXPECT_EQ(events.at("aten::relu"), 1U);
}

TEST(HostComputeTest, ACallThatAnotherProcessAnswersDoesNotCompute) {
  const auto found = kinds({op("rpc_sync#compute(worker0 -> worker1)", 100, 15'000), op("aten::mm", 20'000, 100)});
  EXPECT_NE(found.at("rpc_sync#compute(worker0 -> worker1)"), TaskKind::kOperator);
  EXPECT_EQ(found.at("aten::mm"), TaskKind::kOperator);
}

TEST(HostComputeTest, OperatorOnSamplesComputes) {
  EXPECT_EQ(kinds(with_optimizer({op("aten::mm", 100, 100, "[[16, 32], [32, 64]]")})).at("aten::mm"),
            TaskKind::kOperator);
}

TEST(HostComputeTest, OperatorOnParametersAloneDoesNotCompute) {
  const auto found = kinds(with_optimizer({op("aten::fill_", 100, 100, "[[32, 64], []]"),
                                           op("aten::copy_", 300, 100, "[[64, 32], [64, 32]]"),
                                           op("aten::div_", 500, 100, "[[2048], []]")}));
  EXPECT_EQ(found.at("aten::fill_"), TaskKind::kHost);
  EXPECT_EQ(found.at("aten::copy_"), TaskKind::kHost) << "a transposed parameter";
  EXPECT_EQ(found.at("aten::div_"), TaskKind::kHost) << "a bucket";
}

TEST(HostComputeTest, OptimizerDoesNotCompute) {
  EXPECT_EQ(kinds(with_optimizer({})).at("aten::add_"), TaskKind::kHost);
}

TEST(HostComputeTest, OperatorWithinAnotherIsJudgedByItsOwnShapes) {
  const auto found = kinds(with_optimizer({op("_SleepBackward", 100, 300, "[[16, 16]]"), op("aten::zeros", 110, 90),
                                           op("aten::fill_", 210, 90, "[[32, 64], []]")}));
  EXPECT_EQ(found.at("_SleepBackward"), TaskKind::kOperator);
  EXPECT_EQ(found.at("aten::zeros"), TaskKind::kOperator) << "no shapes: as the operator around it";
  EXPECT_EQ(found.at("aten::fill_"), TaskKind::kHost);
}

TEST(HostComputeTest, CommunicationAndAnnotationsDoNotCompute) {
  const auto found =
      kinds({event("user_annotation", "my range", 100, 500), op("c10d::allreduce_", 200, 100, "[[[4, 4]]]"),
             op("aten::mm", 1'000, 100, "[[4, 4], [4, 4]]")});
  EXPECT_EQ(found.at("my range"), TaskKind::kHost);
  EXPECT_EQ(found.at("c10d::allreduce_"), TaskKind::kHost);
}

TEST(HostComputeTest, WithoutShapesAllOtherOperatorsCompute) {
  const auto found = kinds({op("aten::mm", 100, 100), event("user_annotation", "Optimizer.step#SGD.step", 9'000, 500),
                            op("aten::add_", 9'100, 300)});
  EXPECT_EQ(found.at("aten::mm"), TaskKind::kOperator);
  EXPECT_EQ(found.at("aten::add_"), TaskKind::kHost);
}

TEST(HostComputeTest, RankWithADeviceComputesThere) {
  const std::string id = R"(,"args":{"correlation":7)";
  const auto found = kinds(
      {op("aten::mm", 100, 100, "[[16, 32], [32, 64]]"),
       R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":2,"ts":110,"dur":20)" + id + "}}",
       R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":300,"dur":50)" + id +
           R"(,"device":0,"stream":7}})"});
  EXPECT_EQ(found.at("aten::mm"), TaskKind::kHost);
  EXPECT_EQ(found.at("gemm"), TaskKind::kKernel);
}

}  // namespace
}  // namespace stepsim::ingest
