// What calibration fitted, and the cluster.yaml of it.

#include <variant>

#include "model/cost/network/parameters.h"
#include "sim/output/cluster_yaml.h"
#include "sim/report/fits.h"
#include "sim/report/report.h"

namespace stepsim::sim {
namespace {

std::vector<Section> calibration_sections(const Findings& findings) {
  const Calibration& calibration = *findings.calibration;
  Section fitted{.title = "Fitted"};
  if (!calibration.fits.empty()) fitted.table = fit_table(calibration.fits);
  return {fitted, {.title = "cluster.yaml", .verbatim = cluster_yaml(calibration.cluster)}};
}

std::optional<double> bytes_per_second(const std::optional<Bandwidth>& rate) {
  return rate ? std::optional{rate->bytes_per_second()} : std::nullopt;
}

void write_links(JsonWriter& json, const std::vector<Link>& links) {
  json.key("links").begin_array();
  for (const Link& link : links) {
    json.new_line().begin_object().key("name").value(link.name);
    json.key("bandwidth_bytes_per_s").value(link.bandwidth.bytes_per_second());
    json.key("latency_ns").value(link.latency).key("efficiency").value(link.efficiency).end_object();
  }
  json.end_array();
}

void write_messages(JsonWriter& json, const NetworkParameters& network) {
  json.key("messages").begin_object();
  for (const NetworkParameter* const parameter : network_parameters()) {
    json.key(parameter->json);
    std::visit([&json](auto value) { json.value(value); }, network.value_of(*parameter));
  }
  json.end_object();
}

void write_rates(JsonWriter& json, const HostRates& rates) {
  json.key("rates").begin_object();
  json.key("copy_to_host_bytes_per_s").value(bytes_per_second(rates.copy_to_host));
  json.key("copy_to_device_bytes_per_s").value(bytes_per_second(rates.copy_to_device));
  json.key("copy_overhead_ns").value(rates.copy_overhead);
  json.key("sum_bytes_per_s").value(bytes_per_second(rates.sum)).key("sum_overhead_ns").value(rates.sum_overhead);
  json.key("launch_overhead_ns").value(rates.launch_overhead).end_object();
}

void calibration_members(JsonWriter& json, const Findings& findings) {
  const Cluster& cluster = findings.calibration->cluster;
  json.key("hosts").value(cluster.hosts.size()).key("endpoints").value(cluster.endpoints.size()).new_line();
  write_links(json, cluster.links);
  write_messages(json.new_line(), cluster.network);
  write_rates(json.new_line(), cluster.rates);
  write_fits(json.new_line(), findings.calibration->fits);
}

}  // namespace

extern const CaptureReport calibration_report;
const CaptureReport calibration_report{
    .id = "calibration", .in = kCalibration, .sections = calibration_sections, .members = calibration_members};

}  // namespace stepsim::sim
