#include "sim/analysis/inserted_period.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "model/job/dag_builder.h"
#include "sim/engine/engine.h"
#include "sim/engine/machine.h"

namespace stepsim::sim {
namespace {

/// A thread launches kernels on a stream, one in each round, after a first kernel and before a last one.
struct Job {
  int rounds = 1;
  Duration call{};
  Duration kernel{};
  Duration first_kernel{};
  Duration last_call{};

  [[nodiscard]] Dag dag() const {
    DagBuilder builder;
    const LaneId thread = builder.add_lane({.name = "thread"});
    const LaneId stream = builder.add_lane({.name = "stream", .kind = LaneKind::kStream});
    TaskId called;
    TaskId computed;
    const auto launch = [&](const char* name, Duration of_call, Duration of_kernel) {
      const TaskId call_task = builder.add_task(
          {.kind = TaskKind::kRuntime, .name = builder.intern(name), .lane = thread, .duration = of_call});
      const TaskId kernel_task = builder.add_task(
          {.kind = TaskKind::kKernel, .name = builder.intern(name), .lane = stream, .duration = of_kernel});
      builder.add_edge(call_task, kernel_task, EdgeKind::kLaunch);
      if (called.valid()) builder.add_edge(called, call_task, EdgeKind::kProgram);
      if (computed.valid()) builder.add_edge(computed, kernel_task, EdgeKind::kStream);
      called = call_task;
      computed = kernel_task;
    };
    launch("first", Duration{1}, first_kernel);
    for (int round = 0; round < rounds; ++round) launch("round", call, kernel);
    launch("last", last_call, Duration{7});
    return std::move(builder).build().dag;
  }
};

struct Replayed {
  explicit Replayed(const Job& job) : dag(job.dag()), timeline(replay(dag, Machine{dag})) {}

  [[nodiscard]] Duration length() const {
    return *std::max_element(timeline.finish.begin(), timeline.finish.end()) - Time{};
  }
  Dag dag;
  Timeline timeline;
};

std::optional<Duration> period_of(Job job, int more) {
  const Replayed before(job);
  job.rounds += more;
  const Replayed after(job);
  return inserted_period(before.dag, before.timeline, after.dag, after.timeline);
}

TEST(InsertedPeriodTest, SlowerOfThreadAndStreamSetsIt) {
  EXPECT_EQ(period_of({.rounds = 8, .call = Duration{10}, .kernel = Duration{25}}, 1), Duration{25});
  EXPECT_EQ(period_of({.rounds = 8, .call = Duration{30}, .kernel = Duration{25}}, 1), Duration{30});
  EXPECT_EQ(period_of({.rounds = 8, .call = Duration{10}, .kernel = Duration{25}}, 2), Duration{50});
}

TEST(InsertedPeriodTest, JobsWithMoreRoundsTakeAsMuchLongerEach) {
  const Job job{.rounds = 8,
                .call = Duration{10},
                .kernel = Duration{25},
                .first_kernel = Duration{40},
                .last_call = Duration{9}};
  const Replayed short_job(job);
  const std::optional<Duration> period = period_of(job, 1);
  ASSERT_TRUE(period);
  for (const int rounds : {9, 20, 100}) {
    Job longer = job;
    longer.rounds = rounds;
    EXPECT_EQ(Replayed(longer).length(), short_job.length() + *period * (rounds - job.rounds)) << rounds;
  }
}

TEST(InsertedPeriodTest, StreamThatStillWorksOffWhatWasLaunchedBeforeHasNone) {
  // The thread needs longer than the stream, which a first long kernel keeps behind it for a hundred rounds.
  EXPECT_EQ(period_of({.rounds = 8, .call = Duration{30}, .kernel = Duration{25}, .first_kernel = Duration{500}}, 1),
            std::nullopt);
}

TEST(InsertedPeriodTest, LastWorkThatOvertakesTheStreamAfterMoreRoundsHasNone) {
  // The last call takes longer than the backlog of eight rounds, but with each further round the stream gains 15 ns.
  EXPECT_EQ(period_of({.rounds = 8, .call = Duration{10}, .kernel = Duration{25}, .last_call = Duration{5'000}}, 1),
            std::nullopt);
}

TEST(InsertedPeriodTest, TooFewRoundsToCompareHaveNone) {
  EXPECT_EQ(period_of({.rounds = 1, .call = Duration{10}, .kernel = Duration{25}}, 1), std::nullopt);
}

TEST(InsertedPeriodTest, JobWithLongerKernelsIsNoRepetition) {
  const Replayed before(Job{.rounds = 8, .call = Duration{10}, .kernel = Duration{25}});
  const Replayed after(Job{.rounds = 9, .call = Duration{10}, .kernel = Duration{26}});
  EXPECT_EQ(inserted_period(before.dag, before.timeline, after.dag, after.timeline), std::nullopt);
}

}  // namespace
}  // namespace stepsim::sim
