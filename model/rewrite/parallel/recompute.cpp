#include "model/rewrite/parallel/recompute.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "model/job/dag_builder.h"
#include "model/rewrite/buckets.h"
#include "model/rewrite/capture_edit.h"
#include "model/rewrite/parallel/experts.h"
#include "model/rewrite/parallel/kept_tensors.h"
#include "model/rewrite/parallel/layers.h"
#include "model/rewrite/parallel/model_calls.h"
#include "model/rewrite/task_copier.h"

namespace stepsim {
namespace {

bool is_of_attention(const Work& work) noexcept {
  return work.kind == KernelClass::kAttention || (work.kind == KernelClass::kGemm && work.shape.count > 1);
}

/// Returns the last of the calls [first, last] of a layer that its backward pass needs. What ends a layer often keeps
/// nothing, and the product before it only what it reads.
std::size_t last_needed(const OperatorTable& table, const std::vector<ModelCall>& calls, std::size_t first,
                        std::size_t last) {
  const auto op = [&](std::size_t call) -> const OperatorTable::Operator& {
    return table.operators[calls[call].which];
  };
  while (last > first && kept_by(op(last)) == Keeps::kNothing) --last;
  return last > first && is_product(op(last)) ? last - 1 : last;
}

/// The work to be done again: calls of the host and what they launch.
struct Portion {
  TaskId before;              ///< the call of the host that follows
  TaskId first;               ///< of the host's tasks
  TaskId last;                ///< of the host's tasks
  std::vector<TaskId> tasks;  ///< ascending
  Time begin;
  Duration length{};  ///< of the host
};

class Recomputation {
 public:
  Recomputation(const Capture& capture, Recompute recompute)
      : capture_(capture), launches_(device_launches(capture)), next_(capture.dag.task_count()) {
    const std::vector<ModelCall> calls = calls_of_typical_step(capture);
    const std::map<TaskId, TaskId> call_of = calls_by_work(launches_);
    link();
    for (const auto& [work, call] : call_of) launched_by_[call].push_back(work);
    for (const RecomputedPart& one : recomputed_parts(capture, calls, layers_of(calls), recompute))
      add_portion(one, calls, call_of);
    std::sort(portions_.begin(), portions_.end(),
              [this](const Portion& a, const Portion& b) { return start(a.before) < start(b.before); });
  }

  Capture run() && {
    const Capture moved = with_room();
    CaptureEdit edit(moved);
    const std::size_t captured = edit.builder().edges().size();
    TaskCopier copier(capture_, edit);
    for (const Portion& portion : portions_) insert(portion, edit, copier);
    for (std::size_t i = 0; i < captured; ++i) {  // what the backward pass of a layer waits for
      TaskId& target = edit.builder().edges()[i].to;
      if (const auto first = begun_by_.find(target); first != begun_by_.end()) target = first->second;
    }
    for (auto& [lane, places] : streams_) order(places, edit.builder());
    return with_calls_in_order(std::move(edit).finish());
  }

 private:
  /// A task on a stream and when it was launched.
  struct Place {
    Time at;
    TaskId task;
    std::size_t portion = 0;  ///< number of the portion of which it is a copy, from 1 on; 0 for none
  };

  [[nodiscard]] Time start(TaskId task) const { return capture_.recording.start[task.index()]; }
  [[nodiscard]] Time finish(TaskId task) const { return capture_.recording.finish[task.index()]; }

  /// Stores the next task of each task on its thread.
  void link() {
    for (const TaskId task : capture_.dag.tasks()) {
      for (const EdgeId edge : capture_.dag.edges_from(task)) {
        const TaskId target = capture_.dag.target(edge);
        if (capture_.dag.edge_kind(edge) == EdgeKind::kProgram &&
            capture_.dag.lane_id(target) == capture_.dag.lane_id(task))
          next_[task.index()] = target;
      }
    }
  }

  void add_portion(const RecomputedPart& one, const std::vector<ModelCall>& calls,
                   const std::map<TaskId, TaskId>& call_of) {
    const auto first = call_of.find(calls[one.first].first);
    const auto last = call_of.find(calls[one.last].last);
    const auto before = call_of.find(calls[one.before].first);
    if (first == call_of.end() || last == call_of.end() || before == call_of.end()) return;
    const auto next = one.last + 1 < calls.size() ? call_of.find(calls[one.last + 1].first) : call_of.end();
    Portion portion{
        .before = before->second, .first = first->second, .last = {}, .tasks = {}, .begin = start(first->second)};
    const bool goes_on =
        next != call_of.end() && capture_.dag.lane_id(next->second) == capture_.dag.lane_id(first->second);
    const TaskId end = goes_on ? next->second : next_[last->second.index()];
    for (TaskId task = first->second; task.valid() && task != end; task = next_[task.index()]) {
      portion.tasks.push_back(portion.last = task);
      portion.length = std::max(portion.length, std::max(finish(task), start(task) + Duration{1}) - portion.begin);
      if (const auto works = launched_by_.find(task); works != launched_by_.end())
        portion.tasks.insert(portion.tasks.end(), works->second.begin(), works->second.end());
    }
    std::sort(portion.tasks.begin(), portion.tasks.end());
    portions_.push_back(std::move(portion));
  }

  /// Returns the capture with later recorded times after the places of the portions.
  [[nodiscard]] Capture with_room() {
    std::vector<Time> places;
    for (const Portion& portion : portions_) {
      places.push_back(start(portion.before));
      room_.push_back(room_.back() + portion.length);
    }
    Capture moved = capture_;
    Recording& recording = moved.recording;
    for (const TaskId task : capture_.dag.tasks()) {
      Time& begin = recording.start[task.index()];
      Time& end = recording.finish[task.index()];
      const auto after = std::upper_bound(places.begin(), places.end(), begin) - places.begin();
      const auto until = std::lower_bound(places.begin(), places.end(), end) - places.begin();
      begin += room_[static_cast<std::size_t>(after)];
      end = std::max(end + room_[static_cast<std::size_t>(until)], begin);
    }
    for (const auto& [thread, list] : launches_) {
      for (const DeviceLaunch& launch : list)
        streams_[capture_.dag.lane_id(launch.work)].push_back({recording.start[launch.call.index()], launch.work});
    }
    return moved;
  }

  /// Adds copies of a portion's tasks before the call that follows it.
  void insert(const Portion& portion, CaptureEdit& edit, TaskCopier& copier) {
    const Dag& dag = capture_.dag;
    const std::size_t number = ++inserted_;
    const Duration later = start(portion.before) + room_[number - 1] - portion.begin;
    const TaskCopies copies = copier.copy(portion.tasks, {.step = capture_.recording.step[portion.before.index()],
                                                          .thread = dag.lane_id(portion.before),
                                                          .later = later,
                                                          .with_gradients = false});
    begun_by_[portion.before] = copies.at(portion.first);
    edit.builder().add_edge(copies.at(portion.last), portion.before, EdgeKind::kProgram);
    for (const TaskId task : portion.tasks) {
      for (const EdgeId edge : dag.edges_from(task)) {
        const TaskId target = copies.find(dag.target(edge));
        if (target.valid() && dag.edge_kind(edge) == EdgeKind::kLaunch)
          streams_[dag.lane_id(dag.target(edge))].push_back({start(task) + later, target, number});
      }
    }
  }

  /// Makes copies follow what was launched before them on their stream, and the next work follow them.
  static void order(std::vector<Place>& places, DagBuilder& builder) {
    std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.at < b.at; });
    for (std::size_t i = 1; i < places.size(); ++i) {
      if (places[i - 1].portion != places[i].portion)
        builder.add_edge(places[i - 1].task, places[i].task, EdgeKind::kStream);
    }
  }

  /// Numbers the calls in the order of their launches, the copies' too, which belong to the backward pass.
  [[nodiscard]] Capture with_calls_in_order(Capture made) const {
    const std::map<TaskId, TaskId> call_of = calls_by_work(device_launches(made));
    std::map<std::uint32_t, Time> first;
    for (OperatorTable::Use& use : made.operators.uses) {
      use.in_backward = use.in_backward || use.occurrence >= capture_.operators.occurrences;
      const Time at = launch_time(made.recording, call_of, use.task);
      Time& known = first.try_emplace(use.occurrence, at).first->second;
      known = std::min(known, at);
    }
    std::set<std::pair<Time, std::uint32_t>> in_order;
    for (const auto& [occurrence, at] : first) in_order.emplace(at, occurrence);
    std::map<std::uint32_t, std::uint32_t> number;
    for (const auto& [at, occurrence] : in_order) number.emplace(occurrence, static_cast<std::uint32_t>(number.size()));
    for (OperatorTable::Use& use : made.operators.uses) use.occurrence = number.at(use.occurrence);
    made.operators.occurrences = static_cast<std::uint32_t>(number.size());
    return made;
  }

  const Capture& capture_;
  DeviceLaunches launches_;
  std::vector<TaskId> next_;
  std::map<TaskId, std::vector<TaskId>> launched_by_;  ///< device work of each call
  std::vector<Portion> portions_;                      ///< in the order of their places
  std::vector<Duration> room_{Duration{}};             ///< sum of the lengths of the portions before each
  std::map<LaneId, std::vector<Place>> streams_;       ///< launched work, with the copies
  std::map<TaskId, TaskId> begun_by_;                  ///< the first copy of the portion before a call
  std::size_t inserted_ = 0;
};

}  // namespace

std::vector<RecomputedPart> recomputed_parts(const Capture& capture, const std::vector<ModelCall>& calls,
                                             const StepLayers& layers, Recompute recompute) {
  const Experts experts(capture.operators);  // their products are batched, too
  const auto attention = [&](std::size_t from, std::size_t end) {
    std::vector<std::size_t> found;
    for (std::size_t i = from; i < end; ++i) {
      const std::uint32_t which = calls[i].which;
      if (is_of_attention(capture.operators.operators[which].work) && !experts.is_product(which)) found.push_back(i);
    }
    if (!found.empty()) return found;
    throw CannotAnswer({},
                       "a repeated layer has no products of attention in its forward or its backward pass; expected a "
                       "transformer, and a trace with record_shapes=True");
  };
  std::vector<RecomputedPart> found;
  for (std::size_t layer = layers.count; layer-- > 0;) {
    RecomputedPart one{layers.forward_of(layer), layers.forward_of(layer + 1) - 1, layers.backward_of(layer)};
    if (recompute == Recompute::kAttention) {
      const std::vector<std::size_t> forward = attention(one.first, one.last + 1);
      one = {forward.front(), forward.back(), attention(one.before, layers.backward_end_of(layer)).front()};
    } else if (recompute == Recompute::kNeeded) {
      one.last = last_needed(capture.operators, calls, one.first, one.last);
    }
    found.push_back(one);
  }
  return found;
}

Capture with_recomputation(const Capture& capture, Recompute recompute) {
  return Recomputation(capture, recompute).run();
}

}  // namespace stepsim
