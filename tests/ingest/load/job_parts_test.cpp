#include "ingest/load/job_parts.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "tests/thrown_by.h"

namespace stepsim::ingest {
namespace {

using stepsim::testing::thrown_by;

/// Returns a trace with an operator of 10 us on the only host thread of a rank.
HostDeviceTrace trace_of(std::int64_t rank) {
  HostDeviceTrace trace;
  trace.rank = rank;
  trace.texts = {"op"};
  trace.tracks.push_back({"1", "1", "", false, -1, -1});
  trace.start.emplace_back(Duration{1'000});
  trace.duration.push_back(Duration{10'000});
  trace.kind.push_back(EventKind::kOp);
  trace.name.emplace_back(0);
  trace.track.emplace_back(0);
  trace.host_name = "host";
  return trace;
}

TEST(JobPartsTest, OneFileMayHoldSeveralRanks) {
  ReadInput input{"both.db", "/f", "/", {}};
  input.sink.add(trace_of(0), "rank 0");
  input.sink.add(trace_of(1), "rank 1");
  JobParts parts;
  parts.add(input);
  Assembly assembly;
  parts.stitch({}, Job{}, assembly);
  const Capture capture = finish(std::move(assembly));
  EXPECT_EQ(capture.recording.ranks, (std::vector<Rank>{0, 1}));
  EXPECT_EQ(capture.dag.task_count(), 2U);
}

TEST(JobPartsTest, ARankThatAFileHoldsTwiceIsAnErrorThatNamesBoth) {
  ReadInput input{"both.db", "/f", "/", {}};
  input.sink.add(trace_of(3), "GPU 0");
  input.sink.add(trace_of(3), "GPU 1");
  JobParts parts;
  parts.add(input);
  Assembly assembly;
  EXPECT_EQ(thrown_by<InputError>([&] { parts.stitch({}, Job{}, assembly); }),
            "both.db (GPU 1): this trace and both.db (GPU 0) (of the same process, at the same time) both state rank "
            "3; expected one trace per rank: leave out the trace of the other run");
}

TEST(JobPartsTest, ARankBeyondAllRanksIsNamedAsItIsAndAsWhatItIsTakenFor) {
  JobParts parts;
  for (const std::int64_t rank : {std::int64_t{1} << 40U, (std::int64_t{1} << 40U) + 1}) {
    ReadInput input{fmt::format("{}.json", rank), "/f", "/", {}};
    input.sink.add(trace_of(rank));
    parts.add(input);
  }
  Assembly assembly;
  parts.stitch({}, Job{}, assembly);
  ASSERT_GE(assembly.assumptions.size(), 2U);
  EXPECT_EQ(assembly.assumptions[1].sentence,
            "1099511627777.json names rank 1099511627777, which is not between 0 and 2147483647; it is treated as rank "
            "1.");
  EXPECT_EQ(finish(std::move(assembly)).recording.ranks, (std::vector<Rank>{0, 1}));
}

/// Returns the rank of each file of traces that state these ranks; -1 if they state none.
std::vector<Rank> ranks_of(const std::vector<std::pair<std::string, std::int64_t>>& files, const Job& job = {},
                           std::string* assumption = nullptr) {
  JobParts parts;
  for (const auto& [file, rank] : files) {
    HostDeviceTrace trace = trace_of(rank);
    if (rank < 0) trace.rank.reset();
    ReadInput input{file, "/f", "/", {}};
    input.sink.add(std::move(trace));
    parts.add(input);
  }
  Assembly assembly;
  parts.stitch({}, job, assembly);
  for (const Assumption& one : assembly.assumptions) {
    if (one.id == "rank_number" && assumption != nullptr) *assumption = one.sentence;
  }
  std::vector<Rank> ranks;
  for (const Source& source : parts.take_sources()) ranks.push_back(source.rank.value_or(-1));
  return ranks;
}

TEST(JobPartsTest, ARankThatATraceDoesNotStateIsInTheNameOfItsFile) {
  using ::testing::ElementsAre;
  std::string said;
  EXPECT_THAT(ranks_of({{"run/rank5_trace.json", -1}, {"run/rank-4.json.gz", -1}}, {}, &said), ElementsAre(5, 4));
  EXPECT_EQ(said, "The rank in the file's name is used for 2 traces without one inside, such as run/rank5_trace.json.");
  EXPECT_THAT(ranks_of({{"rank1.json", 0}, {"rank0.json", 1}}), ElementsAre(0, 1)) << "what a trace states counts";
  EXPECT_THAT(ranks_of({{"rank1.json", -1}, {"b.json", 1}, {"c.json", -1}}), ElementsAre(0, 1, 2)) << "1 is taken";
}

TEST(JobPartsTest, RanksAreWhereTheJobFileSays) {
  using ::testing::ElementsAre;
  Job job;
  job.rank_in_name = "worker(?P<rank>[0-9]+)/";
  EXPECT_THAT(ranks_of({{"worker3/trace.json", 0}, {"worker2/trace.json", -1}, {"other.json", 7}}, job),
              ElementsAre(3, 2, 7));
  EXPECT_THAT(thrown_by<InputError>([&] {
                (void)ranks_of({{"a.json", 0}, {"b.json", 1}}, job);
              }),
              ::testing::StartsWith("b.json: 'rank_in_name' of job.yaml matches neither this path nor"));
  job.rank_in_name = "(?P<rank>[a-z]+)";
  EXPECT_EQ(thrown_by<InputError>([&] {
              (void)ranks_of({{"a.json", 0}}, job);
            }),
            "a.json: 'rank_in_name' of job.yaml finds 'a' in this path; expected a rank");
}

/// Returns the host of each rank, for traces that do not name one. `nodes` is the number of nodes that NCCL reports
/// for a communicator of all ranks, or 0 if it reports none.
std::vector<std::string> hosts_of(const std::vector<std::pair<std::int32_t, std::string>>& devices_and_processes,
                                  std::string& assumption, std::int32_t nodes = 0) {
  JobParts parts;
  std::int64_t rank = 0;
  for (const auto& [device, process] : devices_and_processes) {
    HostDeviceTrace trace = trace_of(rank);
    trace.host_name.clear();
    trace.tracks.front().process = process;
    trace.tracks.push_back({std::to_string(device), "stream 7", "", true, device, 7});
    trace.start.emplace_back(Duration{20'000});
    trace.duration.push_back(Duration{10'000});
    trace.kind.push_back(EventKind::kKernel);
    trace.name.emplace_back(0);
    trace.track.emplace_back(1);
    trace.texts.emplace_back("nccl 0x1f");
    trace.groups.push_back({.name = TextId{trace.texts.size() - 1},
                            .size = static_cast<std::uint32_t>(devices_and_processes.size()),
                            .ranks = {},
                            .own = static_cast<std::int32_t>(rank),
                            .nodes = nodes});
    ReadInput input{fmt::format("{}.json", rank++), "/f", "/", {}};
    input.sink.add(std::move(trace));
    parts.add(input);
  }
  Assembly assembly;
  parts.stitch({}, Job{}, assembly);
  for (const Assumption& one : assembly.assumptions) {
    if (one.id == "hosts") assumption = one.sentence;
  }
  const Capture capture = finish(std::move(assembly));
  std::vector<std::string> hosts(devices_and_processes.size(), "none");
  for (const Lane& lane : capture.dag.lanes()) hosts[static_cast<std::size_t>(lane.rank)] = lane.host;
  return hosts;
}

TEST(JobPartsTest, RanksWithoutAHostShareOneAsLongAsTheirDevicesAndProcessesDiffer) {
  using ::testing::ElementsAre;
  std::string said;
  EXPECT_THAT(hosts_of({{0, "11"}, {1, "12"}, {2, "13"}}, said), ElementsAre("", "", ""));
  EXPECT_EQ(said, "3 traces without a host name: assumed to come from 1 host (each has its own device).");
  EXPECT_THAT(hosts_of({{0, "11"}, {1, "12"}, {0, "13"}, {1, "14"}}, said),
              ElementsAre("host 0", "host 0", "host 1", "host 1"));
  EXPECT_THAT(hosts_of({{0, "11"}, {0, "12"}, {1, "13"}, {1, "14"}}, said),
              ElementsAre("host 0", "host 1", "host 0", "host 1"));
  EXPECT_EQ(
      said,
      "4 traces without a host name: assumed to come from 2 hosts (some have the same device or the same process id).");
  EXPECT_THAT(hosts_of({{0, "11"}, {0, "12"}, {0, "11"}}, said), ElementsAre("host 0", "host 0", "host 1"));
  // If all traces have the same device and the same process id, these do not show whether the traces are from one host.
  EXPECT_THAT(hosts_of({{0, "1"}, {0, "1"}}, said), ElementsAre("", ""));
  EXPECT_EQ(said, "2 traces without a host name: assumed to come from 1 host (nothing indicates more).");
}

TEST(JobPartsTest, RanksWithoutAHostAreOnTheNodesThatNcclCounts) {
  using ::testing::ElementsAre;
  std::string said;
  EXPECT_THAT(hosts_of({{0, "11"}, {0, "12"}, {0, "13"}, {0, "14"}}, said, 2),
              ElementsAre("host 0", "host 0", "host 1", "host 1"));
  EXPECT_EQ(said, "4 traces without a host name: assumed to come from 2 hosts (NCCL's count of nodes).");
  EXPECT_THAT(hosts_of({{0, "7"}, {1, "7"}, {0, "8"}, {1, "7"}}, said, 1), ElementsAre("", "", "", ""));
  EXPECT_EQ(said, "4 traces without a host name: assumed to come from 1 host (NCCL's count of nodes).");
  EXPECT_THAT(hosts_of({{0, "1"}, {1, "2"}, {2, "3"}}, said, 2), ElementsAre("", "", "")) << "uneven: not used";
}

TEST(JobPartsTest, GpusOfOneFileAreApart) {
  ReadInput input{"all.json", "/f/0", "/f", {}};
  input.sink.add(StageTrace{}, "GPU 0");
  input.sink.add(StageTrace{}, "GPU 1");
  EXPECT_NO_THROW(JobParts{}.add(input));
  ReadInput twice{"all.json", "/f/0", "/f", {}};
  twice.sink.add(StageTrace{});
  twice.sink.add(StageTrace{});
  EXPECT_THROW(JobParts{}.add(twice), InputError);
}

}  // namespace
}  // namespace stepsim::ingest
