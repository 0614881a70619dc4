// Tests the longest paths of single GPUs and workers against closed forms.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "sim/analysis/longest_path.h"
#include "sim/engine/engine.h"
#include "sim/report/path_sections.h"
#include "tests/sim/dag_maker.h"

namespace stepsim::sim {
namespace {

using stepsim::testing::DagMaker;
using ::testing::ElementsAre;

/// A job of ranks that each compute, take part in one collective, and compute again. Rank r computes for before[r] ns.
/// The collective takes `transfer` ns from the last arrival on. Then rank r computes for after[r] ns.
struct Job {
  Job(const std::vector<std::int64_t>& before, const std::vector<std::int64_t>& after, std::int64_t transfer)
      : ranks(before.size()) {
    std::vector<TaskId> members;
    for (std::size_t r = 0; r < ranks; ++r) {
      const LaneId lane = maker.lane(static_cast<Rank>(r));
      const TaskId first = maker.task(lane, before[r]);
      members.push_back(maker.task(lane, transfer, {first}, "reduce", TaskKind::kCollective));
      tasks.insert(tasks.end(), {first, members.back(), maker.task(lane, after[r], {members.back()})});
    }
    const RendezvousId rendezvous = maker.builder.add_rendezvous();
    for (const TaskId member : members) maker.builder.join(rendezvous, member);
    dag = maker.build();
    timeline = replay(dag, Machine(dag));
  }

  /// Returns the length of the longest path of each set of ranks. Rank r belongs to the set sets[r].
  [[nodiscard]] std::vector<Duration> lengths(const std::vector<std::int32_t>& sets) const {
    TaskSets of(dag.task_count());
    for (std::size_t i = 0; i < tasks.size(); ++i) of[maker.new_id(tasks[i]).index()] = sets[i / 3];
    std::vector<Duration> result;
    const std::int32_t count = *std::max_element(sets.begin(), sets.end()) + 1;
    for (const CriticalPath& path : longest_paths(dag, timeline, of, static_cast<std::size_t>(count)))
      result.push_back(path.length);
    return result;
  }

  std::size_t ranks;
  DagMaker maker;
  std::vector<TaskId> tasks;
  Dag dag;
  Timeline timeline;
};

TEST(PartPathsTheoryTest, GpuAloneTakesTheSumOfWhatItDoesAndAWorkerTheSlowestWayThroughItsGpus) {
  // A rank alone takes before + transfer + after. Several ranks together take max(before) + transfer + max(after).
  const Job job({10, 40, 25}, {7, 1, 9}, 5);
  EXPECT_THAT(job.lengths({0, 1, 2}), ElementsAre(Duration{22}, Duration{46}, Duration{39}));
  EXPECT_THAT(job.lengths({0, 0, 1}), ElementsAre(Duration{40 + 5 + 7}, Duration{39}));
  EXPECT_THAT(job.lengths({0, 0, 0}), ElementsAre(Duration{40 + 5 + 9}));
  EXPECT_EQ(*std::max_element(job.timeline.finish.begin(), job.timeline.finish.end()), Time{Duration{54}});
}

TEST(PartPathsTheoryTest, PathIsNeverLongerThanThatOfALargerSet) {
  for (std::int64_t seed = 1; seed < 40; ++seed) {
    const Job job({seed * 7 % 11, seed * 5 % 13, seed * 3 % 17}, {seed % 5, seed * 2 % 7, seed * 11 % 3}, seed % 4);
    const auto alone = job.lengths({0, 1, 2});
    const auto pairs = job.lengths({0, 0, 1});
    EXPECT_GE(pairs[0], std::max(alone[0], alone[1]));
    EXPECT_GE(job.lengths({0, 0, 0})[0], std::max(pairs[0], pairs[1]));
  }
}

TEST(PartPathsTheoryTest, EachOfThousandsOfGpusAloneTakesTheSumOfItsTasks) {
  // Each of 6,000 GPUs alone takes 1 + 5 + 2 ns. bench/growth_bench.cpp measures how the time grows.
  constexpr std::size_t kRanks = 6'000;
  const Job job(std::vector<std::int64_t>(kRanks, 1), std::vector<std::int64_t>(kRanks, 2), 5);
  std::vector<std::int32_t> sets(kRanks);
  std::iota(sets.begin(), sets.end(), 0);
  const std::vector<Duration> lengths = job.lengths(sets);
  EXPECT_EQ(std::count(lengths.begin(), lengths.end(), Duration{8}), kRanks);
}

TEST(PartPathsTheoryTest, PathLeadsThroughAServerAndBackIntoItsOwnSet) {
  // Rank 0 computes for 10 ns, pushes for 20, waits for the server's sum of 3 and pulls for 30. With two lags of 1 ns
  // this is 10 + 20 + 1 + 3 + 1 + 30 = 65 ns. Rank 1's push to the same server delays rank 0 in the job, but not on
  // rank 0's own path.
  DagMaker maker;
  const LaneId mine = maker.lane(0);
  const LaneId other = maker.lane(1);
  const LaneId server = maker.lane(0);
  const TaskId compute = maker.task(mine, 10);
  const TaskId push = maker.task(mine, 20, {compute}, "push", TaskKind::kTransfer);
  const TaskId late = maker.task(other, 500, {}, "late push", TaskKind::kTransfer);
  const TaskId sum = maker.task(server, 3, {late}, "sum", TaskKind::kServer);
  const TaskId pull = maker.task(mine, 30, {}, "pull", TaskKind::kTransfer);
  maker.builder.add_edge(push, sum, EdgeKind::kCrossRank, Duration{1});
  maker.builder.add_edge(sum, pull, EdgeKind::kCrossRank, Duration{1});
  const Dag dag = maker.build();
  const Timeline timeline = replay(dag, Machine(dag));
  TaskSets sets(dag.task_count(), 0);
  sets[maker.new_id(late).index()] = 1;
  sets[maker.new_id(sum).index()] = kServesAll;
  const std::vector<CriticalPath> paths = longest_paths(dag, timeline, sets, 2);
  EXPECT_EQ(paths[0].length, Duration{65});
  EXPECT_EQ(paths[0][PathClass::kWait], Duration{5});
  EXPECT_EQ(paths[0][PathClass::kCommunication], Duration{50});
  ASSERT_EQ(paths[0].tasks.size(), 3U);
  EXPECT_EQ(released_by_text(dag, paths[0].tasks[2]), "sum (cross-rank)");
  EXPECT_EQ(paths[1].length, Duration{500});
}

TEST(PartPathsTheoryTest, QueueHoldsTheTasksOfASetInTheOrderOfTheReplay) {
  // Three messages of 5 ns are ready at 1, 2 and 3 ns and run one after the other.
  DagMaker maker;
  const LaneId host = maker.lane(0);
  const LaneId link = maker.lane(0, LaneOrder::kFifo);
  TaskId before = maker.task(host, 1);
  for (int i = 0; i < 3; ++i) {
    (void)maker.task(link, 5, {before}, "", TaskKind::kTransfer);
    before = maker.task(host, 1, {before});
  }
  const Dag dag = maker.build();
  const Timeline timeline = replay(dag, Machine(dag));
  const std::vector<CriticalPath> paths = longest_paths(dag, timeline, TaskSets(dag.task_count(), 0), 1);
  EXPECT_EQ(paths[0].length, Duration{1 + 3 * 5});
  EXPECT_EQ(paths[0].length, critical_path(dag, Machine(dag), timeline, paths[0].tasks.back().task).length);
  EXPECT_EQ(paths[0].tasks[2].release.by(), Release::By::kLane);
}

TEST(PartPathsTheoryTest, SetWithoutTasksHasAnEmptyPath) {
  const Job job({1, 2}, {3, 4}, 5);
  const auto lengths = job.lengths({0, 2});
  EXPECT_THAT(lengths, ElementsAre(Duration{9}, Duration{0}, Duration{11}));
}

}  // namespace
}  // namespace stepsim::sim
