#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "tests/ingest/read_text.h"
#include "tests/source_folder.h"

namespace stepsim::ingest::horovod_timeline_test {
namespace {

using ::testing::HasSubstr;

Parsed<HorovodTrace> read(std::string_view text) { return read_text<HorovodTrace>("horovod_timeline", text); }

constexpr std::string_view kNames =
    R"({"name": "process_name", "ph": "M", "pid": 0, "args": {"start_time_since_epoch_in_micros": 1000}},)"
    R"({"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "allreduce.a"}},)"
    R"({"name": "process_sort_index", "ph": "M", "pid": 1, "args": {"sort_index": 1}},)";

TEST(HorovodTimelineTest, PhasesArePairsOfATensorAndTheOperationAroundThemGivesTheSize) {
  const auto found = read("[" + std::string{kNames} + R"(
      {"ph": "B", "name": "NEGOTIATE_ALLREDUCE", "ts": 5, "pid": 1},{"ph": "X", "name": "0", "ts": 6, "pid": 1, "dur": 0},
      {"ph": "E", "ts": 7, "pid": 1},{"ph": "i", "name": "CYCLE_START", "ts": 7, "s": "g"},
      {"ph": "B", "name": "ALLREDUCE", "ts": 8, "pid": 1}, {"ph": "B", "name": "NCCL_ALLREDUCE", "ts": 9, "pid": 1},
      {"ph": "E", "ts": 19, "pid": 1}, {"ph": "E", "ts": 20, "pid": 1, "args": {"dtype": "float16", "shape": "[8, 4]"}}])");
  ASSERT_EQ(found.part.phases.size(), 2U);
  EXPECT_EQ(found.part.names[found.part.phases[0].name], "NEGOTIATE_ALLREDUCE");
  EXPECT_EQ(found.part.names[found.part.phases[1].name], "NCCL_ALLREDUCE");
  EXPECT_EQ(found.part.phases[1].start, Time{Duration{1'009'000}});  // 9 us after the timeline's start at 1000 us
  EXPECT_EQ(found.part.phases[1].duration, Duration{10'000});
  EXPECT_EQ(found.part.tensors[0].name, "allreduce.a");
  EXPECT_EQ(found.part.tensors[0].bytes, Bytes{64});                // 8 * 4 elements of 2 bytes
  EXPECT_EQ(found.sink.diagnostics.count_of("instant_event"), 2U);  // the mark of rank 0 and the mark of the cycle
  EXPECT_EQ(found.sink.skipped, 0U);
}

TEST(HorovodTimelineTest, AnArrayThatWasNotClosedIsUsed) {
  const auto found = read("[\n" + std::string{kNames} +
                          R"({"ph": "B", "name": "QUEUE", "ts": 1, "pid": 1},{"ph": "E", "ts": 2, "pid": 1},)"
                          "\n");
  EXPECT_EQ(found.part.phases.size(), 1U);
}

TEST(HorovodTimelineTest, InATrialTheTensorIsANumberAndSyncNamesIt) {
  const auto found = read(
      R"([{"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "horovod_allreduce.1"}},
          {"name": "process_name", "ph": "M", "pid": 2, "args": {"name": "Sync"}},
          {"ph": "B", "name": "1", "ts": 1, "pid": 2}, {"ph": "E", "ts": 3, "pid": 2},
          {"ph": "B", "name": "QUEUE", "ts": 3, "pid": 1}, {"ph": "E", "ts": 4, "pid": 1}])");
  ASSERT_EQ(found.part.phases.size(), 2U);
  EXPECT_EQ(found.part.tensors.size(), 1U);
  EXPECT_EQ(found.part.tensors[0].name, "1");
  EXPECT_EQ(found.part.names[found.part.phases[0].name], "Sync");
}

TEST(HorovodTimelineTest, ATimelineOfNothingIsRefused) {
  EXPECT_THAT(refusal("horovod_timeline", "[]"), HasSubstr("expected B and E events in rows"));
}

/// The expected numbers were counted with Python's json module and a stack per pid: 322 broadcasts, each with one event
/// of each phase.
TEST(HorovodTimelineTest, ARealTimelineHasWhatPythonCountsInIt) {
  const std::filesystem::path file = shared_folder() / "traces" / "other" / "horovod-timeline-resnet.json.gz";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is absent";
  Input input = Input::open(file.string());
  PartSink sink;
  format_named("horovod_timeline").read(input, sink);
  const auto& trace = std::get<HorovodTrace>(sink.parts.at(0).part);
  std::map<std::string, std::pair<int, std::int64_t>> sums;  // by phase: number of events and their total time in us
  for (const HorovodTrace::Phase& phase : trace.phases) {
    auto& [count, length] = sums[trace.names[phase.name]];
    ++count;
    length += phase.duration.count() / 1000;
  }
  const std::map<std::string, std::pair<int, std::int64_t>> expected{{"NEGOTIATE_BROADCAST", {322, 377}},
                                                                     {"WAIT_FOR_DATA", {322, 852}},
                                                                     {"WAIT_FOR_OTHER_TENSOR_DATA", {322, 25540}},
                                                                     {"MPI_BCAST", {322, 272}}};
  EXPECT_EQ(sums, expected);
  EXPECT_EQ(trace.tensors.size(), 322U);
  EXPECT_EQ(sink.events, 4188U);
  EXPECT_EQ(sink.skipped, 0U);
}

}  // namespace
}  // namespace stepsim::ingest::horovod_timeline_test
