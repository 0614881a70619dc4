#include "sim/compare/match_names.h"

#include <gtest/gtest.h>

#include "tests/sim/compare/sides.h"

namespace stepsim::sim {
namespace {

using testing::kernel;

const Row& row_called(const std::vector<Row>& rows, const std::string& name) {
  for (const Row& row : rows) {
    if (row.name == name) return row;
  }
  ADD_FAILURE() << "no row is called " << name;
  return rows.front();
}

TEST(MatchNamesTest, EqualNamesMatchBeforeSimilarOnes) {
  const auto rows = match_names({kernel("add_1", 10), kernel("add_2", 20)}, {kernel("add_2", 25), kernel("add_3", 7)});
  ASSERT_EQ(rows.size(), 2U);
  const Row& exact = row_called(rows, "add_2");
  EXPECT_EQ(exact.match, Match::kExact);
  EXPECT_EQ(exact.difference(), Duration{5});
  const Row& similar = row_called(rows, "add_#");
  EXPECT_EQ(similar.match, Match::kNumbers);
  EXPECT_EQ(similar.time_a, Duration{10});
  EXPECT_EQ(similar.time_b, Duration{7});
}

TEST(MatchNamesTest, SeveralVariantsAreOneRow) {
  const auto rows = match_names({kernel("volta_gemm_32x64", 10, 2), kernel("volta_gemm_64x64", 20, 3)},
                                {kernel("ampere_gemm_128x64", 12, 4)});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].match, Match::kArguments);
  EXPECT_EQ(rows[0].names_a, 2U);
  EXPECT_EQ(rows[0].names_b, 1U);
  EXPECT_EQ(rows[0].count_a, 5);
  EXPECT_EQ(rows[0].time_a, Duration{30});
}

TEST(MatchNamesTest, CopiesFromOtherMemoryAreNamedWithBoth) {
  WorkGroup pinned = kernel("Memcpy DtoH (Device -> Pinned)", 10);
  WorkGroup pageable = kernel("Memcpy DtoH (Device -> Pageable)", 20);
  const auto rows = match_names({pinned}, {pageable});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].match, Match::kArguments);
  EXPECT_EQ(rows[0].name, "Memcpy DtoH (Device -> Pinned) / Memcpy DtoH (Device -> Pageable)");
}

TEST(MatchNamesTest, WorkOfAnotherKindDoesNotMatch) {
  WorkGroup host = kernel("copy", 10);
  host.kind = "host";
  const auto rows = match_names({kernel("copy", 5)}, {host});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].match, Match::kOnlyA);
  EXPECT_EQ(rows[1].match, Match::kOnlyB);
}

TEST(MatchNamesTest, EachTimeIsInOneRow) {
  const std::vector<WorkGroup> a{kernel("x_1", 1), kernel("x_2", 2), kernel("y<1>", 4), kernel("only", 8)};
  const std::vector<WorkGroup> b{kernel("x_2", 16), kernel("x_9", 32), kernel("y<int>", 64)};
  Duration in_a{};
  Duration in_b{};
  for (const Row& row : match_names(a, b)) {
    in_a += row.time_a;
    in_b += row.time_b;
  }
  EXPECT_EQ(in_a, Duration{1 + 2 + 4 + 8});
  EXPECT_EQ(in_b, Duration{16 + 32 + 64});
}

}  // namespace
}  // namespace stepsim::sim
