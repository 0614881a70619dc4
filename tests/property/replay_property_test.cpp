#include <gtest/gtest.h>

#include <optional>

#include "sim/engine/engine.h"
#include "tests/property/random_dag.h"
#include "tests/property/reference_engine.h"

namespace stepsim::sim::replay_property_test {
namespace {

using stepsim::testing::random_dag;
using stepsim::testing::random_machine;
using stepsim::testing::RandomDagShape;
using stepsim::testing::reference_replay;
using stepsim::testing::test_seed;

constexpr int kGraphs = 300;

std::optional<Timeline> replay_or_deadlock(const Dag& dag, const Machine& machine, const EngineOptions& options = {}) {
  try {
    return replay(dag, machine, options);
  } catch (const DeadlockError&) {
    return std::nullopt;
  }
}

void expect_equal(const Timeline& actual, const Timeline& expected) {
  EXPECT_EQ(actual.start, expected.start);
  EXPECT_EQ(actual.finish, expected.finish);
  EXPECT_EQ(actual.last_arrival, expected.last_arrival);
  ASSERT_EQ(actual.released_by.size(), expected.released_by.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(actual.released_by[i].by(), expected.released_by[i].by()) << "task " << i;
    EXPECT_EQ(actual.released_by[i].task(), expected.released_by[i].task()) << "task " << i;
  }
}

void expect_equal_to_reference(const RandomDagShape& shape) {
  std::mt19937 generator{test_seed()};
  int deadlocks = 0;
  for (int i = 0; i < kGraphs; ++i) {
    SCOPED_TRACE("graph " + std::to_string(i) + ", STEPSIM_TEST_SEED=" + std::to_string(test_seed()));
    const Dag dag = random_dag(generator, shape);
    const Machine machine = random_machine(generator, dag);
    const std::optional<Timeline> actual = replay_or_deadlock(dag, machine);
    const std::optional<Timeline> expected = reference_replay(dag, machine);
    ASSERT_EQ(actual.has_value(), expected.has_value());
    deadlocks += actual ? 0 : 1;
    if (actual) expect_equal(*actual, *expected);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_LT(deadlocks, kGraphs / 4) << "most graphs must say something about times";
}

TEST(ReplayPropertyTest, EqualsTheBruteForceReference) { expect_equal_to_reference({}); }

TEST(ReplayPropertyTest, EqualsTheBruteForceReferenceWithPrioritiesPoolsAndCredit) {
  expect_equal_to_reference({.all_queues = true});
  expect_equal_to_reference({.all_queues = true, .rendezvous = false});
}

TEST(ReplayPropertyTest, ThreadCountNeverChangesTheTimeline) {
  std::mt19937 generator{test_seed()};
  for (int i = 0; i < kGraphs; ++i) {
    SCOPED_TRACE("graph " + std::to_string(i) + ", STEPSIM_TEST_SEED=" + std::to_string(test_seed()));
    // The engine splits a replay by rank only if there are no FIFO lanes, so both kinds of graphs are tested.
    const Dag dag = random_dag(generator, {.most_tasks = 200, .fifo_lanes = i % 2 == 0, .all_queues = i % 4 == 0});
    const std::optional<Timeline> serial = replay_or_deadlock(dag, Machine{dag});
    for (const int threads : {2, 3, 7, 16}) {
      const std::optional<Timeline> threaded =
          replay_or_deadlock(dag, Machine{dag}, {.threads = threads, .grain = {.tasks = 0, .round = 0}});
      ASSERT_EQ(threaded.has_value(), serial.has_value());
      if (serial) expect_equal(*threaded, *serial);
    }
    if (HasFailure()) return;
  }
}

TEST(ReplayPropertyTest, DoublingEveryDurationLagAndOriginDoublesEveryTime) {
  for (std::uint32_t i = 0; i < kGraphs; ++i) {
    SCOPED_TRACE("STEPSIM_TEST_SEED=" + std::to_string(test_seed()) + " + " + std::to_string(i));
    std::mt19937 generator{test_seed() + i};
    std::mt19937 same_generator{test_seed() + i};
    RandomDagShape shape{.all_queues = i % 2 == 0};
    const Dag dag = random_dag(generator, shape);
    shape.scale = 2;
    const Dag doubled_dag = random_dag(same_generator, shape);
    const std::optional<Timeline> once = replay_or_deadlock(dag, random_machine(generator, dag));
    const std::optional<Timeline> doubled =
        replay_or_deadlock(doubled_dag, random_machine(same_generator, doubled_dag, 2));
    ASSERT_EQ(once.has_value(), doubled.has_value());
    if (!once) continue;
    for (std::size_t task = 0; task < once->size(); ++task) {
      EXPECT_EQ(doubled->start[task].time_since_epoch(), 2 * once->start[task].time_since_epoch());
      EXPECT_EQ(doubled->finish[task].time_since_epoch(), 2 * once->finish[task].time_since_epoch());
    }
    if (HasFailure()) return;
  }
}

TEST(ReplayPropertyTest, NothingStartsBeforeWhatItWaitsForEnds) {
  std::mt19937 generator{test_seed()};
  for (int i = 0; i < kGraphs; ++i) {
    const Dag dag = random_dag(generator, {.most_tasks = 300, .all_queues = i % 2 == 0});
    const std::optional<Timeline> timeline = replay_or_deadlock(dag, Machine{dag});
    if (!timeline) continue;
    for (std::size_t task = 0; task < dag.task_count(); ++task) {
      for (std::size_t e = dag.first_edge(TaskId{task}).index(); e < dag.first_edge(TaskId{task + 1}).index(); ++e) {
        EXPECT_GE(timeline->start[dag.target(EdgeId{e}).index()], timeline->finish[task] + dag.lag(EdgeId{e}))
            << "STEPSIM_TEST_SEED=" << test_seed() << ", graph " << i;
      }
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace stepsim::sim::replay_property_test
