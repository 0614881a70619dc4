#include "sim/compare/several.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/base/error.h"
#include "tests/sim/compare/sides.h"

namespace stepsim::sim::several_test {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using testing::side;

Side with_work(std::vector<WorkGroup> work) {
  Side made = side(1000, {1000, 1000});
  made.work = std::move(work);
  return made;
}

WorkGroup group(std::string name, double count, std::int64_t time, std::string kind = "transfer") {
  return {.name = std::move(name), .kind = std::move(kind), .count = count, .time = Duration{time}};
}

std::vector<std::pair<std::string, std::vector<std::int64_t>>> times_of(const Several& several) {
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> rows;
  for (const Several::Row& row : several.rows) {
    rows.push_back({row.name, {}});
    for (const Several::Share& share : row.shares) rows.back().second.push_back(share.time.count());
  }
  return rows;
}

TEST(SeveralTest, CategoriesAreThoseOfDpro) {
  EXPECT_EQ(category_of("FW.conv1"), "FW");
  EXPECT_EQ(category_of("BW.x.y"), "BW");
  EXPECT_EQ(category_of("UPDATE_3"), "UPDATE");
  EXPECT_EQ(category_of("STEP"), "STEP");
  EXPECT_EQ(category_of("Comm.a.b.PULL.7"), "PULL");
  EXPECT_EQ(category_of("FWD.x"), "");
  EXPECT_EQ(category_of("volta_sgemm"), "");
}

TEST(SeveralTest, ACategoryIsTheSumOfItsWorkInEachResult) {
  const std::vector<Side> sides{
      with_work({group("Comm.w.PUSH.0", 1, 30), group("Comm.w.PUSH.1", 1, 12), group("FW.a", 2, 5, "operator")}),
      with_work({group("Comm.w.PUSH.0", 1, 50), group("gemm", 1, 4, "kernel")}),
      with_work({group("FW.a", 2, 9, "operator"), group("FW.b", 2, 1, "operator")})};
  const Several several = several_of(sides, By::kCategory, RowOrder::kDifference);
  EXPECT_THAT(times_of(several), ElementsAre(Pair("PUSH", ElementsAre(42, 50, 0)), Pair("FW", ElementsAre(5, 0, 10)),
                                             Pair("kernel", ElementsAre(0, 4, 0))));
  EXPECT_DOUBLE_EQ(several.rows[0].shares[0].count, 2);
}

TEST(SeveralTest, PartitionsAreOneWhereTheyAreIgnored) {
  const auto merged = without_partitions({group("Comm.w.PUSH.0", 1, 30), group("Comm.w.PUSH.1", 1, 12),
                                          group("Comm.w.PUSH", 1, 1), group("FW.a.0", 1, 7, "operator")});
  ASSERT_EQ(merged.size(), 2U);
  EXPECT_EQ(merged[0].name, "Comm.w.PUSH");
  EXPECT_EQ(merged[0].time, Duration{43});
  EXPECT_EQ(merged[1].name, "FW.a.0") << "the end of an operator's name is no partition";
}

TEST(SeveralTest, RowsCanBeOrderedByNameAndTime) {
  const std::vector<Side> sides{with_work({group("a", 1, 10), group("b", 1, 30)}),
                                with_work({group("a", 1, 90), group("b", 1, 95)}),
                                with_work({group("a", 1, 20), group("b", 1, 40)})};
  // The largest and the smallest time of `a` differ by 80 ns, and its first time is 10 ns. Those of `b` differ by 65
  // ns, and its first time is 30 ns.
  EXPECT_EQ(several_of(sides, By::kName, RowOrder::kDifference).rows[0].name, "a");
  EXPECT_EQ(several_of(sides, By::kName, RowOrder::kRelative).rows[0].name, "a");
  EXPECT_EQ(several_of(sides, By::kName, RowOrder::kTotal).rows[0].name, "b");
  EXPECT_EQ(several_of(sides, By::kName, RowOrder::kName).rows[0].name, "a");
}

TEST(SeveralTest, ResultsOfAnotherExtentAreRefused) {
  std::vector<Side> sides{with_work({}), with_work({}), with_work({})};
  sides[2].extent = Extent::kPath;
  EXPECT_THROW(static_cast<void>(several_of(sides, By::kName, RowOrder::kName)), UsageError);
}

TEST(SeveralTest, ThePlotHasALineAResultAndItsRowsTogether) {
  const std::vector<Side> sides{with_work({group("a", 2, 10), group("b", 1, 30)}), with_work({group("a", 1, 90)}),
                                with_work({group("b", 1, 40)})};
  const Several several = several_of(sides, By::kName, RowOrder::kName);
  const Provenance provenance;
  const Document document = several_document(several, 10, provenance);
  ASSERT_TRUE(document.plot);
  EXPECT_EQ(document.plot->lines.size(), 3U);
  EXPECT_EQ(document.plot->points_a_line, 2U);
  const Table rows = document.rows();
  ASSERT_EQ(rows.rows().size(), 6U);
  EXPECT_EQ(rows.rows()[0][1].text(), "a");
  EXPECT_EQ(std::get<std::int64_t>(rows.rows()[0][4].number()), 5) << "10 ns of 2 tasks";
  EXPECT_EQ(rows.rows()[3][1].text(), "b");
}

}  // namespace
}  // namespace stepsim::sim::several_test
