// Tests that ranks with like traces become one, that the job stays the same, and when ranks are kept apart.

#include "ingest/stitch/host_device/like_ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ingest/parts/tables.h"
#include "model/job/group.h"
#include "tests/ingest/trace_maker.h"

namespace stepsim::ingest {
namespace {

using testing::TraceMaker;

constexpr Rank kRanks = 72;
constexpr Rank kSlow = 37;
constexpr Rank kPerHost = 8;

/// The number of a rank's host.
using HostOf = std::function<int(Rank)>;
int in_order(Rank rank) { return rank / kPerHost; }
/// Ranks of all classes are on every host, and the first of a class is not on the first host.
int scattered(Rank rank) { return rank * 5 % (kRanks / kPerHost); }

/// The clocks of the hosts differ by hours; the ends of collectives differ by nothing else.
double clock_of(int host) { return host * 3.7e9 + host * 12.345; }

/// Returns the trace of a rank: two steps of a kernel and an all-reduce. Odd ranks compute longer, and one rank still
/// longer. `alter` may change its events.
HostDeviceTrace trace_of(Rank rank, const std::function<void(Rank, TraceMaker&)>& alter,
                         const HostOf& host = in_order) {
  TraceMaker maker;
  const TrackId thread = maker.thread(std::to_string(1000 + rank));
  const TrackId compute = maker.stream(7, rank % kPerHost);
  const TrackId communication = maker.stream(14, rank % kPerHost);
  const double length = rank == kSlow ? 70 : rank % 2 == 1 ? 50 : 40;
  for (int step = 0; step < 2; ++step) {
    const double begin = clock_of(host(rank)) + step * 300;
    maker.add(EventKind::kAnnotation, "ProfilerStep#" + std::to_string(step), thread, begin, 299);
    maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, begin + 10, 5, 10 * step + 1);
    maker.add(EventKind::kKernel, "gemm", compute, begin + 20, length, 10 * step + 1);
    maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, begin + 30, 5, 10 * step + 2);
    const std::uint32_t event = maker.add(EventKind::kKernel, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)",
                                          communication, begin + 20 + length, 200 - length, 10 * step + 2);
    EventDetail detail;
    detail.bytes = Bytes{4096};
    detail.collective = maker.text("allreduce");
    detail.sequence = step;
    maker.detail(event) = detail;
  }
  if (alter) alter(rank, maker);
  maker.trace.rank = rank;
  maker.trace.world_size = kRanks;
  maker.trace.host_name = "node" + std::to_string(host(rank));
  maker.trace.has_base_time = true;
  return std::move(maker.trace);
}

/// Returns the capture of the job; with `shared`, like traces share their events, as they do when files are read.
Capture capture_of(bool shared, Rank ranks = kRanks, const std::function<void(Rank, TraceMaker&)>& alter = {},
                   const HostOf& host = in_order) {
  LikeTraces like;
  std::vector<RankTrace> traces;
  for (Rank rank = 0; rank < ranks; ++rank) {
    RankTrace& made = traces.emplace_back(RankTrace{trace_of(rank, alter, host), "trace" + std::to_string(rank), rank});
    if (shared) made.events = like.share(made.trace);
  }
  Assembly assembly;
  stitch_host_device(std::move(traces), assembly);
  return finish(std::move(assembly));
}

/// The tasks of each rank: name, start, end, duration.
using Tasks = std::map<Rank, std::vector<std::tuple<std::string, Time, Time, Duration>>>;
Tasks tasks_of(const Capture& capture) {
  Tasks tasks;
  for (const TaskId task : capture.dag.tasks()) {
    tasks[capture.dag.lane(task).rank].emplace_back(capture.dag.name(task), capture.recording.start[task.index()],
                                                    capture.recording.finish[task.index()], capture.dag.duration(task));
  }
  for (auto& [rank, of_rank] : tasks) std::sort(of_rank.begin(), of_rank.end());
  return tasks;
}

bool keeps_ranks_apart(const Capture& capture) {
  return capture.recording.ranks.size() > 3 && !has_copies(capture.dag);
}

TEST(LikeRanksTest, CopiesDoWhatTheyDoInTheJobOfAllRanks) {
  for (const HostOf& host : {HostOf(in_order), HostOf(scattered)}) {
    const Tasks all = tasks_of(capture_of(false, kRanks, {}, host));
    const Capture folded = capture_of(true, kRanks, {}, host);
    const Tasks some = tasks_of(folded);
    ASSERT_EQ(all.size(), std::size_t{kRanks});
    EXPECT_EQ(some.size(), 3U);
    for (const KnownRank& rank : known_ranks(folded)) EXPECT_EQ(some.at(rank.original), all.at(rank.rank)) << rank.rank;
  }
}

TEST(LikeRanksTest, TheFirstOfEachClassHasTasks) {
  const Capture folded = capture_of(true);
  EXPECT_EQ(folded.recording.ranks, (std::vector<Rank>{0, 1, kSlow}));
  EXPECT_EQ(rank_classes(folded.dag), (std::map<Rank, std::uint32_t>{{0, 36}, {1, 35}, {kSlow, 1}}));
}

TEST(LikeRanksTest, CopiesKeepTheirHostsClocksAndPlacesInCollectives) {
  const Capture whole = capture_of(false, kRanks, {}, scattered);
  const Capture folded = capture_of(true, kRanks, {}, scattered);

  EXPECT_EQ(hosts_of_ranks(folded.dag), hosts_of_ranks(whole.dag));
  std::map<std::string, Duration> offsets;
  for (const HostClock& clock : whole.recording.clocks) offsets.emplace(clock.host, clock.offset);
  ASSERT_EQ(folded.recording.clocks.size(), offsets.size());
  EXPECT_EQ(folded.recording.clocks.front().host, whole.recording.clocks.front().host) << "the reference";
  for (const HostClock& clock : folded.recording.clocks) EXPECT_EQ(clock.offset, offsets.at(clock.host)) << clock.host;

  ASSERT_EQ(folded.dag.rendezvous_count(), whole.dag.rendezvous_count());
  for (const RendezvousId rendezvous : folded.dag.all_rendezvous()) {
    EXPECT_EQ(group_size(folded.dag, rendezvous), static_cast<std::uint32_t>(kRanks));
    EXPECT_EQ(folded.dag.collective(rendezvous).bytes, Bytes{4096});
    EXPECT_TRUE(is_whole(folded.dag, rendezvous));
  }
}

TEST(LikeRanksTest, OneNanosecondMakesAClassOfItsOwn) {
  const Capture folded = capture_of(true, kRanks, [](Rank rank, TraceMaker& maker) {
    if (rank == 44) maker.trace.duration.set(2, maker.trace.duration[2] + Duration{1});
  });
  EXPECT_EQ(rank_classes(folded.dag), (std::map<Rank, std::uint32_t>{{0, 35}, {1, 35}, {kSlow, 1}, {44, 1}}));
}

TEST(LikeRanksTest, SmallJobsKeepTheTasksOfEachRank) {
  EXPECT_TRUE(keeps_ranks_apart(capture_of(true, static_cast<Rank>(kMostRanksApart))));
}

TEST(LikeRanksTest, TwoClocksOnOneHostKeepRanksApart) {
  const Capture job = capture_of(true, kRanks, [](Rank rank, TraceMaker& maker) {
    if (rank == 50) move_earlier(maker.trace, Duration{1'000});
  });
  EXPECT_TRUE(keeps_ranks_apart(job));
}

TEST(LikeRanksTest, MessagesKeepRanksApart) {
  const Capture job = capture_of(true, kRanks, [](Rank rank, TraceMaker& maker) {
    maker.add(EventKind::kAnnotation, "gloo:send", maker.thread("7"), clock_of(in_order(rank)) + 210, 5);
  });
  EXPECT_TRUE(keeps_ranks_apart(job));
}

TEST(LikeRanksTest, GroupsOfSomeRanksKeepRanksApart) {
  const Capture job = capture_of(true, kRanks, [](Rank rank, TraceMaker& maker) {
    std::string group;
    for (Rank other = rank % 2; other < kRanks; other += 2)
      group += (group.empty() ? "[" : ", ") + std::to_string(other);
    for (EventDetail& detail : maker.trace.details) detail.group = maker.group(group + "] half");
  });
  EXPECT_TRUE(keeps_ranks_apart(job));
}

TEST(LikeTracesTest, EventsComeBackAtTheirOwnTimes) {
  LikeTraces like;
  const HostDeviceTrace before = trace_of(8, {});
  HostDeviceTrace first = trace_of(0, {});
  HostDeviceTrace second = before;
  SharedEvents events_of_first = like.share(first);
  SharedEvents events = like.share(second);

  EXPECT_EQ(events.trace, events_of_first.trace);
  EXPECT_EQ(first.size() + second.size(), 0U);
  take_back(events, second);
  EXPECT_EQ(second.start, before.start);
  EXPECT_EQ(second.texts, before.texts);
  EXPECT_EQ(second.host_name, before.host_name);
  EXPECT_EQ(second.tracks[1].device, before.tracks[1].device);
  EXPECT_EQ(second.tracks[0].thread, before.tracks[0].thread);
}

}  // namespace
}  // namespace stepsim::ingest
