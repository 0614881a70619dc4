#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/rewrite/capture_edit.h"
#include "scenarios/change/graph_edits.h"
#include "scenarios/change/plan.h"
#include "scenarios/change/what_if.h"

// What-if `insert`: adds a task before or after each selected task.

namespace stepsim::scenarios {
namespace {

constexpr std::array kInsertParameters{
    Parameter{"duration", value::time("100us"), "of each inserted task", "0us"},
    Parameter{"place", value::one_of("before", "after"), "the selected task", "after"},
};

class Insertion {
 public:
  Insertion(const Capture& capture, const std::vector<TaskId>& tasks, Duration duration)
      : capture_(capture), edit_(capture), lanes_(edit_.builder()), added_(capture.dag.task_count()) {
    for (const TaskId task : tasks) added_[task.index()] = add_beside(task, duration);
  }

  Capture after() && {
    for (DagBuilder::Edge& edge : edit_.builder().edges()) {
      if (added_[edge.from.index()].valid()) edge.from = added_[edge.from.index()];
    }
    for (std::size_t i = 0; i < added_.size(); ++i) {
      if (added_[i].valid()) edit_.builder().add_edge(TaskId{i}, added_[i], EdgeKind::kProgram);
    }
    return std::move(edit_).finish();
  }

  Capture before() && {
    for (DagBuilder::Edge& edge : edit_.builder().edges()) {
      if (added_[edge.to.index()].valid()) edge.to = added_[edge.to.index()];
    }
    const std::vector<std::int32_t> begun = steps_begun(capture_);
    for (std::size_t i = 0; i < added_.size(); ++i) {
      if (!added_[i].valid()) continue;
      edit_.builder().add_edge(added_[i], TaskId{i}, EdgeKind::kProgram);
      if (begun[i] >= 0) edit_.step(static_cast<std::size_t>(begun[i])).first = added_[i];
    }
    return std::move(edit_).finish();
  }

 private:
  TaskId add_beside(TaskId task, Duration duration) {
    TaskSpec spec = edit_.builder().task(task);
    if (class_of(spec.kind) == TaskClass::kCommunication) spec.kind = TaskKind::kHost;
    spec.name = edit_.builder().intern("inserted");
    spec.lane = lanes_.beside(spec.lane);
    spec.duration = duration;
    spec.bytes = {};
    const auto& step = capture_.recording.step;
    return edit_.add_task(spec, step.empty() ? -1 : step[task.index()]);
  }

  const Capture& capture_;
  CaptureEdit edit_;
  SideLanes lanes_;
  std::vector<TaskId> added_;  ///< for each task, the one that was added next to it; usually invalid
};

void apply_insert(const Change& change, Plan& plan) {
  Duration duration{};
  change.read("duration", duration);
  const bool before = change.has_word("place", "before");
  if (duration == Duration{}) return;
  plan.add_edit(change, [selector = change.selector(), duration, before](const Capture& capture) {
    Insertion insertion(capture, selector.select(capture), duration);
    return before ? std::move(insertion).before() : std::move(insertion).after();
  });
}

}  // namespace

extern const WhatIf insert_what_if{
    .name = "insert",
    .summary = "Insert a task before or after each selected task",
    .ignores = "contention of the inserted tasks with others for cores, memory and bandwidth",
    .parameters = kInsertParameters,
    .selected = selected_by<selected_tasks>,
    .apply = apply_insert,
};

}  // namespace stepsim::scenarios
