// Tests the option --set WHATIF.PARAMETER=VALUE.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/base/error.h"
#include "scenarios/question/points.h"
#include "scenarios/question/scenario.h"
#include "tests/thrown_by.h"

namespace stepsim::scenarios {
namespace {

using stepsim::testing::thrown_by;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Returns the change in the form of the command line, or the message if it is refused.
std::string read(const std::string& set) {
  Scenario scenario;
  try {
    add_set(scenario, set);
  } catch (const UsageError& error) {
    return error.what();
  }
  return scenario.changes.back().to_text();
}

TEST(SetTest, GivesOneParameterAValue) {
  Scenario scenario;
  add_set(scenario, "network.bandwidth=2x");
  ASSERT_EQ(scenario.changes.size(), 1U);
  ASSERT_NE(scenario.changes.front().find("bandwidth"), nullptr);
  EXPECT_EQ(factor_of(*scenario.changes.front().find("bandwidth")), 2.0);
  EXPECT_EQ(scenario.changes.front().find("latency"), nullptr);
}

TEST(SetTest, AppendsInTheOrderGiven) {
  Scenario scenario;
  add_set(scenario, "compute.scale=2");
  add_set(scenario, "compute.add=1us");
  ASSERT_EQ(scenario.changes.size(), 2U);
  EXPECT_EQ(scenario.changes.back().to_text(), "compute.add=1us");
}

TEST(SetTest, IsWrittenAsItWasRead) {
  for (const char* const set :
       {"network.latency=10us", "compute{worker=1}.scale=1.5", "compute{worker=1,name=BW.*}.scale=1.5",
        "compute{name=a{2}}.add=2ms", "straggler{rank=0,step=3}.factor=2"})
    EXPECT_EQ(read(set), set);
}

TEST(SetTest, ACommaThatNoKeyFollowsIsPartOfTheValue) {
  EXPECT_EQ(read("compute{rank=0,2,4-7}.scale=2"), "compute{rank=0,2,4-7}.scale=2");
}

/// Returns the axes of the sweep in the form of the command line, or the message if one is refused.
std::vector<std::string> axes_of(const std::vector<std::string>& sets, Scenario scenario = {}) {
  try {
    for (const std::string& set : sets) add_typed_set(scenario, set);
  } catch (const UsageError& error) {
    return {error.what()};
  }
  std::vector<std::string> axes;
  for (const Points::Axis& axis : points_of(scenario).axes)
    axes.push_back(fmt::format("{}={}", axis.key, fmt::join(axis.values, ",")));
  return axes;
}

TEST(SetTest, SeveralValuesAreAnAxisOfASweep) {
  EXPECT_THAT(axes_of({"network.bandwidth=1x,2x,4x", "compute.scale=2", "compute{rank=0,2}.scale=1,2"}),
              ElementsAre("network.bandwidth=1x,2x,4x", "compute{rank=0,2}.scale=1,2"));
  EXPECT_THAT(axes_of({"network.latency=1us,2us"}, parse_scenario("sweep: {network.bandwidth: [1x, 2x]}", "s.yaml")),
              ElementsAre("network.bandwidth=1x,2x", "network.latency=1us,2us"));
}

TEST(SetTest, RefusesAWrongAxis) {
  EXPECT_THAT(axes_of({"network.bandwidth=1x,"}), ElementsAre(HasSubstr("network.bandwidth[1]' is ''")));
  EXPECT_THAT(axes_of({"network.bandwith=1x,2x"}), ElementsAre(HasSubstr("did you mean 'bandwidth'?")));
  EXPECT_THAT(axes_of({"network.bandwidth=1x,2x", "network.bandwidth=4x,8x"}),
              ElementsAre(HasSubstr("'network.bandwidth' is given twice; expected it once")));
  EXPECT_THAT(axes_of({"network.bandwidth=1x,2x"}, parse_scenario("sweep: [{compute.scale: 2}]", "s.yaml")),
              ElementsAre(HasSubstr("the scenario is a list of points")));
}

/// In a file as with --set: tensor 2 and then 4 would divide the layers by 8.
TEST(SetTest, AFileChangesAKeyOnce) {
  const auto read_file = [](const std::string& yaml) {
    return thrown_by<InputError>([&] { (void)parse_scenario(yaml, "s.yaml"); }, "");
  };
  EXPECT_EQ(read_file("changes:\n  - parallel: {tensor: 2}\n  - parallel: {data: 2, tensor: 4}\n"),
            "s.yaml:3: parallel.tensor=2 also changes 'parallel.tensor'; expected only one of them");
  for (const char* const key : {"parallel: {data: 2}", "parallel: {pipeline: 2}", "parallel: {expert: 2}",
                                "parallel: {zero: 1}", "batch: {scale: 2}", "precision: {to: bf16}",
                                "device: {to: H100}", "compute: {select: {rank: 0, step: 1}, scale: 2}"}) {
    EXPECT_EQ(read_file(fmt::format("changes: [{}]", key)), "") << key;
    EXPECT_THAT(read_file(fmt::format("changes: [{0}, {0}]", key)), HasSubstr("also changes")) << key;
  }
  EXPECT_THAT(read_file("changes: [compute: {select: {rank: 0, step: 1}, scale: 2},"
                        " compute: {select: {step: 1, rank: 0}, scale: 3}]"),
              HasSubstr("also changes 'compute{rank=0,step=1}.scale'"));
  EXPECT_THAT(read_file("sweep: [{'compute{rank=0,step=1}.scale': 2, 'compute{step=1,rank=0}.scale': 3}]"),
              HasSubstr("'compute{step=1,rank=0}.scale' is given twice; expected it once"));
  EXPECT_EQ(read_file("changes: [parallel: {tensor: 2}, parallel: {data: 4}]"), "");
}

/// Two factors for one key would be multiplied, so a point of a sweep that is labelled 1x would not be the captured
/// value.
TEST(SetTest, RefusesAKeyThatIsChangedAlready) {
  const auto again = ElementsAre(HasSubstr("network.bandwidth=4x also changes 'network.bandwidth'; expected only one"));
  const auto swept = ElementsAre(
      HasSubstr("the sweep varies 'network.bandwidth', and network.bandwidth=4x changes it for all points"));
  EXPECT_THAT(axes_of({"network.bandwidth=4x", "network.bandwidth=2x"}), again);
  EXPECT_THAT(axes_of({"network.bandwidth=4x", "network.bandwidth=1x,2x"}), swept);
  EXPECT_THAT(axes_of({"network.bandwidth=1x,2x", "network.bandwidth=4x"}), swept);
  EXPECT_THAT(axes_of({"network.bandwidth=2x"}, parse_scenario("changes: [{network: {bandwidth: 4x}}]", "s.yaml")),
              again);
  for (const char* const sweep : {"{network.bandwidth: [1x, 2x]}", "[{compute.scale: 2}, {network.bandwidth: 2x}]"}) {
    EXPECT_THROW(
        (void)parse_scenario(fmt::format("changes: [{{network: {{bandwidth: 4x}}}}]\nsweep: {}", sweep), "s.yaml"),
        InputError);
  }
  EXPECT_THAT(axes_of({"compute{rank=0}.scale=2", "compute{rank=1}.scale=1,2", "compute.scale=1,2"}),
              ElementsAre("compute{rank=1}.scale=1,2", "compute.scale=1,2"));
}

TEST(SetTest, RefusesOtherForms) {
  for (const char* const set : {"", "network", "network.bandwidth", "network=2x", "network.=2x", ".bandwidth=2x",
                                "compute{worker=1.scale=2", "compute{worker=1}scale=2", "compute}worker=1{.scale=2"})
    EXPECT_EQ(read(set).find("--set '" + std::string(set) + "'"), 0U) << set << ": " << read(set);
}

TEST(SetTest, AMistypedNameIsAnsweredWithTheNearest) {
  EXPECT_NE(read("netwrok.bandwidth=2x").find("network"), std::string::npos);
  EXPECT_NE(read("network.bandwith=2x").find("bandwidth"), std::string::npos);
  EXPECT_NE(read("compute{wroker=1}.scale=2").find("worker"), std::string::npos);
}

TEST(SetTest, WhatIfsWithoutSelectRefuseASelection) {
  EXPECT_NE(read("batch{rank=0}.scale=2").find("select"), std::string::npos);
}

TEST(SetTest, FactorsArePositiveNumbersBeforeAnX) {
  const auto factor = [](const char* text) {
    Scenario scenario;
    add_set(scenario, std::string("network.bandwidth=") + text);
    return factor_of(*scenario.changes.back().find("bandwidth"));
  };
  EXPECT_EQ(factor("0.5x"), 0.5);
  EXPECT_EQ(factor("1e3x"), 1000.0);
  EXPECT_EQ(factor("25Gb/s"), std::nullopt);
  for (const char* const wrong : {"0x", "-1x", "x", "2xx", "infx", "nanx", "1e10x"})
    EXPECT_THROW((void)factor(wrong), InputError) << wrong;
}

}  // namespace
}  // namespace stepsim::scenarios
