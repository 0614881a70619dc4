#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/rewrite/capture_edit.h"
#include "scenarios/change/graph_edits.h"
#include "scenarios/change/plan.h"
#include "scenarios/change/what_if.h"

// What-if `fuse`: fuses consecutive kernels of a stream into one. The fused kernel takes as long as its kernels did
// together, with one launch and without the pauses between them. Kernels are not fused across any dependency other than
// those of the stream and of launches, so that no task is reordered.

namespace stepsim::scenarios {
namespace {

constexpr std::uint32_t kMostFused = 1'000'000'000;
constexpr std::array kFuseParameters{
    Parameter{"most", value::count_from(1, kMostFused), "most kernels to fuse into one (default: no limit)", "1"},
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
  std::uint32_t most = kMostFused;
  change.read("most", most);
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
