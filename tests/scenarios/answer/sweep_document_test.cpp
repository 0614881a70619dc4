#include "scenarios/answer/sweep_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/question/scenario.h"
#include "tests/sim/texts.h"

namespace stepsim::scenarios {
namespace {

using std::chrono::milliseconds;
using stepsim::testing::texts;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Returns an answer whose points take 10, 20, ... ms, with a baseline of 40 ms.
SweepAnswer answer_to(const std::string& yaml) {
  SweepAnswer answer;
  answer.head.points = points_of(parse_scenario(yaml, "s.yaml"));
  answer.head.baseline.iteration = milliseconds{40};
  for (std::size_t i = 0; i < answer.head.points.size(); ++i) {
    Outcome& outcome = answer.outcomes.emplace_back();
    const Duration step = milliseconds{10 * (static_cast<std::int64_t>(i) + 1)};
    outcome.iteration = Range<Duration>{step - milliseconds{1}, step, step + milliseconds{2}};
  }
  return answer;
}

void refuse(Outcome& outcome) {
  outcome = {};
  outcome.problem = "no answer";
}

MemoryNeed need_of(std::int64_t gib) {
  constexpr std::int64_t kOneGib = std::int64_t{1} << 30;
  const Bytes peak{gib * kOneGib};
  return {.device = "A100", .peak = {peak, peak, peak}, .capacity = Bytes{40 * kOneGib}};
}

std::string headline(const SweepAnswer& answer) { return sweep_document(answer).headline; }

TEST(SweepDocumentTest, TheHeadlineNamesTheBestPointAndPointsThatDoNotFit) {
  SweepAnswer answer = answer_to("sweep: {network.bandwidth: [1x, 2x, 3x]}");
  EXPECT_THAT(headline(answer),
              HasSubstr("Best of 3 points: network.bandwidth=1x: step time 10 ms (9 to 12 ms), 75.0 % less"));
  EXPECT_THAT(headline(answer), Not(HasSubstr("memory")));
  for (Outcome& outcome : answer.outcomes) outcome.memory = need_of(10);
  answer.outcomes[2].memory = need_of(50);
  EXPECT_THAT(headline(answer), HasSubstr("; 1 point does not fit in memory"));
  answer.outcomes[1].memory = need_of(50);
  EXPECT_THAT(headline(answer), HasSubstr("; 2 points do not fit in memory"));
}

TEST(SweepDocumentTest, RowsHaveTheTimesOfEachPoint) {
  SweepAnswer answer = answer_to("sweep: {network.bandwidth: [1x, 2x]}");
  refuse(answer.outcomes[1]);
  const sim::Table rows = sweep_document(answer).rows();
  ASSERT_EQ(rows.rows().size(), 2U);
  const std::vector<std::string> first = texts(rows.rows()[0]);
  ASSERT_GE(first.size(), 6U);
  EXPECT_THAT(std::vector(first.begin(), first.begin() + 6),
              ElementsAre("1x", "10000000", "9000000", "12000000", "40000000", "0.25"));
  EXPECT_EQ(texts(rows.rows()[1]).at(1), "");
  EXPECT_EQ(texts(rows.rows()[1]).back(), "no answer");
}

TEST(SweepDocumentTest, APlotHasAnAxisIfThePointsHaveOne) {
  const auto axis = [](const std::string& yaml) { return sweep_document(answer_to(yaml)).plot->x; };
  EXPECT_EQ(axis("sweep: {network.bandwidth: [1x, 2x]}"), "network.bandwidth");
  EXPECT_EQ(axis("sweep: {network.bandwidth: [1x, 2x], compute.scale: [1, 2]}"), "compute.scale");
  EXPECT_EQ(axis("sweep: [{compute.scale: 1}, {compute.scale: 2}]"), "compute.scale");
  EXPECT_EQ(axis("sweep: [{network.bandwidth: 1x, compute.scale: 1}, {network.bandwidth: 2x, compute.scale: 2}]"), "");
}

TEST(SweepReportsTest, TablesHaveTheTimeOfEachPointAndADashWithoutOne) {
  SweepAnswer list = answer_to("sweep: {network.bandwidth: [1x, 2x]}");
  refuse(list.outcomes[1]);
  SweepAnswer grid = answer_to("sweep: {network.bandwidth: [1x, 2x], compute.scale: [1, 2]}");
  refuse(grid.outcomes[3]);
  const auto rows_of = [](const SweepAnswer& answer) {
    std::vector<std::vector<std::string>> rows;
    for (const sim::Section& section : sweep_document(answer).sections) {
      if (!section.table) continue;
      for (const auto& row : section.table->rows()) rows.push_back(texts(row));
    }
    return rows;
  };
  const auto of_list = rows_of(list);
  ASSERT_GE(of_list.size(), 2U);
  EXPECT_THAT(of_list[0], Contains("10 ms"));
  EXPECT_THAT(of_list[1], Contains("-"));
  // The third point takes 30 ms, and its range is from 29 to 32 ms.
  const auto of_grid = rows_of(grid);
  EXPECT_THAT(of_grid, Contains(ElementsAre("1x", "* 10 ms", "20 ms")));
  EXPECT_THAT(of_grid, Contains(ElementsAre("2x", "30 ms", "-")));
  EXPECT_THAT(of_grid, Contains(ElementsAre("2x", "-3.3 +6.7 %", "-")));
}

}  // namespace
}  // namespace stepsim::scenarios
