#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/ingest/read_text.h"
#include "tests/ingest/stitched.h"
#include "tests/source_folder.h"

namespace stepsim::ingest::legacy_autograd_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Returns an operator on thread 1 in the form that export_chrome_trace() writes. span() returns the span of an
/// operator on device 0.
std::string host(const std::string& name, int start, int length) {
  return fmt::format(
      R"({{"name": "{}", "ph": "X", "ts": {}, "dur": {}, "tid": 1, "pid": "CPU functions", "args": {{}}}})", name,
      start, length);
}
std::string span(const std::string& name, int start, int length) {
  return fmt::format(
      R"({{"name": "{0}", "ph": "s", "ts": {1}, "tid": 1, "pid": "CPU functions", "id": 0, "cat": "cpu_to_cuda", "args": {{}}}}, )"
      R"({{"name": "{0}", "ph": "f", "ts": {1}, "tid": 0, "pid": "CUDA functions", "id": 0, "cat": "cpu_to_cuda", "args": {{}}}}, )"
      R"({{"name": "{0}", "ph": "X", "ts": {1}, "dur": {2}, "tid": 0, "pid": "CUDA functions", "args": {{}}}})",
      name, start, length);
}

Parsed<HostDeviceTrace> read(const std::vector<std::string>& records) {
  return read_text<HostDeviceTrace>("legacy_autograd", fmt::format("[{}]", fmt::join(records, ", ")), "trace.json");
}

TEST(LegacyAutogradTest, FilesAreToldByTheirProcesses) {
  const Format& format = format_named("legacy_autograd");
  EXPECT_GE(format.recognise("x.json", "[" + host("aten::mm", 1, 2)), 90);
  EXPECT_EQ(format.recognise("x.json", R"({"traceEvents": [{"ph": "X", "cat": "cpu_op"}]})"), 0);
  EXPECT_EQ(format.recognise("x.txt", "\"CPU functions\""), 0);
}

TEST(LegacyAutogradTest, OperatorsOfTheHostAreEvents) {
  const HostDeviceTrace trace = read({host("aten::linear", 10, 20), host("aten::mm", 12, 5)}).part;
  ASSERT_EQ(trace.size(), 2U);
  EXPECT_EQ(trace.text(trace.name[1]), "aten::mm");
  EXPECT_EQ(trace.kind[1], EventKind::kOp);
  EXPECT_EQ(trace.start[1], Time{Duration{12'000}});
  EXPECT_EQ(trace.duration[1], Duration{5'000});
  EXPECT_EQ(trace.tracks[trace.track[1].index()].thread, "1");
}

/// The span of linear contains the span of mm. Only the inner span is device work.
TEST(LegacyAutogradTest, TheInnermostSpansAreDeviceWorkOfTheOperatorBeforeThem) {
  const auto parsed = read({host("aten::linear", 10, 20), span("aten::linear", 100, 50), host("aten::mm", 12, 5),
                            span("aten::mm", 110, 30), host("aten::relu", 40, 5), span("aten::relu", 160, 10)});
  EXPECT_EQ(parsed.sink.diagnostics.count_of("not used: spans around others"), 1U);
  EXPECT_EQ(parsed.sink.diagnostics.count_of("spans_between_events"), 2U);
  const Capture capture = testing::stitched({parsed.part});
  const TaskId relu = testing::find(capture, "aten::relu", 160);
  EXPECT_EQ(capture.dag.lane(relu).kind, LaneKind::kStream);
  EXPECT_EQ(capture.dag.duration(relu), testing::us(10));
  const auto launched = testing::edge(capture, testing::find(capture, "aten::relu", 40), relu);
  ASSERT_TRUE(launched);
  EXPECT_EQ(launched->kind, EdgeKind::kLaunch);
  const auto in_order = testing::edge(capture, testing::find(capture, "aten::mm", 110), relu);
  ASSERT_TRUE(in_order);
  EXPECT_EQ(in_order->kind, EdgeKind::kStream);
}

TEST(LegacyAutogradTest, WorkOfADeviceThatWasNotRecordedIsSaid) {
  EXPECT_EQ(read({host("aten::cudnn_convolution", 10, 20)}).sink.diagnostics.count_of("device_not_recorded"), 1U);
  EXPECT_EQ(read({host("aten::mkldnn_convolution", 10, 20)}).sink.diagnostics.count_of("device_not_recorded"), 0U);
}

TEST(LegacyAutogradTest, AFileWithoutOperatorsIsRefused) {
  EXPECT_THAT(refusal("legacy_autograd", R"([{"ph": "X", "name": "a", "pid": "others", "ts": 1, "dur": 1}])"),
              AllOf(HasSubstr("no event to replay"), HasSubstr("; expected ")));
}

/// The expected numbers were counted with Python's json module: 1,442 records, all of them operators on thread 1, from
/// 136.73 to 3,257,565.255 us.
TEST(LegacyAutogradTest, ARealFileIsReadWhole) {
  const std::filesystem::path file = shared_folder() / "traces" / "other" / "legacy-autograd-cpu.json.gz";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is absent";
  Input input = Input::open(file.string());
  PartSink sink;
  format_named("legacy_autograd").read(input, sink);
  const auto& trace = std::get<HostDeviceTrace>(sink.parts.at(0).part);
  EXPECT_EQ(trace.size(), 1442U);
  EXPECT_EQ(trace.tracks.size(), 1U);
  EXPECT_EQ(sink.skipped, 0U);
}

}  // namespace
}  // namespace stepsim::ingest::legacy_autograd_test
