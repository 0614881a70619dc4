// Tests the alignment of clocks. The ranks of the measured gloo jobs ran on one machine, so their clocks agree. The
// tests give each rank a separate host name and shift its clock by a known time; alignment must find that shift. They
// are skipped if the jobs are absent.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ingest/formats/format.h"
#include "tests/ingest/stitched.h"
#include "tests/source_folder.h"
#include "tests/truth/measured_runs.h"

namespace stepsim::ingest {

extern const Format kineto_format;

namespace {

using std::chrono::milliseconds;

/// Returns the traces of a job's captured run, by rank.
std::vector<HostDeviceTrace> traces_of(const std::string& job) {
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(measured_folder() / job / "base/traces"))
    files.push_back(file.path());
  std::sort(files.begin(), files.end());
  std::vector<HostDeviceTrace> traces;
  for (const std::filesystem::path& file : files) {
    Input input = Input::open(file.string());
    PartSink sink;
    kineto_format.read(input, sink);
    traces.push_back(std::get<HostDeviceTrace>(std::move(sink.parts.at(0).part)));
    traces.back().host_name = std::to_string(traces.size());
  }
  return traces;
}

struct Case {
  const char* job;
  milliseconds error;     ///< upper bound; the medians of the ends are 1.4 ms off in fsdp-even and pipe-2
  milliseconds residual;  ///< upper bound: the shortest transfer that the job waits for
};

class HostClocksTest : public ::testing::TestWithParam<Case> {};

TEST_P(HostClocksTest, KnownOffsetIsFoundWithinTheResidual) {
  const std::vector<HostDeviceTrace> traces = traces_of(GetParam().job);
  ASSERT_EQ(traces.size(), 2U);
  for (const int shift : {0, 3, -3, 50, -50, 10'000, -10'000}) {
    const milliseconds ahead{shift};
    std::vector<HostDeviceTrace> shifted = traces;
    for (Time& start : shifted[1].start) start += ahead;

    const Capture capture = testing::stitched(std::move(shifted));

    const HostClock& clock = capture.recording.clocks.at(1);
    const Duration error = std::max<Duration>(clock.offset - ahead, ahead - clock.offset);
    EXPECT_LE(error, clock.residual) << shift << " ms";
    EXPECT_LE(error, GetParam().error) << shift << " ms";
    EXPECT_LE(clock.residual, GetParam().residual) << shift << " ms";
    EXPECT_GT(clock.spread, Duration{});
  }
}

// The last number of each case is the largest residual that passes. It is the shortest time of a collective or message
// of the job, plus at most 1 ms for the error. The shortest times are 52 ms for an all-reduce of ddp-even (4 MiB at 1
// Gbit/s, concurrent with another all-reduce), 25 ms for an all-reduce of ddp-skewed, 34 ms for a message of pipe-2,
// and 8.8 ms for an all-gather of fsdp-even (1 MiB).
INSTANTIATE_TEST_SUITE_P(Truth, HostClocksTest,
                         ::testing::Values(Case{"ddp/ddp-even", milliseconds{1}, milliseconds{53}},
                                           Case{"ddp/ddp-skewed", milliseconds{1}, milliseconds{26}},
                                           Case{"ddp/pipe-2", milliseconds{1}, milliseconds{35}},
                                           Case{"fsdp/fsdp-even", milliseconds{1}, milliseconds{9}}),
                         [](const auto& each) {
                           std::string name = each.param.job;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return c == '/' || c == '-'; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace stepsim::ingest
