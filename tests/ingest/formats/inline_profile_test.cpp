#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "ingest/load/profiles.h"
#include "model/base/error.h"
#include "tests/ingest/read_text.h"
#include "tests/source_folder.h"
#include "tests/thrown_by.h"

namespace stepsim::ingest::inline_profile_test {
namespace {

using stepsim::testing::thrown_by;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Parsed<RangeProfile> read(std::string_view text, const std::string& file = "file") {
  return read_text<RangeProfile>("inline_profile", text, file);
}

const std::string kV1 =
    R"({"events":[{"device_id":2,"end_index":7,"iter_start_to_event_start_times_ms":[0.25,1.5],"layer_name":"fc1",)"
    R"("measured_times_ms":[0.09583999961614609,0.5],"name":"fprop","same_name_events_occured_order_in_code":3,)"
    R"("start_index":4,"stream":"0x7f7cf66c3d20"}],"host_name":"luna","iter_time_ms":[3.5,4]})";

TEST(InlineProfileTest, FilesAreToldByTheirMembers) {
  const Format& format = format_named("inline_profile");
  EXPECT_GE(format.recognise("x", kV1), 60);
  EXPECT_EQ(format.recognise("prof.json", R"({"traceEvents": []})"), 0);
  EXPECT_EQ(format.recognise("x", R"("measured_times_ms")"), 0);
}

/// Milliseconds are rounded to nanoseconds: 0.09583999961614609 ms is 95840 ns.
TEST(InlineProfileTest, SecondVersionHasLayersAndOffsets) {
  const auto [profile, sink] = read(kV1);
  EXPECT_THAT(sink.diagnostics.entries(), IsEmpty());
  EXPECT_EQ(profile.host, "luna");
  EXPECT_THAT(profile.iterations, ElementsAre(Duration{3'500'000}, Duration{4'000'000}));
  ASSERT_THAT(profile.ranges, SizeIs(1));
  const MeasuredRange& range = profile.ranges.front();
  EXPECT_EQ(range.name, "fprop");
  EXPECT_EQ(range.layer, "fc1");
  EXPECT_EQ(range.occurrence, 3);
  EXPECT_EQ(range.device, 2);
  EXPECT_EQ(profile.streams.at(range.stream), "0x7f7cf66c3d20");
  EXPECT_EQ(range.start_index, 4);
  EXPECT_EQ(range.end_index, 7);
  EXPECT_THAT(range.lengths, ElementsAre(Duration{95'840}, Duration{500'000}));
  EXPECT_THAT(range.offsets, ElementsAre(Duration{250'000}, Duration{1'500'000}));
}

TEST(InlineProfileTest, FirstVersionIsAListWithoutOffsets) {
  const auto [profile, sink] =
      read(R"([{"device_id": 0, "layer_name": "fc1", "name": "fprop", "measured_times_ms": [1, 2], "stream": "0x1"}])",
           "runs/node-7.prof.json.gz");
  EXPECT_EQ(sink.diagnostics.count_of("no_range_offsets"), 1U);
  EXPECT_EQ(profile.host, "node-7");
  EXPECT_THAT(profile.ranges.at(0).lengths, SizeIs(2));
  EXPECT_THAT(profile.iterations, IsEmpty());
}

TEST(InlineProfileTest, ThirdVersionCallsMembersOtherwise) {
  const auto profile =
      read(R"({"host_name": "a", "iter_time_ms": [1], "runtime_data": [{"data_name": "x", "data": ["1"]}], "events": [)"
           R"({"event_name": "fprop", "met_times_within_this_stream": 2, "measured_times_ms": [0.5], "device_id": 1,)"
           R"( "iter_start_to_event_start_times_ms": [0.1], "extra_infos_start": [], "stream": "0x1"}]})");
  EXPECT_EQ(profile.part.ranges.at(0).name, "fprop");
  EXPECT_EQ(profile.part.ranges.at(0).occurrence, 2);
}

/// An iteration takes as long as on its slowest device: (1, 5) ms on device 0 and (2, 4) ms on device 1 give 2 and 5
/// ms.
TEST(InlineProfileTest, OneShotProfilesHaveIterationsAsRanges) {
  const auto range = [](const char* name, int device, const char* times) {
    return fmt::format(R"({{"event_name": "{}", "device_id": {}, "measured_times_ms": {}, )"
                       R"("iter_start_to_event_start_times_ms": [0, 0], "extra_infos_start": "", "stream": "0x{}"}})",
                       name, device, times, device);
  };
  const auto [profile, sink] =
      read(fmt::format(R"({{"host_name": "a", "events": [{}, {}, {}]}})", range("iteration", 0, "[1, 5]"),
                       range("iteration", 1, "[2, 4]"), range("data_reader_memcpy_h2d", 0, "[[1], [2, 3]]")));
  EXPECT_THAT(profile.iterations, ElementsAre(Duration{2'000'000}, Duration{5'000'000}));
  ASSERT_THAT(profile.ranges, SizeIs(1));
  EXPECT_THAT(profile.ranges[0].lengths, SizeIs(3));
  EXPECT_EQ(sink.diagnostics.count_of("uneven_samples"), 1U);
}

TEST(InlineProfileTest, BadRangesAndSamplesAreCountedAndTheRestIsUsed) {
  const auto [profile, sink] = read(R"({"events": [{"name": "a", "measured_times_ms": [1, null, -2, "3", 1e300, 4],)"
                                    R"( "iter_start_to_event_start_times_ms": [1, 2]}, 7, {"measured_times_ms": [1]},)"
                                    R"( {"name": "b", "measured_times_ms": []}, {"name": "c", "measured_times_ms": 5},)"
                                    R"( {"name": "d", "measured_times_ms": [1], "device_id": -1}]})");
  EXPECT_EQ(sink.diagnostics.count_of("bad_sample"), 4U);
  EXPECT_EQ(sink.diagnostics.count_of("bad_range"), 5U);
  EXPECT_EQ(sink.events, 6U);
  EXPECT_EQ(sink.skipped, 5U);
  ASSERT_THAT(profile.ranges, SizeIs(1));
  EXPECT_THAT(profile.ranges[0].lengths, ElementsAre(Duration{1'000'000}, Duration{4'000'000}));
}

TEST(InlineProfileTest, WholeRangesBeforeACutAreUsed) {
  const std::string two = kV1.substr(0, kV1.find(R"(],"host_name")")) + "," +
                          kV1.substr(kV1.find('[') + 1, kV1.find(R"(],"host_name")") - kV1.find('[') - 1);
  const auto [profile, sink] = read(two.substr(0, two.size() - 30));
  EXPECT_THAT(profile.ranges, SizeIs(1));
  EXPECT_EQ(sink.diagnostics.count_of("truncated_file"), 1U);
}

TEST(InlineProfileTest, WhatHoldsNoRangeIsRefused) {
  EXPECT_THAT(refusal("inline_profile", R"({"events": []})"), HasSubstr("the profile has no measured range; expected"));
  EXPECT_THAT(refusal("inline_profile", R"({"events": [{"name": "a", "measured_times_ms": [)"), HasSubstr("file@"));
  EXPECT_THAT(refusal("inline_profile", "[[[[[[[[["), HasSubstr("file@"));
}

/// Reading takes time and memory in proportion to the text's length, even with many stream names.
TEST(InlineProfileTest, ManyStreamsAreReadInTime) {
  std::string text = R"({"events": [)";
  for (int i = 0; i < 100'000; ++i)
    text += fmt::format(R"({}{{"name": "a", "stream": "{}", "measured_times_ms": [1]}})", i > 0 ? "," : "", i);
  EXPECT_THAT(read(text + "]}").part.streams, SizeIs(100'000));
}

class ProfileLoadTest : public ::testing::Test {
 protected:
  std::string sample_ = (source_folder() / "scenarios/samples/inline").string();
};

TEST_F(ProfileLoadTest, FilesOfOneRunAreItsProcesses) {
  const LoadedRun loaded = load_run({sample_ + "/one.prof.json", sample_ + "/two.prof.json"}, {});
  EXPECT_THAT(loaded.run.processes, SizeIs(2));
  EXPECT_THAT(loaded.inputs, SizeIs(2));
}

TEST_F(ProfileLoadTest, WhatWasMeasuredIsARunOrACapture) {
  const auto processes = [](const std::string& trace) {
    return std::get<LoadedRun>(load_measured({trace}, {})).run.processes.size();
  };
  EXPECT_EQ(processes(sample_ + "/one.prof.json"), 1U);
  EXPECT_EQ(processes(sample_), 2U);  // ranges.yaml in the same folder is not used
  const std::string kineto = (source_folder() / "tests/golden/data/gpu_step.json").string();
  EXPECT_TRUE(std::holds_alternative<DetailedCapture>(load_measured({kineto}, {})));
}

TEST_F(ProfileLoadTest, ProfilesBesideACaptureMakeNoRun) {
  const std::string kineto = (source_folder() / "tests/golden/data/gpu_step.json").string();
  EXPECT_THROW(static_cast<void>(load_measured({sample_ + "/one.prof.json", kineto}, {})), CannotAnswer);
}

TEST_F(ProfileLoadTest, OtherCapturesAreToldWhereTheirTimelineIs) {
  const std::string kineto = (source_folder() / "tests/golden/data/gpu_step.json").string();
  const std::string error = thrown_by<CannotAnswer>([&] { return load_run({kineto}, {}); });
  EXPECT_THAT(error, HasSubstr("this is a kineto capture; expected a result of an inline profiler"));
  EXPECT_THAT(error, HasSubstr("stepsim replay TRACE -o timeline.svg"));
}

TEST_F(ProfileLoadTest, ProfilesMakeNoJob) {
  EXPECT_THROW(static_cast<void>(load({sample_ + "/one.prof.json"}, {})), CannotAnswer);
}

/// The capture is from HugeCTR's early history. It has 64 ranges on each of 8 devices, with 50 measurements each.
TEST(InlineProfileTest, RealCaptureHasTheCountsOfItsReadme) {
  const std::filesystem::path capture = shared_folder() / "traces/hugectr/v1-dlrm-8gpu.prof.json.gz";
  if (!std::filesystem::exists(capture)) GTEST_SKIP() << "skipped: the shared captures are not beside the sources";
  const LoadedRun loaded = load_run({capture.string()}, {});
  const RangeProfile& profile = loaded.run.processes.at(0);
  EXPECT_EQ(profile.host, "luna-0173");
  EXPECT_THAT(profile.iterations, SizeIs(3200));
  EXPECT_THAT(profile.ranges, SizeIs(512));
  EXPECT_THAT(profile.streams, SizeIs(8));
  for (const MeasuredRange& range : profile.ranges) {
    EXPECT_THAT(range.lengths, SizeIs(50));
    EXPECT_THAT(range.offsets, SizeIs(50));
  }
  EXPECT_THAT(loaded.diagnostics.entries(), IsEmpty());
}

}  // namespace
}  // namespace stepsim::ingest::inline_profile_test
