#include "ingest/config/config.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"
#include "tests/thrown_by.h"

namespace stepsim::ingest {
namespace {

using stepsim::testing::thrown_by;

constexpr const char* kHeader =
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "
    "#wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n";

std::vector<TimedCollective> read_table(std::string_view text, const std::string& name) {
  Diagnostics ignored;
  return parse_nccl_tests(text, name, ignored);
}

TEST(NcclTestsTest, RowsBrokenByDebugTextAreCountedAndLeftOut) {
  Diagnostics diagnostics;
  const auto read = parse_nccl_tests(
      std::string("# nThread 1 nGpus 2\n") + kHeader +
          " 268435456 67108864 float sum -1node-a:1:1 [0] NCCL INFO AllReduce: 268435456 Bytes -> Algo RING\n"
          " 536870912 134217728 float sum -1 2280.50 235.42 235.42 0 2280.50 235.42 235.42 0\n"
          " 1073741824 268435456 float sum -1 4528.40 23.71 23.71 0 4528.40 237.11 237.11 0\n",
      "all_reduce.txt", diagnostics);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].bytes, Bytes{536'870'912});
  EXPECT_EQ(diagnostics.count_of("broken_table_row"), 2U);
}

TEST(NcclTestsTest, TimesBehindDebugTextCompleteTheirRow) {
  Diagnostics diagnostics;
  const auto read = parse_nccl_tests(
      std::string("# nThread 1 nGpus 2\n") + kHeader +
          " 268435456 67108864 float sum -1node-a:1:1 [0] NCCL INFO AllReduce: 268435456 Bytes -> Algo RING\n"
          "node-a:1:1 [1] NCCL INFO AllReduce: 268435456 Bytes -> Algo RING\n"
          "  1190.20  225.54  225.54       0  1190.20  225.54  225.54       0\n",
      "table.txt", diagnostics);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].op, CollectiveOp::kAllReduce) << "it has a redop, and no root";
  EXPECT_EQ(read[0].bytes, Bytes{268'435'456});
  EXPECT_EQ(read[0].time, Duration{1'190'200});
  EXPECT_EQ(diagnostics.count_of("broken_table_row"), 0U);
}

TEST(NcclTestsTest, ARankWhoseHashIsLostCounts) {
  const auto read = read_table(std::string("   Rank  0 Group  0 Pid  11 on node-a device  0 [0x07] NVIDIA A100\n"
                                           "#  Rank  1 Group  0 Pid  12 on node-b device  0 [0x0f] NVIDIA A100\n") +
                                   kHeader + " 4194304 1048576 float sum -1 50.00 83.89 83.89 0 50.00 83.89 83.89 0\n",
                               "all_reduce.txt");
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].ranks, 2U);
  EXPECT_EQ(read[0].hosts, 2U);
}

TEST(NcclTestsTest, RanksHostsAndDeviceStandAboveTheTable) {
  const std::string text = std::string(
                               "# nThread 1 nGpus 1 minBytes 8 maxBytes 1 step: 2(factor)\n"
                               "# Using devices\n"
                               "#  Rank  0 Group  0 Pid  11 on node-a device  0 [0x07] NVIDIA A100-SXM4-80GB\n"
                               "#  Rank  1 Group  0 Pid  12 on node-a device  1 [0x0f] NVIDIA A100-SXM4-80GB\n"
                               "#  Rank  2 Group  0 Pid  13 on node-b device  0 [0x07] NVIDIA A100-SXM4-80GB\n"
                               "#  Rank  3 Group  0 Pid  14 on node-b device  1 [0x0f] NVIDIA A100-SXM4-80GB\n") +
                           kHeader +
                           "        1024           256     float     sum      -1    20.00    0.05    0.08      0    "
                           "22.00    0.05    0.07    N/A\n"
                           "     1048576        262144     float     sum      -1   100.50   10.43   15.65      0   "
                           "100.50   10.43   15.65      0\n"
                           "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 7.8\n";
  const std::vector<TimedCollective> read = read_table(text, "out.txt");
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].op, CollectiveOp::kAllReduce);
  EXPECT_EQ(read[0].ranks, 4U);
  EXPECT_EQ(read[0].hosts, 2U);
  EXPECT_EQ(read[0].device, "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(read[0].bytes, Bytes{1024});
  EXPECT_EQ(read[0].time, Duration{21'000}) << "the mean of out-of-place and in-place";
  EXPECT_EQ(read[1].time, Duration{100'500});
}

TEST(NcclTestsTest, WithoutTheDevicesTheRatioOfTheBandwidthsTells) {
  // For an all-reduce with n ranks, busbw / algbw is 2 (n - 1) / n: 1.75 means 8 ranks.
  const auto read = read_table(std::string(kHeader) +
                                   "  8388608  2097152  float  sum  -1  100.0  83.89  146.80  0  100.0  83.89  "
                                   "146.80  0\n",
                               "table.txt");
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].ranks, 8U);
  EXPECT_EQ(read[0].op, CollectiveOp::kAllReduce);
}

TEST(NcclTestsTest, TheHostsOfManyRanksMustBeNamed) {
  // 1.875 means 16 ranks.
  const std::string table =
      std::string(kHeader) + "  8388608  2097152  float  sum  -1  104.86  80.00  150.00  0  104.86  80.00  150.00  0\n";
  const std::string problem = thrown_by<InputError>([&] { return read_table(table, "table.txt"); });
  EXPECT_NE(problem.find("16 ranks that does not name their hosts"), std::string::npos) << problem;
  const auto read = read_table("# hosts 2\n" + table, "table.txt");
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].ranks, 16U);
  EXPECT_EQ(read[0].hosts, 2U);
}

TEST(NcclTestsTest, OldTablesHaveNoRootAndErrorsInPlaceOfCounts) {
  const auto read = read_table(
      "# nThread 1 nGpus 2 minBytes 8 maxBytes 8\n"
      "#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error\n"
      "     4194304   1048576  float  sum  50.00  83.89  83.89  1e-07  50.00  83.89  83.89  1e-07\n",
      "all_reduce.txt");
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].ranks, 2U);
  EXPECT_EQ(read[0].time, Duration{50'000});
}

TEST(NcclTestsTest, OperationFollowsFromTheProgramTheFileOrTheColumns) {
  const std::string devices = "# nThread 1 nGpus 4 minBytes 8 maxBytes 8\n";
  const auto op = [&](const std::string& before, const std::string& row, const std::string& name) {
    return read_table(before + devices + kHeader + row, name).front().op;
  };
  const std::string plain = " 8388608 2097152 float none -1 100.0 83.89 62.92 0 100.0 83.89 62.92 0\n";
  EXPECT_EQ(op("# Collective test starting: all_gather_perf\n", plain, "a.txt"), CollectiveOp::kAllGather);
  EXPECT_EQ(op("# Collective test starting: alltoall_perf\n", plain, "a.txt"), CollectiveOp::kAllToAll);
  EXPECT_EQ(op("", plain, "runs/all_gather_4.txt"), CollectiveOp::kAllGather);
  EXPECT_EQ(op("", " 8388608 2097152 float none 0 100.0 83.89 83.89 0 100.0 83.89 83.89 0\n", "a.txt"),
            CollectiveOp::kBroadcast);
  EXPECT_EQ(op("", " 8388608 2097152 float sum 0 100.0 83.89 83.89 0 100.0 83.89 83.89 0\n", "a.txt"),
            CollectiveOp::kReduce);
  EXPECT_EQ(op("", " 8388608 524288 float sum -1 100.0 83.89 62.92 0 100.0 83.89 62.92 0\n", "a.txt"),
            CollectiveOp::kReduceScatter);
}

TEST(NcclTestsTest, SeveralTablesMayFollowEachOtherBehindTheTagsOfMpirun) {
  std::string text;
  for (const char* gpus : {"2", "4"}) {
    text += std::string("[1,0]<stdout>:# nThread 1 nGpus ") + gpus + " minBytes 8\n[1,0]<stdout>:" +
            "#  size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n" +
            "[1,0]<stdout>: 1024 256 float sum -1 20.00 0.05 0.05 0 20.00 0.05 0.05 0\n";
  }
  const auto read = read_table(text, "all_reduce.txt");
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].ranks, 2U);
  EXPECT_EQ(read[1].ranks, 4U);
}

std::string refusal(const std::string& text) {
  return thrown_by<InputError>([&] { return read_table(text, "x.txt"); }, "none");
}

TEST(NcclTestsTest, FilesWithoutATableOrItsRanksAreRefused) {
  EXPECT_EQ(refusal("hello\n"),
            "x.txt: no table of nccl-tests; expected the output of all_reduce_perf or a similar program, with lines of "
            "size, count, type, redop, root and time");
  EXPECT_EQ(refusal(std::string(kHeader) + " 8 2 float sum -1 12.0 0.00 0.00 0 12.0 0.00 0.00 0\n"),
            "x.txt: a table of an unknown number of ranks; expected lines such as '#  Rank  0 ... on node-a device  "
            "0', for 2 to 1000000");
}

TEST(NcclTestsTest, LinesThatAreNoTimesArePassedOver) {
  const auto read = read_table(std::string("# nThread 1 nGpus 2\n") + kHeader +
                                   " 8 2 float sum -1 N/A 0 0 0 N/A 0 0 0\n -8 2 float sum -1 1 0 0 0 1 0 0 0\n"
                                   " 16 4 float sum -1 nan 0 0 0 12.0 0 0 0\n 32 8 float sum -1 1e300 0 0 0\n 64\n",
                               "all_reduce.txt");
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].bytes, Bytes{16});
  EXPECT_EQ(read[0].time, Duration{12'000});
}

}  // namespace
}  // namespace stepsim::ingest
