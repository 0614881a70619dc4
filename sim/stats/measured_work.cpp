#include "sim/stats/measured_work.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "sim/report/critical_path.h"
#include "sim/report/rank_steps.h"

namespace stepsim::sim {
namespace {

WorkPart part_of(const Dag& dag, TaskId task) {
  if (dag.kind(task) == TaskKind::kMemset) return WorkPart::kCopy;
  switch (path_class_of(dag, task)) {
    case PathClass::kCompute: return WorkPart::kCompute;
    case PathClass::kCommunication: return WorkPart::kCommunication;
    case PathClass::kCopy: return WorkPart::kCopy;
    default: return WorkPart::kHost;
  }
}

std::string_view to_text(CallKind kind) noexcept {
  static constexpr std::array<std::string_view, 4> kTexts{"operator", "runtime", "annotation", "python"};
  return kTexts[static_cast<std::size_t>(kind)];
}

/// What a host thread does between two events, or in calls that TraceDetails has better.
bool is_host_segment(const Dag& dag, TaskId task) {
  const TaskKind kind = dag.kind(task);
  return dag.lane(task).kind == LaneKind::kThread &&
         (kind == TaskKind::kHost || kind == TaskKind::kRuntime || kind == TaskKind::kOperator);
}

/// No event of the trace, but an instant that stitching found.
bool is_added_instant(const Dag& dag, TaskId task, Duration length) {
  const TaskKind kind = dag.kind(task);
  return length == Duration{} &&
         (kind == TaskKind::kServer || (kind == TaskKind::kControl && dag.lane(task).kind == LaneKind::kThread &&
                                        dag.lane(task).name == "gathered"));
}

/// The end of a push as recorded: stitching cuts off the way back of the acknowledgement and makes it a task.
TaskId acknowledgement_of(const Dag& dag, TaskId task) {
  if (dag.kind(task) != TaskKind::kTransfer) return {};
  for (const TaskId next : dag.successors(task)) {
    if (dag.kind(next) == TaskKind::kControl && dag.lane(next).kind == LaneKind::kLink &&
        dag.name(next).ends_with(".ack"))
      return next;
  }
  return {};
}

/// When the steps of each rank begin and end.
class StepTimes {
 public:
  explicit StepTimes(const Recording& recording) {
    for (std::size_t i = 0; i < recording.steps.size(); ++i) {
      const RecordedStep& step = recording.steps[i];
      if (step.marked && step.first.valid() && !recording.start.empty())
        of_rank_[step.rank].push_back({recording.start[step.first.index()], static_cast<std::int32_t>(i)});
    }
    for (auto& [rank, steps] : of_rank_) std::sort(steps.begin(), steps.end());
  }

  /// The last step that began by then. What comes after a capture's last step counts as part of that.
  [[nodiscard]] std::int32_t at(Rank rank, Time time) const {
    const auto steps = of_rank_.find(rank);
    if (steps == of_rank_.end()) return -1;
    const auto after = std::upper_bound(steps->second.begin(), steps->second.end(), time,
                                        [](Time when, const auto& step) { return when < step.first; });
    return after == steps->second.begin() ? -1 : std::prev(after)->second;
  }

 private:
  std::map<Rank, std::vector<std::pair<Time, std::int32_t>>> of_rank_;
};

/// Whether some steps are asked for and others are not.
bool steps_are_chosen(const Recording& recording) {
  return std::any_of(recording.steps.begin(), recording.steps.end(),
                     [](const RecordedStep& step) { return !step.asked; });
}

class Collector {
 public:
  Collector(const Capture& capture, MeasuredWork& out)
      : capture_(capture), recording_(capture.recording), out_(out), chosen_(steps_are_chosen(recording_)) {}

  void add_tasks() {
    const Dag& dag = capture_.dag;
    std::set<Rank> with_calls;
    for (const TraceDetails::Thread& thread : out_.details.threads) with_calls.insert(thread.rank);
    std::vector<bool> skipped(dag.task_count());
    out_.pieces.reserve(dag.task_count());
    for (std::size_t i = 0; i < dag.task_count(); ++i) {
      const TaskId task{i};
      if (skipped[i] || (is_host_segment(dag, task) && with_calls.contains(dag.lane(task).rank))) continue;
      Piece piece{.index = static_cast<std::uint32_t>(i), .part = part_of(dag, task)};
      piece.length = out_.measured ? recording_.finish[i] - recording_.start[i] : dag.duration(task);
      if (out_.measured) piece.start = recording_.start[i];
      if (const TaskId rest = acknowledgement_of(dag, task); rest.valid() && out_.measured) {
        piece.length = recording_.finish[rest.index()] - piece.start;
        skipped[rest.index()] = true;
      }
      piece.self = piece.length;
      if (!is_added_instant(dag, task, piece.length)) add(piece);
    }
  }

  void add_calls() {
    const StepTimes steps(recording_);
    const TraceDetails& details = out_.details;
    out_.step_of_call.reserve(details.calls.size());
    for (std::size_t i = 0; i < details.calls.size(); ++i) {
      const TraceDetails::Call& call = details.calls[i];
      out_.step_of_call.push_back(steps.at(details.threads[call.thread].rank, call.start));
      if (call.kind == CallKind::kPython) continue;
      add({.start = call.start,
           .length = call.duration,
           .self = call.self,
           .index = static_cast<std::uint32_t>(i),
           .is_call = true,
           .part = WorkPart::kHost});
    }
  }

 private:
  void add(const Piece& piece) {
    if (chosen_) {
      const std::int32_t step = out_.step(piece);
      if (step < 0 || !recording_.steps[static_cast<std::size_t>(step)].asked) return;
    }
    out_.pieces.push_back(piece);
  }

  const Capture& capture_;
  const Recording& recording_;
  MeasuredWork& out_;
  bool chosen_;
};

}  // namespace

std::string_view to_text(WorkPart part) noexcept {
  static constexpr std::array<std::string_view, kWorkParts> kTexts{"compute", "communication", "copy", "host"};
  return kTexts[static_cast<std::size_t>(part)];
}

std::string_view MeasuredWork::name(const Piece& piece) const {
  return piece.is_call ? std::string_view{details.names[details.calls[piece.index].name]}
                       : capture.dag.name(TaskId{piece.index});
}

std::string_view MeasuredWork::kind(const Piece& piece) const {
  return piece.is_call ? to_text(details.calls[piece.index].kind)
                       : stepsim::to_text(capture.dag.kind(TaskId{piece.index}));
}

Rank MeasuredWork::rank(const Piece& piece) const {
  return piece.is_call ? details.threads[details.calls[piece.index].thread].rank
                       : capture.dag.lane(TaskId{piece.index}).rank;
}

std::string_view MeasuredWork::lane(const Piece& piece) const {
  return piece.is_call ? std::string_view{details.threads[details.calls[piece.index].thread].name}
                       : std::string_view{capture.dag.lane(TaskId{piece.index}).name};
}

std::int32_t MeasuredWork::step(const Piece& piece) const {
  if (piece.is_call) return step_of_call[piece.index];
  return capture.recording.step.empty() ? -1 : capture.recording.step[piece.index];
}

MeasuredWork measured_work(const Capture& capture, const TraceDetails& details) {
  MeasuredWork work{.capture = capture, .details = details, .pieces = {}, .step_of_call = {}};
  work.measured = !capture.recording.start.empty();
  Collector collector(capture, work);
  collector.add_tasks();
  collector.add_calls();
  return work;
}

}  // namespace stepsim::sim
