#include "sim/stats/measured_work.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "model/job/task_names.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/rank_steps.h"

namespace stepsim::sim {
namespace {

WorkPart part_of(const Dag& dag, TaskId task) {
  if (dag.kind(task) == TaskKind::kMemset) return WorkPart::kCopy;
  switch (path_class_of(dag, task)) {
    case PathClass::kCompute: return WorkPart::kCompute;
    case PathClass::kCommunication: return WorkPart::kCommunication;
    case PathClass::kCopy: return WorkPart::kCopy;
    case PathClass::kLoader: return WorkPart::kLoader;
    default: return WorkPart::kHost;
  }
}

std::string_view to_text(CallKind kind) noexcept {
  static constexpr std::array<std::string_view, 4> kTexts{"operator", "runtime", "annotation", "python"};
  return kTexts[static_cast<std::size_t>(kind)];
}

/// True for host-thread time between two events, and for tasks that TraceDetails describes as calls.
bool is_host_segment(const Dag& dag, TaskId task) {
  const TaskKind kind = dag.kind(task);
  return dag.lane(task).kind == LaneKind::kThread &&
         (kind == TaskKind::kHost || kind == TaskKind::kRuntime || kind == TaskKind::kOperator);
}

/// True for an instant that is not an event of the trace: ingest/stitch/ added it when it connected the ranks.
bool is_added_instant(const Dag& dag, TaskId task, Duration length) {
  const TaskKind kind = dag.kind(task);
  return length == Duration{} &&
         (kind == TaskKind::kServer || (kind == TaskKind::kControl && dag.lane(task).kind == LaneKind::kThread &&
                                        dag.lane(task).name == kGatheredLane));
}

/// True for a task in which the acknowledgement of a push returns. ingest/stitch/ splits this task off from the push.
bool is_acknowledgement(const Dag& dag, TaskId task) {
  return dag.kind(task) == TaskKind::kControl && dag.lane(task).kind == LaneKind::kLink &&
         dag.name(task).ends_with(kAcknowledgementSuffix);
}

/// The begin and end of each rank's steps.
class StepTimes {
 public:
  StepTimes(const Dag& dag, const Recording& recording) : ends_(host_ends(dag, recording)) {
    for (std::size_t i = 0; i < recording.steps.size(); ++i) {
      const RecordedStep& step = recording.steps[i];
      if (step.marked && step.first.valid() && !recording.start.empty())
        of_rank_[step.rank].push_back({recording.start[step.first.index()], static_cast<std::int32_t>(i)});
    }
    for (auto& [rank, steps] : of_rank_) std::sort(steps.begin(), steps.end());
  }

  /// Returns the last step that began at or before `time`, if its host was still working then; otherwise -1.
  [[nodiscard]] std::int32_t at(Rank rank, Time time) const {
    const auto steps = of_rank_.find(rank);
    if (steps == of_rank_.end()) return -1;
    const auto after = std::upper_bound(steps->second.begin(), steps->second.end(), time,
                                        [](Time when, const auto& step) { return when < step.first; });
    if (after == steps->second.begin()) return -1;
    const std::int32_t step = std::prev(after)->second;
    return time < ends_[static_cast<std::size_t>(step)] ? step : -1;
  }

 private:
  /// Returns when the last task of each step's host threads ended. A step's device work may run later, but it was
  /// launched before that.
  static std::vector<Time> host_ends(const Dag& dag, const Recording& recording) {
    std::vector<Time> ends(recording.steps.size(), Time::min());
    for (std::size_t i = 0; i < recording.step.size(); ++i) {
      const std::int32_t step = recording.step[i];
      if (step < 0 || dag.lane(TaskId{i}).kind != LaneKind::kThread) continue;
      Time& end = ends[static_cast<std::size_t>(step)];
      end = std::max(end, recording.finish[i]);
    }
    return ends;
  }

  std::map<Rank, std::vector<std::pair<Time, std::int32_t>>> of_rank_;
  std::vector<Time> ends_;  ///< indexed by step
};

class Collector {
 public:
  Collector(const Capture& capture, MeasuredWork& out) : capture_(capture), recording_(capture.recording), out_(out) {}

  void add_tasks() {
    const Dag& dag = capture_.dag;
    std::set<Rank> with_calls;
    for (const TraceDetails::Thread& thread : out_.details.threads) with_calls.insert(thread.rank);
    out_.pieces.reserve(dag.task_count());
    auto recorded = out_.details.tasks.begin();
    for (const TaskId task : dag.tasks()) {
      while (recorded != out_.details.tasks.end() && recorded->task < task) ++recorded;
      if (is_acknowledgement(dag, task) || (is_host_segment(dag, task) && with_calls.contains(dag.lane(task).rank)))
        continue;
      const bool has_record = recorded != out_.details.tasks.end() && recorded->task == task;
      if (has_record && !recorded->whole) continue;
      Piece piece{.index = task.value(), .part = part_of(dag, task)};
      if (has_record) {
        piece.start = recorded->start;
        piece.length = recorded->finish - recorded->start;
      } else if (out_.measured) {
        piece.start = recording_.start[task.index()];
        piece.length = recording_.finish[task.index()] - piece.start;
      } else {
        piece.length = dag.duration(task);
      }
      piece.self = piece.length;
      if (!is_added_instant(dag, task, piece.length)) add(piece);
    }
  }

  void add_calls() {
    const StepTimes steps(capture_.dag, recording_);
    const TraceDetails& details = out_.details;
    out_.step_of_call.reserve(details.calls.size());
    for (std::size_t i = 0; i < details.calls.size(); ++i) {
      const TraceDetails::Call& call = details.calls[i];
      out_.step_of_call.push_back(steps.at(details.threads[call.thread].rank, call.start));
      if (call.kind == CallKind::kPython) continue;
      add({.start = call.start,
           .length = call.duration,
           .self =
               call.kind == CallKind::kAnnotation || awaits_loader(details.names[call.name]) ? Duration{} : call.self,
           .index = static_cast<std::uint32_t>(i),
           .is_call = true,
           .part = WorkPart::kHost});
    }
  }

 private:
  void add(const Piece& piece) {
    if (out_.is_asked(out_.step(piece))) out_.pieces.push_back(piece);
  }

  const Capture& capture_;
  const Recording& recording_;
  MeasuredWork& out_;
};

}  // namespace

std::string_view to_text(WorkPart part) noexcept {
  static constexpr std::array<std::string_view, kWorkParts> kTexts{"compute", "communication", "copy", "host",
                                                                   "loader"};
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

bool MeasuredWork::is_asked(std::int32_t step) const {
  return !chosen_steps || (step >= 0 && capture.recording.steps[static_cast<std::size_t>(step)].asked);
}

bool MeasuredWork::counts(std::size_t call) const { return is_asked(step_of_call[call]); }

bool steps_are_chosen(const Recording& recording) {
  return std::any_of(recording.steps.begin(), recording.steps.end(),
                     [](const RecordedStep& step) { return !step.asked; });
}

MeasuredWork measured_work(const Capture& capture, const TraceDetails& details, bool only_steps) {
  MeasuredWork work{.capture = capture, .details = details, .pieces = {}, .step_of_call = {}};
  work.measured = !capture.recording.start.empty();
  work.chosen_steps = only_steps || steps_are_chosen(capture.recording);
  Collector collector(capture, work);
  collector.add_tasks();
  collector.add_calls();
  return work;
}

}  // namespace stepsim::sim
