#include "model/rewrite/copy_engines.h"

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "model/rewrite/capture_edit.h"

namespace stepsim {
namespace {

enum class Direction : std::uint8_t { kNone, kToDevice, kToHost };

Direction direction_of(const Dag& dag, TaskId task) {
  if (dag.kind(task) != TaskKind::kCopy || dag.lane(task).kind != LaneKind::kStream) return Direction::kNone;
  const std::string_view name = dag.name(task);
  const auto says = [name](std::string_view word) { return name.find(word) != std::string_view::npos; };
  if (says("HtoD") || says("HostToDevice")) return Direction::kToDevice;
  return says("DtoH") || says("DeviceToHost") ? Direction::kToHost : Direction::kNone;
}

class Engines {
 public:
  explicit Engines(const Capture& capture) : dag_(capture.dag), edit_(capture) {
    for (const TaskId task : dag_.tasks()) direction_.push_back(direction_of(dag_, task));
  }

  Capture run() && {
    join_streams();
    for (std::size_t i = 0; i < direction_.size(); ++i) {
      if (direction_[i] != Direction::kNone) edit_.builder().task(TaskId{i}).lane = engine_of(TaskId{i});
    }
    return std::move(edit_).finish();
  }

 private:
  /// Joins the kernels of each stream past its copies, and copies to the kernels that they still depend on.
  void join_streams() {
    std::map<LaneId, TaskId> last;                 // kernels by stream
    std::map<LaneId, std::vector<TaskId>> copied;  // copies to the device since then
    DagBuilder& builder = edit_.builder();
    std::erase_if(builder.edges(), [this](const DagBuilder::Edge& edge) { return is_between(edge); });
    for (std::size_t i = 0; i < direction_.size(); ++i) {
      const TaskId task{i};
      const LaneId lane = dag_.lane_id(task);
      if (dag_.lane(lane).kind != LaneKind::kStream) continue;
      if (direction_[i] == Direction::kToDevice) {
        copied[lane].push_back(task);
        continue;
      }
      for (const TaskId copy : copied[lane]) builder.add_edge(copy, task, EdgeKind::kStream);
      if (last.contains(lane)) builder.add_edge(last[lane], task, EdgeKind::kStream);
      if (direction_[i] == Direction::kToHost) continue;
      copied[lane].clear();
      last[lane] = task;
    }
  }

  /// An edge of a stream's order with a copy at either end.
  [[nodiscard]] bool is_between(const DagBuilder::Edge& edge) const {
    return edge.kind == EdgeKind::kStream && dag_.lane_id(edge.from) == dag_.lane_id(edge.to) &&
           (direction_[edge.from.index()] != Direction::kNone || direction_[edge.to.index()] != Direction::kNone);
  }

  LaneId engine_of(TaskId task) {
    const Lane& stream = dag_.lane(task);
    const Direction direction = direction_[task.index()];
    const auto [engine, added] = engines_.try_emplace({{stream.rank, stream.device}, direction});
    if (added) {
      Lane lane = stream;
      lane.name = direction == Direction::kToDevice ? "copies to the device" : "copies to the host";
      lane.kind = LaneKind::kCopyEngine;
      lane.order = LaneOrder::kFifo;
      engine->second = edit_.builder().add_lane(std::move(lane));
    }
    return engine->second;
  }

  const Dag& dag_;
  CaptureEdit edit_;
  std::vector<Direction> direction_;
  std::map<std::pair<std::pair<Rank, std::int32_t>, Direction>, LaneId> engines_;
};

}  // namespace

bool has_stream_copies(const Capture& capture) {
  for (const TaskId task : capture.dag.tasks()) {
    if (direction_of(capture.dag, task) != Direction::kNone) return true;
  }
  return false;
}

Capture with_copies_apart(const Capture& capture) { return Engines(capture).run(); }

}  // namespace stepsim
