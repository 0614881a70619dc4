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
#include "model/job/group.h"

namespace stepsim {
namespace {

enum Protocol : std::uint8_t { kLl, kLl128, kSimple, kProtocols };
enum Wire : std::uint8_t { kNvlink, kPcie, kNetwork, kWires };

constexpr std::array<std::string_view, kProtocols> kProtocolNames{"LL", "LL128", "Simple"};

/// Latencies in microseconds, indexed by protocol.
using Latencies = std::array<double, kProtocols>;

constexpr Latencies kRingBase{6.6, 14.0, 8.4};
constexpr Latencies kTreeBase{6.8, 14.0, 8.4};
constexpr std::array<Latencies, kWires> kRingHop{{{0.6, 1.9, 3.4}, {1.0, 2.5, 5.7}, {2.7, 4.0, 14.0}}};
constexpr std::array<Latencies, kWires> kTreeHop{{{0.6, 1.25, 4.0}, {1.0, 1.9, 4.0}, {5.0, 8.5, 14.0}}};
constexpr double kNvlsLatency = 25;

/// Maximum rate of the LL protocol in GB/s. On one host it depends on the GPU generation, which is the index. Between
/// hosts NCCL's value depends on the vendor of the processors, which is not known here, so the values are the geometric
/// means of Intel's and AMD's: of 39 and 22.5 on two hosts, of 20.4 and 19 on more.
constexpr std::array<double, 4> kLlMaxBandwidth{39.0, 87.7, 141.0, 282.0};
constexpr double kLlMaxBandwidthOnTwoHosts = 29.6;
constexpr double kLlMaxBandwidthOnMoreHosts = 19.7;

/// Minimum time of a hop inside a host, in microseconds by protocol, if the ring spans several hosts: the time to post
/// to the network (Intel's values; AMD's are twice as large).
constexpr Latencies kNetworkPost{1.0, 1.0, 3.0};

/// Factors on the latency of a ring over several hosts, for an all-reduce with the Simple protocol and a payload of at
/// least kPlateauBytes for each rank.
constexpr double kPlateauOfVolta = 1.9;
constexpr double kPlateau = 1.4;
constexpr double kPlateauBytes = 64.0 * 16;  // 64 bytes for each of 16 channels

/// Bandwidths of protocols and trees: the first three are shares of the ring's bandwidth, the others of the tree's.
constexpr double kLlShare = 0.5;
constexpr double kLl128Share = 0.92;
constexpr double kTreeShare = 0.92;
constexpr double kTreeLlShare = 1 / 3.8;
constexpr double kTreeLl128ShareOnOneHost = 7.0 / 9;
constexpr double kTreeLl128Share = 120.0 / 128;

/// Share of a link's bandwidth that NVLS reaches, by GPU generation; 0 if the generation has no NVLS.
constexpr std::array<double, 4> kNvlsShare{0, 0, 0.85, 0.74};

/// Constants of NcclEstimate::excess_us and excess_of_hops_us; the comment at the top of nccl_times.h has the formula.
constexpr double kExcess = 4;
constexpr double kExcessByHop = 1.5;
constexpr double kExcessBetweenHosts = 20;
constexpr double kExcessByRoot = 6;
/// Minimum bus bandwidth, in GB/s, for which the square-root term of the excess is computed on one host.
constexpr double kBusOfRoot = 240;
constexpr double kMostExcessByRoot = 200;

// Errors that 83 to 88 % of the measured times do not exceed (docs/internals/fidelity.md, "NCCL collectives"): in
// microseconds, and as a share of the time.
constexpr double kUsualLatencyError = 25;
constexpr double kUsualRateError = 0.1;
constexpr double kTableLatencyError = 6;
constexpr double kTableRateError = 0.05;

/// Factor by which a time can be wrong for each doubling of the ranks per host between a table and a collective over
/// several hosts. Of ten hosts with H100, the tables of 1 and of 8 ranks per host give each other's times with errors
/// from -87 % to +627 %: less than 2^3 (xxrjun/nccl-tests-cluster, 455de4f8).
constexpr double kLayoutFactor = 2;

double gb_s(Bandwidth rate) { return rate.bytes_per_second() / 1e9; }

/// Returns the microseconds that `bytes` take at `rate` in GB/s.
double bytes_us(double bytes, double rate) { return bytes / rate / 1e3; }

/// True if members forward data as it arrives, on the same channels in all hosts.
bool forwards_on_arrival(CollectiveOp op) { return op == CollectiveOp::kBroadcast || op == CollectiveOp::kReduce; }

/// Returns how many times in sequence a ring forwards a part.
double hops_of(const CollectiveShape& shape) {
  if (forwards_on_arrival(shape.op)) return 1;
  const double others = shape.members - 1.0;
  return shape.op == CollectiveOp::kAllReduce ? 2 * others : others;
}

class Choice {
 public:
  void take(const NcclEstimate& estimate) {
    if (best_.algorithm.empty() || estimate.us() < best_.us()) best_ = estimate;
  }
  [[nodiscard]] const NcclEstimate& best() const noexcept { return best_; }

 private:
  NcclEstimate best_;
};

/// Estimates the time of one collective.
class Estimator {
 public:
  Estimator(const CollectiveShape& shape, const CollectivePlace& place, Bandwidth bus)
      : shape_(shape),
        hosts_(std::min(std::max(place.hosts, 1U), shape.members)),
        inside_(place.inside > Bandwidth{} && place.inside <= kFastestPcie ? kPcie : kNvlink),
        latency_us_(static_cast<double>(place.latency.count()) / 1e3),
        generation_(static_cast<std::size_t>(generation_of(place.device, place.inside))),
        rates_are_measured_(place.rates_are_measured),
        bus_(gb_s(bus)) {}

  [[nodiscard]] NcclEstimate best() const {
    Choice choice;
    for (const Protocol protocol : {kLl, kLl128, kSimple}) {
      // LL128 needs 128-byte stores that arrive as a unit, which PCIe does not guarantee.
      if (protocol == kLl128 && inside_ == kPcie) continue;
      choice.take(ring(protocol));
      if (shape_.op == CollectiveOp::kAllReduce) choice.take(tree(protocol));
    }
    if (has_nvls()) choice.take(nvls());
    NcclEstimate best = choice.best();
    best.excess_us = excess_us();
    if (hosts_ == 1) best.excess_of_hops_us = kExcessByHop * hops_of(shape_);
    return best;
  }

 private:
  [[nodiscard]] double ll_max_bandwidth() const {
    if (hosts_ == 1) return kLlMaxBandwidth[generation_];
    return hosts_ == 2 ? kLlMaxBandwidthOnTwoHosts : kLlMaxBandwidthOnMoreHosts;
  }
  [[nodiscard]] double hop_inside(const std::array<Latencies, kWires>& hops, Protocol protocol) const {
    return hops[inside_][protocol];
  }
  /// Returns the latency of a hop between hosts. NCCL's value is for a fast network; the latency of a slower one
  /// replaces it.
  [[nodiscard]] double hop_between(const std::array<Latencies, kWires>& hops, Protocol protocol) const {
    return std::max(hops[kNetwork][protocol], latency_us_);
  }

  [[nodiscard]] double excess_us() const {
    const double of_all_reduce =
        ring_traffic(shape_.op, shape_.members) / ring_traffic(CollectiveOp::kAllReduce, shape_.members);
    const double bus = hosts_ > 1 ? bus_ : std::max(bus_, kBusOfRoot);
    const double by_root = std::min(kExcessByRoot * std::sqrt(of_bytes(of_all_reduce, bus)), kMostExcessByRoot);
    return by_root + (hosts_ > 1 ? kExcessBetweenHosts : kExcess);
  }

  [[nodiscard]] NcclEstimate ring(Protocol protocol) const {
    return {"ring", kProtocolNames[protocol], kRingBase[protocol] + ring_latency(protocol),
            of_bytes(ring_traffic(shape_.op, shape_.members), ring_rate(protocol))};
  }

  [[nodiscard]] double ring_latency(Protocol protocol) const {
    const double hops = hops_of(shape_);
    if (hosts_ == 1) return hops * hop_inside(kRingHop, protocol);
    if (forwards_on_arrival(shape_.op)) return hops * hop_between(kRingHop, protocol);
    CollectiveShape of_hosts = shape_;
    of_hosts.members = hosts_;
    const double between = std::min(hops_of(of_hosts), hops);
    const double inside = std::max(hop_inside(kRingHop, protocol), kNetworkPost[protocol]);
    // With one member per host nothing hides the latency of the network, so a tree's latency applies.
    const double to_host = hop_between(shape_.members == hosts_ ? kTreeHop : kRingHop, protocol);
    return ((hops - between) * inside + between * to_host) * plateau(protocol);
  }

  [[nodiscard]] double plateau(Protocol protocol) const {
    const bool is_long = static_cast<double>(shape_.bytes.count()) >= kPlateauBytes * shape_.members;
    if (protocol != kSimple || shape_.op != CollectiveOp::kAllReduce || !is_long) return 1;
    return generation_ == static_cast<std::size_t>(GpuGeneration::kVolta) ? kPlateauOfVolta : kPlateau;
  }

  [[nodiscard]] double ring_rate(Protocol protocol) const {
    if (rates_are_measured_) return bus_;
    if (protocol == kLl) return std::min(bus_ * kLlShare, ll_max_bandwidth());
    return protocol == kLl128 ? bus_ * kLl128Share : bus_;
  }

  /// Estimates a tree: data moves along the members of each host, and up and down a binary tree of hosts.
  [[nodiscard]] NcclEstimate tree(Protocol protocol) const {
    const double on_host = static_cast<double>(shape_.members) / hosts_;
    const double latency = kTreeBase[protocol] + 2 * ((on_host - 1) * hop_inside(kTreeHop, protocol) +
                                                      std::floor(std::log2(hosts_)) * hop_between(kTreeHop, protocol));
    return {"tree", kProtocolNames[protocol], latency, of_bytes(2, tree_rate(protocol))};
  }

  [[nodiscard]] double tree_rate(Protocol protocol) const {
    if (rates_are_measured_) return bus_;
    const double rate = bus_ * kTreeShare;
    if (protocol == kLl) return std::min(rate * kTreeLlShare, ll_max_bandwidth());
    if (protocol == kSimple) return rate;
    return rate * (hosts_ == 1 ? kTreeLl128ShareOnOneHost : kTreeLl128Share);
  }

  [[nodiscard]] bool has_nvls() const {
    return shape_.op == CollectiveOp::kAllReduce && hosts_ == 1 && inside_ == kNvlink && shape_.members > 2 &&
           kNvlsShare[generation_] > 0 && !rates_are_measured_;
  }
  [[nodiscard]] NcclEstimate nvls() const {
    return {"nvls", kProtocolNames[kSimple], kNvlsLatency,
            of_bytes(1 + 1.0 / shape_.members, bus_ * kNvlsShare[generation_])};
  }

  [[nodiscard]] double of_bytes(double payloads, double rate) const {
    return bytes_us(payloads * static_cast<double>(shape_.bytes.count()), rate);
  }

  const CollectiveShape& shape_;
  std::uint32_t hosts_;
  Wire inside_;
  double latency_us_;
  std::size_t generation_;
  bool rates_are_measured_;
  double bus_;
};

/// A measured table. It gives the part of the time that the model does not include.
class Table {
 public:
  Table(const MeasuredCollective& measured, const CollectivePlace& place) : measured_(measured), place_(place) {}

  /// Returns, in microseconds, the table's time minus the model's, at the payload that causes the same traffic per link
  /// as `shape`. Outside the table's sizes, uses its smallest or largest payload.
  [[nodiscard]] double beyond_usual_us(const CollectiveShape& shape) const {
    const double same_traffic =
        ring_traffic(shape.op, shape.members) / ring_traffic(measured_.op, shape.members);  // ratio of the payloads
    const double bytes = static_cast<double>(shape.bytes.count()) * (shape.op == measured_.op ? 1 : same_traffic);
    const auto& times = measured_.times;
    const auto first = static_cast<double>(times.front().first.count());
    const auto last = static_cast<double>(times.back().first.count());
    const double at = std::clamp(bytes, first, last);
    return time_us(at) - with_carried_excess_us(model(at));
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
    CollectivePlace place = place_;
    place.hosts = measured_.hosts;
    return nccl_estimate(shape, place, measured_.bandwidth);
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

/// Returns the tables of this operation, or of all-reduces if there are none. Uses only one-host tables for one host,
/// and only tables of several hosts for several hosts.
std::vector<const MeasuredCollective*> tables_for(CollectiveOp op, const CollectivePlace& place) {
  std::vector<const MeasuredCollective*> found;
  for (const CollectiveOp wanted : {op, CollectiveOp::kAllReduce}) {
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

  [[nodiscard]] double per_host() const noexcept { return static_cast<double>(ranks) / hosts; }

  /// Returns the distance to a table in the logarithms of ranks, hosts and ranks per host; 0 if the table holds this
  /// layout.
  [[nodiscard]] double distance_to(const MeasuredCollective& table) const {
    const Layout held{table.ranks, table.hosts};
    return std::hypot(std::log2(static_cast<double>(held.ranks) / ranks),
                      std::log2(static_cast<double>(held.hosts) / hosts), std::log2(held.per_host() / per_host()));
  }

  /// Returns the factor by which times from a table can be wrong because it has another number of ranks per host. Rings
  /// of one rank per host share no NIC, and those of several do.
  [[nodiscard]] double factor_to(const MeasuredCollective& table) const {
    if (hosts == 1) return 1;
    const double doublings = std::log2(Layout{table.ranks, table.hosts}.per_host() / per_host());
    return std::pow(kLayoutFactor, std::abs(doublings));
  }
};

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
  const std::vector<Member> members = members_of(dag, rendezvous, cluster);
  std::set<HostId> hosts;
  for (const Member& member : members) {
    if (!member.endpoint.valid()) return std::nullopt;
    hosts.insert(cluster.endpoints[member.endpoint.index()].host);
  }
  if (members.size() < 2) return std::nullopt;
  return Layout{static_cast<std::uint32_t>(members.size()), static_cast<std::uint32_t>(hosts.size())};
}

/// Returns a sentence, after a space, about collectives over several hosts whose layout no table holds; else nothing.
std::string outside_text(const Layout& layout, CollectiveOp op, std::size_t count, const Cluster& cluster) {
  CollectivePlace place{.hosts = layout.hosts};
  place.measured = cluster.measured;
  const std::vector<const MeasuredCollective*> tables = tables_for(op, place);
  if (tables.empty() || layout.hosts == 1) return "";
  const MeasuredCollective& nearest = nearest_of(tables, layout);
  if (layout.distance_to(nearest) == 0) return "";
  const double factor = layout.factor_to(nearest);
  const std::string share =
      factor > 1
          ? fmt::format(", with {:.3g} instead of {:.3g} ranks per host: they may be wrong by a factor of {:.3g}",
                        Layout{nearest.ranks, nearest.hosts}.per_host(), layout.per_host(), factor)
          : "";
  return fmt::format(
      " No table holds {} ranks on {} hosts; the times of {} are carried over from {} ranks on {} hosts{}.",
      layout.ranks, layout.hosts, counted(count, "collective"), nearest.ranks, nearest.hosts, share);
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
  return sheet > 210 || inside <= kFastestPcie ? GpuGeneration::kAmpere : GpuGeneration::kVolta;
}

bool is_nccl_collective(CollectiveOp op) noexcept {
  return op == CollectiveOp::kAllReduce || op == CollectiveOp::kReduceScatter || op == CollectiveOp::kAllGather ||
         op == CollectiveOp::kBroadcast || op == CollectiveOp::kReduce;
}

double ring_traffic(CollectiveOp op, std::uint32_t members) noexcept {
  const double others = (members - 1.0) / members;
  switch (op) {
    case CollectiveOp::kAllReduce: return 2 * others;
    case CollectiveOp::kReduceScatter:
    case CollectiveOp::kAllGather: return others;
    default: return 1;
  }
}

double with_carried_excess_us(const NcclEstimate& estimate) noexcept { return estimate.us() + estimate.excess_us; }

double with_usual_excess_us(const NcclEstimate& estimate) noexcept {
  return estimate.us() + estimate.excess_us + estimate.excess_of_hops_us;
}

Bandwidth bus_of(const CollectivePlace& place) noexcept {
  if (place.hosts <= 1 || place.between <= Bandwidth{}) return place.inside;
  return place.inside > Bandwidth{} ? std::min(place.inside, place.between) : place.between;
}

NcclEstimate nccl_estimate(const CollectiveShape& shape, const CollectivePlace& place, Bandwidth bus) {
  return Estimator(shape, place, bus).best();
}

NcclTime nccl_time_and_error(const CollectiveShape& shape, const CollectivePlace& place) {
  const Bandwidth bus = bus_of(place);
  if (shape.members < 2 || bus <= Bandwidth{}) return {};
  const auto usual = [](double us) { return NcclTime{us, kUsualLatencyError + kUsualRateError * us}; };
  const std::vector<const MeasuredCollective*> tables = tables_for(shape.op, place);
  if (tables.empty()) {
    const NcclEstimate estimate = nccl_estimate(shape, place, bus);
    return usual(place.overhead_is_given ? estimate.us() : with_usual_excess_us(estimate));
  }
  const Layout layout{shape.members, std::clamp(place.hosts, 1U, shape.members)};
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
    // The links may have changed since the measurement; the table's bandwidth scales with them.
    const double rate =
        measured->bandwidth.bytes_per_second() * bus.bytes_per_second() / measured->link.bytes_per_second();
    const double model = with_carried_excess_us(nccl_estimate(shape, place, Bandwidth::from_bytes_per_second(rate)));
    const double weight = is_held ? 1 : 1 / (distance * distance);
    logarithms.push_back(std::log(std::max(model + table.beyond_usual_us(shape), model / 10)));
    sum += logarithms.back() * weight;
    weights += weight;
    const bool is_measured = is_held && measured->op == shape.op && is_same(bus, measured->link);
    const std::optional<double> own = is_measured ? table.error_us(shape.bytes) : std::nullopt;
    error = error && own ? std::optional{std::max(*error, *own)} : std::nullopt;
  }
  const double time = std::exp(sum / weights);
  if (!error) return {time, (time + usual(time).error_us) * layout.factor_to(nearest) - time};
  // Tables of one layout that differ are both right.
  for (const double logarithm : logarithms)
    error = std::max(*error, time * std::expm1(std::abs(logarithm - sum / weights)));
  return {time, *error};
}

Duration nccl_time(const CollectiveShape& shape, const CollectivePlace& place) {
  const NcclTime time = nccl_time_and_error(shape, place);
  if (time.us <= 0) return {};
  return Duration{std::llround(time.us * std::pow(1 + time.error_us / time.us, place.side) * 1e3)};
}

Assumptions nccl_assumptions(const Dag& dag, const Cluster& cluster) {
  const CollectiveModel* const nccl = find_collective_model("nccl");
  std::size_t timed = 0;
  std::map<std::tuple<std::uint32_t, std::uint32_t, CollectiveOp>, std::size_t> layouts;
  for (const RendezvousId rendezvous : dag.all_rendezvous()) {
    if (dag.members(rendezvous).empty()) continue;  // an all-reduce that new buckets have replaced
    const Collective& collective = dag.collective(rendezvous);
    const CollectiveShape shape{.op = collective.op, .bytes = collective.bytes};
    if (collective.algorithm != nccl || collective.bytes <= Bytes{} || !nccl->supports(shape)) continue;
    ++timed;
    if (const std::optional<Layout> layout = layout_of(dag, rendezvous, cluster))
      ++layouts[{layout->ranks, layout->hosts, collective.op}];
  }
  if (timed == 0) return {};
  std::string text =
      fmt::format("The times of {} come from NCCL's cost model (algorithm nccl), {}.", counted(timed, "collective"),
                  cluster.measured.empty() ? "without a measured correction" : "corrected by measured times");
  for (const auto& [layout, count] : layouts) {
    const auto& [ranks, hosts, op] = layout;
    text += outside_text({ranks, hosts}, op, count, cluster);
  }
  return {{"nccl_model", std::move(text)}};
}

}  // namespace stepsim
