#include "tests/property/random_dag.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <optional>
#include <string>

#include "model/job/dag_builder.h"
#include "tests/nightly.h"

namespace stepsim::testing {
namespace {

/// Returns a random number below `bound`. Unlike std::uniform_int_distribution, it gives the same values on every
/// platform.
std::uint32_t below(std::mt19937& generator, std::size_t bound) {
  return static_cast<std::uint32_t>(generator() % bound);
}

bool one_in(std::mt19937& generator, std::size_t n) { return below(generator, n) == 0; }

void make_any_queue(Lane& lane, std::mt19937& generator) {
  if (one_in(generator, 2)) lane.order = LaneOrder::kPriority;
  lane.capacity = 1 + below(generator, 3);
  if (one_in(generator, 2)) lane.credit = Bytes{4 + below(generator, 12)};  // a task takes up to 5 bytes of it
}

void add_tasks(DagBuilder& builder, std::mt19937& generator, const RandomDagShape& shape) {
  const std::size_t lanes = 1 + below(generator, 6);
  for (std::size_t i = 0; i < lanes; ++i) {
    const bool fifo = one_in(generator, 2) && shape.fifo_lanes;
    const LaneId lane =
        builder.add_lane({.rank = static_cast<Rank>(i % 3), .order = fifo ? LaneOrder::kFifo : LaneOrder::kEdges});
    if (fifo && shape.all_queues) make_any_queue(builder.lane(lane), generator);
    if (shape.messages && one_in(generator, 2)) {
      builder.lane(lane).from = EndpointId{below(generator, 3)};
      builder.lane(lane).to = EndpointId{below(generator, 3)};
    }
  }
  if (shape.idle_fifo_lane) builder.add_lane({.order = LaneOrder::kFifo});
  const std::size_t tasks = 1 + below(generator, static_cast<std::size_t>(shape.most_tasks));
  for (std::size_t i = 0; i < tasks; ++i) {
    builder.add_task({.name = builder.intern("task " + std::to_string(i)),
                      .lane = LaneId{below(generator, lanes)},
                      .duration = Duration{(shape.shortest + below(generator, 6)) * shape.scale},
                      .bytes = Bytes{shape.messages || shape.all_queues ? below(generator, 6) : 0},
                      .hint = Time{Duration{below(generator, 20)}}});
    if (shape.all_queues) builder.task(TaskId{i}).priority = static_cast<std::int32_t>(below(generator, 4)) - 2;
  }
}

/// Chooses tasks that return the credit of other tasks. Some of these others are on lanes without credit, where
/// returning it has no effect.
void add_credits(DagBuilder& builder, std::mt19937& generator) {
  const std::size_t tasks = builder.task_count();
  for (std::size_t taker = 0; taker < tasks; ++taker) {
    const bool takes = builder.lane(builder.task(TaskId{taker}).lane).credit != Bytes{};
    if (one_in(generator, 200) || (!takes && one_in(generator, 2))) continue;
    std::size_t giver = taker + below(generator, std::min<std::size_t>(tasks - taker, 4));
    while (giver < tasks && builder.returns_credit_of(TaskId{giver}).valid()) ++giver;
    if (giver == tasks) continue;
    builder.return_credit(TaskId{giver}, TaskId{taker});
    if (giver != taker) builder.add_edge(TaskId{taker}, TaskId{giver}, EdgeKind::kData);
  }
}

void add_edges(DagBuilder& builder, std::mt19937& generator, const RandomDagShape& shape) {
  const std::size_t tasks = builder.task_count();
  const std::size_t edges = tasks < 2 ? 0 : below(generator, 2 * tasks);
  for (std::size_t i = 0; i < edges; ++i) {
    const std::size_t from = below(generator, tasks - 1);
    const std::size_t to = from + 1 + below(generator, tasks - from - 1);
    const std::int64_t lag = one_in(generator, 3) ? below(generator, 7) * shape.scale : 0;
    builder.add_edge(TaskId{from}, TaskId{to}, EdgeKind::kData, Duration{shape.lags ? lag : 0});
  }
}

Collective random_collective(std::mt19937& generator) {
  constexpr std::size_t kOperations = 9;  // including kUnknown
  Collective collective;
  collective.op = static_cast<CollectiveOp>(below(generator, kOperations));
  collective.bytes = Bytes{below(generator, 100)};
  return collective;
}

void add_rendezvous(DagBuilder& builder, std::mt19937& generator, const RandomDagShape& shape) {
  std::vector<std::size_t> tasks(builder.task_count());
  std::iota(tasks.begin(), tasks.end(), std::size_t{0});
  const auto on_fifo_lane = [&builder](std::size_t task) {
    return builder.lane(builder.task(TaskId{task}).lane).order == LaneOrder::kFifo;
  };
  if (!shape.rendezvous_on_fifo_lanes)
    tasks.erase(std::remove_if(tasks.begin(), tasks.end(), on_fifo_lane), tasks.end());
  for (std::size_t i = tasks.size(); i > 1; --i) std::swap(tasks[i - 1], tasks[below(generator, i)]);
  std::size_t used = 0;
  while (one_in(generator, 2) && used + 4 < tasks.size()) {
    const RendezvousId rendezvous =
        shape.messages ? builder.add_rendezvous(random_collective(generator)) : builder.add_rendezvous();
    const std::size_t members = 1 + below(generator, 4);
    for (std::size_t i = 0; i < members; ++i) builder.join(rendezvous, TaskId{tasks[used++]});
  }
}

}  // namespace

std::uint32_t test_seed() {
  static const std::uint32_t seed = [] {
    const char* const text = std::getenv("STEPSIM_TEST_SEED");
    if (text != nullptr) return static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
    if (!nightly()) return 1U;
    const auto now = static_cast<std::uint32_t>(std::chrono::system_clock::now().time_since_epoch().count());
    std::cout << "STEPSIM_TEST_SEED=" << now << '\n';
    return now;
  }();
  return seed;
}

Dag random_dag(std::mt19937& generator, const RandomDagShape& shape) {
  while (true) {  // repeats if the random members of collectives wait for each other
    DagBuilder builder;
    add_tasks(builder, generator, shape);
    add_edges(builder, generator, shape);
    if (shape.all_queues) add_credits(builder, generator);
    if (shape.rendezvous) add_rendezvous(builder, generator, shape);
    try {
      return std::move(builder).build().dag;
    } catch (const CycleError&) {
      continue;
    }
  }
}

sim::Machine random_machine(std::mt19937& generator, const Dag& dag, std::int64_t scale) {
  std::vector<std::pair<TaskId, Time>> origins;
  for (std::size_t i = 0; i < dag.task_count(); ++i) {
    if (dag.in_degrees()[i] == 0 && one_in(generator, 3)) {
      origins.emplace_back(TaskId{i}, Time{Duration{below(generator, 9) * scale}});
    }
  }
  sim::Machine machine{dag};
  machine.set_origins(std::move(origins));
  return machine;
}

}  // namespace stepsim::testing
