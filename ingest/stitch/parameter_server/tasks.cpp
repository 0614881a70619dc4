#include "ingest/stitch/parameter_server/tasks.h"

#include <algorithm>

#include "model/job/parameter_server/partition.h"

namespace stepsim::ingest {
namespace {

/// Two threads of one process read the clock; events come in whole microseconds.
constexpr Duration kAgainstTime{50'000};
/// BytePS's stage threads sleep between looks at their queues (truth/README.md: up to 0.3 ms).
constexpr Duration kPolling{300'000};

/// When the last predecessor of each task ended, lags included.
std::vector<Time> ready_times(Assembly& assembly) {
  std::vector<Time> ready(assembly.start.size(), Time::min());
  for (const DagBuilder::Edge& edge : assembly.builder.edges()) {
    Time& latest = ready[edge.to.index()];
    latest = std::max(latest, assembly.finish[edge.from.index()] + edge.lag);
  }
  return ready;
}

}  // namespace

std::int32_t PsTasks::step_of(std::size_t gpu, std::int64_t number) const {
  const auto found = step_index.find({gpu, number});
  return found == step_index.end() ? -1 : found->second;
}

std::optional<TaskId> PsTasks::stage(std::size_t gpu, std::size_t chain, Stage stage) const {
  const std::vector<StageSpan>& spans = gpus[gpu].chains[chain].stages;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (spans[i].stage == stage) return stage_task[gpu][chain][i];
  }
  return std::nullopt;
}

void PsTasks::link(TaskId from, TaskId to, EdgeKind kind) {
  if (out.finish[from.index()] > out.finish[to.index()] + kAgainstTime) {
    out.diagnostics.count(
        "dependency_against_time", Severity::kNotice,
        "a dependency that the names suggest is left out where the recording shows the reverse order");
    return;
  }
  out.add_edge(from, to, kind);
}

void take_turns(Assembly& assembly, const std::vector<TaskId>& in_order) {
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    const TaskId task = in_order[i];
    Time& start = assembly.start[task.index()];
    const Time finish = assembly.finish[task.index()];
    if (i > 0) {
      const Time turn = assembly.finish[in_order[i - 1].index()];
      assembly.add_edge(in_order[i - 1], task, EdgeKind::kStream);
      if (start < turn) start = std::min(turn, finish);
    }
    assembly.builder.set_duration(task, finish - start);
  }
}

void order_lanes(PsTasks& tasks) {
  Assembly& out = tasks.out;
  std::vector<std::vector<TaskId>> by_lane(out.builder.lane_count());
  for (std::size_t i = 0; i < out.start.size(); ++i)
    by_lane[out.builder.task(TaskId{i}).lane.index()].push_back(TaskId{i});
  for (const LaneId lane : tasks.serial_lanes) {
    std::vector<TaskId>& in_order = by_lane[lane.index()];
    std::stable_sort(in_order.begin(), in_order.end(), [&](TaskId a, TaskId b) {
      return std::pair{out.start[a.index()], out.finish[a.index()]} <
             std::pair{out.start[b.index()], out.finish[b.index()]};
    });
    take_turns(out, in_order);
  }
}

void explain_polling(PsTasks& tasks) {
  Assembly& out = tasks.out;
  const std::vector<Time> ready = ready_times(out);
  for (DagBuilder::Edge& edge : out.builder.edges()) {
    const std::size_t to = edge.to.index();
    const LaneKind lane = out.builder.lane(out.builder.task(edge.to).lane).kind;
    const bool polled = lane == LaneKind::kCopyEngine || lane == LaneKind::kStream || lane == LaneKind::kLink ||
                        lane == LaneKind::kThread;
    const bool binding = out.finish[edge.from.index()] + edge.lag == ready[to];
    if (polled && binding && out.start[to] > ready[to]) edge.lag += std::min(out.start[to] - ready[to], kPolling);
  }
}

std::optional<Bytes> partition_bytes(const TensorPlan& tensor, std::int64_t key, const Job& job) {
  if (!tensor.bytes.has_value() || key < 0) return tensor.bytes;
  return partition_size(*tensor.bytes, partition_bound(job), key & 0xFFFF);
}

}  // namespace stepsim::ingest
