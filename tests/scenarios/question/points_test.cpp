#include "scenarios/question/points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/base/error.h"
#include "tests/thrown_by.h"

namespace stepsim::scenarios {
namespace {

using stepsim::testing::thrown_by;

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Points points_in(const std::string& yaml) { return points_of(parse_scenario(yaml, "s.yaml")); }

std::vector<std::string> texts(const Points& points) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < points.size(); ++i) all.push_back(to_text(points.at(i)));
  return all;
}

std::string error_of(const std::string& yaml) {
  return thrown_by<InputError>([&] { return points_in(yaml); }, "no error");
}

TEST(PointsTest, LastKeyOfAGridVariesFastest) {
  const Points points =
      points_in("sweep: {network.latency: [1us, 2us], compute.scale: [1, 2, 3], network.bandwidth: [1x]}");
  EXPECT_THAT(texts(points), ElementsAre("network.latency=1us, compute.scale=1, network.bandwidth=1x",
                                         "network.latency=1us, compute.scale=2, network.bandwidth=1x",
                                         "network.latency=1us, compute.scale=3, network.bandwidth=1x",
                                         "network.latency=2us, compute.scale=1, network.bandwidth=1x",
                                         "network.latency=2us, compute.scale=2, network.bandwidth=1x",
                                         "network.latency=2us, compute.scale=3, network.bandwidth=1x"));
}

TEST(PointsTest, PlacesAndStridesLocateAPoint) {
  const Points points = points_in("sweep: {network.latency: [1us, 2us], compute.scale: [1, 2, 3]}");
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(points.place(i, 0) * points.stride(0) + points.place(i, 1) * points.stride(1), i);
  }
}

TEST(PointsTest, ListNamesItsPoints) {
  const Points points = points_in("sweep: [{compute.scale: 2, network.latency: 1us}, {network.bandwidth: 2x}]");
  EXPECT_THAT(texts(points), ElementsAre("compute.scale=2, network.latency=1us", "network.bandwidth=2x"));
}

TEST(PointsTest, ScenarioWithoutASweepHasNone) { EXPECT_EQ(points_in("name: one").size(), 0U); }

TEST(PointsTest, GridsOfMoreThanAMillionPointsAreRefused) {
  std::string values = "1";
  for (int i = 2; i <= 101; ++i) values += "," + std::to_string(i);
  const std::string grid = "sweep:\n  compute.scale: [" + values + "]\n  compute{rank=0}.scale: [" + values +
                           "]\n  compute{rank=1}.scale: [" + values + "]\n";
  EXPECT_THAT(error_of(grid),
              HasSubstr("s.yaml:4: with 'compute{rank=1}.scale' the grid has more than 1000000 points"));
}

TEST(PointsTest, RefusesMalformedSweepsWithTheLine) {
  EXPECT_THAT(error_of("sweep: {}"), HasSubstr("s.yaml:1: 'sweep' is empty"));
  EXPECT_THAT(error_of("sweep: []"), HasSubstr("s.yaml:1: 'sweep' is empty"));
  EXPECT_THAT(error_of("sweep: {compute.scale: []}"),
              HasSubstr("'compute.scale' is empty; expected at least one value"));
  EXPECT_THAT(error_of("sweep:\n- {}"), HasSubstr("s.yaml:2: "));
  EXPECT_THAT(error_of("sweep:\n- 2x"), HasSubstr("s.yaml:2: "));
  EXPECT_THAT(error_of("sweep:\n- {compute.scale: 1,\n   compute.scale: 2}"),
              HasSubstr("s.yaml:3: 'compute.scale' is given twice"));
  EXPECT_THAT(error_of("sweep:\n- {compute.scael: 1}"), HasSubstr("did you mean 'scale'?"));
  EXPECT_THAT(error_of("sweep:\n  compute.scale: [[1, 2]]"), HasSubstr("s.yaml:2: "));
}

}  // namespace
}  // namespace stepsim::scenarios
