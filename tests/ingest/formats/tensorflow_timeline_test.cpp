#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/ingest/read_text.h"
#include "tests/ingest/stitched.h"
#include "tests/source_folder.h"

namespace stepsim::ingest::tensorflow_timeline_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string process(int pid, const std::string& name) {
  return fmt::format(R"({{"ph": "M", "name": "process_name", "args": {{"name": "{}"}}, "pid": {}}})", name, pid);
}
std::string operation(int pid, int tid, const std::string& type, const std::string& name, int start, int length,
                      const std::string& input = "") {
  const std::string reads = input.empty() ? "" : fmt::format(R"(, "input0": "{}")", input);
  return fmt::format(R"({{"ph": "X", "cat": "Op", "pid": {}, "tid": {}, "ts": {}, "dur": {}, "name": "{}", )"
                     R"("args": {{"name": "{}", "op": "{}"{}}}}})",
                     pid, tid, start, length, type, name, type, reads);
}

const std::string kExecutor = process(1, "/job:localhost/replica:0/task:0/device:GPU:0 Compute");

Parsed<HostDeviceTrace> read(const std::vector<std::string>& records) {
  return read_text<HostDeviceTrace>("tensorflow_timeline",
                                    fmt::format(R"({{"traceEvents": [{}]}})", fmt::join(records, ", ")), "t.json");
}

TEST(TensorflowTimelineTest, FilesAreToldByTheirProcesses) {
  const Format& format = format_named("tensorflow_timeline");
  EXPECT_GE(format.recognise("x.json", R"({"traceEvents": [)" + kExecutor), 60);
  EXPECT_EQ(format.recognise("x.json", R"({"traceEvents": [{"ph": "X", "cat": "cpu_op"}]})"), 0);
}

/// Operator "b" reads the output of operator "a", which is in another row. Operator "b" starts work on stream 13, and
/// that work is recorded with the name of "b".
TEST(TensorflowTimelineTest, OperatorsHandOverAndStartDeviceWork) {
  const auto parsed =
      read({kExecutor, process(2, "/gpu:0/stream:13 Compute"), process(3, "/gpu:0/stream:all Compute"),
            operation(1, 0, "Const", "scope/a", 10, 5), operation(1, 1, "MatMul", "scope/b", 20, 5, "scope/a:0"),
            operation(2, 0, "MatMul", "scope/b", 30, 40), operation(3, 0, "MatMul", "scope/b", 30, 40),
            operation(2, 0, "MEMCPYHtoD", "edge_1", 80, 4)});
  EXPECT_EQ(parsed.part.size(), 4U);
  EXPECT_EQ(parsed.sink.diagnostics.count_of("not used: work of all streams once more"), 1U);
  const Capture capture = testing::stitched({parsed.part});
  const TaskId a = testing::find(capture, "scope/a", 10);
  const TaskId b = testing::find(capture, "scope/b", 20);
  const TaskId work = testing::find(capture, "scope/b", 30);
  const TaskId copy = testing::find(capture, "Memcpy HtoD", 80);
  EXPECT_EQ(capture.dag.duration(work), testing::us(40));
  EXPECT_EQ(capture.dag.kind(copy), TaskKind::kCopy);
  ASSERT_TRUE(testing::edge(capture, a, b));
  EXPECT_EQ(testing::edge(capture, a, b)->kind, EdgeKind::kHandOff);
  ASSERT_TRUE(testing::edge(capture, b, work));
  EXPECT_EQ(testing::edge(capture, b, work)->kind, EdgeKind::kLaunch);
  EXPECT_TRUE(testing::edge(capture, work, copy));
}

TEST(TensorflowTimelineTest, WithoutRowsOfSingleStreamsThoseOfAllCount) {
  const auto parsed = read({kExecutor, process(3, "/gpu:1/stream:all Compute"), process(4, "/gpu:1/memcpy Compute"),
                            operation(3, 0, "MatMul", "b", 30, 40), operation(4, 0, "MEMCPYDtoH", "c", 35, 10)});
  ASSERT_EQ(parsed.part.size(), 2U);
  EXPECT_EQ(parsed.part.tracks[parsed.part.track[0].index()].device, 1);
  EXPECT_NE(parsed.part.track[0], parsed.part.track[1]);
}

TEST(TensorflowTimelineTest, ATimelineOfNothingIsRefused) {
  EXPECT_THAT(refusal("tensorflow_timeline", R"({"traceEvents": []})"),
              AllOf(HasSubstr("no operator or device work"), HasSubstr("; expected ")));
}

/// The expected numbers were counted with Python's json module: 81 operators in the rows of two executors, 38 kernels
/// with 698 us on stream 12, and 6 copies with 59 us on streams 13 and 14.
TEST(TensorflowTimelineTest, ARealFileIsReadWhole) {
  const std::filesystem::path file = shared_folder() / "traces" / "other" / "tensorflow1-timeline-gpu.json.gz";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is absent";
  Input input = Input::open(file.string());
  PartSink sink;
  format_named("tensorflow_timeline").read(input, sink);
  const auto& trace = std::get<HostDeviceTrace>(sink.parts.at(0).part);
  std::map<EventKind, std::pair<int, Duration>> found;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const EventKind kind = trace.kind[i] == EventKind::kRuntimeCall ? EventKind::kOp : trace.kind[i];
    ++found[kind].first;
    found[kind].second += trace.duration[i];
  }
  EXPECT_EQ(found[EventKind::kOp].first, 81);
  EXPECT_EQ(found[EventKind::kKernel], std::pair(38, testing::us(698)));
  EXPECT_EQ(found[EventKind::kMemcpy], std::pair(6, testing::us(59)));
}

}  // namespace
}  // namespace stepsim::ingest::tensorflow_timeline_test
