// Checks every declared parameter of the network models in each place where a user can set or read it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "ingest/bytes/input.h"
#include "ingest/config/config.h"
#include "model/cost/network/network.h"
#include "sim/output/cluster_yaml.h"
#include "sim/report/report.h"
#include "tests/scenarios/sample_questions.h"
#include "tests/source_folder.h"

namespace stepsim::testing {
namespace {

/// A value other than the default, as the user writes it, as JSON, and as it is stored.
struct Sample {
  std::string text;
  std::string json;
  ParameterValue value;
};

Sample sample_of(const NetworkParameter& parameter) {
  if (std::holds_alternative<Duration>(parameter.default_value)) return {"37us", "37000", Duration{37'000}};
  if (std::holds_alternative<bool>(parameter.default_value)) {
    const bool flag = !std::get<bool>(parameter.default_value);
    return {flag ? "true" : "false", flag ? "true" : "false", flag};
  }
  const double number = yaml_type(parameter.type).least + 0.25;
  const std::string text = fmt::format("{}", number);
  return {text, text, number};
}

Cluster cluster_with(const NetworkParameter& parameter, const std::string& value) {
  const auto [map, name] = parts_of_key(parameter);
  const std::string entry = std::string(name) + ": " + value;
  const std::string messages = map.empty() ? entry : std::string(map) + ": {" + entry + "}";
  return ingest::parse_cluster("hosts: 2\nnic: {bandwidth: 1Gb/s}\nmessages: {" + messages + "}\n", "cluster.yaml");
}

class NetworkParameterTest : public ::testing::TestWithParam<const NetworkParameter*> {};

TEST_P(NetworkParameterTest, IsReadFromClusterYamlAndWrittenBackEqual) {
  const Sample sample = sample_of(*GetParam());
  const Cluster cluster = cluster_with(*GetParam(), sample.text);
  EXPECT_EQ(cluster.network.value_of(*GetParam()), sample.value);
  EXPECT_TRUE(cluster.network.is_given(*GetParam()));
  const std::string written = sim::cluster_yaml(cluster);
  EXPECT_NE(written.find(std::string(parts_of_key(*GetParam()).name) + ": " + sample.text), std::string::npos)
      << written;
  EXPECT_EQ(ingest::parse_cluster(written, "written.yaml"), cluster) << written;
}

TEST_P(NetworkParameterTest, IsLeftOutOfClusterYamlWhereItHasItsDefault) {
  for (const ValueForm& word : GetParam()->type.forms()) {
    if (word.forms != 0) continue;
    if (ParameterValue{word.number} != GetParam()->default_value) continue;
    EXPECT_EQ(cluster_with(*GetParam(), std::string(word.text)).network, NetworkParameters{});
  }
  const Cluster plain = ingest::parse_cluster("hosts: 2\nnic: {bandwidth: 1Gb/s}\n", "cluster.yaml");
  EXPECT_EQ(plain.network.value_of(*GetParam()), GetParam()->default_value);
  EXPECT_EQ(sim::cluster_yaml(plain).find("messages"), std::string::npos);
}

TEST_P(NetworkParameterTest, IsRefusedInAnotherForm) {
  EXPECT_THROW((void)cluster_with(*GetParam(), "sometimes"), InputError);
}

TEST_P(NetworkParameterTest, IsPrintedInJson) {
  const Sample sample = sample_of(*GetParam());
  const Capture capture;
  const Calibration calibration{.cluster = cluster_with(*GetParam(), sample.text)};
  const sim::Findings findings{.capture = capture, .calibration = &calibration};
  sim::JsonWriter json;
  json.begin_object();
  for (const sim::CaptureReport& report : sim::capture_reports()) {
    if (report.id == "calibration") write_members(json, report.fields, findings);
  }
  json.end_object();
  const std::string text = json.take();
  EXPECT_NE(text.find("\"" + std::string(GetParam()->json) + "\":" + sample.json), std::string::npos) << text;
}

TEST_P(NetworkParameterTest, IsSetByTheWhatIfWhereItIsAKeyOfIt) {
  if (GetParam()->what_if.empty()) return;  // it is not a key of `network`
  const Sample sample = sample_of(*GetParam());
  scenarios::Scenario scenario;
  scenarios::add_set(scenario, "network." + std::string(GetParam()->what_if) + "=" + sample.text);
  const Question question = parameter_server_question();
  scenarios::Plan plan = question.predictor().plan();
  for (const scenarios::Change& change : scenario.changes) change.apply(plan);
  EXPECT_EQ(plan.cluster.network.value_of(*GetParam()), sample.value);
}

TEST_P(NetworkParameterTest, IsInTheDocs) {
  const auto [map, name] = parts_of_key(*GetParam());
  const std::string docs =
      ingest::read_small_file((source_folder() / "docs/reference/cluster.md").string(), 1U << 20U).text;
  if (map.empty()) {
    EXPECT_NE(docs.find("`messages." + std::string(name) + "`"), std::string::npos) << name;
  } else {
    EXPECT_NE(docs.find("`messages." + std::string(map) + "`"), std::string::npos) << map;
    EXPECT_NE(docs.find("`" + std::string(name) + "`"), std::string::npos) << name;
  }
  EXPECT_FALSE(text_of(GetParam()->type).empty());
  EXPECT_FALSE(GetParam()->summary.empty());
}

INSTANTIATE_TEST_SUITE_P(All, NetworkParameterTest, ::testing::ValuesIn(network_parameters()),
                         [](const auto& instance) { return std::string(instance.param->json); });

TEST(NetworkParametersTest, KeysAreUniqueAndThoseOfAMapFollowEachOther) {
  std::set<std::string_view> keys;
  std::set<std::string_view> maps;
  std::string_view last;
  for (const NetworkParameter* const parameter : network_parameters()) {
    EXPECT_TRUE(keys.insert(parameter->key).second) << parameter->key;
    EXPECT_EQ(find_network_parameter(parameter->key), parameter);
    const std::string_view map = parts_of_key(*parameter).map;
    if (!map.empty() && map != last) {
      EXPECT_TRUE(maps.insert(map).second) << map;
    }
    last = map;
  }
  EXPECT_EQ(keys, (std::set<std::string_view>{"overhead", "collective_overhead", "ranks_per_host", "sharing", "loggp.o",
                                              "loggp.g"}));
  EXPECT_EQ(find_network_parameter("nonesuch"), nullptr);
}

TEST(NetworkParametersTest, AnAssumedValueIsNotGiven) {
  const NetworkParameter& overhead = kMessageOverhead;
  NetworkParameters network;
  network.assume(kMessageOverhead, Duration{5});
  EXPECT_EQ(network[kMessageOverhead], Duration{5});
  EXPECT_FALSE(network.is_given(overhead));
  network.set(kMessageOverhead, Duration{5});
  EXPECT_TRUE(network.is_given(overhead));
  network.set(kMessageOverhead, Duration{});
  EXPECT_FALSE(network.is_given(overhead));
  EXPECT_EQ(network, NetworkParameters{});
}

}  // namespace
}  // namespace stepsim::testing
