#include "ingest/config/config.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
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

std::vector<NcclTestsRow> read_table(std::string_view text, const std::string& name) {
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
  const std::vector<NcclTestsRow> read = read_table(text, "out.txt");
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].op, CollectiveOp::kAllReduce);
  EXPECT_EQ(read[0].ranks, 4U);
  EXPECT_EQ(read[0].hosts, 2U);
  EXPECT_EQ(read[0].device, "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(read[0].bytes, Bytes{1024});
  EXPECT_EQ(read[0].time, Duration{21'000}) << "the mean of out-of-place and in-place";
  EXPECT_EQ(read[0].shortest, Duration{20'000});
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

/// Returns the lines of a table of four ranks on two hosts, each after the label of the task that `label` gives for the
/// task's number. `spread` tells whether each task prints its own rank.
std::string labelled(const std::function<std::string(int task)>& label, bool spread) {
  std::string text = label(0) + "# nThread 1 nGpus 1 minBytes 8 maxBytes 8\n" + label(0) + "#\n";
  const auto rank = [](int number) {
    return fmt::format("#  Rank {:2} Group  0 Pid {:6} on  nid{:06} device  0 [0x01] NVIDIA GH200 120GB\n", number,
                       4000 + number, number / 2);
  };
  for (const int number : {0, 2, 1}) text += label(spread ? number : 0) + rank(number);
  text += label(0) + "#       size         count      type   redop    root     time   algbw   busbw #wrong\n";
  text += label(3) + "nid000001:88:88 [0] NCCL INFO 1048576 262144\n";
  text += label(spread ? 3 : 0) + rank(3);  // late
  // 4 MiB in 50 us are 83.89 GB/s, of four ranks 2 * 3 / 4 times that on the bus.
  text += label(0) + "     4194304       1048576     float     sum      -1    50.00   83.89  125.83      0\n";
  text += label(12) + "     4194304       1048576     float     sum      -1    90.00   46.60   69.91      0\n";
  return text + label(0) + "\n";
}

TEST(NcclTestsTest, LabelsOfLaunchersAreRemovedAndOnlyTheTableOfTheFirstTaskCounts) {
  const std::vector<std::function<std::string(int)>> launchers{
      [](int task) { return fmt::format("{}: ", task); },                          // srun -l
      [](int task) { return fmt::format("{:3}: ", task); },                        // of more than 100 tasks
      [](int task) { return fmt::format("[1,{}]<stdout>:", task); },               // mpirun --tag-output
      [](int task) { return fmt::format("[prterun-a-7@1,{}]<stdout>: ", task); },  // of Open MPI 5
      [](int task) { return fmt::format("[{}] ", task); }};                        // mpiexec -l
  for (const auto& label : launchers) {
    for (const bool spread : {false, true}) {
      const std::string text = labelled(label, spread);
      const auto read = read_table(text, "all_reduce.txt");
      ASSERT_EQ(read.size(), 1U) << text;
      EXPECT_EQ(read[0].ranks, 4U) << text;
      EXPECT_EQ(read[0].hosts, 2U) << text;
      EXPECT_EQ(read[0].devices, 2U) << text;
      EXPECT_EQ(read[0].device, "NVIDIA GH200 120GB") << text;
      EXPECT_EQ(read[0].time, Duration{50'000}) << text;
    }
  }
}

TEST(NcclTestsTest, OfProgramsWithoutMpiTheFirstTasksRanksCount) {
  // Each of two tasks measures the two devices of its own host.
  std::string text;
  for (const std::string line :
       {"# nThread 1 nGpus 2 minBytes 8", "#  Rank  0 Group  0 Pid 7 on node-{} device  0 [0x01] NVIDIA A100",
        "#  Rank  1 Group  0 Pid 7 on node-{} device  1 [0x02] NVIDIA A100",
        "# size count type redop root time algbw busbw", "4194304 1048576 float sum -1 {}0.00 83.89 83.89"}) {
    for (const int task : {1, 0}) {
      std::string with = line;
      if (const std::size_t at = with.find("{}"); at != std::string::npos) with.replace(at, 2, task == 0 ? "5" : "6");
      text += fmt::format("{}: {}\n", task, with);
    }
  }
  const auto read = read_table(text, "all_reduce.txt");
  ASSERT_EQ(read.size(), 1U) << text;
  EXPECT_EQ(read[0].ranks, 2U);
  EXPECT_EQ(read[0].hosts, 1U);
  EXPECT_EQ(read[0].time, Duration{50'000});
}

TEST(NcclTestsTest, RanksOfOtherGroupsDoNotCount) {
  // NCCL_TESTS_SPLIT makes two communicators of two ranks; the table is that of rank 0.
  std::string text = "# nThread 1 nGpus 1\n";
  for (int rank = 0; rank < 4; ++rank) {
    text += fmt::format("#  Rank {:2} Group {:2} Pid 7 on node-{} device {} [0x01] NVIDIA A100\n", rank, rank % 2,
                        rank / 2, rank % 2);
  }
  const auto read =
      read_table(text + kHeader + " 4194304 1048576 float sum -1 50.00 83.89 83.89 0 50.00 83.89 83.89 0\n", "a.txt");
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].ranks, 2U);
  EXPECT_EQ(read[0].hosts, 2U);
  EXPECT_EQ(read[0].devices, 2U) << "those of both groups are on a host";
}

TEST(NcclTestsTest, DevicesOfAHostAreItsRanksOrTheHighestNumber) {
  const auto devices = [](const std::vector<std::pair<std::string, int>>& places) {
    std::string text = "# nThread 1 nGpus 1\n";
    int rank = 0;
    for (const auto& [host, device] : places)
      text += fmt::format("#  Rank {} Group 0 Pid 7 on {} device {} [0x01] NVIDIA A100\n", rank++, host, device);
    return read_table(text + kHeader + " 8 2 float sum -1 12.0 0.00 0.00 0 12.0 0.00 0.00 0\n", "all_reduce.txt")
        .front()
        .devices;
  };
  EXPECT_EQ(devices({{"a", 0}, {"a", 0}, {"a", 0}, {"b", 0}}), 3U) << "each process sees only its own";
  EXPECT_EQ(devices({{"a", 0}, {"b", 7}}), 8U);
  EXPECT_EQ(devices({{"a", 0}, {"a", 2'000'000'000}}), 2U) << "no host has so many";
  EXPECT_EQ(read_table(std::string("# nThread 1 nGpus 2\n") + kHeader + " 8 2 float sum -1 12.0 0 0 0 12.0 0 0 0\n",
                       "all_reduce.txt")
                .front()
                .devices,
            0U)
      << "not known";
}

TEST(NcclTestsTest, FilesOfJsonAreReadLikeTables) {
  const auto read = read_table(
      R"({"version": 1, "args": ["/opt/all_reduce/build/reduce_scatter_perf", "-b", "8"], "nccl_version": 22703,
          "config": {"nthreads": 1, "ngpus": 1, "devices": [
            {"rank": 0, "group": 0, "pid": 1, "hostname": "a", "device": 0, "device_info": "NVIDIA H100 80GB HBM3"},
            {"rank": 1, "group": 0, "pid": 2, "hostname": "a", "device": 1, "device_info": "NVIDIA H100 80GB HBM3"},
            {"rank": 2, "group": 0, "pid": 3, "hostname": "b", "device": 0, "device_info": "NVIDIA H100 80GB HBM3"},
            {"rank": 3, "group": 0, "pid": 4, "hostname": "b", "device": 1, "device_info": "NVIDIA H100 80GB HBM3"}]},
          "results": [
            {"size": 4194304, "count": 262144, "type": "float", "redop": "sum", "root": "    -1",
             "out_of_place": {"time": 50.000000, "alg_bw": 83.886080, "bus_bw": 62.914560, "nwrong": null},
             "in_place": {"time": 52.000000, "alg_bw": 80.659692, "bus_bw": 60.494769, "nwrong": 0.0}},
            {"size": 8388608, "count": 524288, "type": "float", "redop": "sum", "root": "    -1",
             "out_of_place": null,
             "in_place": {"time": 100.000000, "alg_bw": 83.886080, "bus_bw": 62.914560, "nwrong": 0.0}}],
          "out_of_bounds": {"count": 0, "okay": "true"}})",
      "out.json");
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].op, CollectiveOp::kReduceScatter);
  EXPECT_EQ(read[0].ranks, 4U);
  EXPECT_EQ(read[0].hosts, 2U);
  EXPECT_EQ(read[0].devices, 2U);
  EXPECT_EQ(read[0].device, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(read[0].bytes, Bytes{4'194'304});
  EXPECT_EQ(read[0].time, Duration{51'000});
  EXPECT_EQ(read[0].shortest, Duration{50'000});
  EXPECT_EQ(read[1].time, Duration{100'000});
}

TEST(NcclTestsTest, RepetitionsInAnOlderFileOfJsonAreAllRead) {
  // busbw / algbw = 1.75 means 8 ranks.
  const std::string row =
      R"({"4194304": {"count": 1048576, "type": "float", "redop": "sum", "root": "-1", "oop_time": 50.0,
          "oop_algbw": 83.886, "oop_busbw": 146.8, "oop_error": 0, "ip_time": 50.0, "ip_algbw": 83.886,
          "ip_busbw": 146.8, "ip_error": "N/A"}})";
  const auto read = read_table(
      R"({"identifier": "nccl-tests structured output", "version": "2.26.6", "benchmark": [)" + row + ", " + row + "]}",
      "a.json");
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[1].ranks, 8U);
  EXPECT_EQ(read[1].op, CollectiveOp::kAllReduce);
  EXPECT_EQ(read[1].bytes, Bytes{4'194'304});
  EXPECT_EQ(read[1].time, Duration{50'000});
  EXPECT_EQ(read[1].devices, 0U);
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
  EXPECT_EQ(refusal(R"({"results": []})"), refusal("hello\n"));
  EXPECT_NE(refusal(R"({"results": [)").find("x.txt"), std::string::npos) << "it is cut off";
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
