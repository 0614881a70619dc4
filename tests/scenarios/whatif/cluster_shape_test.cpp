// Changes of a cluster keep its shape. The job has a rank at each endpoint. The same is tested for each kind of file.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ingest/config/config.h"
#include "model/job/topology.h"
#include "tests/model/rewrite/data_parallel_job.h"
#include "tests/scenarios/question.h"

namespace stepsim::testing {
namespace {

/// A cluster.yaml, whose first lines give its hosts and the NIC's rate of 1 Gb/s.
struct ShapeCase {
  std::string name;
  std::uint32_t hosts = 2;
  std::uint32_t per_host = 1;
  std::string nic;   ///< other properties of the NIC
  std::string rest;  ///< the rest of the file
};

std::vector<ShapeCase> shapes() {
  return {
      {"star", 2, 1, "", ""},
      {"half_duplex", 2, 1, ", duplex: half", ""},
      {"slow_host", 2, 1, "", "overrides: [{host: 1, nic: {bandwidth: 100Mb/s}}]\n"},
      {"far_host", 2, 1, "", "overrides: [{host: 1, nic: {latency: 3ms}}]\n"},
      {"pcie", 2, 2, "", "devices: 2\npcie: {bandwidth: 63GB/s}\n"},
      {"nvlink", 2, 2, "", "devices: 2\nnvlink: {bandwidth: 300GB/s}\n"},
      {"rails", 2, 2, "", "devices: 2\nnics: 2\nnvlink: {bandwidth: 300GB/s}\n"},
      {"tiers", 4, 1, ", latency: 2us", "tiers: [{ports: 2, oversubscription: 8}]\n"},
      {"two_ranks_a_host", 2, 2, "", "endpoints: [0, 0, 1, 1]\n"},
      {"listed", 2, 2, "", "endpoints: [1, 0, 1, 0]\n"},
  };
}

Cluster cluster_of(const ShapeCase& shape, std::uint32_t hosts) {
  return ingest::parse_cluster(fmt::format("hosts: {}\nnic: {{bandwidth: 1Gb/s{}}}\n{}", hosts, shape.nic, shape.rest),
                               "cluster.yaml");
}

class ClusterShapeWhatIf : public ::testing::TestWithParam<ShapeCase> {
 protected:
  [[nodiscard]] static Question question(std::uint32_t hosts) {
    const std::size_t ranks = std::size_t{hosts} * GetParam().per_host;
    return Question(DataParallelJob{.ranks = ranks}.capture(), cluster_of(GetParam(), hosts), "maxmin");
  }
  [[nodiscard]] static Question question() { return question(GetParam().hosts); }
  [[nodiscard]] static std::uint32_t ranks() { return GetParam().hosts * GetParam().per_host; }
};

TEST_P(ClusterShapeWhatIf, ValuesThatTheFileGivesChangeNothing) {
  const Question asked = question();
  const Duration before = asked.iteration();
  EXPECT_EQ(asked.iteration({fmt::format("cluster.workers={}", ranks())}), before);
  EXPECT_EQ(asked.iteration({"cluster.nic=1Gb/s"}), before);
  EXPECT_EQ(asked.iteration({"network.bandwidth=1x", "network.latency=1x"}), before);
  EXPECT_EQ(asked.iteration({"cluster.nic=1Gb/s", fmt::format("cluster.workers={}", ranks())}), before);
  if (cluster_of(GetParam(), 2).shape->devices > 0) {
    EXPECT_EQ(asked.iteration({fmt::format("cluster.gpus_per_host={}", GetParam().per_host)}), before);
  }
}

TEST_P(ClusterShapeWhatIf, NeutralValuesOfEveryWhatIfChangeNothing) {
  const Question asked = question();
  const Duration before = asked.iteration();
  for (const scenarios::WhatIf* const what_if : scenarios::what_ifs()) {
    for (const scenarios::Parameter& parameter : what_if->parameters) {
      if (parameter.neutral.empty()) continue;
      const std::string set = fmt::format("{}.{}={}", what_if->name, parameter.name, parameter.neutral);
      EXPECT_EQ(asked.iteration({set}), before) << set;
    }
  }
}

TEST_P(ClusterShapeWhatIf, NothingThatIsSlowerMakesStepsFaster) {
  const Question asked = question();
  const Duration before = asked.iteration();
  for (const char* const set : {"network.bandwidth=0.5x", "network.latency=3x", "network.overhead=50us",
                                "cluster.nic=0.5Gb/s", "compute.scale=2", "host.scale=2", "straggler.factor=2"})
    EXPECT_GE(asked.iteration({set}), before) << set;
  EXPECT_GT(asked.iteration({"network.bandwidth=0.001x"}), 100 * before);
}

TEST_P(ClusterShapeWhatIf, RanksThatAreAlikeCanBeInAnyOrder) {
  ClusterShape shape = *cluster_of(GetParam(), GetParam().hosts).shape;
  shape.endpoints = endpoints_of(shape);
  std::reverse(shape.endpoints.begin(), shape.endpoints.end());
  const Question reversed(DataParallelJob{.ranks = ranks()}.capture(), build_cluster(std::move(shape)), "maxmin");
  EXPECT_EQ(reversed.iteration(), question().iteration());
}

TEST_P(ClusterShapeWhatIf, LinesOfTheFileCanBeInAnyOrder) {
  const std::string nic = fmt::format("nic: {{bandwidth: 1Gb/s{}}}\n", GetParam().nic);
  const std::string file = fmt::format("{}{}hosts: {}\n", GetParam().rest, nic, GetParam().hosts);
  EXPECT_EQ(ingest::parse_cluster(file, "cluster.yaml"), cluster_of(GetParam(), GetParam().hosts));
}

TEST_P(ClusterShapeWhatIf, ASlowerNicMakesStepsSlowerAndAFasterOneDoesNot) {
  const Question asked = question();
  EXPECT_GT(asked.iteration({"cluster.nic=1kb/s"}), 100 * asked.iteration());
  EXPECT_LE(asked.iteration({"cluster.nic=10Gb/s"}), asked.iteration());
}

TEST_P(ClusterShapeWhatIf, TwiceTheRanksAreTheJobOnTwiceTheHosts) {
  if (GetParam().name == "listed") {
    EXPECT_NE(problem_of(question(), {"cluster.workers=8"}).find("lists the places of 4 endpoints"), std::string::npos);
    return;
  }
  const std::uint32_t hosts = 2 * GetParam().hosts;
  const Duration expected = Question(DataParallelJob{.ranks = std::size_t{hosts} * GetParam().per_host}.capture(),
                                     cluster_of(GetParam().name == "two_ranks_a_host"
                                                    ? ShapeCase{.rest = "endpoints: [0, 0, 1, 1, 2, 2, 3, 3]\n"}
                                                    : GetParam(),
                                                hosts),
                                     "maxmin")
                                .iteration();
  EXPECT_EQ(question().iteration({fmt::format("cluster.workers={}", 2 * ranks())}), expected);
}

TEST_P(ClusterShapeWhatIf, FewerRanksAndThenTheCapturedNumberChangeNothing) {
  // A host that differs, or a listed place, is gone once it is left out.
  const ClusterShape shape = *cluster_of(GetParam(), GetParam().hosts).shape;
  if (!shape.differ.empty() || !shape.endpoints.empty()) return;
  const std::string fewer = fmt::format("cluster.workers={}", ranks() / 2);
  const std::string as_before = fmt::format("cluster.workers={}", ranks());
  EXPECT_EQ(question().iteration({fewer, as_before}), question().iteration());
}

INSTANTIATE_TEST_SUITE_P(Files, ClusterShapeWhatIf, ::testing::ValuesIn(shapes()),
                         [](const auto& one) { return one.param.name; });

TEST(ClusterShapeTest, LinksOneByOneAreNotResized) {
  const Cluster cluster = ingest::parse_cluster(
      "hosts: 2\nlinks: [{bandwidth: 1Gb/s}, {bandwidth: 1Gb/s}]\n"
      "routes: [{from: 0, to: 1, links: [0]}, {from: 1, to: 0, links: [1]}]\n",
      "cluster.yaml");
  const Question question(DataParallelJob{}.capture(), cluster, "maxmin");
  EXPECT_EQ(question.iteration({"cluster.workers=2"}), question.iteration());
  EXPECT_NE(problem_of(question, {"cluster.workers=4"}).find("link by link"), std::string::npos);
}

}  // namespace
}  // namespace stepsim::testing
