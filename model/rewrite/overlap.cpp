#include "model/rewrite/overlap.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "model/job/task_names.h"
#include "model/rewrite/capture_edit.h"

namespace stepsim {
namespace {

constexpr std::size_t kNoGroup = static_cast<std::size_t>(-1);

/// Those of the given collectives (`members`) that belong to one rank and one step, in ascending order.
using TaskGroup = std::vector<TaskId>;

std::vector<TaskGroup> groups_of(const Capture& capture, const std::vector<TaskId>& members) {
  std::map<std::pair<Rank, std::int32_t>, TaskGroup> groups;
  for (const TaskId member : members) {
    const std::int32_t step = capture.recording.step.empty() ? -1 : capture.recording.step[member.index()];
    groups[{capture.dag.lane(member).rank, step}].push_back(member);
  }
  std::vector<TaskGroup> list;
  list.reserve(groups.size());
  for (auto& [place, group] : groups) list.push_back(std::move(group));
  return list;
}

/// Maps a task to its group and its position there.
class Places {
 public:
  struct Place {
    std::size_t group = kNoGroup;
    std::size_t place = 0;  ///< position in the group
  };

  Places(const Dag& dag, const std::vector<TaskGroup>& groups) : dag_(dag), groups_(groups), places_(dag.task_count()) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (std::size_t k = 0; k < groups[i].size(); ++k) places_[groups[i][k].index()] = {i, k};
    }
  }

  [[nodiscard]] Place of(TaskId task) const { return places_[task.index()]; }
  [[nodiscard]] bool is_member(TaskId task) const { return of(task).group != kNoGroup; }
  [[nodiscard]] TaskId last_of_group(TaskId member) const { return groups_[of(member).group].back(); }

  /// True if the edge only orders collectives of one stream or thread, or the work of one thread.
  [[nodiscard]] bool is_order(TaskId from, TaskId to, EdgeKind kind) const {
    if (dag_.lane_id(from) != dag_.lane_id(to)) return false;
    return kind == EdgeKind::kProgram || (dag_.rendezvous(from).valid() && dag_.rendezvous(to).valid());
  }

  /// True if `to` waits for a member and starts before the last member of that member's group. Ids are in order of
  /// recorded starts.
  [[nodiscard]] bool is_early_wait(TaskId from, TaskId to, EdgeKind kind) const {
    return is_member(from) && !dag_.rendezvous(to).valid() && !is_order(from, to, kind) && to < last_of_group(from);
  }

 private:
  const Dag& dag_;
  const std::vector<TaskGroup>& groups_;
  std::vector<Place> places_;
};

/// Moves the members (the collectives that the caller has chosen) from streams that also run kernels to separate
/// streams. Kernels then follow kernels and members follow members; all other edges stay.
void leave_shared_streams(CaptureEdit& edit, const Dag& dag, const Places& places) {
  struct Stream {
    bool shared = false;  ///< true if it also has work that is not a collective
    LaneId side{};
    TaskId last_kernel{};
    TaskId last_member{};
  };
  std::map<LaneId, Stream> streams;
  for (const TaskId task : dag.tasks()) {
    if (places.is_member(task) && dag.lane(task).kind == LaneKind::kStream) streams.try_emplace(dag.lane_id(task));
  }
  for (const TaskId task : dag.tasks()) {
    const auto stream = streams.find(dag.lane_id(task));
    if (stream != streams.end() && !dag.rendezvous(task).valid()) stream->second.shared = true;
  }
  std::erase_if(streams, [](const auto& stream) { return !stream.second.shared; });
  if (streams.empty()) return;

  DagBuilder& builder = edit.builder();
  for (auto& [lane, stream] : streams) {
    Lane side = dag.lane(lane);
    side.name += ", collectives";
    stream.side = builder.add_lane(std::move(side));
  }
  for (const TaskId task : dag.tasks()) {
    const auto found = streams.find(dag.lane_id(task));
    if (found == streams.end()) continue;
    const bool leaves = places.is_member(task);
    TaskId& last = leaves ? found->second.last_member : found->second.last_kernel;
    if (last.valid()) builder.add_edge(last, task, EdgeKind::kStream);
    if (leaves) builder.task(task).lane = found->second.side;
    last = task;
  }
}

CopyDirection direction_of(const Dag& dag, TaskId task) {
  return dag.kind(task) == TaskKind::kCopy && dag.lane(task).kind == LaneKind::kStream ? copy_direction(dag.name(task))
                                                                                       : CopyDirection::kNone;
}

class Engines {
 public:
  explicit Engines(const Capture& capture) : dag_(capture.dag), edit_(capture) {
    for (const TaskId task : dag_.tasks()) direction_.push_back(direction_of(dag_, task));
  }

  Capture run() && {
    join_streams();
    for (std::size_t i = 0; i < direction_.size(); ++i) {
      if (direction_[i] != CopyDirection::kNone) edit_.builder().task(TaskId{i}).lane = engine_of(TaskId{i});
    }
    return std::move(edit_).finish();
  }

 private:
  /// Connects the kernels of each stream to each other across its copies, and the copies to the kernels that they still
  /// depend on or that depend on them.
  void join_streams() {
    std::map<LaneId, TaskId> last;                 // last kernel of each stream
    std::map<LaneId, std::vector<TaskId>> copied;  // copies to the device since that kernel
    DagBuilder& builder = edit_.builder();
    std::erase_if(builder.edges(), [this](const DagBuilder::Edge& edge) { return is_between(edge); });
    for (std::size_t i = 0; i < direction_.size(); ++i) {
      const TaskId task{i};
      const LaneId lane = dag_.lane_id(task);
      if (dag_.lane(lane).kind != LaneKind::kStream) continue;
      if (direction_[i] == CopyDirection::kToDevice) {
        copied[lane].push_back(task);
        continue;
      }
      for (const TaskId copy : copied[lane]) builder.add_edge(copy, task, EdgeKind::kStream);
      if (last.contains(lane)) builder.add_edge(last[lane], task, EdgeKind::kStream);
      if (direction_[i] == CopyDirection::kToHost) continue;
      copied[lane].clear();
      last[lane] = task;
    }
  }

  /// True for an edge of a stream's order that starts or ends at a copy.
  [[nodiscard]] bool is_between(const DagBuilder::Edge& edge) const {
    return edge.kind == EdgeKind::kStream && dag_.lane_id(edge.from) == dag_.lane_id(edge.to) &&
           (direction_[edge.from.index()] != CopyDirection::kNone ||
            direction_[edge.to.index()] != CopyDirection::kNone);
  }

  LaneId engine_of(TaskId task) {
    const Lane& stream = dag_.lane(task);
    const CopyDirection direction = direction_[task.index()];
    const auto [engine, added] = engines_.try_emplace({{stream.rank, stream.device}, direction});
    if (added) {
      Lane lane = stream;
      lane.name = direction == CopyDirection::kToDevice ? "copies to the device" : "copies to the host";
      lane.kind = LaneKind::kCopyEngine;
      lane.order = LaneOrder::kFifo;
      engine->second = edit_.builder().add_lane(std::move(lane));
    }
    return engine->second;
  }

  const Dag& dag_;
  CaptureEdit edit_;
  std::vector<CopyDirection> direction_;
  std::map<std::pair<std::pair<Rank, std::int32_t>, CopyDirection>, LaneId> engines_;
};

}  // namespace

std::size_t early_waits(const Capture& capture, const std::vector<TaskId>& members) {
  const Dag& dag = capture.dag;
  const std::vector<TaskGroup> groups = groups_of(capture, members);
  const Places places(dag, groups);
  return static_cast<std::size_t>(std::count_if(members.begin(), members.end(), [&](TaskId member) {
    const auto edges = dag.edges_from(member);
    return std::any_of(edges.begin(), edges.end(), [&](EdgeId edge) {
      return places.is_early_wait(member, dag.target(edge), dag.edge_kind(edge));
    });
  }));
}

Capture with_late_waits(const Capture& capture, const std::vector<TaskId>& members) {
  const Dag& dag = capture.dag;
  const std::vector<TaskGroup> groups = groups_of(capture, members);
  const Places places(dag, groups);
  CaptureEdit edit(capture);

  std::vector<DagBuilder::Edge> moved;                      // the early waits
  std::vector<std::vector<TaskId>> waiters(groups.size());  // tasks that wait for the last member of each group
  for (const DagBuilder::Edge& edge : edit.builder().edges()) {
    if (!places.is_member(edge.from) || dag.rendezvous(edge.to).valid()) continue;
    if (places.is_early_wait(edge.from, edge.to, edge.kind)) {
      moved.push_back(edge);
    } else if (edge.from == places.last_of_group(edge.from) && !places.is_order(edge.from, edge.to, edge.kind)) {
      waiters[places.of(edge.from).group].push_back(edge.to);
    }
  }
  std::erase_if(edit.builder().edges(), [&places](const DagBuilder::Edge& edge) {
    return places.is_early_wait(edge.from, edge.to, edge.kind);
  });
  leave_shared_streams(edit, dag, places);
  for (const DagBuilder::Edge& edge : moved) {
    for (const TaskId waiter : waiters[places.of(edge.from).group])
      edit.builder().add_edge(edge.from, waiter, EdgeKind::kSync, edge.lag);
  }
  return std::move(edit).finish();
}

Capture with_prefetch(const Capture& capture, const std::vector<TaskId>& members, std::uint32_t ahead) {
  const Dag& dag = capture.dag;
  const std::vector<TaskGroup> groups = groups_of(capture, members);
  const Places places(dag, groups);
  CaptureEdit edit(capture);
  leave_shared_streams(edit, dag, places);

  std::map<TaskId, std::vector<DagBuilder::Edge>> waits;  // edges into each member, except those that order collectives
  const auto is_wait = [&](const DagBuilder::Edge& edge) {
    return places.is_member(edge.to) && !places.is_order(edge.from, edge.to, edge.kind);
  };
  for (const DagBuilder::Edge& edge : edit.builder().edges()) {
    if (is_wait(edge)) waits[edge.to].push_back(edge);
  }
  std::erase_if(edit.builder().edges(), is_wait);
  for (const TaskGroup& group : groups) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      for (const DagBuilder::Edge& edge : waits[group[i < ahead ? 0 : i - ahead]])
        edit.builder().add_edge(edge.from, group[i], edge.kind, edge.lag);
      if (i == 0) continue;
      const bool after = capture.recording.finish.empty() ||
                         capture.recording.finish[group[i - 1].index()] <= capture.recording.start[group[i].index()];
      if (after) edit.builder().add_edge(group[i - 1], group[i], EdgeKind::kSync);
    }
  }
  return std::move(edit).finish();
}

Capture with_collectives_in_turn(const Capture& capture) {
  CaptureEdit edit(capture);
  for (const TaskId task : capture.dag.tasks()) {
    Lane& lane = edit.builder().lane(capture.dag.lane_id(task));
    if (lane.order == LaneOrder::kFifo && capture.dag.rendezvous(task).valid()) lane.capacity = 1;
  }
  return std::move(edit).finish();
}

bool has_stream_copies(const Capture& capture) {
  const auto tasks = capture.dag.tasks();
  return std::any_of(tasks.begin(), tasks.end(),
                     [&](TaskId task) { return direction_of(capture.dag, task) != CopyDirection::kNone; });
}

Capture with_copy_engines(const Capture& capture) { return Engines(capture).run(); }

}  // namespace stepsim
