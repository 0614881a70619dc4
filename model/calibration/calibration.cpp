#include "model/calibration/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "model/base/error.h"
#include "model/base/fit.h"
#include "model/base/median.h"
#include "model/calibration/collectives.h"
#include "model/calibration/parameter_server.h"
#include "model/cost/network/network.h"
#include "model/job/group.h"
#include "model/job/parameter_server/workload.h"
#include "model/job/task_names.h"
#include "model/job/topology.h"

namespace stepsim {
namespace {

constexpr std::size_t kMostEndpoints = 100'000;

InputLocation first_input(const Capture& capture) {
  return {capture.inputs.empty() ? "the capture" : capture.inputs.front().name, {}, {}};
}

/// Returns how many ranks the capture shows: the largest rank or endpoint number of its lanes and groups plus 1, or the
/// size of the largest group if that is more.
std::size_t ranks_seen(const Dag& dag) {
  std::size_t ranks = largest_group(dag);
  for (const Group& group : dag.groups()) {
    if (!group.ranks.empty()) ranks = std::max(ranks, static_cast<std::size_t>(group.ranks.back()) + 1);
  }
  for (const Lane& lane : dag.lanes()) {
    for (const EndpointId endpoint : {lane.from, lane.to}) {
      if (endpoint.valid()) ranks = std::max(ranks, endpoint.index() + 1);
    }
    if (lane.rank >= 0) ranks = std::max(ranks, static_cast<std::size_t>(lane.rank) + 1);
  }
  return ranks;
}

/// Returns a cluster of hosts without links, for a capture in which no transfer is known to cross a link.
Calibration without_network(std::size_t endpoints) {
  Calibration result;
  for (std::size_t i = 0; i < endpoints; ++i) {
    result.cluster.hosts.push_back({std::to_string(i)});
    result.cluster.endpoints.push_back({HostId{i}, {}});
  }
  result.assumptions.push_back(
      {"no_network", endpoints == 1 ? "The capture shows no network: a single rank sends no messages."
                                    : "The network is unknown: no transfer in the capture records its size."});
  return result;
}

Calibration network_seen(const Capture& capture) {
  if (capture.cluster.has_value()) {
    return {*capture.cluster, {}, 0, {{"task_graph_cluster", "Hosts, links and routes come from the task graph."}}};
  }
  if (capture.parameter_server != nullptr && capture.parameter_server->cannot_build.empty())
    return calibrate_parameter_server(capture);
  if (std::optional<Calibration> seen = calibrate_collectives(capture)) return *std::move(seen);
  const std::size_t endpoints = endpoint_count(capture);
  const bool known = capture.job.bandwidth || (endpoints > 1 && uses_links(capture));
  return known ? network_of_job_file(capture) : without_network(endpoints);
}

bool is_kernel_launch(const Dag& dag, TaskId task) {
  return dag.kind(task) == TaskKind::kRuntime && launches_kernel(dag.name(task));
}

/// Returns the direction of a copy of known size, by its name from CUPTI or roctracer: "Memcpy HtoD (Pinned ->
/// Device)".
CopyDirection direction_of(const Dag& dag, TaskId task) {
  if (dag.kind(task) != TaskKind::kCopy || dag.bytes(task).count() == 0) return CopyDirection::kNone;
  const std::string_view name = dag.name(task);
  if (name.starts_with("Memcpy HtoD")) return CopyDirection::kToDevice;
  return name.starts_with("Memcpy DtoH") ? CopyDirection::kToHost : CopyDirection::kNone;
}

double nanoseconds(Duration duration) { return static_cast<double>(duration.count()); }
Duration whole_nanoseconds(double value) { return Duration{std::llround(value)}; }

void fit_launches(const Dag& dag, Calibration& result) {
  std::vector<double> times;
  for (const TaskId task : dag.tasks()) {
    if (is_kernel_launch(dag, task)) times.push_back(nanoseconds(dag.duration(task)));
  }
  if (times.empty() || result.cluster.rates.launch_overhead.has_value()) return;
  const double middle = median(times);
  std::vector<double> errors;
  errors.reserve(times.size());
  for (const double time : times) errors.push_back(time > 0 ? std::abs(time - middle) / time : 0);
  const Duration overhead = whole_nanoseconds(middle);
  result.cluster.rates.launch_overhead = overhead;
  result.fits.push_back({"launch overhead", short_microseconds(overhead) + " us", times.size(),
                         median(std::move(errors)), "host time of kernel launch calls, their median"});
}

/// The samples of a fit of one overhead per copy and one rate per direction. Copies range from bytes to gigabytes and
/// their errors grow with size, so each sample is divided by the copy's time: the fit minimizes relative errors.
struct Copies {
  std::vector<double> rows;  ///< per copy: 1, bytes to the device, bytes to the host; each divided by the copy's time
  std::vector<double> ones;
  std::int64_t most_to_device = 0;  ///< bytes of the largest copy in this direction
  std::int64_t most_to_host = 0;
};

Copies copies_of(const Dag& dag) {
  Copies copies;
  for (const TaskId task : dag.tasks()) {
    const CopyDirection direction = direction_of(dag, task);
    if (direction == CopyDirection::kNone) continue;
    const double time = nanoseconds(dag.duration(task));
    if (time <= 0) continue;
    const double rate = static_cast<double>(dag.bytes(task).count()) / time;
    copies.rows.insert(copies.rows.end(), {1 / time, direction == CopyDirection::kToDevice ? rate : 0,
                                           direction == CopyDirection::kToHost ? rate : 0});
    copies.ones.push_back(1);
    std::int64_t& most = direction == CopyDirection::kToDevice ? copies.most_to_device : copies.most_to_host;
    most = std::max(most, dag.bytes(task).count());
  }
  return copies;
}

/// Converts a slope in nanoseconds per byte to a rate. Returns nothing if there are no copies or their time does not
/// grow with their size. `most` is the size of the largest copy in bytes: if that copy takes less than a nanosecond,
/// the slope is a rounding error.
std::optional<Bandwidth> rate_of(double nanoseconds_a_byte, std::int64_t most) {
  if (nanoseconds_a_byte * static_cast<double>(most) < 1) return std::nullopt;
  return Bandwidth::from_bytes_per_second(std::round(1e9 / nanoseconds_a_byte));
}

void fit_copies(const Dag& dag, Calibration& result) {
  HostRates& rates = result.cluster.rates;
  const Copies copies = copies_of(dag);
  if (copies.ones.empty() || rates.copy_to_device.has_value() || rates.copy_to_host.has_value()) return;
  const SumFit fit = fit_sum(copies.rows, 3, copies.ones);
  rates.copy_overhead = whole_nanoseconds(fit.coefficients[0]);
  rates.copy_to_device = rate_of(fit.coefficients[1], copies.most_to_device);
  rates.copy_to_host = rate_of(fit.coefficients[2], copies.most_to_host);
  const std::string_view from = "copies between host and device by their bytes";
  const auto add = [&](std::string_view what, std::string value) {
    result.fits.push_back({std::string(what), std::move(value), fit.samples, fit.residual, std::string(from)});
  };
  add("copy overhead", short_microseconds(rates.copy_overhead) + " us");
  if (rates.copy_to_device) add("copy to device", to_text(*rates.copy_to_device));
  if (rates.copy_to_host) add("copy to host", to_text(*rates.copy_to_host));
}

}  // namespace

double rate_error(double residual, std::size_t samples) noexcept {
  if (samples == 0) return 0;
  return residual * std::clamp(4 / std::sqrt(static_cast<double>(samples)), 0.2, 1.0);
}

std::size_t endpoint_count(const Capture& capture) {
  const Job& job = capture.job;
  const std::size_t servers = job.servers.value_or(0);
  const std::size_t per_worker = servers > 0 ? 1 : job.local_size.value_or(1);
  const std::size_t said = job.workers.value_or(0) * per_worker + servers;
  const std::size_t count = std::max({said, ranks_seen(capture.dag), std::size_t{1}});
  if (count > kMostEndpoints) {
    throw InputError(first_input(capture), fmt::format("the job has {} ranks, workers and servers; expected at most {}",
                                                       count, kMostEndpoints));
  }
  return count;
}

Calibration network_of_job_file(const Capture& capture) {
  const Job& job = capture.job;
  if (!job.bandwidth.has_value()) {
    throw CannotAnswer(first_input(capture),
                       "the capture does not show the rate of its network; expected messages with sizes, 'network: "
                       "{bandwidth: 25Gb/s}' in job.yaml, or --cluster FILE");
  }
  const std::size_t endpoints = endpoint_count(capture);
  const std::size_t per_host = job.servers.value_or(0) > 0 ? 1 : job.local_size.value_or(1);
  Calibration result;
  // Messages between ranks of the same host do not cross its links.
  result.cluster = build_cluster({.hosts = numbered_hosts((endpoints + per_host - 1) / per_host),
                                  .nic = {*job.bandwidth, job.latency.value_or(kUsualLatency), kTcpEfficiency},
                                  .endpoints_per_host = static_cast<std::uint32_t>(per_host),
                                  .endpoint_count = endpoints});
  result.assumptions.push_back(
      {"one_switch", "Each host has one full-duplex link to a single switch, with the bandwidth from job.yaml."});
  result.assumptions.push_back(
      {"link_payload", fmt::format("The payload bandwidth of a link is {} of its bandwidth, as for TCP over Ethernet.",
                                   kTcpEfficiency)});
  if (!job.latency.has_value()) {
    result.assumptions.push_back(
        {"link_latency", fmt::format("The latency of a link is {}; neither the capture nor job.yaml gives it.",
                                     to_text(kUsualLatency))});
  }
  if (per_host > 1)
    result.assumptions.push_back({"local_messages", "Messages between ranks of the same host take no time."});
  return result;
}

Calibration calibrate(const Capture& capture) {
  Calibration result = network_seen(capture);
  // Round to one byte per second, the resolution of cluster.yaml.
  const auto round = [](Bandwidth& rate) {
    rate = Bandwidth::from_bytes_per_second(std::max(1.0, std::round(rate.bytes_per_second())));
  };
  if (std::optional<ClusterShape> shape = result.cluster.shape) {
    round(shape->nic.bandwidth);
    result.cluster = with_shape(result.cluster, *std::move(shape));
  } else {
    for (Link& link : result.cluster.links) round(link.bandwidth);
  }
  fit_host_rates(capture, result);
  return result;
}

void fit_host_rates(const Capture& capture, Calibration& result) {
  fit_launches(capture.dag, result);
  fit_copies(capture.dag, result);
}

}  // namespace stepsim
