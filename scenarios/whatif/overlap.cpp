#include <array>
#include <map>
#include <utility>

#include "scenarios/change/graph_edits.h"
#include "scenarios/change/refuse.h"
#include "scenarios/change/what_if.h"

// More overlap: removes barriers at which all wait for one, and moves copies off the streams of kernels.

namespace stepsim::scenarios {
namespace {

constexpr std::array kParameters{
    Parameter{"barriers", "on or off", "off: no step waits for all tensors, and no rank at a barrier without payload",
              "on"},
    Parameter{"copies", "recorded or apart",
              "copies between host and device run on their streams, or on engines of their own", "recorded"},
};

/// Members of barrier collectives, which carry no payload.
std::vector<TaskId> barriers_of(const Dag& dag) {
  std::vector<TaskId> members;
  for (std::size_t i = 0; i < dag.task_count(); ++i) {
    const RendezvousId rendezvous = dag.rendezvous(TaskId{i});
    if (rendezvous.valid() && dag.collective(rendezvous).op == CollectiveOp::kBarrier) members.emplace_back(i);
  }
  return members;
}

void remove_barriers(const Change& change, const YamlField& value, Plan& plan) {
  if (plan.captured->parameter_server != nullptr) {
    if (plan.network->make == nullptr)
      refuse_as_recorded(value, plan,
                         "under --network recorded a job keeps its recorded order; expected another network model");
    plan.job.barrier = Barrier::kCross;
    return;
  }
  if (barriers_of(plan.captured->dag).empty())
    cannot_answer(value, "the capture shows no barriers; expected parameter servers, or collectives without payload");
  plan.add_edit(change, [](const Capture& capture) { return without(capture, barriers_of(capture.dag)); });
}

enum class Direction : std::uint8_t { kNone, kToDevice, kToHost };

Direction direction_of(const Dag& dag, TaskId task) {
  if (dag.kind(task) != TaskKind::kCopy || dag.lane(task).kind != LaneKind::kStream) return Direction::kNone;
  const std::string_view name = dag.name(task);
  const auto says = [name](std::string_view word) { return name.find(word) != std::string_view::npos; };
  if (says("HtoD") || says("HostToDevice")) return Direction::kToDevice;
  return says("DtoH") || says("DeviceToHost") ? Direction::kToHost : Direction::kNone;
}

/// Moves copies to engines, one for each device and direction. A copy to the device no longer waits for the kernels
/// before it on its stream, but the kernels after it still wait for it. A copy to the host still waits for the kernels
/// before it, but the kernels after it no longer wait for it.
class Engines {
 public:
  explicit Engines(const Capture& capture) : dag_(capture.dag), edit_(capture) {
    for (std::size_t i = 0; i < dag_.task_count(); ++i) direction_.push_back(direction_of(dag_, TaskId{i}));
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

void set_copies_apart(const Change& change, const YamlField& value, Plan& plan) {
  const Dag& dag = plan.captured->dag;
  for (std::size_t i = 0; i < dag.task_count(); ++i) {
    if (direction_of(dag, TaskId{i}) == Direction::kNone) continue;
    plan.add_edit(change, [](const Capture& capture) { return Engines(capture).run(); });
    plan.assumptions.push_back(
        {"copies_apart", "a copy to the device does not depend on the kernels before it on its stream"});
    return;
  }
  cannot_answer(value, "the capture shows no copies between host and device on streams; expected a trace of a GPU");
}

void apply(const Change& change, Plan& plan) {
  const YamlField* const barriers = change.find("barriers");
  const YamlField* const copies = change.find("copies");
  const bool off = barriers != nullptr && barriers->one_of_words({"on", "off"}) == 1;
  const bool apart = copies != nullptr && copies->one_of_words({"recorded", "apart"}) == 1;
  if (off) remove_barriers(change, *barriers, plan);
  if (apart) set_copies_apart(change, *copies, plan);
}

}  // namespace

extern const WhatIf overlap_what_if;
const WhatIf overlap_what_if{
    .name = "overlap",
    .summary = "more overlap: no barriers, copies beside kernels",
    .ignores = "that copies and kernels compete for memory bandwidth",
    .parameters = kParameters,
    .apply = apply,
};

}  // namespace stepsim::scenarios
