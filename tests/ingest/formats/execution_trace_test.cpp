// Tests how execution traces are read, and how they are used alone and together with a trace of torch.profiler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ingest/stitch/execution_graph/execution_graph.h"
#include "ingest/stitch/host_device/host_device.h"
#include "tests/ingest/read_text.h"

namespace stepsim::ingest::execution_trace_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Parsed<ExecutionTrace> read(std::string_view text, std::string file = "et_3.json") {
  return read_text<ExecutionTrace>("execution_trace", text, std::move(file));
}

std::string tensor(int storage, int elements, std::string_view device = "cuda:0") {
  return fmt::format("[{},{},0,{},4,\"{}\"]", 100 + storage, storage, elements, device);
}

/// Returns a node in the form of schema 1.0.1.
std::string node(int id, std::string_view name, std::string_view inputs, std::string_view shapes,
                 std::string_view types, std::string_view outputs, int parent = 1, std::string_view schema = "x") {
  return fmt::format(
      R"({{"name":"{}","id":{},"rf_id":0,"parent":{},"seq_id":-1,"tid":1,"op_schema":"{}","inputs":{},"input_shapes":{},"input_types":{},"outputs":{},"output_shapes":[],"output_types":[]}})",
      name, id, parent, schema, inputs, shapes, types, outputs);
}

std::string trace_of(const std::vector<std::string>& nodes) {
  return fmt::format(R"({{"schema":"1.0.1","pid":42,"nodes":[{}],"finish_ts":9}})", fmt::join(nodes, ","));
}

const std::string kMatrices = R"([[64,32],[32,16]])";
const std::string kFloats = R"j(["Tensor(float)","Tensor(float)"])j";

std::string product(int id, int a, int b, int out, int parent = 1) {
  return node(id, "aten::mm", fmt::format("[{},{}]", tensor(a, 2048), tensor(b, 512)), kMatrices, kFloats,
              fmt::format("[{}]", tensor(out, 1024)), parent);
}

TEST(ExecutionTraceTest, ReadsTheFlatForm) {
  const auto parsed = read(trace_of({product(7, 1, 2, 3), node(5, "## forward ##", "[]", "[]", "[]", "[]", 1, "")}));
  const ExecutionTrace& trace = parsed.part;
  EXPECT_EQ(parsed.sink.events, 2U);
  EXPECT_EQ(trace.process, 42);
  EXPECT_EQ(trace.rank, 3);
  ASSERT_EQ(trace.runs.size(), 2U);
  EXPECT_EQ(trace.runs[0].id, 5);  // in order of ids, although they are written in order of their ends
  EXPECT_EQ(trace.runs[0].role, ExecutionTrace::Role::kOther);
  EXPECT_EQ(trace.texts[trace.runs[1].name], "aten::mm");
  EXPECT_EQ(trace.runs[1].role, ExecutionTrace::Role::kOperator);
  EXPECT_TRUE(trace.runs[1].on_device);
  ASSERT_EQ(trace.uses_of(1).size(), 3U);
  EXPECT_EQ(trace.uses_of(1)[0].storage, 1);
  EXPECT_FALSE(trace.uses_of(1)[1].written);
  EXPECT_TRUE(trace.uses_of(1)[2].written);
  ASSERT_NE(trace.runs[1].which, ExecutionTrace::kNone);
  // The product of a 64 x 32 and a 32 x 16 matrix takes 64 x 32 x 16 multiplications and as many additions.
  EXPECT_EQ(trace.operators[trace.runs[1].which].work.flops, 2.0 * 64 * 32 * 16);
}

TEST(ExecutionTraceTest, ReadsTheFormOfChakra) {
  const std::string text =
      R"({"schema":"1.1.1-chakra.0.0.4","pid":7,"nodes":[{"id":4,"name":"aten::mm","ctrl_deps":3,"inputs":{"values":[)" +
      tensor(1, 2048, "cpu") + "," + tensor(2, 512, "cpu") + R"(],"shapes":)" + kMatrices + R"(,"types":)" + kFloats +
      R"(,"strides":[[1],[1]]},"outputs":{"values":[)" + tensor(3, 1024, "cpu") +
      R"(],"shapes":[],"types":[]},"attrs":[{"name":"rf_id","type":"uint64","value":2},{"name":"op_schema","type":"string","value":"aten::mm(Tensor self, Tensor mat2) -> Tensor"}]}]})";
  const ExecutionTrace trace = read(text, "trace.json").part;
  ASSERT_EQ(trace.runs.size(), 1U);
  EXPECT_FALSE(trace.rank.has_value());
  EXPECT_EQ(trace.runs[0].parent, 3);
  EXPECT_EQ(trace.runs[0].role, ExecutionTrace::Role::kOperator);
  EXPECT_FALSE(trace.runs[0].on_device);
  EXPECT_EQ(trace.uses_of(0).size(), 3U);
}

std::string communication(int id, int storage, int sequence, std::string_view operation) {
  const bool waits = operation == "wait";
  return node(id, "record_param_comms",
              waits ? fmt::format(R"([{},["",""],0,"wait",[],[]])", sequence)
                    : fmt::format(R"([[{}],{},["0","default_pg"],0,"{}",[],[],0,1,2])", tensor(storage, 1000), sequence,
                                  operation),
              "[]", "[]", "[]", 1, "");
}

TEST(ExecutionTraceTest, CollectivesHaveTheirSizeGroupAndNumber) {
  const ExecutionTrace trace =
      read(trace_of({communication(2, 1, 47, "allreduce"), communication(3, 0, 47, "wait")})).part;
  EXPECT_EQ(trace.runs[0].role, ExecutionTrace::Role::kCollective);
  EXPECT_EQ(trace.runs[0].sequence, 47);
  const ExecutionGraph::Message& message = trace.messages[trace.runs[0].message];
  EXPECT_EQ(message.op, CollectiveOp::kAllReduce);
  EXPECT_EQ(message.bytes, Bytes{4000});
  EXPECT_EQ(trace.texts[message.group], "0");
  EXPECT_EQ(trace.runs[1].role, ExecutionTrace::Role::kWait);
  EXPECT_EQ(trace.runs[1].sequence, 47);
}

TEST(ExecutionTraceTest, WhatIsNoTraceIsRefused) {
  EXPECT_THAT(refusal("execution_trace", R"({"schema":"1.0.1","nodes":[]})"), HasSubstr("no node"));
  EXPECT_THAT(refusal("execution_trace", R"({"schema":"1.0.1","nodes":[}]})"), HasSubstr("expected"));
}

TEST(ExecutionTraceTest, NodesBeforeACutAreUsed) {
  const std::string whole = trace_of({product(2, 1, 2, 3), product(3, 1, 2, 4)});
  const auto parsed = read(std::string_view{whole}.substr(0, whole.size() - 100));
  EXPECT_EQ(parsed.part.runs.size(), 1U);
  EXPECT_EQ(parsed.sink.diagnostics.count_of("truncated_file"), 1U);
}

TEST(OperatorGraphTest, TheInnermostProductAndWhatHasNoOperatorInsideCompute) {
  // Node 2 is a linear operator that contains the product 3, which contains the copy 4. Node 5 is a separate copy on
  // the CPU, node 6 an annotation.
  const ExecutionGraph graph =
      graph_of_operators(read(trace_of({node(2, "aten::linear", fmt::format("[{},{}]", tensor(1, 2048), tensor(2, 512)),
                                             kMatrices, kFloats, "[]"),
                                        product(3, 1, 2, 3, 2),
                                        node(4, "aten::copy_", fmt::format("[{}]", tensor(9, 8)), "[[8]]",
                                             R"j(["Tensor(float)"])j", "[]", 3),
                                        node(5, "aten::copy_", fmt::format("[{}]", tensor(8, 8, "cpu")), "[[8]]",
                                             R"j(["Tensor(float)"])j", "[]"),
                                        node(6, "## end ##", "[]", "[]", "[]", "[]", 1, "")}))
                             .part);
  using Kind = ExecutionGraph::Kind;
  std::vector<Kind> kinds;
  for (const auto& one : graph.nodes) kinds.push_back(one.kind);
  EXPECT_THAT(kinds, ElementsAre(Kind::kNothing, Kind::kDevice, Kind::kDevice, Kind::kHost, Kind::kNothing));
}

TEST(OperatorGraphTest, DeviceWorkWaitsForTheCollectiveThatItWasToldToWaitFor) {
  const ExecutionGraph graph =
      graph_of_operators(read(trace_of({product(2, 1, 2, 3), communication(3, 3, 47, "allreduce"), product(4, 5, 6, 7),
                                        communication(5, 0, 47, "wait"), product(6, 5, 6, 8)}))
                             .part);
  const auto after = [&](std::size_t i) {
    return std::vector<std::uint32_t>(graph.after_of(i).begin(), graph.after_of(i).end());
  };
  EXPECT_THAT(after(1), ElementsAre(0U));          // the collective reduces the output of node 0
  EXPECT_THAT(after(2), ElementsAre(0U));          // only the previous device work, not the collective
  EXPECT_THAT(after(4), ElementsAre(1U, 2U, 3U));  // the awaited collective, the previous device work and the wait
}

HostDeviceTrace profiled(const std::vector<std::pair<std::string, int>>& events) {
  HostDeviceTrace trace;
  for (const auto& [name, start] : events) {
    const auto known = std::find(trace.texts.begin(), trace.texts.end(), name);
    const auto id = static_cast<std::uint32_t>(known - trace.texts.begin());
    if (known == trace.texts.end()) trace.texts.push_back(name);
    trace.start.push_back(Time{Duration{start}});
    trace.duration.push_back(Duration{5});
    trace.kind.push_back(EventKind::kOp);
    trace.name.push_back(TextId{id});
    trace.track.push_back(TrackId{0U});
  }
  return trace;
}

TEST(JoinTest, TheKthRunOfANameIsItsKthEvent) {
  const ExecutionTrace execution =
      read(trace_of({product(2, 1, 2, 3), product(5, 3, 2, 4), communication(6, 4, 47, "allreduce")})).part;
  HostDeviceTrace trace = profiled({{"aten::mm", 200}, {"aten::mm", 100}, {"record_param_comms", 300}});
  const JoinedOperators joined = join_execution_trace(execution, trace);
  EXPECT_EQ(joined.joined, 3U);
  EXPECT_EQ(joined.all, 3U);
  ASSERT_EQ(trace.storage_uses.size(), 7U);
  // The events are not in the order of their times. Event 0 (at 200 ns) is later than event 1 (at 100 ns), so event 0
  // is the second product, which reads storages 3 and 2. Event 1 is the first product.
  EXPECT_EQ(trace.storage_uses[0].event, 0U);
  EXPECT_EQ(trace.storage_uses[0].storage, 3);
  EXPECT_EQ(trace.storage_uses[3].event, 1U);
  EXPECT_EQ(trace.storage_uses[3].storage, 1);
  ASSERT_EQ(trace.collective_calls.size(), 1U);
  EXPECT_EQ(trace.collective_calls[0].sequence, 47);
  EXPECT_EQ(trace.operators.size(), 1U);  // from the execution trace; the trace of the profiler had none
}

TEST(JoinTest, NamesThatAreNotThereEquallyOftenAreNotJoined) {
  const ExecutionTrace execution = read(trace_of({product(2, 1, 2, 3), product(5, 3, 2, 4)})).part;
  HostDeviceTrace trace = profiled({{"aten::mm", 200}});
  EXPECT_EQ(join_execution_trace(execution, trace).joined, 0U);
  EXPECT_TRUE(trace.storage_uses.empty());
}

}  // namespace
}  // namespace stepsim::ingest::execution_trace_test
