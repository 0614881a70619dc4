#include "ingest/stitch/parameter_server/queues.h"

#include <algorithm>
#include <utility>

namespace stepsim::ingest {
namespace {

/// BytePS's stage threads sleep between two looks at their queues: up to 0.3 ms pass in our runs.
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

}  // namespace stepsim::ingest
