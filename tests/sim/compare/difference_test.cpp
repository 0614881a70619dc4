#include "sim/compare/difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/base/error.h"
#include "tests/sim/compare/sides.h"

namespace stepsim::sim {
namespace {

using ::testing::ElementsAre;
using testing::kernel;
using testing::side;

Difference difference(const Side& a, const Side& b, By by = By::kName, RowOrder order = RowOrder::kDifference) {
  return difference_of(a, b, by, order);
}

std::vector<std::string> names_of(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  for (const Row& row : rows) names.push_back(row.name);
  return names;
}

Side with_work(std::vector<WorkGroup> work) {
  Side made = side(1000, {1000, 1000});
  made.work = std::move(work);
  return made;
}

TEST(DifferenceTest, PartsAndRemainderSumToBothIterations) {
  Side a = side(100);
  Side b = side(130);
  a.parts = {{"compute", Duration{60}}, {"idle", Duration{30}}};
  b.parts = {{"compute", Duration{95}}, {"copies", Duration{40}}};
  const Difference found = difference(a, b);
  Duration sum_a{};
  Duration sum_b{};
  for (const PartDifference& part : found.parts) {
    sum_a += part.a;
    sum_b += part.b;
  }
  EXPECT_EQ(sum_a, Duration{100});
  EXPECT_EQ(sum_b, Duration{130});
  EXPECT_EQ(found.parts.back().name, kRemainder);
  EXPECT_EQ(found.parts.back().b, Duration{130 - 95 - 40});
}

TEST(DifferenceTest, BiggestMoversComeFirst) {
  const Side a = with_work({kernel("same", 50), kernel("slower", 10), kernel("faster", 100), kernel("tiny", 1)});
  const Side b = with_work({kernel("same", 50), kernel("slower", 30), kernel("faster", 60), kernel("tiny", 4)});
  EXPECT_THAT(names_of(difference(a, b).rows), ElementsAre("faster", "slower", "tiny", "same"));
  EXPECT_THAT(names_of(difference(a, b, By::kName, RowOrder::kRelative).rows),
              ElementsAre("tiny", "slower", "faster", "same"));
  EXPECT_THAT(names_of(difference(a, b, By::kName, RowOrder::kTotal).rows),
              ElementsAre("faster", "same", "slower", "tiny"));
  EXPECT_THAT(names_of(difference(a, b, By::kName, RowOrder::kName).rows),
              ElementsAre("faster", "same", "slower", "tiny"));
}

TEST(DifferenceTest, ClassesSumTheirNames) {
  WorkGroup host = kernel("call", 7);
  host.kind = "host";
  host.kernel_class = {};
  const Side a = with_work({kernel("x", 10), kernel("y", 20), host});
  const std::vector<Row> rows = difference(a, a, By::kClass).rows;
  ASSERT_THAT(names_of(rows), ElementsAre("gemm", "host"));
  EXPECT_EQ(rows[0].time_a, Duration{30});
  EXPECT_THAT(names_of(difference(a, a, By::kKind).rows), ElementsAre("host", "kernel"));
}

TEST(DifferenceTest, OfASideAndItselfIsNothing) {
  Side a = with_work({kernel("x", 10), kernel("y", 20)});
  a.parts = {{"compute", Duration{30}}};
  const Difference none = difference(a, a);
  EXPECT_EQ(none.change(), Duration{0});
  EXPECT_EQ(none.relative(), 0);
  EXPECT_FALSE(none.is_beyond_noise());
  for (const Row& row : none.rows) EXPECT_EQ(row.difference(), Duration{0}) << row.name;
  for (const PartDifference& part : none.parts) EXPECT_EQ(part.a, part.b) << part.name;
}

TEST(DifferenceTest, ASideThatListsNoTasksHasNoRows) {
  const Side a = with_work({kernel("x", 10)});
  EXPECT_TRUE(difference(a, side(10)).rows.empty());
}

TEST(DifferenceTest, TimesOfDifferentThingsAreRefused) {
  Side whole = side(10);
  whole.extent = Extent::kWholeCapture;
  EXPECT_THROW((void)difference(whole, side(10)), UsageError);
}

TEST(DifferenceTest, OperatorsThatAreNotKnownAreRefused) {
  const Side a = with_work({kernel("x", 10)});
  EXPECT_THROW((void)difference(a, a, By::kOperator), UsageError);
}

}  // namespace
}  // namespace stepsim::sim
