#include "tests/theory/log_gops_reference.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <queue>
#include <tuple>
#include <vector>

namespace stepsim::testing {
namespace {

enum Processor : std::size_t { kSending, kReceiving, kComputing };
enum class What { kSend, kReceive, kCompute, kArrival };

struct Operation {
  What what = What::kCompute;
  std::size_t host = 0;
  std::size_t peer = 0;
  std::int64_t size = 0;
  std::size_t task = 0;
  std::vector<std::size_t> frees{};
  std::size_t waits_for = 0;
  std::int64_t ready = 0;  ///< when the last operation ends for which it waits
};

/// An event: its time, a number that orders events at the same time, its operation, and what happens. A heap has the
/// earliest event on top.
using Event = std::tuple<std::int64_t, std::int64_t, std::size_t, What>;

struct Host {
  std::array<std::int64_t, 3> processor{};
  std::int64_t nic_out = 0;
  std::int64_t nic_in = 0;
};

class Simulation {
 public:
  Simulation(const Dag& dag, int hosts, const LogGPCosts& costs, LogGOPSRules rules)
      : costs_(costs), causal_(rules == LogGOPSRules::kCausal), hosts_(static_cast<std::size_t>(hosts)) {
    for (std::size_t i = 0; i < dag.task_count(); ++i) add_task(dag, TaskId{i});
    for (std::size_t i = 0; i < dag.task_count(); ++i) {
      for (const TaskId next : dag.successors(TaskId{i})) add_dependency(i, next.index());
    }
    if (!causal_) chain_receives();
  }

  std::int64_t run() {
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (operations_[i].waits_for == 0) begin(i);
    }
    while (!events_.empty()) {
      const auto [time, since, id, what] = events_.top();
      events_.pop();
      if (!take(time, id, what)) events_.emplace(free_from(id, what), since, id, what);
    }
    std::int64_t last = 0;
    for (const Host& host : hosts_)
      last = std::max(last, *std::max_element(host.processor.begin(), host.processor.end()));
    return last;
  }

 private:
  std::size_t add(const Operation& operation) {
    operations_.push_back(operation);
    return operations_.size() - 1;
  }

  void add_task(const Dag& dag, TaskId task) {
    const Lane& lane = dag.lane(task);
    const auto own = static_cast<std::size_t>(lane.rank);
    if (!lane.from.valid()) {
      first_.push_back(add({What::kCompute, own, own, dag.duration(task).count(), task.index()}));
      last_.push_back(first_.back());
      return;
    }
    const std::int64_t bytes = dag.bytes(task).count();
    first_.push_back(add({What::kSend, lane.from.index(), lane.to.index(), bytes, task.index()}));
    last_.push_back(add({What::kReceive, lane.to.index(), lane.from.index(), bytes, task.index()}));
  }

  /// Adds a dependency between two tasks. If `from` is a message, `to` waits for the part of the message on its own
  /// host: the send or the receive.
  void add_dependency(std::size_t from, std::size_t to) {
    const std::size_t host = operations_[first_[to]].host;
    link(operations_[last_[from]].host == host ? last_[from] : first_[from], first_[to]);
  }

  void link(std::size_t from, std::size_t to) {
    operations_[from].frees.push_back(to);
    ++operations_[to].waits_for;
  }

  void chain_receives() {
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> before;
    for (const std::size_t id : last_) {
      if (operations_[id].what != What::kReceive) continue;
      const auto [place, first] = before.try_emplace({operations_[id].peer, operations_[id].host}, id);
      if (!first) link(std::exchange(place->second, id), id);
    }
  }

  /// Schedules an operation for which all predecessors have ended.
  void begin(std::size_t id) {
    const Operation& one = operations_[id];
    const std::int64_t own = free_from(id, one.what);
    if (causal_) {
      events_.emplace(std::max(own, one.ready), one.ready, id, one.what);
    } else {
      events_.emplace(own, count_++, id, one.what);
    }
  }

  [[nodiscard]] std::int64_t free_from(std::size_t id, What what) const {
    const Operation& one = operations_[id];
    const Host& host = hosts_[one.host];
    switch (what) {
      case What::kSend: return std::max(host.processor[kSending], host.nic_out);
      case What::kReceive: return causal_ ? 0 : host.processor[kReceiving];
      case What::kCompute: return host.processor[kComputing];
      case What::kArrival: break;
    }
    const Host& receiver = hosts_[one.peer];
    return std::max(receiver.processor[charged()], receiver.nic_in);
  }

  [[nodiscard]] Processor charged() const { return causal_ ? kReceiving : kSending; }

  /// Runs the operation at `time` and returns true, or returns false if a processor or NIC that it needs is busy.
  bool take(std::int64_t time, std::size_t id, What what) {
    if (what != What::kReceive && free_from(id, what) > time) return false;
    Operation& one = operations_[id];
    Host& host = hosts_[one.host];
    const std::int64_t wire = (one.size - 1) * costs_.gap_per_byte;
    switch (what) {
      case What::kCompute: {
        host.processor[kComputing] = time + one.size;
        end(id, time + one.size);
        break;
      }
      case What::kSend: {
        host.processor[kSending] = time + costs_.overhead;
        host.nic_out = time + costs_.gap + wire;
        const std::int64_t there = time + costs_.overhead + costs_.latency;
        events_.emplace(there, causal_ ? there : count_++, id, What::kArrival);
        end(id, time + costs_.overhead);
        break;
      }
      case What::kReceive: meet(one.task, id, time); break;
      case What::kArrival: {
        Host& receiver = hosts_[one.peer];
        receiver.processor[charged()] = time + costs_.overhead + wire;
        receiver.nic_in = time + costs_.gap + wire;
        meet(one.task, last_[one.task], time + costs_.overhead + wire);
        break;
      }
    }
    return true;
  }

  /// Is called once when a message has arrived and once when its receive is posted. The later call ends the receive.
  void meet(std::size_t task, std::size_t receive, std::int64_t time) {
    const auto [place, first] = met_.try_emplace(task, time);
    if (!first) end(receive, std::max(time, place->second));
  }

  void end(std::size_t id, std::int64_t time) {
    for (const std::size_t next : operations_[id].frees) {
      operations_[next].ready = std::max(operations_[next].ready, time);
      if (--operations_[next].waits_for == 0) begin(next);
    }
  }

  LogGPCosts costs_;
  bool causal_;
  std::vector<Host> hosts_;
  std::vector<Operation> operations_;
  std::vector<std::size_t> first_;  ///< by task: its compute or send operation
  std::vector<std::size_t> last_;   ///< by task: its compute or receive operation
  std::map<std::size_t, std::int64_t> met_;
  std::int64_t count_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace

std::int64_t log_gops_finish(const Dag& dag, int hosts, const LogGPCosts& costs, LogGOPSRules rules) {
  return Simulation{dag, hosts, costs, rules}.run();
}

}  // namespace stepsim::testing
