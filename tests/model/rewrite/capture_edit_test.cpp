#include "model/rewrite/capture_edit.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "tests/model/rewrite/data_parallel_job.h"

namespace stepsim::testing {
namespace {

TEST(CaptureEditTest, ListsOfTasksFollowTheTasks) {
  Capture capture = DataParallelJob{}.capture();
  const std::size_t last = capture.dag.task_count() - 1;
  const auto name_of = [](const Capture& of, TaskId task) { return of.dag.name(task); };
  const TaskId removed{0U};
  const TaskId silent{last};
  capture.recording.silences = {removed, silent};
  capture.recording.pauses = {{removed, Duration{1}}, {silent, Duration{2}}};
  capture.recording.inferred = {{TaskId{1U}, removed}, {silent, TaskId{1U}}};
  const auto silent_name = std::string(name_of(capture, silent));
  const auto before_name = std::string(name_of(capture, TaskId{1U}));

  CaptureEdit edit(capture);
  edit.remove(removed);
  const Capture edited = std::move(edit).finish();

  ASSERT_EQ(edited.recording.silences.size(), 1U);
  EXPECT_EQ(name_of(edited, edited.recording.silences.front()), silent_name);
  ASSERT_EQ(edited.recording.pauses.size(), 1U);
  EXPECT_EQ(name_of(edited, edited.recording.pauses.front().task), silent_name);
  EXPECT_EQ(edited.recording.pauses.front().excess, Duration{2});
  ASSERT_EQ(edited.recording.inferred.size(), 1U);
  EXPECT_EQ(name_of(edited, edited.recording.inferred.front().after), silent_name);
  EXPECT_EQ(name_of(edited, edited.recording.inferred.front().before), before_name);
}

/// Returns the lag of the only edge out of a task.
Duration lag_after(const Capture& capture, std::string_view name) {
  for (const TaskId task : capture.dag.tasks()) {
    if (capture.dag.name(task) == name) return capture.dag.lag(capture.dag.first_edge(task));
  }
  ADD_FAILURE() << "no task " << name;
  return {};
}

TEST(CaptureEditTest, AnUnexplainedWaitLeavesTheEdgeThatReleasedTheTask) {
  DagBuilder builder;
  const LaneId lane = builder.add_lane({.name = "lane"});
  const auto add = [&](std::string_view name, std::int64_t begin, std::int64_t length) {
    return builder.add_task(
        {.name = builder.intern(name), .lane = lane, .duration = Duration{length}, .hint = Time{Duration{begin}}});
  };
  const TaskId early = add("early", 0, 5);
  const TaskId late = add("late", 0, 10);
  const TaskId waiting = add("waiting", 22, 1);  // 12 ns after the end of "late": 4 of its launch, 8 unexplained
  builder.add_edge(early, waiting, EdgeKind::kSync, Duration{3});
  builder.add_edge(late, waiting, EdgeKind::kLaunch, Duration{12});
  Capture capture;
  DagBuilder::Result built = std::move(builder).build();
  capture.dag = std::move(built.dag);
  capture.recording.start.resize(3);
  capture.recording.finish.resize(3);
  capture.recording.step.assign(3, -1);
  const auto record = [&](TaskId task, std::int64_t begin, std::int64_t end) {
    const std::size_t at = built.new_id[task.index()].index();
    capture.recording.start[at] = Time{Duration{begin}};
    capture.recording.finish[at] = Time{Duration{end}};
  };
  record(early, 0, 5);
  record(late, 0, 10);
  record(waiting, 22, 23);
  capture.recording.unexplained = {{built.new_id[waiting.index()], Duration{8}, "device"}};
  const Capture explained = without_unexplained_waits(capture);
  EXPECT_EQ(lag_after(explained, "late"), Duration{4});
  EXPECT_EQ(lag_after(explained, "early"), Duration{3});
  EXPECT_TRUE(explained.recording.unexplained.empty());
}

}  // namespace
}  // namespace stepsim::testing
