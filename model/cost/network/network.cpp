#include "model/cost/network/network.h"

#include <algorithm>
#include <vector>

#include "model/cost/collective/algorithm.h"
#include "model/cost/collective/shared_hosts.h"
#include "model/job/group.h"
#include "model/job/task_names.h"

namespace stepsim {
namespace {

std::vector<const NetworkParameter*> all_parameters() {
  std::vector<const NetworkParameter*> all{&kMessageOverhead, &kCollectiveOverhead, &kRanksPerHost};
  for (const NetworkModel* const model : network_models())
    all.insert(all.end(), model->parameters.begin(), model->parameters.end());
  std::stable_partition(all.begin(), all.end(),
                        [](const NetworkParameter* one) { return parts_of_key(*one).map.empty(); });
  return all;
}

}  // namespace

const NetworkModel* find_network_model(std::string_view name) noexcept {
  for (const NetworkModel* const model : network_models()) {
    if (model->name == name) return model;
  }
  return nullptr;
}

constinit const NetworkParameterOf<Duration> kMessageOverhead{{
    .key = "overhead",
    .json = "overhead_ns",
    .what_if = "overhead",
    .type = value::time("5us"),
    .summary = "time per message before its bytes move",
    .default_value = Duration{},
}};

constinit const NetworkParameterOf<Duration> kCollectiveOverhead{{
    .key = "collective_overhead",
    .json = "collective_overhead_ns",
    .type = value::time("5us"),
    .summary = "time between the last arrival at a collective and its first message",
    .default_value = Duration{},
}};

constinit const NetworkParameterOf<double> kCollectiveSide{{.default_value = 0.0}};
constinit const NetworkParameterOf<bool> kMeasuredInCapture{{.default_value = false}};

std::span<const NetworkParameter* const> network_parameters() {
  static const std::vector<const NetworkParameter*> all = all_parameters();
  return all;
}

const NetworkParameter* find_network_parameter(std::string_view key) {
  for (const NetworkParameter* const parameter : network_parameters()) {
    if (parameter->key == key) return parameter;
  }
  return nullptr;
}

ParameterKey parts_of_key(const NetworkParameter& parameter) noexcept {
  const std::size_t dot = parameter.key.find('.');
  if (dot == std::string_view::npos) return {{}, parameter.key};
  return {parameter.key.substr(0, dot), parameter.key.substr(dot + 1)};
}

bool has_sized_collectives(const Capture& capture) {
  const Dag& dag = capture.dag;
  const auto all = dag.all_rendezvous();
  return std::any_of(all.begin(), all.end(), [&dag](RendezvousId rendezvous) {
    const Collective& collective = dag.collective(rendezvous);
    const bool sized = collective.bytes > Bytes{} && collective.op != CollectiveOp::kUnknown;
    return sized && collective.op != CollectiveOp::kSendRecv && group_size(dag, rendezvous) > 1;
  });
}

bool can_simulate_members(const Dag& dag, RendezvousId rendezvous) noexcept {
  if (is_whole(dag, rendezvous)) return true;
  if (!knows_members(dag, rendezvous)) return false;
  return group_size(dag, rendezvous) <= kMostAbsentMembers || is_timed_as_whole(dag.collective(rendezvous));
}

bool crosses_link(const Dag& dag, TaskId task) {
  switch (dag.kind(task)) {
    case TaskKind::kCollective:
    case TaskKind::kTransfer: return true;
    case TaskKind::kCopy: return dag.lane(task).kind == LaneKind::kStream && copies_between_devices(dag.name(task));
    default: return dag.rendezvous(task).valid() || dag.lane(task).is_link();
  }
}

bool has_transfers(const Capture& capture) {
  if (capture.parameter_server != nullptr) return true;
  const auto tasks = capture.dag.tasks();
  return std::any_of(tasks.begin(), tasks.end(), [&](TaskId task) { return crosses_link(capture.dag, task); });
}

bool keeps_recorded_time(const Capture& capture, TaskId task, const NetworkModel& network) {
  const Dag& dag = capture.dag;
  if (capture.parameter_server != nullptr) return false;
  if (dag.kind(task) == TaskKind::kCopy) return crosses_link(dag, task);
  if (dag.kind(task) != TaskKind::kCollective) return false;
  const RendezvousId rendezvous = dag.rendezvous(task);
  if (network.make == nullptr || !rendezvous.valid()) return true;
  const Collective& collective = dag.collective(rendezvous);
  if (!can_simulate_members(dag, rendezvous)) return true;
  return collective.op != CollectiveOp::kBarrier &&
         (collective.op == CollectiveOp::kUnknown || collective.bytes == Bytes{});
}

std::size_t lone_collectives(const Capture& capture) {
  if (capture.parameter_server != nullptr) return 0;
  const Dag& dag = capture.dag;
  std::size_t count = 0;
  for (const TaskId task : dag.tasks()) {
    if (dag.kind(task) != TaskKind::kCollective) continue;
    const RendezvousId rendezvous = dag.rendezvous(task);
    if (!rendezvous.valid() || !is_whole(dag, rendezvous)) ++count;
  }
  return count;
}

bool uses_links(const Capture& capture) {
  if (capture.parameter_server != nullptr || has_sized_collectives(capture)) return true;
  const Dag& dag = capture.dag;
  for (const RendezvousId rendezvous : dag.all_rendezvous()) {
    if (dag.collective(rendezvous).bytes > Bytes{}) return true;
  }
  return std::any_of(dag.lanes().begin(), dag.lanes().end(), [](const Lane& lane) { return lane.is_link(); });
}

extern const NetworkModel recorded_network{
    .name = "recorded",
    .summary = "each transfer keeps its recorded duration",
    .formula = "t = recorded duration",
    .source = "the capture",
    .ignores = "any effect of changed sizes, links or timing on a transfer",
    .otherwise = "any other model if something changes",
};

}  // namespace stepsim
