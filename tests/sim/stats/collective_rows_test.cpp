#include "sim/stats/collective_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/base/error.h"
#include "model/cost/collective/nccl_times.h"
#include "model/job/topology.h"
#include "tests/sim/stats/collective_maker.h"

namespace stepsim::sim {
namespace {

using testing::CollectiveMaker;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Bytes kPayload{100'000'000};
constexpr std::int64_t kMs = 1'000'000;

CollectiveRow only_row(CollectiveMaker& made) {
  const std::vector<CollectiveRow> rows = collective_rows(made.maker.make(), false);
  EXPECT_EQ(rows.size(), 1U);
  return rows.front();
}

TEST(CollectiveRowsTest, TimeCountsFromTheLastArrivalToTheEnd) {
  CollectiveMaker made;
  made.add({.op = CollectiveOp::kAllReduce, .bytes = kPayload}, {{0, 0}, {1, 10}, {2, 50}, {3, 20}}, 50 + kMs);
  const CollectiveRow row = only_row(made);
  EXPECT_EQ(row.group, "0-3");
  EXPECT_EQ(row.operation, "all_reduce");
  EXPECT_EQ(row.transfer_time(), Duration{kMs});
  EXPECT_EQ(row.skew->median, Duration{50});
  EXPECT_EQ(row.last, 2);
  EXPECT_EQ(row.last_in, 1U);
  EXPECT_DOUBLE_EQ(*row.algbw(), 1e11);  // 100 MB in 1 ms
  EXPECT_DOUBLE_EQ(*row.busbw(), 1e11 * 2 * 3 / 4);
}

TEST(CollectiveRowsTest, BusBandwidthHasTheFactorOfNcclTests) {
  struct Factor {
    CollectiveOp op;
    double of_four;  // for four ranks, from PERFORMANCE.md of nccl-tests
    const char* name;
  };
  for (const Factor& one : {Factor{CollectiveOp::kAllReduce, 1.5, "all_reduce"},
                            {CollectiveOp::kAllGather, 0.75, "all_gather"},
                            {CollectiveOp::kReduceScatter, 0.75, "reduce_scatter"},
                            {CollectiveOp::kAllToAll, 0.75, "alltoall"},
                            {CollectiveOp::kBroadcast, 1, "broadcast"},
                            {CollectiveOp::kReduce, 1, "reduce"}}) {
    CollectiveMaker made;
    made.add({.op = one.op, .bytes = kPayload}, {{0, 0}, {1, 0}, {2, 0}, {3, 0}}, kMs);
    const CollectiveRow row = only_row(made);
    EXPECT_EQ(row.operation, one.name);
    EXPECT_DOUBLE_EQ(*row.busbw(), one.of_four * 1e11) << one.name;
  }
}

TEST(CollectiveRowsTest, MessageNamesItsSenderAndHasFactorOne) {
  CollectiveMaker made;
  made.add({.op = CollectiveOp::kSendRecv, .bytes = kPayload, .root = 1}, {{2, 0}, {5, 0}}, kMs);
  const CollectiveRow row = only_row(made);
  EXPECT_EQ(row.group, "5 -> 2");
  EXPECT_EQ(row.operation, "sendrecv");
  EXPECT_DOUBLE_EQ(*row.busbw(), 1e11);
}

TEST(CollectiveRowsTest, OneRowForEachGroupOperationAndSize) {
  CollectiveMaker made;
  const Collective reduce{.op = CollectiveOp::kAllReduce, .bytes = kPayload};
  for (const std::int64_t length : {1, 5, 3}) made.add(reduce, {{0, 0}, {1, 0}}, length * kMs);
  made.add(reduce, {{2, 0}, {3, 0}}, 4 * kMs);
  made.add({.op = CollectiveOp::kAllGather, .bytes = kPayload}, {{0, 0}, {1, 0}}, 2 * kMs);
  made.add({.op = CollectiveOp::kAllReduce, .bytes = Bytes{8}}, {{0, 0}, {1, 0}}, kMs);
  const std::vector<CollectiveRow> rows = collective_rows(made.maker.make(), false);
  ASSERT_EQ(rows.size(), 4U);  // most time first
  EXPECT_EQ(rows[0].time.count, 3U);
  EXPECT_EQ(rows[0].transfer_time(), Duration{3 * kMs});
  EXPECT_EQ(rows[1].group, "2-3");
  EXPECT_EQ(rows[2].operation, "all_gather");
  EXPECT_EQ(rows[3].bytes, Bytes{8});
}

TEST(CollectiveRowsTest, ShortestTimeCountsIfRanksWereNotCaptured) {
  CollectiveMaker made;
  const GroupId group = made.maker.dag.builder.add_group({.size = 8});
  for (const std::int64_t length : {4, 2, 9})
    made.add({.op = CollectiveOp::kAllReduce, .bytes = kPayload, .group = group}, {{3, 0}}, length * kMs);
  const CollectiveRow row = only_row(made);
  EXPECT_FALSE(row.is_whole());
  EXPECT_EQ(row.group, "3 of 8 ranks");
  EXPECT_EQ(row.transfer_time(), Duration{2 * kMs});
  EXPECT_FALSE(row.skew);
  EXPECT_DOUBLE_EQ(*row.busbw(), 0.5e11 * 2 * 7 / 8);
}

TEST(CollectiveRowsTest, OverlappingTransfersAreCounted) {
  CollectiveMaker made;
  const Collective reduce{.op = CollectiveOp::kAllReduce, .bytes = kPayload};
  made.add(reduce, {{0, 0}, {1, 0}}, 2 * kMs);
  made.add({.op = CollectiveOp::kAllGather, .bytes = kPayload}, {{1, kMs}, {2, kMs}}, 3 * kMs);
  made.add(reduce, {{0, 5 * kMs}, {1, 5 * kMs}}, 6 * kMs);
  const std::vector<CollectiveRow> rows = collective_rows(made.maker.make(), false);
  EXPECT_EQ(rows[0].overlapped, 1U);
  EXPECT_EQ(rows[1].overlapped, 1U);
}

TEST(CollectiveRowsTest, WithoutPayloadThereIsNoBandwidth) {
  CollectiveMaker made;
  made.add({.op = CollectiveOp::kUnknown}, {{0, 0}, {1, 0}}, kMs);
  std::vector<CollectiveRow> rows = collective_rows(made.maker.make(), false);
  EXPECT_EQ(rows.front().operation, "kernel");
  EXPECT_FALSE(rows.front().algbw());
  EXPECT_FALSE(rows.front().busbw());
}

TEST(CollectiveRowsTest, SelectedStepsAlone) {
  CollectiveMaker made;
  const Collective reduce{.op = CollectiveOp::kAllReduce, .bytes = kPayload};
  made.add(reduce, {{0, 0}, {1, 0}}, kMs, 0);
  made.add(reduce, {{0, 2 * kMs}, {1, 2 * kMs}}, 4 * kMs, 1);
  Capture capture = made.maker.make();
  capture.recording.steps = {{.number = 1, .asked = false}, {.number = 2}};
  const std::vector<CollectiveRow> rows = collective_rows(capture, false);
  EXPECT_THAT(rows.front().times, ElementsAre(Duration{2 * kMs}));
}

TEST(CollectiveRowsTest, CapturesWithoutCollectivesAreRefused) {
  CollectiveMaker made;
  made.maker.add(made.lane_of(0), TaskKind::kKernel, "gemm", 0, 1);
  EXPECT_THROW((void)collective_rows(made.maker.make(), false), CannotAnswer);
  EXPECT_THROW((void)collective_rows(Capture{}, false), CannotAnswer);
}

// --- expected times

Cluster hosts_of_four(std::size_t hosts, Bandwidth nvlink, Bandwidth nic) {
  ClusterShape shape{.hosts = std::vector<Host>(hosts), .nic = {nic}, .devices = 4, .device_model = "A100"};
  shape.nvlink = Cable{nvlink};
  return build_cluster(shape);
}

std::vector<CollectiveRow> expected_rows(CollectiveMaker& made, const Cluster& cluster, bool knows_nics) {
  const Capture capture = made.maker.make();
  std::vector<CollectiveRow> rows = collective_rows(capture, false);
  add_expected_times(rows, capture.dag, *find_network_model("maxmin"), cluster, knows_nics);
  return rows;
}

TEST(ExpectedTimesTest, AreThoseOfTheModelOfNccl) {
  CollectiveMaker made;
  made.add({.op = CollectiveOp::kAllReduce, .bytes = kPayload}, {{0, 0}, {1, 0}, {2, 0}, {3, 0}}, 2 * kMs);
  made.add({.op = CollectiveOp::kAllGather, .bytes = kPayload}, {{0, 0}, {2, 0}}, kMs);
  const Bandwidth nvlink = Bandwidth::from_bytes_per_second(300e9);
  const std::vector<CollectiveRow> rows = expected_rows(made, hosts_of_four(1, nvlink, nvlink), false);
  const CollectivePlace place{.inside = Bandwidth::from_bytes_per_second(300e9 * kNvlinkEfficiency), .device = "A100"};
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].expected, nccl_time({CollectiveOp::kAllReduce, 4, kPayload}, place));
  EXPECT_EQ(rows[1].expected, nccl_time({CollectiveOp::kAllGather, 2, kPayload}, place));
  const double share = static_cast<double>(rows[0].expected->count()) / (2 * kMs);
  EXPECT_DOUBLE_EQ(*rows[0].of_expected(), share);
}

TEST(ExpectedTimesTest, RowIsSlowBeyondTheErrorOfTheModel) {
  const Bandwidth nvlink = Bandwidth::from_bytes_per_second(300e9);
  const CollectivePlace place{
      .inside = Bandwidth::from_bytes_per_second(300e9 * kNvlinkEfficiency), .device = "A100", .side = 1};
  const Duration longest = nccl_time({CollectiveOp::kAllReduce, 2, kPayload}, place);
  for (const bool is_slow : {false, true}) {
    CollectiveMaker made;
    made.add({.op = CollectiveOp::kAllReduce, .bytes = kPayload}, {{0, 0}, {1, 0}},
             longest.count() + (is_slow ? 1 : 0));
    const std::vector<CollectiveRow> rows = expected_rows(made, hosts_of_four(1, nvlink, nvlink), false);
    EXPECT_EQ(rows.front().longest_expected, longest);
    EXPECT_EQ(rows.front().is_slow(), is_slow);
  }
}

TEST(ExpectedTimesTest, RingTakesItsClosedForm) {
  CollectiveMaker made;
  made.add({.op = CollectiveOp::kAllReduce, .algorithm = find_collective_model("ring"), .bytes = kPayload},
           {{0, 0}, {1, 0}}, 200 * kMs);
  ClusterShape shape{.hosts = std::vector<Host>(2), .nic = {Bandwidth::from_bytes_per_second(1e9), Duration{5'000}}};
  const std::vector<CollectiveRow> rows = expected_rows(made, build_cluster(shape), true);
  // 2 (n - 1) messages of bytes / n, each over two links of 5 us.
  EXPECT_EQ(rows.front().expected, Duration{2 * (10'000 + 50 * kMs)});
}

TEST(ExpectedTimesTest, ReasonsForRowsWithoutAnExpectation) {
  CollectiveMaker made;
  for (Rank rank = 0; rank < 8; ++rank) made.hosts[rank] = rank < 4 ? "a" : "b";
  made.add({.op = CollectiveOp::kAllReduce, .bytes = kPayload}, {{0, 0}, {4, 0}}, 3 * kMs);
  made.add({.op = CollectiveOp::kAllReduce}, {{0, 0}, {1, 0}}, 2 * kMs);
  made.add({.op = CollectiveOp::kAllReduce, .bytes = kPayload}, {{4, 0}, {5, 0}}, kMs);
  const Bandwidth rate = Bandwidth::from_bytes_per_second(300e9);
  const std::vector<CollectiveRow> rows = expected_rows(made, hosts_of_four(2, rate, rate), false);
  EXPECT_THAT(std::string(rows[0].unexpected), HasSubstr("NICs"));
  EXPECT_THAT(std::string(rows[1].unexpected), HasSubstr("payload"));
  EXPECT_FALSE(rows[0].expected || rows[1].expected);
  EXPECT_TRUE(rows[2].expected);
}

}  // namespace
}  // namespace stepsim::sim
