#include "model/rewrite/capture_edit.h"

#include <gtest/gtest.h>

#include <string>
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
  capture.recording.inferred = {{TaskId{1U}, removed}, {silent, TaskId{1U}}};
  const auto silent_name = std::string(name_of(capture, silent));
  const auto before_name = std::string(name_of(capture, TaskId{1U}));

  CaptureEdit edit(capture);
  edit.remove(removed);
  const Capture edited = std::move(edit).finish();

  ASSERT_EQ(edited.recording.silences.size(), 1U);
  EXPECT_EQ(name_of(edited, edited.recording.silences.front()), silent_name);
  ASSERT_EQ(edited.recording.inferred.size(), 1U);
  EXPECT_EQ(name_of(edited, edited.recording.inferred.front().after), silent_name);
  EXPECT_EQ(name_of(edited, edited.recording.inferred.front().before), before_name);
}

}  // namespace
}  // namespace stepsim::testing
