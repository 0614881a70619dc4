// Tests that a faster data loader never makes a step longer.

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>

#include "model/job/dag_builder.h"
#include "sim/engine/engine.h"
#include "sim/engine/machine.h"
#include "tests/property/random_dag.h"
#include "tests/scenarios/question.h"

namespace stepsim::testing {
namespace {

/// Returns a capture of a thread that alternately works and waits for data, and launches work on a stream. All
/// durations are random.
Capture random_loading(std::mt19937& generator) {
  const auto up_to = [&](int most) { return std::uniform_int_distribution<int>(0, most)(generator); };
  DagBuilder builder;
  const LaneId thread = builder.add_lane({.name = "thread 1"});
  const LaneId stream = builder.add_lane({.name = "stream 7", .kind = LaneKind::kStream, .device = 0});
  const NameId name = builder.intern("task");
  TaskId last;
  TaskId kernel;
  const auto add = [&](TaskKind kind, LaneId lane, TaskId before, EdgeKind edge) {
    const TaskId task = builder.add_task({.kind = kind, .name = name, .lane = lane, .duration = Duration{up_to(2000)}});
    if (before.valid()) builder.add_edge(before, task, edge);
    return task;
  };
  last = add(TaskKind::kLoader, thread, last, EdgeKind::kProgram);
  for (int i = up_to(30); i >= 0; --i) {
    last = add(up_to(2) == 0 ? TaskKind::kLoader : TaskKind::kHost, thread, last, EdgeKind::kProgram);
    if (up_to(2) > 0) continue;
    const TaskId before = std::exchange(kernel, add(TaskKind::kKernel, stream, last, EdgeKind::kLaunch));
    if (before.valid()) builder.add_edge(before, kernel, EdgeKind::kStream);
  }
  Capture capture;
  capture.dag = std::move(builder).build().dag;
  const sim::Timeline timeline = sim::replay(capture.dag, sim::Machine::as_recorded(capture));
  capture.recording.start = timeline.start;
  capture.recording.finish = timeline.finish;
  capture.recording.step.assign(capture.dag.task_count(), -1);
  capture.recording.ranks = {0};
  return capture;
}

TEST(LoaderPropertyTest, AFasterLoaderIsNeverSlowerAndTheCapturedOneIsTheCapturedOne) {
  std::mt19937 generator(test_seed());
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE("seed " + std::to_string(test_seed()) + ", job " + std::to_string(i));
    const Question question(random_loading(generator));
    const Duration before = question.iteration();
    EXPECT_EQ(question.iteration({"loader.scale=1"}), before);
    EXPECT_EQ(question.iteration({"loader.workers=1x"}), before);
    const Duration none = question.iteration({"loader.scale=0"});
    Duration longest = none;
    for (const char* const scale : {"0.1", "0.5", "1", "2"}) {
      const Duration now = question.iteration({std::string("loader.scale=") + scale});
      EXPECT_GE(now, longest) << scale;
      longest = now;
    }
    longest = none;
    for (const char* const workers : {"1000x", "8x", "2x", "1.5x", "1x", "0.5x"}) {
      const Duration now = question.iteration({std::string("loader.workers=") + workers});
      EXPECT_GE(now, longest) << workers;
      longest = now;
    }
  }
}

}  // namespace
}  // namespace stepsim::testing
