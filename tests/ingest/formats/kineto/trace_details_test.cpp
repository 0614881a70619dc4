// Tests how data that a replay does not need gets from a Kineto file to TraceDetails.

#include "model/job/trace_details.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>
#include <variant>

#include "ingest/formats/format.h"
#include "ingest/stitch/host_device/host_device.h"

namespace stepsim::ingest {

extern const Format kineto_format;  // NOLINT(readability-redundant-declaration): redundant in unity builds only

namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Converts microseconds, the unit of the file, to nanoseconds.
constexpr Time at_us(std::int64_t us) { return Time{Duration{us * 1000}}; }
constexpr Duration us(std::int64_t count) { return Duration{count * 1000}; }

std::string call(const std::string& category, const std::string& name, int begin, int length,
                 const std::string& args = "") {
  return R"({"ph":"X","cat":")" + category + R"(","name":")" + name + R"(","pid":1,"tid":2,"ts":)" +
         std::to_string(begin) + R"(,"dur":)" + std::to_string(length) + R"(,"args":{)" + args + "}}";
}

HostDeviceTrace read(const std::string& events, bool details) {
  Input input = Input::from_memory(R"({"baseTimeNanoseconds": 0, "traceEvents": [)" + events + "]}", "test.json");
  PartSink sink;
  sink.details = details;
  kineto_format.read(input, sink);
  return std::get<HostDeviceTrace>(std::move(sink.parts.at(0).part));
}

TraceDetails details_of(const std::string& events) {
  std::vector<RankTrace> ranks;
  ranks.push_back({read(events, true), "test.json", 3});
  TraceDetails details;
  Assembly assembly;
  assembly.details = &details;
  stitch_host_device(std::move(ranks), assembly);
  static_cast<void>(finish(std::move(assembly)));
  return details;
}

TEST(TraceDetailsTest, CallsAreNestedByTheirTimes) {
  const TraceDetails details =
      details_of(call("python_function", "nn.Module: Linear_0", 0, 100) + "," +
                 call("cpu_op", "aten::linear", 10, 80, R"("flops":500)") + "," +
                 call("cpu_op", "aten::addmm", 20, 60, R"("flops":500)") + "," +
                 call("cuda_runtime", "cudaLaunchKernel", 30, 5) + "," + call("cpu_op", "aten::relu", 200, 10));
  ASSERT_THAT(details.threads, SizeIs(1));
  EXPECT_EQ(details.threads.front().rank, 3);
  EXPECT_EQ(details.threads.front().name, "thread 2");
  ASSERT_THAT(details.calls, SizeIs(5));
  const auto& [module, linear, addmm, launch, relu] =
      std::tie(details.calls[0], details.calls[1], details.calls[2], details.calls[3], details.calls[4]);
  EXPECT_EQ(details.names[module.name], "nn.Module: Linear_0");
  EXPECT_EQ(module.kind, CallKind::kPython);
  EXPECT_EQ(module.caller, TraceDetails::kNone);
  EXPECT_EQ(module.self, us(20));
  EXPECT_EQ(linear.caller, 0U);
  EXPECT_EQ(linear.self, us(20));
  EXPECT_EQ(addmm.caller, 1U);
  EXPECT_EQ(addmm.self, us(55));
  EXPECT_EQ(launch.kind, CallKind::kRuntime);
  EXPECT_EQ(launch.caller, 2U);
  EXPECT_EQ(relu.caller, TraceDetails::kNone);
  EXPECT_DOUBLE_EQ(linear.flops, 500);
  EXPECT_DOUBLE_EQ(addmm.flops, 0);  // linear calls addmm, so linear's operations already include those of addmm
}

TEST(TraceDetailsTest, WhatOnlyBeginsWithinACallWasNotMadeByIt) {
  const TraceDetails details = details_of(call("python_function", "train.py(3): main", 0, 500) + "," +
                                          call("python_function", "profiler.py(9): step", 10, 40) + "," +
                                          call("user_annotation", "ProfilerStep#3", 30, 300) + "," +
                                          call("python_function", "nn.Module: Net_0", 60, 100));
  ASSERT_THAT(details.calls, SizeIs(4));
  EXPECT_EQ(details.calls[1].self, us(40));
  EXPECT_EQ(details.calls[2].caller, 0U);
  EXPECT_EQ(details.calls[3].caller, 2U);
}

TEST(TraceDetailsTest, AMicrosecondMoreIsRounding) {
  const TraceDetails details = details_of(call("cpu_op", "aten::linear", 0, 10) + "," +
                                          call("cpu_op", "aten::addmm", 3, 8) + "," + call("cpu_op", "aten::t", 20, 1));
  EXPECT_EQ(details.calls[1].caller, 0U);
  EXPECT_EQ(details.calls[0].self, us(3));
}

TEST(TraceDetailsTest, FlopsFollowFromShapesWhereNobodyStatesThem) {
  const TraceDetails details =
      details_of(call("cpu_op", "aten::mm", 0, 10, R"("Input Dims":[[2,3],[3,5]],"Input type":["float","float"])"));
  EXPECT_DOUBLE_EQ(details.calls.front().flops, 2 * 2 * 3 * 5);
}

TEST(TraceDetailsTest, LaunchesLeadFromTasksToCalls) {
  const TraceDetails details = details_of(
      call("cpu_op", "aten::mm", 0, 50) + "," + call("cuda_runtime", "cudaLaunchKernel", 10, 5, R"("correlation":7)") +
      "," + call("cuda_runtime", "cudaLaunchKernel", 20, 5, R"("correlation":8)") +
      R"(,{"ph":"X","cat":"kernel","name":"b","pid":0,"tid":7,"ts":60,"dur":9,"args":{"device":0,"stream":7,"correlation":8}})"
      R"(,{"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":30,"dur":9,"args":{"device":0,"stream":7,"correlation":7}})"
      R"(,{"ph":"X","cat":"kernel","name":"c","pid":0,"tid":7,"ts":80,"dur":9,"args":{"device":0,"stream":7,"correlation":9}})");
  ASSERT_THAT(details.launches, SizeIs(2));  // the launch of c was not recorded
  EXPECT_LT(details.launches[0].task, details.launches[1].task);
  EXPECT_EQ(details.calls[details.launches[0].call].start, at_us(10));  // the launch of a
  EXPECT_EQ(details.calls[details.launches[1].call].start, at_us(20));
}

TEST(TraceDetailsTest, AReplayReadsNoneOfIt) {
  const HostDeviceTrace trace = read(call("python_function", "nn.Module: Linear_0", 0, 100) + "," +
                                         call("cpu_op", "aten::linear", 10, 80, R"("flops":500)"),
                                     false);
  EXPECT_THAT(trace.python, IsEmpty());
  EXPECT_THAT(trace.flops_of, IsEmpty());
  EXPECT_THAT(trace.modules, SizeIs(1));
}

}  // namespace
}  // namespace stepsim::ingest
