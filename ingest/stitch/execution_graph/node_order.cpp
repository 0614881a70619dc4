#include "ingest/stitch/execution_graph/node_order.h"

#include <functional>
#include <queue>
#include <utility>

namespace stepsim::ingest {
namespace {

/// Who comes after whom, by predecessor.
class Successors {
 public:
  template <class ForEachEdge>
  Successors(std::size_t count, const ForEachEdge& for_each_edge) : begin_(count + 1), waiting_(count) {
    for_each_edge([this](std::size_t from, std::size_t to) {
      ++begin_[from + 1];
      ++waiting_[to];
    });
    for (std::size_t i = 0; i < count; ++i) begin_[i + 1] += begin_[i];
    targets_.resize(begin_[count]);
    std::vector<std::uint64_t> place(begin_.begin(), begin_.end() - 1);
    for_each_edge([&](std::size_t from, std::size_t to) { targets_[place[from]++] = static_cast<std::uint32_t>(to); });
  }

  [[nodiscard]] bool is_ready(std::size_t i) const noexcept { return waiting_[i] == 0; }
  /// Calls `ready(i)` for each that waited for nothing else.
  template <class Ready>
  void end(std::size_t of, const Ready& ready) {
    for (std::uint64_t i = begin_[of]; i < begin_[of + 1]; ++i) {
      if (--waiting_[targets_[i]] == 0) ready(targets_[i]);
    }
  }

 private:
  std::vector<std::uint64_t> begin_;
  std::vector<std::uint32_t> targets_;
  std::vector<std::uint32_t> waiting_;
};

}  // namespace

std::vector<std::uint32_t> issue_order(const ExecutionGraph& graph) {
  const auto count = static_cast<std::uint32_t>(graph.nodes.size());
  Successors successors(count, [&](const auto& edge) {
    for (std::uint32_t i = 0; i < count; ++i) {
      for (const std::uint32_t before : graph.after_of(i)) edge(before, i);
    }
  });
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (successors.is_ready(i)) ready.push(i);
  }
  std::vector<std::uint32_t> order;
  order.reserve(count);
  while (!ready.empty()) {
    const std::uint32_t node = ready.top();
    ready.pop();
    order.push_back(node);
    successors.end(node, [&ready](std::uint32_t next) { ready.push(next); });
  }
  return order;
}

bool can_run(DagBuilder& builder, const std::vector<DagBuilder::Edge>& more) {
  const std::size_t tasks = builder.task_count();
  Successors successors(tasks, [&](const auto& edge) {
    for (const DagBuilder::Edge& e : builder.edges()) edge(e.from.index(), e.to.index());
    for (const DagBuilder::Edge& e : more) edge(e.from.index(), e.to.index());
  });
  std::vector<std::vector<std::uint32_t>> arrived(builder.rendezvous_count());
  std::vector<std::size_t> members(builder.rendezvous_count());
  std::vector<std::uint32_t> ended;
  const auto begin = [&](std::uint32_t task) {
    const RendezvousId rendezvous = builder.rendezvous(TaskId{task});
    if (!rendezvous.valid()) return ended.push_back(task);
    std::vector<std::uint32_t>& there = arrived[rendezvous.index()];
    there.push_back(task);
    if (there.size() == members[rendezvous.index()]) ended.insert(ended.end(), there.begin(), there.end());
  };
  for (std::size_t i = 0; i < tasks; ++i) {
    if (const RendezvousId rendezvous = builder.rendezvous(TaskId{i}); rendezvous.valid())
      ++members[rendezvous.index()];
  }
  for (std::uint32_t i = 0; i < tasks; ++i) {
    if (successors.is_ready(i)) begin(i);
  }
  for (std::size_t done = 0; done < ended.size(); ++done) successors.end(ended[done], begin);
  return ended.size() == tasks;
}

}  // namespace stepsim::ingest
