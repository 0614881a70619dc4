#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "model/rewrite/data_parallel.h"
#include "model/rewrite/overlap.h"
#include "sim/engine/engine.h"
#include "tests/model/rewrite/data_parallel_job.h"
#include "tests/property/random_dag.h"

namespace stepsim::sim {
namespace {

using stepsim::testing::DataParallelJob;
using stepsim::testing::tasks_named;
using stepsim::testing::test_seed;

constexpr int kJobs = 300;

/// Returns a job whose communication threads are sometimes slow to wake up, like threads on a busy host. Its other work
/// takes a random part of its recorded time, possibly none.
Capture job_on_busy_hosts(std::mt19937& generator) {
  const auto up_to = [&generator](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>{0, most}(generator);
  };
  DataParallelJob job{.ranks = 2 + static_cast<std::size_t>(up_to(1)), .steps = 2};
  job.gradients.assign(static_cast<std::size_t>(4 + up_to(8)), Bytes{2'000'000});
  CaptureEdit edit(job.capture());
  DagBuilder& builder = edit.builder();
  for (DagBuilder::Edge& edge : builder.edges()) {
    if (edge.kind == EdgeKind::kHandOff && builder.rendezvous(edge.to).valid() && up_to(2) == 0)
      edge.lag = Duration{up_to(40'000'000)};
  }
  const std::int64_t percent = std::max<std::int64_t>(0, up_to(150) - 50);
  for (std::size_t i = 0; i < builder.task_count(); ++i) {
    const TaskId task{i};
    if (!builder.rendezvous(task).valid()) builder.set_duration(task, builder.task(task).duration * percent / 100);
  }
  return under_models(std::move(edit).finish());
}

/// Expects that each rank's all-reduces begin in the order of the rendezvous, which is the order of submission.
void expect_order_of_submission(const Dag& dag, const Timeline& timeline) {
  std::vector<TaskId> members = tasks_named(dag, "gloo:all_reduce");
  std::sort(members.begin(), members.end(), [&](TaskId a, TaskId b) {
    return std::pair{dag.lane_id(a), dag.rendezvous(a)} < std::pair{dag.lane_id(b), dag.rendezvous(b)};
  });
  for (std::size_t i = 1; i < members.size(); ++i) {
    if (dag.lane_id(members[i - 1]) != dag.lane_id(members[i])) continue;
    EXPECT_LE(timeline.start[members[i - 1].index()], timeline.start[members[i].index()]) << "all-reduce " << i;
  }
}

TEST(CollectivePoolPropertyTest, NoCollectiveOvertakesAnotherAndEveryJobEnds) {
  std::mt19937 generator{test_seed()};
  for (int i = 0; i < kJobs; ++i) {
    SCOPED_TRACE("job " + std::to_string(i) + ", STEPSIM_TEST_SEED=" + std::to_string(test_seed()));
    const Capture job = job_on_busy_hosts(generator);
    const Capture in_turn = with_collectives_in_turn(job);
    for (const Capture* const one : {&job, &in_turn}) {
      Timeline timeline;
      ASSERT_NO_THROW(timeline = replay(one->dag, Machine::as_recorded(*one)));
      expect_order_of_submission(one->dag, timeline);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace stepsim::sim
