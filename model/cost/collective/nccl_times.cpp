#include "model/cost/collective/nccl_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/base/text.h"
#include "model/cost/collective/algorithm.h"
#include "model/cost/collective/shared_hosts.h"
#include "model/cost/network/network.h"
#include "model/job/group.h"

namespace stepsim {
namespace {

/// Latency of a collective of one member, in microseconds: launching the kernel and noticing the end.
constexpr double kBase = 6;
/// Least time of a hop inside a host if the members are on several hosts, and of a hop between hosts.
constexpr double kHopBesideNetwork = 3.7;
constexpr double kLeastNetworkHop = 3;

/// Latency of an all-to-all or a message, in microseconds: a constant, and for each peer on the same and on other
/// hosts.
constexpr double kPairsBase = 8.4;
constexpr double kPairsByPeer = 0.05;
constexpr double kPairsByPeerBetweenHosts = 1.1;

/// The time to copy a member's own part, as a share of the time that the part would take on the member's link.
constexpr double kOwnPart = 0.3;

/// Factor on all latencies over NVLink, by GPU generation: half of what the measured loops show (1.3, 0.8 and 1.2),
/// because a training step on H100 pays more than a loop does. 1 over PCIe. That of Volta is Ampere's.
constexpr std::array<double, 4> kLatencyFactor{1.12, 1.12, 0.85, 1.12};

/// Factor on the root of latency times transfer time, and the multiple of the latency from which on a longer transfer
/// time adds nothing to the root.
constexpr double kPipeline = 1.45;
constexpr double kLongestPipeline = 4.5;

/// Latency in microseconds of a reduction in the NVLink switch, and its rate as a share of a ring's, by GPU generation;
/// 0 if the generation has no such reductions.
constexpr double kNvlsLatency = 25;
constexpr std::array<double, 4> kNvlsShare{0, 0, 0.93, 0.73};

/// Share of the NICs' rate that a tree between hosts and an all-to-all reach. A tree of two hosts reaches more of the
/// rate that rings were measured to reach.
constexpr double kTreeShare = 0.78;
constexpr double kTreeShareOfTwoHosts = 0.88;
constexpr double kPairsShare = 0.9;

/// Time of a hop on one host in microseconds, if the latency of the links is not longer.
constexpr double kNcclHop = 1.35;
/// The same where a measured table gives the time that collectives take beyond the formula. That time is from another
/// number of ranks, and contains waits that do not grow with the hops. Tables of 2 and 4 GPUs so predict 8 best, those
/// of nccl-tests as well as those of PyTorch's loops.
constexpr double kNcclHopOfTables = 0.6;

// Errors that 82 to 93 % of the measured times do not exceed (docs/internals/fidelity.md, "NCCL collectives"): in
// microseconds, and as a share of the time.
constexpr double kUsualLatencyError = 25;
constexpr double kUsualRateError = 0.15;
/// The errors grow by this share of themselves, in logarithms, for each doubling of the hosts or of the ranks per host
/// beyond all that was measured. Constants that are fitted to collectives of up to 4, 8 or 16 ranks give those of 64
/// and 80 so that 85 % of them are within 0.8 to 1.8 times the usual error (docs/results/nccl-distance.csv).
constexpr double kErrorGrowth = 0.3;
/// The most hosts, and ranks per host, of the collectives that the constants were fitted to.
constexpr double kMostFittedHosts = 10;
constexpr double kMostFittedPerHost = 8;
/// For each doubling of the hosts beyond all that was measured, long collectives can take longer by this factor besides
/// the error: switches are congested, and the bus bandwidth falls (medians relative to eight hosts: 0.3 to 1 on 64
/// hosts of Alps, 0.63 to 0.72 on 64 hosts with H100 on Azure). With the factor chosen on Alps, all 8 of Azure's rows
/// of 16 to 64 hosts are in range (5 without it), and 6 of 7 of Alps' rows of 64 hosts (2 without it).
constexpr double kFallOfBus = 1.2;
constexpr double kTableLatencyError = 6;
constexpr double kTableRateError = 0.05;

/// Factor by which a time can be wrong for each doubling of the ranks per host between a table and a collective over
/// several hosts. Of ten hosts with H100, the tables of 1 and of 8 ranks per host give each other's times with errors
/// from -87 % to +627 %: less than 2^3 (xxrjun/nccl-tests-cluster, 455de4f8).
constexpr double kLayoutFactor = 2;

double gb_s(Bandwidth rate) { return rate.bytes_per_second() / 1e9; }

double us(Duration time) { return static_cast<double>(time.count()) / 1e3; }

/// Estimates the time of one collective.
class Estimator {
 public:
  Estimator(const CollectiveShape& shape, const CollectivePlace& place, Bandwidth bus, NcclRates rates)
      : shape_(shape),
        place_(place),
        of_tables_(rates == NcclRates::kOfTables),
        hop_(of_tables_ ? kNcclHopOfTables : kNcclHop),
        hosts_(std::clamp(place.hosts, 1U, shape.members)),
        members_(shape.members),
        on_host_(members_ / hosts_),
        inside_as_built_(place.as_built().inside),
        generation_(static_cast<std::size_t>(generation_of(place.device, inside_as_built_))),
        bus_(gb_s(bus)),
        scale_(bus_of(place) > Bandwidth{} ? bus.bytes_per_second() / bus_of(place).bytes_per_second() : 1) {
    if (!place.overhead_is_given) hop_ = std::max(hop_, us(place.latency_inside));
  }

  [[nodiscard]] NcclEstimate best() const {
    if (shape_.op == CollectiveOp::kAllToAll || shape_.op == CollectiveOp::kSendRecv) return pairs();
    NcclEstimate best = ring();
    if (shape_.op != CollectiveOp::kAllReduce) return best;
    if (hosts_ > 1 && !avoids_tree()) best = faster(best, tree());
    if (hosts_ == 1 && reduces_in_switch() && !place_.rates_are_measured) best = faster(best, in_switch());
    return best;
  }

 private:
  static NcclEstimate faster(const NcclEstimate& one, const NcclEstimate& other) {
    return other.us() < one.us() ? other : one;
  }

  [[nodiscard]] NcclEstimate estimate(std::string_view algorithm, double usual_latency, double bytes_us) const {
    if (place_.rates_are_measured) return {algorithm, usual_latency, bytes_us, 0};
    const double latency = usual_latency * (is_pcie() ? 1 : kLatencyFactor[generation_]);
    const double root = std::sqrt(latency * std::min(bytes_us, kLongestPipeline * latency));
    return {algorithm, latency, bytes_us, kPipeline * root};
  }

  [[nodiscard]] NcclEstimate ring() const {
    const double own = copies_own_part() ? own_part() / members_ : 0;
    return estimate("ring", base(kBase) + ring_latency(),
                    bytes_us(ring_traffic(shape_.op, shape_.members) + own, bus_));
  }

  [[nodiscard]] bool is_pcie() const { return inside_as_built_ > Bandwidth{} && !is_nvlink(inside_as_built_); }

  /// True for two hosts whose devices are connected by PCIe. NCCL expects the rate of such a tree from the links inside
  /// a host (tuning.cc: of bwIntra), which PCIe limits as the NICs do, and takes a ring.
  [[nodiscard]] bool avoids_tree() const { return hosts_ == 2 && on_host_ > 1 && is_pcie(); }

  /// A tree of hosts, up and down. The members of a host reduce in the NVLink switch, or along a chain.
  [[nodiscard]] NcclEstimate tree() const {
    const double levels = std::log2(hosts_);
    const double latency = base(kBase) + 2 * (on_host_ - 1) * hop_inside() + 2 * levels * hop_between();
    // A host of two sends the payload once. Of more hosts, each is between others in one of two trees of half the
    // payload, and a leaf in the other.
    const double share = hosts_ == 2 && of_tables_ ? kTreeShareOfTwoHosts : kTreeShare;
    const double between = bytes_us(hosts_ == 2 ? 1 : 2, nics() * share);
    const double inside = on_host_ <= 1 || this->inside() <= 0 ? 0
                          : reduces_in_switch()                ? in_switch_us(on_host_)
                                                               : bytes_us(2, this->inside());
    return estimate("tree", latency, std::max(between, inside));
  }

  [[nodiscard]] bool reduces_in_switch() const {
    return on_host_ > 2 && is_nvlink(inside_as_built_) && nvls_share() > 0;
  }
  [[nodiscard]] double nvls_share() const { return kNvlsShare[generation_]; }
  [[nodiscard]] double in_switch_us(double members) const { return bytes_us(1 + 1 / members, inside() * nvls_share()); }
  [[nodiscard]] NcclEstimate in_switch() const { return estimate("nvls", base(kNvlsLatency), in_switch_us(members_)); }

  /// An all-to-all or a message: every member sends to every peer at the same time.
  [[nodiscard]] NcclEstimate pairs() const {
    const bool one_way = shape_.op == CollectiveOp::kSendRecv;
    const double near = one_way ? (hosts_ == 1 ? 1 : 0) : on_host_ - 1;
    const double far = one_way ? 1 - near : members_ - on_host_;
    // The constants contain the latency of usual links. What slower ones add passes once, because peers do not wait for
    // each other.
    const double slower = far > 0 ? hop_between() - kLeastNetworkHop : std::max(hop_, kNcclHop) - kNcclHop;
    const double latency = base(kPairsBase) + kPairsByPeer * near + kPairsByPeerBetweenHosts * far + slower;
    const double part = one_way ? 1 : 1.0 / members_;
    const double own = one_way ? 0 : own_part();
    const double inside = this->inside() > 0 ? bytes_us((near + own) * part, this->inside()) : 0;
    const double nic = nics() * (place_.rates_are_measured ? 1 : kPairsShare) / (one_way ? 1 : on_host_);
    return estimate("pairs", latency, std::max(inside, nic > 0 ? bytes_us(far * part, nic) : 0));
  }

  [[nodiscard]] double base(double usual) const { return place_.overhead_is_given ? 0 : usual; }
  [[nodiscard]] double own_part() const { return place_.rates_are_measured ? 0 : kOwnPart; }
  [[nodiscard]] bool copies_own_part() const {
    return shape_.op != CollectiveOp::kBroadcast && shape_.op != CollectiveOp::kReduce;
  }

  /// Returns the latency of a ring: how many times in sequence it forwards a part, times the latency of a hop.
  [[nodiscard]] double ring_latency() const {
    const double rounds = shape_.op == CollectiveOp::kAllReduce ? 2 : 1;
    const double hops = rounds * (members_ - 1);
    const double between = rounds * (hosts_ - 1);
    return (hops - between) * hop_inside() + between * hop_between();
  }
  [[nodiscard]] double hop_inside() const { return hosts_ == 1 ? hop_ : std::max(hop_, kHopBesideNetwork); }
  [[nodiscard]] double hop_between() const { return std::max(us(place_.latency), kLeastNetworkHop); }

  [[nodiscard]] double inside() const { return gb_s(place_.inside) * scale_; }
  [[nodiscard]] double nics() const { return hosts_ > 1 ? gb_s(place_.between) * scale_ : 0; }

  /// Returns the microseconds of so many payloads at `rate` in GB/s.
  [[nodiscard]] double bytes_us(double payloads, double rate) const {
    return payloads * static_cast<double>(shape_.bytes.count()) / rate / 1e3;
  }

  const CollectiveShape& shape_;
  const CollectivePlace& place_;
  bool of_tables_;
  double hop_;  ///< a link's latency that was fitted together with an overhead contains waits, and does not count
  double hosts_;
  double members_;
  double on_host_;  ///< members on each host, on average
  Bandwidth inside_as_built_;
  std::size_t generation_;
  double bus_;
  double scale_;  ///< `bus` relative to the rates of `place`
};

/// A measured table. It corrects the model's times.
class Table {
 public:
  Table(const MeasuredCollective& measured, const CollectivePlace& place) : measured_(measured), place_(place) {}

  /// Returns the time of `shape` in microseconds, for which the model gives `model_us`, corrected by the table's time
  /// and the model's at the payload that causes the same traffic per link. Outside the table's sizes, uses its smallest
  /// or largest payload. Time beyond the model is added, because it does not depend on the rate of links. If the model
  /// takes longer than the table, the result is the same share of it, so that f times the rate never takes less than
  /// 1 / f of the time.
  [[nodiscard]] double corrected_us(double model_us, const CollectiveShape& shape) const {
    const double same_traffic =
        ring_traffic(shape.op, shape.members) / ring_traffic(measured_.op, shape.members);  // ratio of the payloads
    const double bytes = static_cast<double>(shape.bytes.count()) * (shape.op == measured_.op ? 1 : same_traffic);
    const auto& times = measured_.times;
    const auto first = static_cast<double>(times.front().first.count());
    const auto last = static_cast<double>(times.back().first.count());
    const double at = std::clamp(bytes, first, last);
    const double measured = time_us(at);
    const double modelled = model(at).us();
    return measured < modelled ? model_us * measured / modelled : model_us + measured - modelled;
  }

  /// Returns the error, in microseconds, of a time from the table if the ranks and links are those of the table. It is
  /// 0 if the table is from the replayed capture. Otherwise it is the larger of the typical error on measured nodes and
  /// the distance of the entries near `bytes` from the interpolation between their neighbours. Returns nothing outside
  /// the table's sizes.
  [[nodiscard]] std::optional<double> error_us(Bytes bytes) const {
    const auto& times = measured_.times;
    if (bytes < times.front().first || bytes > times.back().first) return std::nullopt;
    if (place_.measured_in_capture) return 0;
    double error = kTableLatencyError + kTableRateError * time_us(static_cast<double>(bytes.count()));
    for (std::size_t i = 1; i + 1 < times.size(); ++i) {
      if (times[i + 1].first < bytes || times[i - 1].first > bytes) continue;
      error = std::max(error, std::abs(us(times[i]) - between_us(times[i - 1], times[i + 1],
                                                                 static_cast<double>(times[i].first.count()))));
    }
    return error;
  }

 private:
  using Entry = std::pair<Bytes, Duration>;

  [[nodiscard]] NcclEstimate model(double bytes) const {
    const CollectiveShape shape{measured_.op, measured_.ranks, Bytes{std::llround(bytes)}};
    CollectivePlace place = place_.as_built();
    place.hosts = measured_.hosts;
    return nccl_estimate(shape, place, measured_.bandwidth, NcclRates::kOfTables);
  }

  [[nodiscard]] static double us(const Entry& entry) { return static_cast<double>(entry.second.count()) / 1e3; }

  /// Interpolates linearly on two logarithmic axes. This is exact for times proportional to the bytes and for constant
  /// times.
  [[nodiscard]] static double between_us(const Entry& before, const Entry& after, double bytes) {
    const double low = std::log(static_cast<double>(before.first.count()));
    const double high = std::log(static_cast<double>(after.first.count()));
    const double share = (std::log(bytes) - low) / (high - low);
    return std::exp(std::log(us(before)) * (1 - share) + std::log(us(after)) * share);
  }

  [[nodiscard]] double time_us(double bytes) const {
    const auto& times = measured_.times;
    const auto after = std::find_if(times.begin(), times.end(), [bytes](const Entry& entry) {
      return static_cast<double>(entry.first.count()) >= bytes;
    });
    if (after == times.end()) return us(times.back());
    if (after == times.begin()) return us(times.front());
    return between_us(*(after - 1), *after, bytes);
  }

  const MeasuredCollective& measured_;
  const CollectivePlace& place_;
};

/// Returns the tables of this operation, or of all-reduces if there are none and rings carry both. Uses only one-host
/// tables for one host, and only tables of several hosts for several hosts.
std::vector<const MeasuredCollective*> tables_for(CollectiveOp op, const CollectivePlace& place) {
  std::vector<const MeasuredCollective*> found;
  for (const CollectiveOp wanted : {op, CollectiveOp::kAllReduce}) {
    if (wanted != op && !is_ring_collective(op)) break;
    for (const MeasuredCollective& table : place.measured) {
      if (table.op == wanted && (table.hosts > 1) == (place.hosts > 1)) found.push_back(&table);
    }
    if (!found.empty()) break;
  }
  return found;
}

/// How a collective's ranks are spread over hosts.
struct Layout {
  std::uint32_t ranks = 1;
  std::uint32_t hosts = 1;
  friend auto operator<=>(const Layout&, const Layout&) = default;

  [[nodiscard]] double per_host() const noexcept { return static_cast<double>(ranks) / hosts; }

  /// Returns the distance to a table in the logarithms of ranks, hosts and ranks per host; 0 if the table holds this
  /// layout.
  [[nodiscard]] double distance_to(const MeasuredCollective& table) const {
    const Layout held{table.ranks, table.hosts};
    return std::hypot(std::log2(static_cast<double>(held.ranks) / ranks),
                      std::log2(static_cast<double>(held.hosts) / hosts), std::log2(held.per_host() / per_host()));
  }

  /// Returns the factor by which times from a table of another layout can be wrong because of its ranks per host. Rings
  /// of one rank per host share no NIC, and those of several do.
  [[nodiscard]] double factor_to(const Layout& held) const {
    if (hosts == 1) return 1;
    const double doublings = std::log2(held.per_host() / per_host());
    return std::pow(kLayoutFactor, std::abs(doublings));
  }
};

/// Returns the rate of a member's link during the measurement of a table.
Bandwidth link_of(const MeasuredCollective& table, const CollectivePlace& place) {
  if (!place.shares_host_memory) return table.link;
  const double share = through_host_memory(table.ranks / std::max(1U, table.hosts));
  return Bandwidth::from_bytes_per_second(table.link.bytes_per_second() * share);
}

/// How many doublings of the hosts, and of the ranks per host, lie between a layout and the largest ones that were
/// measured; 0 if it is not larger.
struct DoublingsBeyond {
  double hosts = 0;
  double per_host = 0;
  [[nodiscard]] double total() const noexcept { return hosts + per_host; }
};

/// Returns the doublings beyond what these tables, or what the constants were fitted to, contain.
DoublingsBeyond doublings_beyond(const std::vector<const MeasuredCollective*>& tables, const Layout& layout) {
  double hosts = kMostFittedHosts;
  double per_host = kMostFittedPerHost;
  for (const MeasuredCollective* const table : tables) {
    hosts = std::max<double>(hosts, table->hosts);
    per_host = std::max(per_host, Layout{table->ranks, table->hosts}.per_host());
  }
  return {std::max(0.0, std::log2(layout.hosts / hosts)), std::max(0.0, std::log2(layout.per_host() / per_host))};
}

/// Returns the nearest table; of several, the first. Precondition: there is one.
const MeasuredCollective& nearest_of(const std::vector<const MeasuredCollective*>& tables, const Layout& layout) {
  return **std::min_element(tables.begin(), tables.end(),
                            [&layout](const MeasuredCollective* one, const MeasuredCollective* other) {
                              return layout.distance_to(*one) < layout.distance_to(*other);
                            });
}

/// True if the rates are equal up to rounding.
bool is_same(Bandwidth a, Bandwidth b) {
  return std::abs(a.bytes_per_second() - b.bytes_per_second()) <= 1e-3 * b.bytes_per_second();
}

bool holds(std::string_view name, std::string_view part) {
  const auto same = [](char a, char b) { return std::toupper(static_cast<unsigned char>(a)) == b; };
  return std::search(name.begin(), name.end(), part.begin(), part.end(), same) != name.end();
}

/// Returns how a collective's ranks are spread over hosts; nothing if it is not known where all of them run.
std::optional<Layout> layout_of(const Dag& dag, RendezvousId rendezvous, const Cluster& cluster) {
  std::vector<EndpointId> endpoints;
  for (const Member& member : members_of(dag, rendezvous, cluster)) {
    if (!member.endpoint.valid()) return std::nullopt;
    endpoints.push_back(member.endpoint);
  }
  if (endpoints.size() < 2) return std::nullopt;
  return Layout{static_cast<std::uint32_t>(endpoints.size()), hosts_of(cluster, endpoints)};
}

/// What distinguishes collectives that the formula times: the layout (no ranks if it is not known), operation, bytes.
using TimedKind = std::tuple<Layout, CollectiveOp, Bytes>;

/// Counts the collectives that the formula times under a network model.
std::map<TimedKind, std::size_t> timed_collectives(const Dag& dag, const Cluster& cluster) {
  const CollectiveModel* const nccl = find_collective_model("nccl");
  std::map<TimedKind, std::size_t> counts;
  std::map<GroupId, std::optional<Layout>> layouts;  // of groups whose collectives all have the same members
  for (const RendezvousId rendezvous : dag.all_rendezvous()) {
    if (dag.members(rendezvous).empty()) continue;  // an all-reduce that new buckets have replaced
    const Collective& collective = dag.collective(rendezvous);
    const CollectiveShape shape{.op = collective.op, .bytes = collective.bytes};
    if (collective.algorithm != nccl || collective.bytes <= Bytes{} || !nccl->supports(shape)) continue;
    std::optional<Layout> layout;
    if (const auto known = layouts.find(collective.group); known != layouts.end()) {
      layout = known->second;
    } else {
      layout = layout_of(dag, rendezvous, cluster);
      if (lists_members(dag, rendezvous)) layouts.emplace(collective.group, layout);
    }
    ++counts[{layout.value_or(Layout{.ranks = 0}), collective.op, collective.bytes}];
  }
  return counts;
}

NcclSources sources_of(const std::map<TimedKind, std::size_t>& timed, const Cluster& cluster) {
  NcclSources sources;
  for (const auto& [kind, count] : timed) {
    const auto& [layout, op, bytes] = kind;
    CollectivePlace place{.hosts = layout.hosts};
    place.measured = cluster.measured;
    const std::vector<const MeasuredCollective*> tables = tables_for(op, place);
    bool is_held = false;
    for (const MeasuredCollective* const table : tables) {
      is_held = is_held || (layout.ranks > 0 && layout.distance_to(*table) == 0 && table->op == op &&
                            Table(*table, place).error_us(bytes).has_value());
    }
    (is_held ? sources.by_table : tables.empty() ? sources.by_formula : sources.by_other_tables) += count;
  }
  return sources;
}

/// Returns the layout of the nearest table to collectives over several hosts; nothing if a table holds their layout.
std::optional<Layout> carried_from(const Layout& layout, CollectiveOp op, const Cluster& cluster) {
  CollectivePlace place{.hosts = layout.hosts};
  place.measured = cluster.measured;
  const std::vector<const MeasuredCollective*> tables = tables_for(op, place);
  if (tables.empty() || layout.hosts == 1) return std::nullopt;
  const MeasuredCollective& nearest = nearest_of(tables, layout);
  if (layout.distance_to(nearest) == 0) return std::nullopt;
  return Layout{nearest.ranks, nearest.hosts};
}

/// Returns a sentence about `count` collectives whose times are carried over from a table of another layout.
std::string outside_text(const Layout& layout, const Layout& held, std::size_t count) {
  const double factor = layout.factor_to(held);
  const std::string share =
      factor > 1
          ? fmt::format(", with {:.3g} instead of {:.3g} ranks per host: they may be wrong by a factor of {:.3g}",
                        held.per_host(), layout.per_host(), factor)
          : "";
  return fmt::format(
      "No table holds {} ranks on {} hosts; the times of {} are carried over from {} ranks on {} hosts{}.",
      layout.ranks, layout.hosts, counted(count, "collective"), held.ranks, held.hosts, share);
}

/// Returns a sentence about the rate of the links between devices of a host: whether it is a data sheet's or was
/// measured. Empty if the timed collectives cross none, or its efficiency is given.
std::string text_of_links_inside(const std::map<TimedKind, std::size_t>& timed, const Cluster& cluster) {
  const bool crosses = std::any_of(timed.begin(), timed.end(), [](const auto& entry) {
    const Layout& layout = std::get<0>(entry.first);
    return layout.ranks > layout.hosts;
  });
  if (!crosses || cluster.devices.empty() || cluster.uplinks.empty() || cluster.uplinks.front().out.empty()) return "";
  const Link& link = cluster.links[cluster.uplinks.front().out.front().index()];
  const std::string rate = to_text(link.bandwidth);
  if (link.is_bus) return fmt::format(" Links inside hosts: {}, a measured bus bandwidth, taken in full.", rate);
  if (link.efficiency != 1 || cluster.network.is_given(kCollectiveOverhead)) return "";
  return fmt::format(
      " Links inside hosts: {}, a data-sheet rate, of which collectives are assumed to reach at most {:g}.", rate,
      usable_share(link.as_built()));
}

}  // namespace

GpuGeneration generation_of(std::string_view device, Bandwidth inside) noexcept {
  struct Named {
    std::string_view part;
    GpuGeneration generation;
  };
  // Short names also match longer ones: "A10" matches "A100", "H20" matches "H200", "B200" matches "GB200".
  static constexpr std::array<Named, 11> kNames{{{"V100", GpuGeneration::kVolta},
                                                 {"A10", GpuGeneration::kAmpere},
                                                 {"A30", GpuGeneration::kAmpere},
                                                 {"A40", GpuGeneration::kAmpere},
                                                 {"A800", GpuGeneration::kAmpere},
                                                 {"H100", GpuGeneration::kHopper},
                                                 {"H20", GpuGeneration::kHopper},
                                                 {"H800", GpuGeneration::kHopper},
                                                 {"B100", GpuGeneration::kBlackwell},
                                                 {"B200", GpuGeneration::kBlackwell},
                                                 {"B300", GpuGeneration::kBlackwell}}};
  for (const Named& one : kNames) {
    if (holds(device, one.part)) return one.generation;
  }
  // The limits are in GB/s. Each is the geometric mean of the data-sheet rates of two generations.
  const double sheet = gb_s(inside) / kNvlinkEfficiency;
  if (sheet > 640) return GpuGeneration::kBlackwell;
  if (sheet > 370) return GpuGeneration::kHopper;
  return sheet > 210 || !is_nvlink(inside) ? GpuGeneration::kAmpere : GpuGeneration::kVolta;
}

double payload_share(const Link& link, bool is_sheet) noexcept {
  return is_sheet && link.efficiency == 1 && !link.is_bus ? usable_share(link.as_built()) : link.efficiency;
}

Cable cable_of_goodput(Bandwidth goodput, Duration latency) {
  const double share = usable_share(goodput);
  return {Bandwidth::from_bytes_per_second(std::round(goodput.bytes_per_second() / share)), latency, share};
}

bool has_peer_access(std::string_view device) noexcept { return !holds(device, "L4"); }

double through_host_memory(std::size_t devices) noexcept {
  const double share = 2 / static_cast<double>(std::max<std::size_t>(devices, 2));
  return share * share;
}

bool is_nccl_collective(CollectiveOp op) noexcept {
  return is_ring_collective(op) || op == CollectiveOp::kAllToAll || op == CollectiveOp::kSendRecv;
}

bool is_ring_collective(CollectiveOp op) noexcept {
  return op == CollectiveOp::kAllReduce || op == CollectiveOp::kReduceScatter || op == CollectiveOp::kAllGather ||
         op == CollectiveOp::kBroadcast || op == CollectiveOp::kReduce;
}

double ring_traffic(CollectiveOp op, std::uint32_t members) noexcept {
  const double others = (members - 1.0) / members;
  switch (op) {
    case CollectiveOp::kAllReduce: return 2 * others;
    case CollectiveOp::kReduceScatter:
    case CollectiveOp::kAllGather:
    case CollectiveOp::kAllToAll: return others;
    default: return 1;
  }
}

Bandwidth bus_of(const CollectivePlace& place) noexcept {
  if (place.hosts <= 1 || place.between <= Bandwidth{}) return place.inside;
  return place.inside > Bandwidth{} ? std::min(place.inside, place.between) : place.between;
}

double nccl_traffic(CollectiveOp op, std::uint32_t members, std::uint32_t hosts) noexcept {
  const double ring = ring_traffic(op, members);
  return op == CollectiveOp::kAllReduce && hosts == 2 ? std::min(ring, 1 / kTreeShareOfTwoHosts) : ring;
}

NcclEstimate nccl_estimate(const CollectiveShape& shape, const CollectivePlace& place, Bandwidth bus, NcclRates rates) {
  return Estimator(shape, place, bus, rates).best();
}

NcclTime nccl_time_and_error(const CollectiveShape& shape, const CollectivePlace& place) {
  const Bandwidth bus = bus_of(place);
  if (shape.members < 2 || bus <= Bandwidth{}) return {};
  const std::vector<const MeasuredCollective*> tables = tables_for(shape.op, place);
  const Layout layout{shape.members, std::clamp(place.hosts, 1U, shape.members)};
  const DoublingsBeyond beyond = doublings_beyond(tables, layout);
  const double growth = 1 + kErrorGrowth * beyond.total();
  const double congestion = std::pow(kFallOfBus, beyond.hosts);
  const auto usual = [growth, congestion](double us) {
    const double error_us = kUsualLatencyError + kUsualRateError * us;
    return NcclTime{us, growth > 1 ? us * std::expm1(growth * std::log1p(error_us / us)) : error_us, congestion};
  };
  if (tables.empty()) return usual(nccl_estimate(shape, place, bus).us());
  const MeasuredCollective& nearest = nearest_of(tables, layout);
  const bool is_held = layout.distance_to(nearest) == 0;
  std::vector<double> logarithms;
  std::optional<double> error = 0;  // nothing if no table of this layout, operation and rate knows it
  double sum = 0;
  double weights = 0;
  for (const MeasuredCollective* const measured : tables) {
    const double distance = layout.distance_to(*measured);
    if (is_held && distance > 0) continue;
    const Table table(*measured, place);
    const double weight = is_held ? 1 : 1 / (distance * distance);
    // The links may have changed since the measurement; the table's bandwidth scales with them.
    const Bandwidth link = link_of(*measured, place);
    const double rate = measured->bandwidth.bytes_per_second() * bus.bytes_per_second() / link.bytes_per_second();
    const double model = nccl_estimate(shape, place, Bandwidth::from_bytes_per_second(rate), NcclRates::kOfTables).us();
    logarithms.push_back(std::log(table.corrected_us(model, shape)));
    sum += logarithms.back() * weight;
    weights += weight;
    const bool is_measured = is_held && measured->op == shape.op && is_same(bus, link);
    const std::optional<double> own = is_measured ? table.error_us(shape.bytes) : std::nullopt;
    error = error && own ? std::optional{std::max(*error, *own)} : std::nullopt;
  }
  const double time = std::exp(sum / weights);
  if (!error) {
    const double factor = layout.factor_to({nearest.ranks, nearest.hosts});
    return {time, (time + usual(time).error_us) * factor - time, congestion};
  }
  // Tables of one layout that differ are both right.
  for (const double logarithm : logarithms)
    error = std::max(*error, time * std::expm1(std::abs(logarithm - sum / weights)));
  return {time, *error};
}

Duration nccl_time(const CollectiveShape& shape, const CollectivePlace& place) {
  const NcclTime time = nccl_time_and_error(shape, place);
  if (time.us <= 0) return {};
  const double slower = std::pow(time.congestion, std::max(0.0, place.side));
  return Duration{std::llround(time.us * std::pow(1 + time.error_us / time.us, place.side) * slower * 1e3)};
}

std::size_t NcclSources::total() const noexcept { return by_table + by_other_tables + by_formula; }

std::string to_text(const NcclSources& sources) {
  std::string text;
  const auto add = [&text](std::size_t count, std::string_view source) {
    if (count > 0) add_item(text, fmt::format("{} {}", grouped(count), source));
  };
  add(sources.by_table, "from measured times of their ranks and size");
  add(sources.by_other_tables,
      "from the fitted formula, corrected by measured times of other ranks, sizes or operations");
  add(sources.by_formula, "from the fitted formula and the rates of the links");
  return text;
}

NcclSources nccl_sources(const Dag& dag, const Cluster& cluster) {
  return sources_of(timed_collectives(dag, cluster), cluster);
}

Assumptions nccl_assumptions(const Dag& dag, const Cluster& cluster) {
  const std::map<TimedKind, std::size_t> timed = timed_collectives(dag, cluster);
  if (timed.empty()) return {};
  const NcclSources sources = sources_of(timed, cluster);
  std::map<std::pair<Layout, Layout>, std::size_t> carried;
  std::map<Layout, std::size_t> beyond;  // larger than all that was measured
  for (const auto& [kind, count] : timed) {
    const auto& [layout, op, bytes] = kind;
    if (layout.ranks == 0) continue;
    if (const std::optional<Layout> from = carried_from(layout, op, cluster)) carried[{layout, *from}] += count;
    CollectivePlace place{.hosts = layout.hosts};
    place.measured = cluster.measured;
    if (doublings_beyond(tables_for(op, place), layout).total() > 0) beyond[layout] += count;
  }
  std::string text =
      fmt::format("Times of {} (algorithm nccl): {}.", counted(sources.total(), "collective"), to_text(sources));
  for (const auto& [layouts, count] : carried) text += ' ' + outside_text(layouts.first, layouts.second, count);
  for (const auto& [layout, count] : beyond) {
    text += fmt::format(
        " No collective with as many hosts, or ranks per host, as those of {} ranks on {} hosts ({}) was measured, so "
        "their range is wider.",
        grouped(layout.ranks), grouped(layout.hosts), counted(count, "collective"));
  }
  return {{"nccl_model", text + text_of_links_inside(timed, cluster)}};
}

}  // namespace stepsim
