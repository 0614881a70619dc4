#include "sim/stats/collective_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/cost/collective/algorithm.h"
#include "model/cost/collective/nccl_times.h"
#include "model/job/dag_builder.h"
#include "model/job/group.h"
#include "model/job/transfer.h"
#include "sim/engine/engine.h"
#include "sim/stats/measured_work.h"

namespace stepsim::sim {
namespace {

std::string operation_name(const Dag& dag, RendezvousId rendezvous) {
  const CollectiveOp op = dag.collective(rendezvous).op;
  return std::string(op == CollectiveOp::kUnknown ? dag.name(dag.members(rendezvous).front())
                                                  : named_operation(op).name);
}

/// Returns the captured ranks of a collective, ascending.
std::vector<Rank> captured_ranks(const Dag& dag, RendezvousId rendezvous) {
  std::vector<Rank> ranks;
  for (const TaskId member : members_by_rank(dag, rendezvous)) ranks.push_back(dag.lane(member).rank);
  return ranks;
}

std::string group_text(const Dag& dag, RendezvousId rendezvous, const std::vector<Rank>& captured) {
  const Collective& collective = dag.collective(rendezvous);
  if (collective.op == CollectiveOp::kSendRecv && captured.size() == 2)
    return fmt::format("{} -> {}", captured[collective.root == 0 ? 0 : 1], captured[collective.root == 0 ? 1 : 0]);
  const std::vector<Rank> listed = collective.group.valid() ? dag.group(collective.group).ranks : std::vector<Rank>();
  const std::vector<Rank>& known = listed.size() > captured.size() ? listed : captured;
  const std::string ranks = ranges_of({known.begin(), known.end()}, ",");
  const std::uint32_t size = group_size(dag, rendezvous);
  return known.size() < size ? fmt::format("{} of {} ranks", ranks, size) : ranks;
}

/// Returns the transfers of all collectives between ranks.
std::vector<Transfer> transfers_of(const Capture& capture) {
  const Dag& dag = capture.dag;
  std::vector<Transfer> transfers;
  for (const RendezvousId rendezvous : dag.all_rendezvous()) {
    const std::vector<Rank> captured = captured_ranks(dag, rendezvous);
    const bool one_rank = captured.empty() || captured.front() == captured.back();
    if (!one_rank || !is_whole(dag, rendezvous)) transfers.push_back(transfer_of(dag, capture.recording, rendezvous));
  }
  mark_overlaps(dag, transfers);
  return transfers;
}

/// Collects the rows.
class Rows {
 public:
  Rows(const Capture& capture, bool only_steps)
      : dag_(capture.dag),
        recording_(capture.recording),
        only_steps_(only_steps || steps_are_chosen(capture.recording)),
        hosts_(hosts_of_ranks(capture.dag)) {
    for (const HostClock& clock : recording_.clocks) clock_error_[clock.host] = clock.residual;
  }

  void add(const Transfer& transfer) {
    if (only_steps_ && !is_selected(transfer.last_one)) return;
    const RendezvousId rendezvous = transfer.rendezvous;
    const std::vector<Rank> captured = captured_ranks(dag_, rendezvous);
    const auto [place, is_new] = places_.try_emplace(key_of(rendezvous, captured), rows_.size());
    if (is_new) rows_.push_back(row_of(rendezvous, captured, place->first));
    Collected& row = rows_[place->second];
    row.row.times.push_back(transfer.end - transfer.last);
    if (!transfer.alone) ++row.row.overlapped;
    if (captured.size() < 2) return;
    row.skews.push_back(transfer.last - transfer.first);
    if (transfer.last > transfer.first) ++row.last[dag_.lane(transfer.last_one).rank];
  }

  [[nodiscard]] std::vector<CollectiveRow> take() && {
    std::vector<CollectiveRow> rows;
    for (Collected& one : rows_) {
      one.row.time = distribution_of(one.row.times);
      if (!one.skews.empty()) one.row.skew = distribution_of(one.skews);
      for (const auto& [rank, count] : one.last) {
        if (count > one.row.last_in) std::tie(one.row.last, one.row.last_in) = std::pair(rank, count);
      }
      rows.push_back(std::move(one.row));
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const CollectiveRow& a, const CollectiveRow& b) { return a.time.total > b.time.total; });
    return rows;
  }

 private:
  struct Key {
    std::string group;
    std::string name;
    std::string operation;
    Bytes bytes;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Collected {
    CollectiveRow row;
    std::vector<Duration> skews;
    std::map<Rank, std::size_t> last;
  };

  static Distribution distribution_of(const std::vector<Duration>& times) {
    return distributions(std::vector<std::uint32_t>(times.size()), times, 1).front();
  }

  [[nodiscard]] bool is_selected(TaskId task) const {
    const std::int32_t step = recording_.step[task.index()];
    return step >= 0 && recording_.steps[static_cast<std::size_t>(step)].asked;
  }

  [[nodiscard]] Key key_of(RendezvousId rendezvous, const std::vector<Rank>& captured) const {
    const Collective& collective = dag_.collective(rendezvous);
    return {group_text(dag_, rendezvous, captured),
            collective.group.valid() ? dag_.group(collective.group).name : std::string(),
            operation_name(dag_, rendezvous), collective.bytes};
  }

  [[nodiscard]] Collected row_of(RendezvousId rendezvous, const std::vector<Rank>& captured, const Key& key) const {
    std::set<std::string> hosts;
    Duration clock_error{};
    for (const Rank rank : captured) {
      const auto host = hosts_.find(rank);
      if (host == hosts_.end()) continue;
      hosts.insert(host->second);
      const auto error = clock_error_.find(host->second);
      if (error != clock_error_.end()) clock_error = std::max(clock_error, error->second);
    }
    CollectiveRow row{.group = key.group,
                      .group_name = key.name,
                      .members = captured,
                      .ranks = group_size(dag_, rendezvous),
                      .hosts = hosts.contains("") ? 0 : static_cast<std::uint32_t>(hosts.size()),
                      .op = dag_.collective(rendezvous).op,
                      .operation = key.operation,
                      .clock_error = hosts.size() > 1 ? clock_error : Duration{},
                      .first = rendezvous};
    if (key.bytes > Bytes{}) row.bytes = key.bytes;
    return {std::move(row), {}, {}};
  }

  const Dag& dag_;
  const Recording& recording_;
  bool only_steps_;
  std::map<Rank, std::string> hosts_;
  std::map<std::string, Duration> clock_error_;
  std::map<Key, std::size_t> places_;
  std::vector<Collected> rows_;
};

/// A graph of collectives that run one after the other.
struct Chain {
  Dag dag;
  std::vector<TaskId> between;  ///< task k ends before collective k and begins after collective k - 1
};

Chain chain_of(const Dag& dag, const std::vector<RendezvousId>& collectives) {
  DagBuilder builder;
  builder.groups() = dag.groups();
  std::map<LaneId, LaneId> lanes;
  const LaneId between = builder.add_lane(Lane{.rank = dag.lane(dag.members(collectives.front()).front()).rank});
  const NameId name = builder.intern("");
  std::vector<TaskId> tasks{builder.add_task({.name = name, .lane = between})};
  for (const RendezvousId collective : collectives) {
    const RendezvousId copy = builder.add_rendezvous(dag.collective(collective));
    const TaskId next = builder.add_task({.name = name, .lane = between});
    for (const TaskId member : dag.members(collective)) {
      const auto [lane, is_new] = lanes.try_emplace(dag.lane_id(member));
      if (is_new) lane->second = builder.add_lane(dag.lane(member));
      const TaskId task = builder.add_task({.kind = TaskKind::kCollective, .name = name, .lane = lane->second});
      builder.join(copy, task);
      builder.add_edge(tasks.back(), task, EdgeKind::kData);
      builder.add_edge(task, next, EdgeKind::kData);
    }
    tasks.push_back(next);
  }
  DagBuilder::Result built = std::move(builder).build();
  for (TaskId& task : tasks) task = built.new_id[task.index()];
  return {std::move(built.dag), std::move(tasks)};
}

/// Returns how long each collective of a chain takes in a replay.
std::vector<Duration> lone_times(const Chain& chain, const NetworkModel& network, const Cluster& cluster) {
  Machine machine(chain.dag);
  machine.set_network(network, cluster);
  const Timeline timeline = replay(chain.dag, machine);
  std::vector<Duration> times;
  for (std::size_t i = 0; i + 1 < chain.between.size(); ++i)
    times.push_back(timeline.start[chain.between[i + 1].index()] - timeline.finish[chain.between[i].index()]);
  return times;
}

/// Returns why the model has no time for a row; empty if it has one.
std::string_view why_unexpected(const CollectiveRow& row, const Dag& dag, bool knows_nics) {
  if (!row.bytes) return "the payload was not recorded";
  if (row.hosts > 1 && !knows_nics) return "the rate of the NICs is not known: give --cluster FILE";
  if (!can_simulate_members(dag, row.first)) return "the hosts of the ranks that were not captured are not known";
  const Collective& collective = dag.collective(row.first);
  const CollectiveModel* const model = model_for(shape_of(collective, row.ranks, 1), collective.algorithm);
  return model == nullptr ? "no model has this operation" : "";
}

}  // namespace

std::optional<double> CollectiveRow::algbw() const noexcept {
  if (!bytes || transfer_time() <= Duration{}) return std::nullopt;
  return static_cast<double>(bytes->count()) * 1e9 / static_cast<double>(transfer_time().count());
}

std::optional<double> CollectiveRow::busbw() const noexcept {
  const std::optional<double> rate = algbw();
  return rate ? std::optional{*rate * ring_traffic(op, ranks)} : std::nullopt;
}

bool CollectiveRow::is_slow() const noexcept {
  return is_whole() && longest_expected && transfer_time() > *longest_expected && 2 * overlapped < time.count;
}

std::optional<double> CollectiveRow::of_expected() const noexcept {
  if (!expected || transfer_time() <= Duration{}) return std::nullopt;
  return static_cast<double>(expected->count()) / static_cast<double>(transfer_time().count());
}

std::vector<CollectiveRow> collective_rows(const Capture& capture, bool only_steps) {
  const InputLocation where{capture.inputs.empty() ? std::string() : capture.inputs.front().name, {}, {}};
  if (capture.recording.start.empty())
    throw CannotAnswer(where, "--collectives: nothing was measured; expected a capture, not a task graph");
  Rows rows(capture, only_steps);
  for (const Transfer& transfer : transfers_of(capture)) rows.add(transfer);
  std::vector<CollectiveRow> taken = std::move(rows).take();
  if (taken.empty()) {
    throw CannotAnswer(
        where, "--collectives: no collective is known to have several ranks; expected a capture of a distributed job");
  }
  return taken;
}

void add_expected_times(std::vector<CollectiveRow>& rows, const Dag& dag, const NetworkModel& network,
                        const Cluster& cluster, bool knows_nics) {
  std::vector<CollectiveRow*> known;
  std::vector<RendezvousId> collectives;
  for (CollectiveRow& row : rows) {
    row.unexpected = why_unexpected(row, dag, knows_nics);
    if (!row.unexpected.empty()) continue;
    known.push_back(&row);
    collectives.push_back(row.first);
  }
  if (known.empty()) return;
  const Chain chain = chain_of(dag, collectives);
  const std::vector<Duration> expected = lone_times(chain, network, cluster);
  Cluster slowest = cluster;
  slowest.network.set(kCollectiveSide, 1.0);
  const std::vector<Duration> longest = lone_times(chain, network, slowest);
  for (std::size_t i = 0; i < known.size(); ++i) {
    known[i]->expected = expected[i];
    if (longest[i] > expected[i]) known[i]->longest_expected = longest[i];
  }
}

}  // namespace stepsim::sim
