#include "ingest/config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/base/error.h"
#include "model/cost/network/maxmin.h"
#include "model/cost/network/network.h"
#include "model/job/topology.h"
#include "tests/thrown_by.h"

namespace stepsim::ingest {
namespace {

using stepsim::testing::thrown_by;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Cluster parse(std::string_view text) { return parse_cluster(text, "c.yaml"); }

std::string refused(std::string_view text) {
  return thrown_by<InputError>([&] { return parse(text); }, "");
}

std::vector<std::string> names(const Cluster& cluster, std::size_t from, std::size_t to) {
  std::vector<std::string> names;
  const Route route = cluster.route(EndpointId{from}, EndpointId{to}).value();
  for (const LinkId link : route) {
    names.push_back(cluster.links[link.index()].name);
  }
  return names;
}

Bandwidth gigabits(double rate) { return Bandwidth::from_bits_per_second(rate * 1e9); }

TEST(ClusterFileTest, HostsOnOneSwitchAreAStar) {
  EXPECT_EQ(parse("hosts: 3\nnic: {bandwidth: 25Gb/s, latency: 2us, efficiency: 0.957}\n"),
            star(3, {.name = {}, .bandwidth = gigabits(25), .latency = Duration{2000}, .efficiency = 0.957}));
}

TEST(ClusterFileTest, BusBandwidthsAreRead) {
  const std::string text =
      "hosts: 2\ndevices: 4\nnic: {bandwidth: 1150MB/s bus}\npcie: {bandwidth: 4130MB/s bus, latency: 1us}\n";
  const Cluster cluster = parse(text);
  EXPECT_TRUE(cluster.shape->nic.is_bus);
  EXPECT_EQ(*cluster.shape->pcie, (Cable{.bandwidth = gigabits(8 * 4.13), .latency = Duration{1000}, .is_bus = true}));
  EXPECT_TRUE(cluster.links.back().is_bus);
  const std::string list = "hosts: [a, b]\nlinks: [{name: l, bandwidth: 1GB/s bus}, {bandwidth: 1GB/s}]\n";
  EXPECT_TRUE(parse(list).links[0].is_bus);
  EXPECT_FALSE(parse(list).links[1].is_bus);
}

TEST(ClusterFileTest, EveryNumberOfMessagesAndRatesIsRead) {
  const Cluster cluster = parse(R"(hosts: 2
nic: {bandwidth: 1Gb/s}
messages: {overhead: 20us, collective_overhead: 7us, sharing: 0.25, loggp: {o: 200ns, g: 5ns}}
rates: {copy_to_host: 12GB/s, copy_to_device: 13GB/s, copy_overhead: 10us, sum: 4GB/s, sum_overhead: 3us, launch_overhead: 5us}
)");
  EXPECT_EQ(cluster.network[kMessageOverhead], Duration{20'000});
  EXPECT_EQ(cluster.network[kCollectiveOverhead], Duration{7000});
  EXPECT_EQ(cluster.network[kSharing], 0.25);
  EXPECT_EQ(cluster.network.value_of(*find_network_parameter("loggp.o")), ParameterValue{Duration{200}});
  EXPECT_EQ(cluster.network.value_of(*find_network_parameter("loggp.g")), ParameterValue{Duration{5}});
  EXPECT_EQ(cluster.rates, (HostRates{gigabits(8 * 12), gigabits(8 * 13), Duration{10'000}, gigabits(8 * 4),
                                      Duration{3000}, Duration{5000}}));
}

TEST(ClusterFileTest, TablesOfCollectivesCanBeSwitchedOff) {
  const std::string text =
      "hosts: 1\ndevices: 8\nnic: {bandwidth: 1Gb/s}\nnvlink: {bandwidth: 300GB/s}\ncollectives:\n"
      "  - {op: all_reduce, ranks: 4, link: 240GB/s, bytes: [8], times: [7us]}\n";
  EXPECT_EQ(parse(text + "collective_tables: given\n").measured, parse(text).measured);
  EXPECT_TRUE(parse(text + "collective_tables: none\n").measured.empty());
}

TEST(ClusterFileTest, PeerAccessIsThatOfAllDevices) {
  const std::string nic = "hosts: 2\nnic: {bandwidth: 1Gb/s}\npcie: {bandwidth: 32GB/s}\n";
  for (const Device& device : parse(nic + "devices: {count: 4, model: L40S}\n").devices)
    EXPECT_EQ(device.peer_access, std::nullopt);
  for (const Device& device : parse(nic + "devices: {count: 4, peer_access: false}\n").devices)
    EXPECT_EQ(device.peer_access, false);
}

TEST(ClusterFileTest, MeasuredCollectivesAreTablesOfSizesAndTimes) {
  const std::string head =
      "hosts: 1\ndevices: 8\nnic: {bandwidth: 1Gb/s}\nnvlink: {bandwidth: 300GB/s}\ncollectives:\n";
  const Cluster cluster = parse(head +
                                "  - {op: all_gather, ranks: 16, hosts: 2, link: 50GB/s, bandwidth: 40GB/s, bytes: "
                                "[1KiB, 2MiB], times: [9us, 80us]}\n"
                                "  - {op: all_reduce, ranks: 4, link: 240GB/s, bytes: [8], times: [7us]}\n");
  const MeasuredCollective first{CollectiveOp::kAllGather,
                                 16,
                                 2,
                                 gigabits(400),
                                 gigabits(320),
                                 {{Bytes{1024}, Duration{9'000}}, {Bytes{2 << 20}, Duration{80'000}}}};
  const MeasuredCollective second{CollectiveOp::kAllReduce,     4, 1, gigabits(1920), gigabits(1920),
                                  {{Bytes{8}, Duration{7'000}}}};
  EXPECT_EQ(cluster.measured, (std::vector{first, second}));
  for (const std::string bad : {"{op: all_to_all, ranks: 4, link: 1GB/s, bytes: [8], times: [7us]}",
                                "{op: all_reduce, ranks: 4, bytes: [8], times: [7us]}",
                                "{op: all_reduce, ranks: 4, hosts: 8, link: 1GB/s, bytes: [8], times: [7us]}",
                                "{op: all_reduce, ranks: 4, link: 1GB/s, bytes: [8, 16], times: [7us]}",
                                "{op: all_reduce, ranks: 4, link: 1GB/s, bytes: [16, 8], times: [7us, 8us]}",
                                "{op: all_reduce, ranks: 4, link: 1GB/s, bytes: [16], times: [0us]}"}) {
    EXPECT_THROW((void)parse(head + "  - " + bad + "\n"), InputError) << bad;
  }
}

TEST(ClusterFileTest, SharingIsAWordOrANumber) {
  const auto sharing = [](const std::string& text) {
    return parse("hosts: 2\nnic: {bandwidth: 1Gb/s}\nmessages: {sharing: " + text + "}\n").network[kSharing];
  };
  EXPECT_EQ(sharing("fair"), 1);
  EXPECT_EQ(sharing("serial"), 0);
  EXPECT_EQ(sharing("0.5"), 0.5);
}

TEST(ClusterFileTest, AnOverrideChangesOnlyWhatItNames) {
  const Cluster cluster = parse(R"(overrides: [{host: b, nic: {bandwidth: 1Gb/s}}]
nic: {bandwidth: 25Gb/s, latency: 2us, efficiency: 0.9}
hosts: [a, b]
)");
  EXPECT_EQ(cluster.links[0].bandwidth, gigabits(25));
  EXPECT_EQ(cluster.links[2], (Link{"host b out", gigabits(1), Duration{2000}, 0.9}));
}

TEST(ClusterFileTest, TiersTakeTheLatencyOfTheNicUnlessTheyHaveTheirOwn) {
  const Cluster cluster = parse(R"(hosts: 8
nic: {bandwidth: 10Gb/s, latency: 2us}
tiers: [{ports: 2, oversubscription: 4}, {ports: 2, latency: 7us}]
)");
  const Route up = cluster.route(EndpointId{0}, EndpointId{7}).value();
  ASSERT_EQ(up.size(), 6U);
  EXPECT_EQ(cluster.links[up[1].index()].bandwidth, gigabits(5));
  EXPECT_EQ(cluster.links[up[1].index()].latency, Duration{2000});
  EXPECT_EQ(cluster.links[up[2].index()].bandwidth, gigabits(10));
  EXPECT_EQ(cluster.links[up[2].index()].latency, Duration{7000});
}

TEST(ClusterFileTest, DevicesAreEndpointsOnTheirRails) {
  const Cluster cluster = parse(R"(hosts: [a, b]
devices: {count: 2, model: H100}
nics: 2
nic: {bandwidth: 400Gb/s}
nvlink: {bandwidth: 450GB/s}
)");
  ASSERT_EQ(cluster.endpoints.size(), 4U);
  EXPECT_EQ(cluster.devices[3].model, "H100");
  EXPECT_THAT(names(cluster, 1, 3), ElementsAre("host a nic 1 out", "host b nic 1 in"));
}

TEST(ClusterFileTest, EndpointsAreHostsOrTheirDevices) {
  const Cluster cluster = parse(R"(hosts: [a, b]
devices: 2
nic: {bandwidth: 400Gb/s}
nvlink: {bandwidth: 450GB/s}
endpoints: [b/1, a/0, b, 1]
)");
  ASSERT_EQ(cluster.endpoints.size(), 4U);
  EXPECT_EQ(cluster.endpoints[0], (Endpoint{HostId{1}, DeviceId{3}}));
  EXPECT_EQ(cluster.endpoints[1], (Endpoint{HostId{0}, DeviceId{0}}));
  EXPECT_EQ(cluster.endpoints[2], (Endpoint{HostId{1}, {}}));
  EXPECT_EQ(cluster.endpoints[3], (Endpoint{HostId{1}, {}}));
}

TEST(ClusterFileTest, LinksAndRoutesMayBeWrittenOut) {
  const Cluster cluster = parse(R"(hosts: [a, b]
links:
  - {name: there, bandwidth: 1Gb/s, latency: 1us, efficiency: 0.5}
  - {bandwidth: 2Gb/s}
routes:
  - {from: 0, to: 1, links: [there, 1]}
)");
  EXPECT_EQ(cluster.route(EndpointId{0}, EndpointId{1}).value(), (Route{LinkId{0}, LinkId{1}}));
  EXPECT_FALSE(cluster.route(EndpointId{1}, EndpointId{0}).has_value());
  EXPECT_EQ(cluster.links[0], (Link{"there", gigabits(1), Duration{1000}, 0.5}));
}

TEST(ClusterFileTest, PathsToARootMayBeWrittenOut) {
  const Cluster cluster = parse(R"(hosts: 2
links: [{name: up, bandwidth: 1Gb/s}, {name: down, bandwidth: 1Gb/s}, {name: bus, bandwidth: 1GB/s}]
devices: [{host: 0, index: 5, model: V100}]
endpoints:
  - {host: 0, up: [up], down: [down], switches: [7], out: [bus], in: [bus]}
  - {host: 1, up: [up], down: [down], switches: [7]}
  - {host: 0, device: 5, up: [], down: [], switches: [], out: [bus], in: [bus], relays: [0]}
)");
  EXPECT_THAT(names(cluster, 0, 1), ElementsAre("up", "down"));
  EXPECT_THAT(names(cluster, 0, 2), ElementsAre("bus", "bus"));
  EXPECT_THAT(names(cluster, 2, 1), ElementsAre("bus", "bus", "up", "down"));
  EXPECT_EQ(cluster.endpoints[2].device, DeviceId{0});
}

struct Bad {
  const char* text;
  const char* message;
};

class ClusterRefusalTest : public ::testing::TestWithParam<Bad> {};

TEST_P(ClusterRefusalTest, SaysFileLineWhatWasFoundAndWhatWasExpected) {
  const std::string message = refused(GetParam().text);
  EXPECT_THAT(message, StartsWith(GetParam().message)) << GetParam().text;
  EXPECT_THAT(message, HasSubstr("expected")) << GetParam().text;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

#define NIC "nic: {bandwidth: 1Gb/s}\n"
#define TWO "hosts: [a, b]\n"
#define LINKS "links: [{name: x, bandwidth: 1Gb/s}, {name: y, bandwidth: 1Gb/s}, {name: y, bandwidth: 1Gb/s}]\n"

INSTANTIATE_TEST_SUITE_P(
    Malformed, ClusterRefusalTest,
    ::testing::Values(
        Bad{"", "c.yaml:1: the file is empty"}, Bad{"- a\n", "c.yaml:1: the file is a list"},
        Bad{NIC, "c.yaml:1: the file has no 'hosts'"},
        Bad{"hosts: 2\n", "c.yaml:1: the file has neither 'nic' nor 'links'"},
        Bad{NIC "host: 2\n", "c.yaml:2: unknown key 'host'; did you mean 'hosts'? expected hosts, endpoints"},
        Bad{NIC "hosts: 2\nhosts: 3\n", "c.yaml:3: 'hosts' is given twice, first in line 2"},
        Bad{NIC "hosts: 0\n", "c.yaml:2: 'hosts' is '0'; expected a whole number from 1 to 100000"},
        Bad{NIC "hosts: 1000000000\n", "c.yaml:2: 'hosts' is '1000000000'"},
        Bad{NIC "hosts: []\n", "c.yaml:2: 'hosts' is a list; expected 1 to 100000 names"},
        Bad{NIC "hosts: {a: 1}\n", "c.yaml:2: 'hosts' is a map"},
        Bad{NIC "hosts: [a, [b]]\n", "c.yaml:2: 'hosts[1]' is a list"},
        Bad{NIC "hosts: [a, a]\n", "c.yaml:2: 'a' is the name of 2 hosts"},
        Bad{NIC "hosts: [a, 7]\n", "c.yaml:2: 'hosts[1]' is '7'; expected a name that is not a number"},
        Bad{TWO "nic: 1Gb/s\n", "c.yaml:2: 'nic' is '1Gb/s'; expected a map"},
        Bad{TWO "nic: {latency: 1us}\n", "c.yaml:2: 'nic' has no 'bandwidth'"},
        Bad{TWO "nic: {bandwidth: 0Gb/s}\n", "c.yaml:2: 'bandwidth': "},
        Bad{TWO "nic: {bandwidth: 25}\n", "c.yaml:2: 'bandwidth': '25' is not a bandwidth: the unit is missing"},
        Bad{TWO "nic: {bandwidth: 25GB}\n", "c.yaml:2: 'bandwidth': '25GB' is not a bandwidth"},
        Bad{TWO "nic: {bandwidth: 1Gb/s, latency: -1us}\n", "c.yaml:2: 'latency' is '-1us'"},
        Bad{TWO "nic: {bandwidth: 1Gb/s, latency: 9000000000s}\n", "c.yaml:2: 'latency' is '9000000000s'"},
        Bad{TWO "nic: {bandwidth: 1Gb/s, efficiency: 0}\n", "c.yaml:2: 'efficiency' is '0'"},
        Bad{TWO "nic: {bandwidth: 1Gb/s, efficiency: 1.5}\n", "c.yaml:2: 'efficiency' is '1.5'"},
        Bad{TWO "nic: {bandwidth: 1Gb/s bus, efficiency: 0.9}\n",
            "c.yaml:2: 'nic' has a bus bandwidth, which is all payload, and an efficiency below 1; expected one of "
            "them"},
        Bad{TWO "nic: {bandwidth: 1Gb/s, efficiency: nan}\n", "c.yaml:2: 'efficiency' is 'nan'"},
        Bad{TWO "nic: {bandwidth: 1Gb/s, duplex: fulll}\n",
            "c.yaml:2: 'duplex' is 'fulll'; expected full or half (did you mean"},
        Bad{TWO "nic: {bandwith: 1Gb/s}\n", "c.yaml:2: unknown key 'bandwith'; did you mean 'bandwidth'?"},
        Bad{TWO NIC "nics: 2\n", "c.yaml:3: 'nics' is '2'; expected at most one for each of a host's 'devices'"},
        Bad{TWO NIC "devices: 0\n", "c.yaml:3: 'devices' is '0'"},
        Bad{TWO NIC "devices: 2\n", "c.yaml:3: nothing connects the devices of a host; expected 'nvlink' or 'pcie'"},
        Bad{TWO NIC "devices: {model: V100}\n", "c.yaml:3: 'devices' has no 'count'"},
        Bad{TWO NIC "nvlink: {bandwidth: 1GB/s}\n", "c.yaml:3: 'nvlink' connects no devices"},
        Bad{"hosts: 100000\n" NIC "devices: 64\npcie: {bandwidth: 1GB/s}\n",
            "c.yaml:1: the cluster has 6400000 devices or NICs"},
        Bad{TWO NIC "tiers: 2\n", "c.yaml:3: 'tiers' is '2'"},
        Bad{TWO NIC "tiers: [2]\n", "c.yaml:3: 'tiers[0]' is '2'"},
        Bad{TWO NIC "tiers: [{oversubscription: 2}]\n", "c.yaml:3: 'tiers[0]' has no 'ports'"},
        Bad{TWO NIC "tiers: [{ports: 2, oversubscription: 0}]\n", "c.yaml:3: 'oversubscription' is '0'"},
        Bad{TWO NIC "tiers: [{ports: 1}, {ports: 1}, {ports: 1}, {ports: 1}, {ports: 1}]\n",
            "c.yaml:3: 5 tiers; expected at most 4"},
        Bad{TWO NIC "overrides: [{host: c, nic: {bandwidth: 1Gb/s}}]\n", "c.yaml:3: host 'c' does not exist"},
        Bad{TWO NIC "overrides: [{host: a}]\n", "c.yaml:3: 'overrides[0]' has no 'host' or no 'nic'"},
        Bad{TWO NIC "overrides: [{host: a, nic: {}}, {host: 0, nic: {}}]\n",
            "c.yaml:3: the host has an override already"},
        Bad{"hosts: [node-a, node-b]\n" NIC "endpoints: [node-c]\n",
            "c.yaml:3: host 'node-c' does not exist; did you mean 'node-a'? expected a name or number"},
        Bad{TWO NIC "endpoints: [2]\n", "c.yaml:3: host 2 does not exist; expected a number below 2"},
        Bad{TWO NIC "endpoints: [99999999999999999999999]\n", "c.yaml:3: host 99999999999999999999999 does not exist"},
        Bad{TWO NIC "endpoints: [a/0]\n", "c.yaml:3: its host has no device 0"},
        Bad{TWO NIC "endpoints: [a/x]\n", "c.yaml:3: 'endpoints[0]' is 'a/x'; expected a device's number"},
        Bad{TWO NIC "endpoints: []\n", "c.yaml:3: 'endpoints' is a list; expected at least one endpoint"},
        Bad{TWO NIC "devices: 2\nnics: 2\nnvlink: {bandwidth: 1GB/s}\nendpoints: [a/0, b/1]\n",
            "c.yaml:6: host 'a' has no endpoint on rail 1, which others use"},
        Bad{TWO NIC "messages: {sharing: some}\n", "c.yaml:3: 'sharing' is 'some'; expected fair, serial or a number"},
        Bad{TWO NIC "messages: {sharing: 2}\n", "c.yaml:3: 'sharing' is '2'; expected a number from 0 to 1"},
        Bad{TWO NIC "messages: {loggp: 1us}\n", "c.yaml:3: 'loggp' is '1us'; expected a map"},
        Bad{TWO NIC "rates: {sum: 10us}\n", "c.yaml:3: 'sum': '10us' is not a bandwidth"},
        Bad{TWO NIC "routes: []\n", "c.yaml:3: 'routes' is given without 'links'"},
        Bad{TWO NIC LINKS, "c.yaml:2: 'nic' and 'links' are both given; expected only one"},
        Bad{TWO "links: [{name: x}]\n", "c.yaml:2: 'links[0]' has no 'bandwidth'"},
        Bad{TWO LINKS "routes: [{from: 0, to: 1, links: [z]}]\n", "c.yaml:3: link 'z' does not exist"},
        Bad{TWO LINKS "routes: [{from: 0, to: 1, links: [y]}]\n",
            "c.yaml:3: 'y' is the name of 2 links; expected a number"},
        Bad{TWO LINKS "routes: [{from: 0, to: 2, links: [x]}]\n",
            "c.yaml:3: 'to' is '2'; expected a whole number from 0 to 1"},
        Bad{TWO LINKS "routes: [{from: 0, links: [x]}]\n",
            "c.yaml:3: 'routes[0]' does not lead from one endpoint to another"},
        Bad{TWO LINKS "routes: [{from: 1, to: 1, links: [x]}]\n", "c.yaml:3: 'routes[0]' does not lead"},
        Bad{TWO LINKS "routes: [{from: 0, to: 1, links: [x]}, {from: 0, to: 1, links: [x]}]\n",
            "c.yaml:3: the route from 0 to 1 is given twice"},
        Bad{TWO LINKS "endpoints: [{host: a, up: [x], switches: [0]}]\n",
            "c.yaml:3: 'endpoints[0]' has 1 links up, 0 down and 1 switches; expected the same number of each"},
        Bad{TWO LINKS "endpoints: [{device: 0}]\n", "c.yaml:3: 'endpoints[0]' has no host"},
        Bad{TWO LINKS "endpoints: [{host: a, up: [], relays: [1]}, {host: b, up: []}]\n",
            "c.yaml:3: 'endpoints[0]' is relayed by 1"},
        Bad{TWO LINKS "devices: [{host: a}]\n", "c.yaml:3: 'devices[0]' has no 'host' or no 'index'"},
        Bad{TWO LINKS "devices: [{host: a, index: 0}, {host: a, index: 0}]\n",
            "c.yaml:3: device 0 of its host is given twice"},
        Bad{"hosts: 2\n" NIC "---\nhosts: 2\n", "c.yaml:3: a second document"}, Bad{"hosts: [\n", "c.yaml:"}));

TEST(ClusterFileTest, NestingWithoutBoundIsRefusedInOneLine) {
  for (const char* open : {"[", "{a: ", "- ", "? "}) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += open;
    EXPECT_THAT(refused(text), HasSubstr("c.yaml:1: ")) << open;
  }
}

TEST(ClusterFileTest, AFileOfTenMegabytesIsRefused) {
  EXPECT_THAT(refused("hosts: [" + std::string(10'000'000, 'x') + "]"), HasSubstr("larger than 4 MiB"));
}

TEST(ClusterFileTest, ALargeClusterByItsNumbersIsBuilt) {
  EXPECT_EQ(parse("hosts: 1024\n" NIC "devices: 8\nnics: 8\nnvlink: {bandwidth: 450GB/s}\ntiers: [{ports: 32}]\n")
                .endpoints.size(),
            8192U);
}

TEST(ClusterFileTest, AMissingFileIsNamed) {
  std::vector<InputFile> inputs;
  EXPECT_THROW(static_cast<void>(read_cluster_file("/nonexistent/cluster.yaml", inputs)), InputError);
  EXPECT_TRUE(inputs.empty());
}

}  // namespace
}  // namespace stepsim::ingest
