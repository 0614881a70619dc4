#include "model/calibration/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "model/base/error.h"
#include "model/base/median.h"
#include "model/base/text.h"
#include "model/cost/collective/nccl_times.h"
#include "model/cost/device/accelerator.h"
#include "model/job/collective.h"
#include "model/job/topology.h"

namespace stepsim {
namespace {

constexpr std::uint32_t kUsualDevices = 8;
constexpr Bandwidth kUnknownNic = Bandwidth::from_bits_per_second(200e9);
/// Rate of links inside a host about which nothing is known, as a multiple of that of the host's NICs: a tree of two
/// hosts moves the payload twice inside a host while it moves once between them, and no table shows such a limit.
constexpr double kInsideOfNics = 2;
/// Latency of a NIC about which nothing is known. It is shorter than NCCL's own network latencies, so the model uses
/// NCCL's values.
constexpr Duration kFastNic{1'000};

Bandwidth times(double factor, Bandwidth rate) {
  return Bandwidth::from_bytes_per_second(factor * rate.bytes_per_second());
}

double us(Duration time) { return static_cast<double>(time.count()) / 1e3; }

/// Rounds to a tenth of a GB/s, so that a file can store the value exactly.
Bandwidth rounded(double gb_s) { return Bandwidth::from_bytes_per_second(std::max(1.0, std::round(gb_s * 10)) * 1e8); }

struct Key {
  bool on_one_host = true;  ///< true for tables of one host, which come first
  CollectiveOp op = CollectiveOp::kAllReduce;
  std::uint32_t ranks = 2;
  std::uint32_t hosts = 1;
  friend bool operator<(const Key& a, const Key& b) noexcept {
    return std::tuple(!a.on_one_host, a.op, a.ranks, a.hosts) < std::tuple(!b.on_one_host, b.op, b.ranks, b.hosts);
  }
};

Key key_of(const TimedCollective& one) { return {one.hosts == 1, one.op, one.ranks, one.hosts}; }

using Groups = std::map<Key, std::vector<TimedCollective>>;

bool is_measured(CollectiveOp op) noexcept {
  return std::find(std::begin(kMeasuredOps), std::end(kMeasuredOps), op) != std::end(kMeasuredOps);
}

Groups groups_of(std::span<const TimedCollective> timings) {
  Groups groups;
  for (const TimedCollective& one : timings) {
    if (is_measured(one.op) && one.ranks > 1) groups[key_of(one)].push_back(one);
  }
  for (auto& [key, group] : groups) {
    std::stable_sort(group.begin(), group.end(),
                     [](const TimedCollective& a, const TimedCollective& b) { return a.bytes < b.bytes; });
  }
  return groups;
}

CollectiveShape shape_of(const TimedCollective& one, Bytes bytes) { return {one.op, one.ranks, bytes}; }

CollectivePlace place_of(const TimedCollective& one, Bandwidth link) {
  CollectivePlace place{.hosts = one.hosts, .device = one.device};
  (one.hosts == 1 ? place.inside : place.between) = link;
  return place;
}

/// Returns the link rate in GB/s for which the predicted time equals the measured one. The result is at most four times
/// the measured bus bandwidth: if moving the bytes takes less than a quarter of the time, the time says little about
/// the rate.
double bandwidth_of(const TimedCollective& one) {
  double bus = ring_traffic(one.op, one.ranks) * static_cast<double>(one.bytes.count()) / us(one.time) / 1e3;
  // In an all-to-all, all ranks of a host share its NICs.
  if (one.op == CollectiveOp::kAllToAll) bus *= static_cast<double>(one.ranks) / one.hosts;
  double low = bus / 100;
  double high = bus * 4;
  for (int i = 0; i < 60; ++i) {
    const double middle = std::sqrt(low * high);
    const Bandwidth link = Bandwidth::from_bytes_per_second(middle * 1e9);
    const double predicted =
        nccl_estimate(shape_of(one, one.bytes), place_of(one, link), link, NcclRates::kOfTables).us();
    (predicted > us(one.time) ? low : high) = middle;
  }
  return high;
}

double bandwidth_of(const std::vector<TimedCollective>& group) {
  std::vector<double> rates;
  for (const TimedCollective& one : group) {
    if (one.bytes.count() >= group.back().bytes.count() / 4) rates.push_back(bandwidth_of(one));
  }
  return median(std::move(rates));
}

/// Returns the model's time in microseconds for the operation and ranks of `of`, but with a payload of `bytes`.
double usual_us(const TimedCollective& of, Bytes bytes, Bandwidth link) {
  return us(nccl_time(shape_of(of, bytes), place_of(of, link)));
}

/// Returns the weighted geometric mean of the times that were measured within a factor of two of `bytes`, or nothing if
/// there are none. Each time is first converted to `bytes` by adding the difference that the model predicts.
std::optional<Duration> smoothed(const std::vector<TimedCollective>& group, Bytes bytes, Bandwidth link) {
  double sum = 0;
  double weights = 0;
  const double there = usual_us(group.front(), bytes, link);
  for (const TimedCollective& one : group) {
    const double octaves =
        std::abs(std::log2(static_cast<double>(one.bytes.count()) / static_cast<double>(bytes.count())));
    if (octaves >= 1) continue;
    const double moved = us(one.time) + there - usual_us(one, one.bytes, link);
    sum += (1 - octaves) * std::log(std::max(moved, us(one.time) / 10));
    weights += 1 - octaves;
  }
  if (weights <= 0) return std::nullopt;
  return Duration{std::max<std::int64_t>(1, std::llround(std::exp(sum / weights) * 1e3))};
}

/// Returns the smallest and the largest size and the powers of two between them.
std::vector<Bytes> sizes_of(const std::vector<TimedCollective>& group) {
  std::vector<Bytes> sizes{group.front().bytes};
  for (std::int64_t bytes = 1; bytes < group.back().bytes.count() && bytes < std::int64_t{1} << 60U; bytes *= 2) {
    if (bytes > group.front().bytes.count()) sizes.emplace_back(bytes);
  }
  if (sizes.back() < group.back().bytes) sizes.push_back(group.back().bytes);
  return sizes;
}

MeasuredCollective table_of(const std::vector<TimedCollective>& group, Bandwidth link, Bandwidth bandwidth) {
  const TimedCollective& first = group.front();
  MeasuredCollective table{first.op, first.ranks, first.hosts, link, bandwidth, {}};
  for (const Bytes bytes : sizes_of(group)) {
    if (const std::optional<Duration> time = smoothed(group, bytes, table.bandwidth))
      table.times.emplace_back(bytes, *time);
  }
  return table;
}

/// Returns the rate of the links inside a host or between hosts. It is derived from the all-reduces with the most
/// ranks, or from another operation if there are no all-reduces.
Bandwidth link_of(const Groups& groups, bool on_one_host) {
  const std::vector<TimedCollective>* best = nullptr;
  for (const auto& [key, group] : groups) {
    if (key.on_one_host != on_one_host) continue;
    const bool better = best == nullptr ||
                        (key.op == CollectiveOp::kAllReduce) > (best->front().op == CollectiveOp::kAllReduce) ||
                        (key.op == best->front().op && key.ranks > best->front().ranks);
    if (better) best = &group;
  }
  return best == nullptr ? Bandwidth{} : rounded(bandwidth_of(*best));
}

std::vector<MeasuredCollective> tables_of(const Groups& groups) {
  std::vector<MeasuredCollective> tables;
  for (const auto& [key, group] : groups)
    tables.push_back(table_of(group, link_of(groups, key.on_one_host), rounded(bandwidth_of(group))));
  return tables;
}

double error_of(const TimedCollective& one, const CollectivePlace& place) {
  return std::abs(us(nccl_time(shape_of(one, one.bytes), place)) / us(one.time) - 1);
}

/// Returns the median relative error of `tables` over the times of a group, or nothing if no table applies to it.
std::optional<double> error_of(const std::vector<TimedCollective>& group, std::span<const MeasuredCollective> tables,
                               Bandwidth link) {
  const auto counts = [&](const MeasuredCollective& table) {
    return table.op == group.front().op && (table.hosts > 1) == (group.front().hosts > 1);
  };
  if (std::none_of(tables.begin(), tables.end(), counts)) return std::nullopt;
  std::vector<double> errors;
  for (const TimedCollective& one : group) {
    CollectivePlace place = place_of(one, link);
    place.measured = tables;
    errors.push_back(error_of(one, place));
  }
  return median(std::move(errors));
}

std::string name_of_table(const MeasuredCollective& table) {
  return fmt::format("{} of {} ranks{}", named_operation(table.op).name, table.ranks,
                     table.hosts > 1 ? fmt::format(" on {} hosts", table.hosts) : "");
}

/// Returns the highest bus bandwidth of the rows of each table, in GB/s as nccl-tests counts it.
std::map<Key, double> highest_bus_of(std::span<const NcclTestsRow> rows) {
  std::map<Key, double> highest;
  for (const NcclTestsRow& row : rows) {
    const double moved = ring_traffic(row.op, row.ranks) * static_cast<double>(row.bytes.count());
    double& most = highest[key_of(row)];
    most = std::max(most, moved / us(row.shortest) / 1e3);
  }
  return highest;
}

/// Returns the median relative error of each size when it is predicted from every second one of the others; NaN for a
/// single size.
double error_between_sizes(const std::vector<TimedCollective>& group, Bandwidth link) {
  std::array<std::vector<TimedCollective>, 2> halves;
  std::size_t half = 1;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (i == 0 || group[i].bytes != group[i - 1].bytes) half = 1 - half;
    halves[half].push_back(group[i]);
  }
  if (halves[1].empty()) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> errors;
  for (half = 0; half < 2; ++half) {
    const std::vector<MeasuredCollective> table{table_of(halves[half], link, rounded(bandwidth_of(halves[half])))};
    for (const TimedCollective& one : halves[1 - half]) {
      CollectivePlace place = place_of(one, link);
      place.measured = table;
      errors.push_back(error_of(one, place));
    }
  }
  return median(std::move(errors));
}

std::vector<Fit> fits_of(const Groups& groups, const std::map<Key, double>& highest_bus,
                         const std::vector<MeasuredCollective>& tables) {
  std::vector<Fit> fits;
  std::size_t number = 0;
  for (const auto& [key, group] : groups) {
    const MeasuredCollective& table = tables[number];
    fits.push_back({"bus bandwidth, " + name_of_table(table), to_text(rounded(highest_bus.at(key))), group.size(),
                    error_between_sizes(group, table.link),
                    "highest row of nccl-tests; the error is that of sizes predicted from every second other size"});
    std::vector<MeasuredCollective> others = tables;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(number++));
    if (const std::optional<double> held_out = error_of(group, others, table.link)) {
      fits.push_back({name_of_table(table) + ", held out", "", group.size(), *held_out,
                      "predicted from the same operation of other rank counts"});
    }
  }
  return fits;
}

/// `named` is the number of devices that the tables name on a host, or 0.
Cluster cluster_of(const Groups& groups, std::uint32_t named, Assumptions& assumptions) {
  const Bandwidth inside = link_of(groups, true);
  const Bandwidth between = link_of(groups, false);
  std::uint32_t hosts = 1;
  std::uint32_t used = 1;
  std::string device;
  for (const auto& [key, group] : groups) {
    hosts = std::max(hosts, key.hosts);
    used = std::max(used, (key.ranks + key.hosts - 1) / key.hosts);
    if (!group.front().device.empty()) device = group.front().device;
  }
  const std::uint32_t devices = std::max(used, named > 0 ? named : kUsualDevices);
  ClusterShape shape;
  for (std::uint32_t i = 0; i < hosts; ++i) shape.hosts.push_back({std::to_string(i)});
  shape.devices = devices;
  shape.device_model = device;
  shape.nic = {between > Bandwidth{} ? between : kUnknownNic, kFastNic};
  const Accelerator* const known = find_accelerator(device);
  const bool has_sheet = known != nullptr && known->nvlink > Bandwidth{};
  const Bandwidth link = inside > Bandwidth{} ? inside
                         : has_sheet          ? times(kNvlinkEfficiency, known->nvlink)
                                              : times(kInsideOfNics, between);
  (is_nvlink(link) ? shape.nvlink : shape.pcie) = cable_of_goodput(link, Duration{});
  assumptions.push_back({"nccl_node", fmt::format("Each node has {} devices{}, all connected in the same way.", devices,
                                                  named > 0 ? ", which is the most that the tables name on one" : "")});
  if (between <= Bandwidth{}) {
    assumptions.push_back(
        {"nccl_nic", fmt::format("The NIC of a node carries {}, because the tables are from a single node.",
                                 to_text(kUnknownNic))});
  }
  if (inside <= Bandwidth{}) {
    assumptions.push_back(
        {"nccl_inside",
         has_sheet ? fmt::format("The links inside a node are those of the data sheet of {}, {} in each direction.",
                                 known->name, to_text(known->nvlink))
                   : fmt::format("The links inside a node carry {:g} times as much as its NICs do, because no table is "
                                 "from a single node.",
                                 kInsideOfNics)});
  }
  return build_cluster(shape);
}

}  // namespace

std::vector<MeasuredCollective> measured_tables(std::span<const TimedCollective> timings) {
  return tables_of(groups_of(timings));
}

std::vector<MeasuredCollective> measured_tables(std::span<const TimedCollective> timings, Bandwidth link) {
  std::vector<MeasuredCollective> tables;
  for (const auto& [key, group] : groups_of(timings)) tables.push_back(table_of(group, link, link));
  return tables;
}

double error_of_tables(std::span<const TimedCollective> timings, std::span<const MeasuredCollective> tables) {
  std::vector<double> errors;
  for (const auto& [key, group] : groups_of(timings)) {
    for (const TimedCollective& one : group) {
      CollectivePlace place = place_of(one, tables.front().link);
      place.measured = tables;
      errors.push_back(error_of(one, place));
    }
  }
  return errors.empty() ? 0 : median(std::move(errors));
}

Calibration calibrate_nccl_tables(std::span<const NcclTestsRow> rows) {
  const Groups groups = groups_of(std::vector<TimedCollective>(rows.begin(), rows.end()));
  if (groups.empty()) {
    std::vector<std::string> names;
    for (const CollectiveOp op : kMeasuredOps) names.emplace_back(named_operation(op).name);
    throw InputError({"nccl-tests", {}, {}}, fmt::format("no table of {}; expected one", one_of(names)));
  }
  Calibration result;
  std::uint32_t named = 0;
  for (const NcclTestsRow& row : rows) named = std::max(named, row.devices);
  result.cluster = cluster_of(groups, named, result.assumptions);
  result.cluster.measured = tables_of(groups);
  result.fits = fits_of(groups, highest_bus_of(rows), result.cluster.measured);
  return result;
}

}  // namespace stepsim
