#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "ingest/config/config.h"
#include "model/cost/network/maxmin.h"
#include "model/cost/network/network.h"
#include "model/job/collective.h"
#include "model/job/topology.h"
#include "sim/export/exporter.h"
#include "sim/output/cluster_yaml.h"
#include "tests/sim/temporary_folder.h"

namespace stepsim {
namespace {

/// Makes clusters of every shape that cluster.yaml can describe, from a seed.
class Maker {
 public:
  explicit Maker(std::uint32_t seed) : rng_(seed) {}

  Cluster cluster() {
    Cluster cluster = below(3) == 0 ? link_by_link() : build_cluster(shape());
    for (const NetworkParameter* const parameter : network_parameters()) {
      if (std::holds_alternative<Duration>(parameter->default_value)) cluster.network.set_value(*parameter, time());
    }
    cluster.network.set(kSharing, std::vector<double>{1, 0, 0.25, 1.0 / 3}[below(4)]);
    for (const NetworkParameter* const parameter : network_parameters()) {
      if (below(3) == 0) cluster.network.set_value(*parameter, cluster.network.value_of(*parameter), true);
    }
    if (below(2) == 0) {
      cluster.rates = {rate(), std::nullopt, time(), rate(), Duration{}, Duration{below(5000)}};
    }
    for (std::uint32_t i = below(3); i > 0; --i) cluster.measured.push_back(measured());
    return cluster;
  }

 private:
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(rng_() % bound); }
  Duration time() { return Duration{below(3) == 0 ? 0 : std::int64_t{below(3'000'000)} * (below(2) == 0 ? 1 : 1000)}; }
  Bandwidth rate() {
    const bool round = below(2) == 0;
    return round ? Bandwidth::from_bits_per_second(1e6 * (1 + below(400'000)))
                 : Bandwidth::from_bytes_per_second(1 + below(2'000'000'000));
  }
  MeasuredCollective measured() {
    MeasuredCollective table{kMeasuredOps[below(5)], 2 + below(100), 1, rate(), rate(), {}};
    table.hosts = 1 + below(table.ranks);
    Bytes bytes{1 + below(1000)};
    for (std::uint32_t i = below(5) + 1; i > 0; --i) {
      table.times.emplace_back(bytes, time() + Duration{1});
      bytes += Bytes{1 + below(1'000'000)};
    }
    return table;
  }

  Cable cable() {
    Cable cable{rate(), time(), below(2) == 0 ? 1 : 1.0 / (1 + below(9)), below(4) != 0};
    cable.is_bus = cable.efficiency == 1 && below(2) == 0;
    return cable;
  }

  std::string name(std::string_view what) {
    static const std::vector<std::string> odd{"null",       "yes",       "a b", "x: y",   "-dash",
                                              "\"quoted\"", "tab\there", "ünï", "[list]", "#no"};
    return std::string(what) + (below(2) == 0 ? odd[below(10)] : "-") + std::to_string(count_++);
  }

  std::vector<Host> hosts() {
    const std::uint32_t count = 1 + below(9);
    const bool named = below(2) == 0;
    std::vector<Host> hosts;
    for (std::uint32_t i = 0; i < count; ++i) hosts.push_back({named ? name("") : std::to_string(i)});
    return hosts;
  }

  ClusterShape shape() {
    ClusterShape shape{.hosts = hosts(), .nic = cable()};
    shape.nic.full_duplex = below(4) != 0;
    if (below(3) == 0) shape.differ[HostId{below(static_cast<std::uint32_t>(shape.hosts.size()))}] = cable();
    if (below(2) == 0) {
      shape.devices = 1 + below(4);
      shape.nics = 1 + below(shape.devices);
      shape.device_model = below(2) == 0 ? "" : name("H");
      if (below(2) == 0) shape.peer_access = below(2) == 0;
      shape.nvlink = cable();
      if (below(2) == 0) shape.pcie = cable();
    } else if (below(3) == 0) {
      for (std::uint32_t i = 0; i < 5; ++i) {
        shape.endpoints.push_back({HostId{below(static_cast<std::uint32_t>(shape.hosts.size()))}, {}});
      }
    }
    // Without oversubscription the bandwidth of an uplink stays a whole number of bytes per second.
    for (std::uint32_t i = below(3); i > 0; --i) shape.tiers.push_back({1 + below(4), 1, time()});
    return shape;
  }

  LinkId link(const Cluster& cluster) { return LinkId{below(static_cast<std::uint32_t>(cluster.links.size()))}; }

  Cluster link_by_link() {
    Cluster cluster;
    cluster.hosts = hosts();
    const std::size_t count = cluster.hosts.size();
    for (std::uint32_t i = below(4) + 1; i > 0; --i) {
      cluster.links.push_back({below(3) == 0 ? "same" : below(2) == 0 ? "" : name(""), rate(), time(), 0.5});
    }
    for (std::size_t i = 0; i < count; ++i) cluster.endpoints.push_back({HostId{i}, {}});
    for (std::size_t from = 0; from < count; ++from) {
      const std::size_t to = below(static_cast<std::uint32_t>(count));
      if (from != to) cluster.routes[{EndpointId{from}, EndpointId{to}}] = {link(cluster), link(cluster)};
    }
    return cluster;
  }

  std::mt19937 rng_;
  int count_ = 0;
};

class ClusterYamlProperty : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(ClusterYamlProperty, WhatIsWrittenReadsBackAsTheSameCluster) {
  for (std::uint32_t i = 0; i < 50; ++i) {
    const Cluster cluster = Maker(GetParam() * 1000 + i).cluster();
    const std::string text = sim::cluster_yaml(cluster);
    ASSERT_EQ(ingest::parse_cluster(text, "cluster.yaml"), cluster) << text;
  }
}

/// Writes and reads each network parameter one at a time, once as set and once as assumed.
TEST(ClusterYamlTest, EachParameterComesBackAsItWasSetOrAssumed) {
  for (const NetworkParameter* const parameter : network_parameters()) {
    const ParameterValue value = std::holds_alternative<Duration>(parameter->default_value)
                                     ? ParameterValue{Duration{1'234}}
                                     : ParameterValue{yaml_type(parameter->type).least + 0.5};
    for (const bool assumed : {false, true}) {
      Cluster cluster = star(2, {.name = {}, .bandwidth = Bandwidth::from_bits_per_second(1e9)});
      cluster.network.set_value(*parameter, value, assumed);
      const Cluster read = ingest::parse_cluster(sim::cluster_yaml(cluster), "cluster.yaml");
      EXPECT_EQ(read.network.value_of(*parameter), value) << parameter->key;
      EXPECT_EQ(read.network.is_assumed(*parameter), assumed) << parameter->key;
      EXPECT_EQ(read.network.is_given(*parameter), !assumed) << parameter->key;
      EXPECT_EQ(read, cluster) << parameter->key;
    }
  }
}

TEST(ClusterYamlTest, EachRateComesBack) {
  const Bandwidth rate = Bandwidth::from_bytes_per_second(33'049'537'001);
  for (int which = 0; which < 6; ++which) {
    Cluster cluster = star(2, {.name = {}, .bandwidth = Bandwidth::from_bits_per_second(1e9)});
    HostRates& rates = cluster.rates;
    if (which == 0) rates.copy_to_host = rate;
    if (which == 1) rates.copy_to_device = rate;
    if (which == 2) rates.copy_overhead = Duration{211'381};
    if (which == 3) rates.sum = rate;
    if (which == 4) rates.sum_overhead = Duration{7};
    if (which == 5) rates.launch_overhead = Duration{};
    EXPECT_EQ(ingest::parse_cluster(sim::cluster_yaml(cluster), "cluster.yaml").rates, rates) << which;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ClusterYamlProperty, ::testing::Range(1U, 9U));

TEST(ClusterYamlTest, AStarIsWrittenByItsNumbers) {
  const Cluster cluster = star(
      3,
      {.name = {}, .bandwidth = Bandwidth::from_bits_per_second(25e9), .latency = Duration{2000}, .efficiency = 0.957});
  EXPECT_EQ(sim::cluster_yaml(cluster), "hosts: 3\nnic: {bandwidth: 25Gb/s, latency: 2us, efficiency: 0.957}\n");
}

TEST(ClusterYamlTest, CommentsSayWhoMadeItHowWellItFitsAndWhatIsAssumed) {
  const Calibration calibration{
      .cluster = star(2, {.name = {}, .bandwidth = Bandwidth::from_bits_per_second(1e9)}),
      .fits = {{"link bandwidth", "119.6 MB/s", 120, 0.004, "pushes that had the link alone"}},
      .assumptions = {{"one_switch", "Links are full duplex.\nhosts: 9"}}};
  const sim::Provenance provenance{"1.2", "abc", "calibrate 'x\ny' -o c.yaml", {{"x", 3, 0x2A}}};
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("c.yaml");
  sim::export_to_file(path, *sim::find_exporter(path),
                      {.provenance = provenance, .cluster = &calibration.cluster, .calibration = &calibration});
  const std::string text = testing::read_file(path);
  for (const char* part :
       {"stepsim 1.2 (abc)", "x (3 bytes, crc64 000000000000002a)", "119.6 MB/s", "120", "0.4 %", "pushes that had"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
  EXPECT_EQ(ingest::parse_cluster(text, "cluster.yaml"), calibration.cluster) << text;
}

}  // namespace
}  // namespace stepsim
