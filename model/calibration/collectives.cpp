#include "model/calibration/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "model/base/fit.h"
#include "model/cost/collective/algorithm.h"
#include "model/cost/collective/nccl_times.h"
#include "model/cost/collective/shared_hosts.h"
#include "model/cost/network/network.h"
#include "model/job/group.h"
#include "model/job/rank_places.h"
#include "model/job/topology.h"
#include "model/job/transfer.h"

namespace stepsim {
namespace {

/// The traffic on a rank's link in one direction.
struct Flow {
  double bytes = 0;
  double messages = 0;  ///< number of messages, which are sent one after the other

  Flow& operator+=(const Flow& other) {
    bytes += other.bytes;
    messages += other.messages;
    return *this;
  }
};

/// The traffic in both directions. The direction with more bytes determines the time.
struct Load {
  Flow out;
  Flow in;

  Load& operator+=(const Load& other) {
    out += other.out;
    in += other.in;
    return *this;
  }
  [[nodiscard]] Load with_bytes_of(double share) const {
    return {{out.bytes * share, out.messages}, {in.bytes * share, in.messages}};
  }
  [[nodiscard]] const Flow& fuller() const { return out.bytes < in.bytes ? in : out; }
};

/// A rank's part in one collective: the time its link is busy and the traffic in that time.
struct Use {
  Time begin;
  Time end;
  Load load;
};

/// Returns the load of each member of the group, from its messages in all rounds.
std::vector<Load> loads_of(const CollectiveModel& model, const CollectiveShape& shape) {
  std::vector<Load> loads(shape.members);
  std::vector<Send> sends;
  for (std::uint32_t round = 0; round < model.rounds(shape); ++round) {
    for (std::uint32_t member = 0; member < shape.members; ++member) {
      sends.clear();
      model.sends(shape, member, round, sends);
      for (const Send& send : sends) {
        const Flow flow{static_cast<double>(send.bytes.count()), 1};
        loads[member].out += flow;
        loads[send.to].in += flow;
      }
    }
  }
  return loads;
}

/// Returns how many ranks shared each host: ranks 0 to k - 1 the first of several hosts, the next k the second and so
/// on. Returns 1 if the capture does not show that.
std::uint32_t ranks_per_host(const Capture& capture) {
  const std::optional<std::set<std::string>> hosts = known_hosts(capture);
  const std::map<Rank, std::string> host_of = hosts_of_ranks(capture.dag);
  if (!hosts || hosts->size() < 2 || host_of.size() % hosts->size() != 0) return 1;
  if (host_of.size() < largest_group(capture.dag)) return 1;
  const std::size_t per_host = host_of.size() / hosts->size();
  std::size_t number = 0;
  std::vector<std::string> names;
  for (const auto& [rank, host] : host_of) {
    if (rank != static_cast<Rank>(number)) return 1;
    if (number++ % per_host == 0) names.push_back(host);
    if (names.back() != host) return 1;
  }
  return names.size() == hosts->size() && per_host <= 64 ? static_cast<std::uint32_t>(per_host) : 1;
}

/// Finds the Use of each rank in each collective of a capture.
class UseFinder {
 public:
  explicit UseFinder(const Capture& capture)
      : dag_(capture.dag), recording_(capture.recording), per_host_(ranks_per_host(capture)) {
    for (const RendezvousId rendezvous : dag_.all_rendezvous()) add(rendezvous);
  }
  [[nodiscard]] const std::map<Rank, std::vector<Use>>& by_rank() const { return uses_; }

 private:
  void add(RendezvousId rendezvous) {
    const Collective& collective = dag_.collective(rendezvous);
    const std::vector<TaskId> group = members_by_rank(dag_, rendezvous);
    const CollectiveShape shape = shape_of(collective, group_size(dag_, rendezvous), 1);
    const CollectiveModel* const model = model_for(shape, collective.algorithm);
    if (model == nullptr) return;
    if (group.empty()) return;
    const Transfer transfer = transfer_of(dag_, recording_, rendezvous);
    if (transfer.last >= transfer.end) return;
    const double share = model->whole == nullptr ? 1 : share_of_ring(group, shape);
    for (std::uint32_t member = 0; member < group.size(); ++member) {
      const Load load = load_of(*model, shape, member).with_bytes_of(share);
      uses_[dag_.lane(group[member]).rank].push_back({transfer.last, transfer.end, load});
    }
  }

  /// Returns the traffic on the NICs of the hosts that NCCL's members shared, as a share of a ring's.
  [[nodiscard]] double share_of_ring(const std::vector<TaskId>& group, const CollectiveShape& shape) const {
    if (per_host_ == 1) return 1;
    std::set<std::int64_t> hosts;
    for (const TaskId task : group) hosts.insert(std::int64_t{dag_.lane(task).rank} / per_host_);
    const auto count = static_cast<std::uint32_t>(hosts.size());
    return nccl_traffic(shape.op, shape.members, count) / ring_traffic(shape.op, shape.members);
  }

  /// Returns the load of a member. A trace may claim a large group, so this avoids all members and rounds if it can.
  Load load_of(const CollectiveModel& model, const CollectiveShape& shape, std::uint32_t member) {
    if (model.traffic != nullptr) {
      const MemberTraffic sum = model.traffic(shape, member);
      return {{static_cast<double>(sum.bytes_sent.count()), static_cast<double>(sum.sent)},
              {static_cast<double>(sum.bytes_received.count()), static_cast<double>(sum.received)}};
    }
    const auto [entry, is_new] = loads_.try_emplace({&model, shape});
    if (is_new) entry->second = loads_of(model, shape);
    return entry->second[member];
  }

  const Dag& dag_;
  const Recording& recording_;
  std::uint32_t per_host_;
  std::map<Rank, std::vector<Use>> uses_;
  std::map<std::pair<const CollectiveModel*, CollectiveShape>, std::vector<Load>>
      loads_;  ///< cached, because steps repeat their shapes
};

/// Merges uses that overlap in time into one busy period.
std::vector<Use> busy_periods(std::vector<Use> uses) {
  std::stable_sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.begin < b.begin; });
  std::vector<Use> periods;
  for (const Use& use : uses) {
    if (periods.empty() || use.begin > periods.back().end) {
      periods.push_back(use);
      continue;
    }
    periods.back().end = std::max(periods.back().end, use.end);
    periods.back().load += use.load;
  }
  return periods;
}

/// One entry per busy period of a rank's link, in all three lists. Each value is divided by the square root of the
/// period's bytes: the error of a period's time grows roughly with that root, so all entries have about the same error.
struct Samples {
  std::vector<double> bytes;
  std::vector<double> messages;
  std::vector<double> times;
};

Samples samples_of(const Capture& capture) {
  Samples samples;
  const UseFinder finder(capture);
  for (const auto& [rank, uses] : finder.by_rank()) {
    for (const Use& period : busy_periods(uses)) {
      const Flow& flow = period.load.fuller();
      if (flow.bytes <= 0) continue;
      const double weight = 1 / std::sqrt(flow.bytes);
      samples.bytes.push_back(weight * flow.bytes);
      samples.messages.push_back(weight * flow.messages);
      samples.times.push_back(weight * static_cast<double>((period.end - period.begin).count()));
    }
  }
  return samples;
}

/// The cost of a message in nanoseconds: a part per byte (`a_byte`) and a fixed part (`besides`).
struct CostFit {
  double a_byte = 0;
  double besides = 0;
  SumFit fit;
};

/// True if the mean message sizes of the periods differ enough to separate the cost per byte from the cost per message.
bool sizes_differ(const Samples& samples) {
  double smallest = std::numeric_limits<double>::max();
  double largest = 0;
  for (std::size_t i = 0; i < samples.times.size(); ++i) {
    smallest = std::min(smallest, samples.bytes[i] / samples.messages[i]);
    largest = std::max(largest, samples.bytes[i] / samples.messages[i]);
  }
  return largest >= 2 * smallest;
}

CostFit fit_cost(const Samples& samples) {
  if (sizes_differ(samples)) {
    std::vector<double> rows;
    for (std::size_t i = 0; i < samples.times.size(); ++i)
      rows.insert(rows.end(), {samples.bytes[i], samples.messages[i]});
    SumFit fit = fit_sum(rows, 2, samples.times);
    if (fit.coefficients[0] > 0) return {fit.coefficients[0], fit.coefficients[1], std::move(fit)};
  }
  SumFit fit = fit_sum(samples.bytes, 1, samples.times);
  return {fit.coefficients[0], 0, std::move(fit)};
}

/// Returns the placement of the ranks and what is known about their links before the fit.
Calibration prior(const Capture& capture) {
  if (capture.job.bandwidth.has_value()) return network_of_job_file(capture);
  Calibration result;
  result.cluster = star(endpoint_count(capture),
                        {.name = {}, .bandwidth = {}, .latency = capture.job.latency.value_or(kUsualLatency)});
  const std::size_t captured = hosts_of_ranks(capture.dag).size();
  const std::size_t ranks = std::max(captured, largest_group(capture.dag));
  const std::string unknown_hosts = captured == ranks
                                        ? ""
                                        : fmt::format(
                                              "; the traces of {} of {} ranks do not show which share a host "
                                              "(cluster.gpus_per_host and cluster.nic give it)",
                                              captured, ranks);
  result.assumptions.push_back(
      {"one_switch", fmt::format("Each rank has its own full-duplex link to a single switch{}.", unknown_hosts)});
  return result;
}

/// Tells the cost model of NCCL which ranks shared a host, if each has its own link to the switch.
void note_shared_hosts(const Capture& capture, Calibration& result) {
  const std::uint32_t per_host = ranks_per_host(capture);
  if (per_host == 1 || result.cluster.hosts.size() < hosts_of_ranks(capture.dag).size()) return;
  result.cluster.network.set(kRanksPerHost, static_cast<double>(per_host));
  result.assumptions.push_back(
      {"shared_hosts",
       fmt::format("NCCL's collectives count the hosts of the capture, which {} ranks share.", per_host)});
}

/// Sets the links of a star.
void set_links(Cluster& cluster, Bandwidth goodput, Duration alpha) {
  ClusterShape shape = *cluster.shape;
  if (shape.nic.bandwidth < goodput) shape.nic.bandwidth = goodput;
  shape.nic.efficiency = goodput.bytes_per_second() / shape.nic.bandwidth.bytes_per_second();
  if (alpha > Duration{}) shape.nic.latency = std::min(shape.nic.latency, alpha / 2);
  const Duration overhead = std::max(Duration{}, alpha - 2 * shape.nic.latency);
  cluster = with_shape(cluster, std::move(shape));
  cluster.network.set(kMessageOverhead, overhead);
}

/// Returns the transfers with a known payload.
std::vector<Transfer> transfers_of(const Capture& capture) {
  const Dag& dag = capture.dag;
  std::vector<Transfer> transfers;
  for (const RendezvousId rendezvous : dag.all_rendezvous()) {
    const Collective& collective = dag.collective(rendezvous);
    if (collective.op == CollectiveOp::kUnknown || collective.bytes <= Bytes{}) continue;
    if (dag.members(rendezvous).empty()) continue;
    const Transfer transfer = transfer_of(dag, capture.recording, rendezvous);
    if (transfer.last < transfer.end) transfers.push_back(transfer);
  }
  mark_overlaps(dag, transfers);
  return transfers;
}

/// Replaces repeated timings of the same collective by their mean, which preserves their total time.
std::vector<TimedCollective> means_of(const std::vector<TimedCollective>& timings) {
  using Key = std::tuple<CollectiveOp, std::uint32_t, std::uint32_t, Bytes>;
  std::map<Key, std::vector<TimedCollective>> same;
  for (const TimedCollective& one : timings) same[{one.op, one.ranks, one.hosts, one.bytes}].push_back(one);
  std::vector<TimedCollective> means;
  for (const auto& [key, group] : same) {
    means.push_back(group.front());
    const auto count = static_cast<std::int64_t>(group.size());
    // Averages the differences to the first timing, because the sum of the times could overflow.
    Duration more{};
    for (const TimedCollective& one : group) more += (one.time - group.front().time) / count;
    means.back().time += more;
  }
  return means;
}

/// Returns the times of NCCL's collectives that ran alone; if none did, the times of all.
std::vector<TimedCollective> nccl_timings(const Capture& capture, const Cluster& cluster) {
  const CollectiveModel* const nccl = find_collective_model("nccl");
  std::vector<TimedCollective> alone;
  std::vector<TimedCollective> all;
  for (const Transfer& transfer : transfers_of(capture)) {
    const Collective& collective = capture.dag.collective(transfer.rendezvous);
    if (collective.algorithm != nccl) continue;
    const auto tasks = capture.dag.members(transfer.rendezvous);
    const std::uint32_t members = group_size(capture.dag, transfer.rendezvous);
    std::vector<EndpointId> endpoints;
    for (const TaskId task : tasks) {
      const EndpointId endpoint = cluster.endpoint_of(capture.dag.lane(task).rank);
      if (endpoint.valid()) endpoints.push_back(endpoint);
    }
    // Assume that the hosts of ranks that were not captured have as many ranks as job.yaml says.
    const std::size_t absent = members - tasks.size();
    const std::size_t per_host = std::max<std::size_t>(1, capture.job.local_size.value_or(1));
    const auto on =
        static_cast<std::uint32_t>(std::max<std::size_t>(1, hosts_of(cluster, endpoints) + absent / per_host));
    const TimedCollective timing{
        collective.op, members, std::min(on, members), {}, collective.bytes, transfer.end - transfer.last};
    all.push_back(timing);
    if (transfer.alone) alone.push_back(timing);
  }
  return alone.empty() ? all : alone;
}

/// Stores the measured times of NCCL's collectives by size. The links are used to scale these times to other hardware.
void add_measured(const Capture& capture, Bandwidth goodput, Calibration& result) {
  const std::vector<TimedCollective> timings = nccl_timings(capture, result.cluster);
  result.cluster.measured = measured_tables(means_of(timings), goodput);
  if (result.cluster.measured.empty()) return;
  result.cluster.network.set(kMeasuredInCapture, true);
  std::size_t sizes = 0;
  for (const MeasuredCollective& table : result.cluster.measured) sizes += table.times.size();
  result.fits.push_back({"NCCL's collectives by size", fmt::format("{} sizes", sizes), timings.size(),
                         error_of_tables(timings, result.cluster.measured),
                         "collectives that ran alone, from the last arrival to the end"});
}

}  // namespace

std::optional<Calibration> calibrate_collectives(const Capture& capture) {
  if (capture.recording.start.empty()) return std::nullopt;
  const Samples samples = samples_of(capture);
  if (samples.times.empty()) return std::nullopt;
  const CostFit cost = fit_cost(samples);
  if (cost.a_byte <= 0) return std::nullopt;
  const Bandwidth goodput = Bandwidth::from_bytes_per_second(std::round(1e9 / cost.a_byte));
  const Duration alpha{std::llround(cost.besides)};

  Calibration result = prior(capture);
  remove_assumption(result.assumptions, "link_payload");
  note_shared_hosts(capture, result);
  set_links(result.cluster, goodput, alpha);
  result.link_rate_error = rate_error(cost.fit.residual, cost.fit.samples);
  const std::string from = "what a rank's link carried while collectives were under way, and for how long";
  result.fits.push_back({"link goodput", to_text(goodput), cost.fit.samples, cost.fit.residual, from});
  if (alpha > Duration{}) {
    result.fits.push_back({"time of a message besides its bytes", short_microseconds(alpha) + " us", cost.fit.samples,
                           cost.fit.residual, from});
  }
  add_measured(capture, goodput, result);
  return result;
}

}  // namespace stepsim
