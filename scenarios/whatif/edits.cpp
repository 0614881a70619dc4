#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "model/rewrite/capture_edit.h"
#include "scenarios/change/graph_edits.h"
#include "scenarios/change/what_if.h"

// What-if `remove`: removes tasks. Tasks that waited for a removed task wait for its predecessors instead. Removing the
// tasks that an optimisation would improve gives a bound on what the optimisation can save.

namespace stepsim::scenarios {
namespace {

constexpr std::array kRemoveParameters{
    Parameter{"share", "a number from 0 to 1", "share of the selected tasks to remove, spread evenly (default: all)",
              "0"},
};

/// Returns a share of `tasks`, from 0 to 1, evenly distributed over their order.
std::vector<TaskId> spread(const std::vector<TaskId>& tasks, double share) {
  std::vector<TaskId> chosen;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (std::floor(static_cast<double>(i + 1) * share) > std::floor(static_cast<double>(i) * share))
      chosen.push_back(tasks[i]);
  }
  return chosen;
}

void apply_remove(const Change& change, Plan& plan) {
  const YamlField* const value = change.find("share");
  const double share = value == nullptr ? 1 : value->number(0, 1);
  if (share == 0) return;
  if (change.selector().is_all()) {
    change.place().fail(
        "'remove' without a selection would remove everything; expected a selection such as {select: {name: "
        "\"Memcpy.*\"}}");
  }
  plan.add_edit(change, [selector = change.selector(), share](const Capture& capture) {
    return without(capture, spread(selector.select(capture), share));
  });
}

}  // namespace

extern const WhatIf remove_what_if{
    .name = "remove",
    .summary = "Remove tasks: what waited for them then waits for what they waited for",
    .ignores = "that the job may need the removed work",
    .parameters = kRemoveParameters,
    .selected = selected_by<selected_tasks>,
    .apply = apply_remove,
};

// What-if `insert`: adds a task before or after each selected task.

namespace {

constexpr std::array kInsertParameters{
    Parameter{"duration", "a time such as 100us", "of each inserted task", "0us"},
    Parameter{"place", "before or after", "the selected task", "after"},
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
  const YamlField* const value = change.find("duration");
  const YamlField* const place = change.find("place");
  const Duration duration = value == nullptr ? Duration{} : value->duration();
  const bool before = place != nullptr && place->one_of_words({"before", "after"}) == 0;
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

// What-if `fuse`: fuses consecutive kernels of a stream into one. The fused kernel takes as long as its kernels did
// together, with one launch and without the pauses between them. Kernels are not fused across any dependency other than
// those of the stream and of launches, so that no task is reordered.

namespace {

constexpr std::uint32_t kMostFused = 1'000'000'000;
constexpr std::array kFuseParameters{
    Parameter{"most", "a whole number from 1", "most kernels to fuse into one (default: no limit)", "1"},
};

class Fusion {
 public:
  Fusion(const Capture& capture, const std::vector<TaskId>& selected, std::uint32_t most)
      : dag_(capture.dag),
        edit_(capture),
        begun_(steps_begun(capture)),
        step_(capture.recording.step),
        fusible_(dag_.task_count(), false),
        launch_(dag_.task_count()),
        waits_(dag_.task_count(), 0),
        into_(dag_.task_count()),
        most_(most) {
    for (const TaskId task : selected)
      fusible_[task.index()] = dag_.kind(task) == TaskKind::kKernel && !dag_.rendezvous(task).valid();
    find_launches();
  }

  Capture run() && {
    std::vector<std::uint32_t> size(dag_.task_count(), 1);
    for (const TaskId task : dag_.tasks()) {
      const TaskId next = only_next(task);
      if (!next.valid()) continue;
      const TaskId first = into_[task.index()].valid() ? into_[task.index()] : task;
      if (size[first.index()] >= most_) continue;
      ++size[first.index()];
      fuse(next, first);
    }
    redirect();
    return std::move(edit_).finish();
  }

 private:
  /// Finds the call that launches each task. Also counts how many tasks each task waits for, apart from this call and
  /// the previous task of its stream.
  void find_launches() {
    for (const DagBuilder::Edge& edge : edit_.builder().edges()) {
      const bool launch = edge.kind == EdgeKind::kLaunch;
      const bool stream = edge.kind == EdgeKind::kStream && dag_.lane_id(edge.from) == dag_.lane_id(edge.to);
      if (launch) launch_[edge.to.index()] = edge.from;
      waits_[edge.to.index()] += stream || launch ? 0U : 1U;
    }
  }

  /// Returns the only task that waits for `task`, if the two can be fused; otherwise an invalid id.
  [[nodiscard]] TaskId only_next(TaskId task) const {
    const auto after = dag_.successors(task);
    if (!fusible_[task.index()] || after.size() != 1) return {};
    const TaskId next = after.front();
    const bool same = dag_.lane_id(next) == dag_.lane_id(task) && fusible_[next.index()] && begun_[next.index()] < 0 &&
                      (step_.empty() || step_[task.index()] == step_[next.index()]);
    return same && waits_[next.index()] == 0 ? next : TaskId{};
  }

  void fuse(TaskId next, TaskId first) {
    DagBuilder& builder = edit_.builder();
    into_[next.index()] = first;
    builder.set_duration(first, builder.task(first).duration + builder.task(next).duration);
    if (const TaskId call = launch_[next.index()]; call.valid()) builder.set_duration(call, {});
    edit_.remove(next);
  }

  /// Redirects dependencies: if a task waited for a kernel that is now part of a fused kernel, the task now waits for
  /// the fused kernel.
  void redirect() {
    for (DagBuilder::Edge& edge : edit_.builder().edges()) {
      if (into_[edge.from.index()].valid() && into_[edge.to.index()] != into_[edge.from.index()])
        edge.from = into_[edge.from.index()];
    }
  }

  const Dag& dag_;
  CaptureEdit edit_;
  std::vector<std::int32_t> begun_;
  const std::vector<std::int32_t>& step_;
  std::vector<bool> fusible_;
  std::vector<TaskId> launch_;
  std::vector<std::uint32_t> waits_;
  std::vector<TaskId> into_;  ///< for each fused task, the first kernel of its run
  std::uint32_t most_;
};

void apply_fuse(const Change& change, Plan& plan) {
  const YamlField* const value = change.find("most");
  const std::uint32_t most = value == nullptr ? kMostFused : value->count(1, kMostFused);
  if (most == 1) return;
  plan.add_edit(change, [selector = change.selector(), most](const Capture& capture) {
    return Fusion(capture, selector.select(capture), most).run();
  });
}

}  // namespace

extern const WhatIf fuse_what_if{
    .name = "fuse",
    .summary = "Fuse consecutive kernels of a stream: saves launches and the gaps between kernels",
    .ignores = "memory traffic that the fused kernels no longer need",
    .parameters = kFuseParameters,
    .selected = selected_by<selected_tasks>,
    .apply = apply_fuse,
};

}  // namespace stepsim::scenarios
