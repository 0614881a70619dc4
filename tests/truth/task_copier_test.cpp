// Copies every capture that is beside the checkout (docs/internals/test-data.md), task by task: the copy is the same
// job. Skipped if the captures are absent.

#include "model/rewrite/task_copier.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ingest/load/load.h"
#include "model/base/error.h"
#include "sim/engine/engine.h"
#include "sim/engine/machine.h"
#include "tests/source_folder.h"

namespace stepsim::task_copier_test {
namespace {

/// Returns a copy of all tasks and steps without the originals.
Capture copied(const Capture& capture) {
  CaptureEdit edit(capture);
  TaskCopier copier(capture, edit);
  const std::size_t steps = capture.recording.steps.size();
  for (const RecordedStep& step : capture.recording.steps) (void)edit.add_step(step);
  const auto step_of = [steps](Rank, std::int32_t captured) {
    return captured < 0 ? captured : captured + static_cast<std::int32_t>(steps);
  };
  std::vector<TaskId> tasks;
  for (const TaskId task : capture.dag.tasks()) tasks.push_back(task);
  const TaskCopies copies = copier.copy(tasks, {.step_of = step_of});
  for (std::size_t i = steps; i < 2 * steps; ++i) {
    TaskId& first = edit.step(i).first;
    if (first.valid()) first = copies.at(first);
  }
  edit.remove_captured();
  return std::move(edit).finish();
}

template <class Table>
void expect_same_uses(const Table& copy, const Table& captured) {
  ASSERT_EQ(copy.uses.size(), captured.uses.size());
  for (std::size_t i = 0; i < copy.uses.size(); ++i) {
    EXPECT_EQ(copy.uses[i].task, captured.uses[i].task);
    EXPECT_EQ(copy.uses[i].which, captured.uses[i].which);
  }
}

void expect_same_dag(const Dag& copy, const Dag& captured) {
  ASSERT_EQ(copy.task_count(), captured.task_count());
  ASSERT_EQ(copy.edge_count(), captured.edge_count());
  for (const TaskId task : captured.tasks()) {
    EXPECT_EQ(copy.name(task), captured.name(task));
    EXPECT_EQ(copy.kind(task), captured.kind(task));
    EXPECT_EQ(copy.lane_id(task), captured.lane_id(task));
    EXPECT_EQ(copy.duration(task), captured.duration(task));
    EXPECT_EQ(copy.bytes(task), captured.bytes(task));
    EXPECT_EQ(copy.priority(task), captured.priority(task));
    EXPECT_EQ(copy.returns_credit_of(task), captured.returns_credit_of(task));
    EXPECT_EQ(copy.rendezvous(task).valid(), captured.rendezvous(task).valid());
    if (::testing::Test::HasFailure()) return;
  }
}

void expect_same_recording(const Recording& copy, const Recording& captured) {
  EXPECT_EQ(copy.start, captured.start);
  EXPECT_EQ(copy.finish, captured.finish);
  EXPECT_EQ(copy.step, captured.step);
  EXPECT_EQ(copy.events, captured.events);
  EXPECT_EQ(copy.origin, captured.origin);
  EXPECT_EQ(copy.ranks, captured.ranks);
  EXPECT_EQ(copy.silences, captured.silences);
  EXPECT_EQ(copy.inferred, captured.inferred);
  ASSERT_EQ(copy.steps.size(), captured.steps.size());
  for (std::size_t i = 0; i < copy.steps.size(); ++i) EXPECT_EQ(copy.steps[i].first, captured.steps[i].first);
  ASSERT_EQ(copy.unexplained.size(), captured.unexplained.size());
  for (std::size_t i = 0; i < copy.unexplained.size(); ++i) {
    EXPECT_EQ(copy.unexplained[i].task, captured.unexplained[i].task);
    EXPECT_EQ(copy.unexplained[i].wait, captured.unexplained[i].wait);
  }
}

void expect_same_job(const Capture& copy, const Capture& captured) {
  expect_same_dag(copy.dag, captured.dag);
  expect_same_recording(copy.recording, captured.recording);
  expect_same_uses(copy.operators, captured.operators);
  expect_same_uses(copy.launches, captured.launches);
  expect_same_uses(copy.annotations, captured.annotations);
  ASSERT_EQ(copy.gradients.size(), captured.gradients.size());
  for (std::size_t i = 0; i < copy.gradients.size(); ++i) {
    EXPECT_EQ(copy.gradients[i].ready, captured.gradients[i].ready);
    EXPECT_EQ(copy.gradients[i].bytes, captured.gradients[i].bytes);
  }
  const sim::Timeline timeline = sim::replay(copy.dag, sim::Machine::as_recorded(copy));
  const sim::Timeline expected = sim::replay(captured.dag, sim::Machine::as_recorded(captured));
  EXPECT_EQ(timeline.start, expected.start);
  EXPECT_EQ(timeline.finish, expected.finish);
}

/// Returns the job in a file or folder; nothing if it holds none, or several that do not belong together.
std::optional<Capture> job_in(const std::filesystem::path& path) {
  try {
    return ingest::load({path.string()}, {});
  } catch (const InputError&) {
    return std::nullopt;
  }
}

TEST(TaskCopierTest, ACopyOfEveryCaptureIsTheSameJob) {
  if (!std::filesystem::exists(shared_folder())) GTEST_SKIP() << shared_folder() << " is absent";
  std::vector<std::filesystem::path> kinds;
  for (const char* const name : {"traces", "findings"}) {
    for (const auto& kind : std::filesystem::directory_iterator(shared_folder() / name)) {
      if (kind.is_directory()) kinds.push_back(kind.path());
    }
  }
  std::size_t jobs = 0;
  for (const std::filesystem::path& kind : kinds) {
    for (const auto& path : std::filesystem::directory_iterator(kind)) {
      const std::optional<Capture> captured = job_in(path.path());
      if (!captured) continue;
      SCOPED_TRACE(path.path().string());
      expect_same_job(copied(*captured), *captured);
      ++jobs;
    }
  }
  EXPECT_GE(jobs, 60U) << "most files and folders of traces/ and findings/ hold a job";
  RecordProperty("jobs", static_cast<int>(jobs));
}

}  // namespace
}  // namespace stepsim::task_copier_test
