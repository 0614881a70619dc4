#include "capture/nccl/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

namespace stepsim::capture::nccl::summary_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::uint64_t summary_clock = 0;

/// Reports collectives to a summary as NCCL does.
class NcclSummary : public ::testing::Test {
 protected:
  explicit NcclSummary(std::size_t ring = 100) : summary_(ring), recorder_(target(true), 1000) {
    summary_clock = 1'700'000'000'000'000'000;
  }

  Target target(bool has_device_timer) {
    return {.sink = &summary_,
            .now = []() noexcept { return summary_clock; },
            .thread = []() noexcept { return 1U; },
            .recording = []() noexcept { return true; },
            .has_device_timer = has_device_timer};
  }

  Communicator& communicator(int ranks, std::uint8_t version = 6) {
    Communicator* const made = recorder_.begin_communicator(version);
    recorder_.describe(*made, "world", 0xAB, ranks, 0, 1);
    return *made;
  }

  void* begin(Communicator& of, const char* function, std::uint64_t elements, const char* type = "ncclFloat32",
              std::uint8_t channels = 1) {
    return recorder_.begin_operation(of, {.function = function,
                                          .element_type = type,
                                          .algorithm = "RING",
                                          .protocol = "LL",
                                          .elements = elements,
                                          .sequence = sequence_++,
                                          .channels = channels});
  }

  void channel(Communicator& of, void* operation, std::uint64_t start, std::uint64_t end) {
    void* const handle = recorder_.begin_channel(of, operation, 0, start);
    summary_clock += 10;
    recorder_.change(handle, State::kKernelChannelStop, end);
    recorder_.end(handle);
  }

  /// Reports a whole collective that takes this long on the GPU.
  void collective(Communicator& of, const char* function, std::uint64_t elements, std::uint64_t nanoseconds,
                  const char* type = "ncclFloat32") {
    channel(of, begin(of, function, elements, type), 5'000, 5'000 + nanoseconds);
  }

  [[nodiscard]] std::string json() const { return summary_.to_json({{"pid", "7"}}); }

  Summary summary_;
  Recorder recorder_;
  std::uint64_t sequence_ = 0;
};

// All of these hold 8 MB on the larger side and take 1 ms on 4 ranks: 8 GB/s of algorithm bandwidth.
TEST_F(NcclSummary, BusBandwidthIsThatOfNcclTests) {
  Communicator& of = communicator(4);
  struct Case {
    const char* function;
    std::uint64_t elements;
    const char* bus;
  };
  const std::vector<Case> cases{{"AllReduce", 2'000'000, "1.2e+10"}, {"AllGather", 500'000, "6e+09"},
                                {"ReduceScatter", 500'000, "6e+09"}, {"AlltoAll", 500'000, "6e+09"},
                                {"Broadcast", 2'000'000, "8e+09"},   {"Reduce", 2'000'000, "8e+09"}};
  for (const Case& one : cases) collective(of, one.function, one.elements, 1'000'000);
  const std::string text = json();
  for (const Case& one : cases) {
    const std::string row = std::string(R"("collective": ")") + one.function +
                            R"(", "algorithm": "RING", "protocol": "LL", "size_bytes": 8000000)";
    const std::size_t at = text.find(row);
    ASSERT_NE(at, std::string::npos) << one.function << " in " << text;
    EXPECT_THAT(text.substr(at, text.find('}', at) - at),
                HasSubstr(std::string(R"("time_ns": 1000000, "clock": "gpu", "algbw_bytes_per_second": 8e+09, )") +
                          R"("busbw_bytes_per_second": )" + one.bus))
        << one.function;
  }
}

TEST_F(NcclSummary, TheSizeOfElementsIsInTheNameOfTheirType) {
  Communicator& of = communicator(2);
  for (const char* const type : {"ncclInt8", "ncclBfloat16", "ncclFloat8e4m3", "ncclFloat64", "ncclUint32", "other"})
    collective(of, "AllReduce", 10, 1, type);
  std::vector<std::string> sizes;
  const std::string text = json();
  constexpr std::string_view kKey = "\"size_bytes\": ";
  for (std::size_t at = text.find(kKey); at != std::string::npos; at = text.find(kKey, at + 1)) {
    const std::size_t begin = at + kKey.size();
    sizes.push_back(text.substr(begin, text.find(',', begin) - begin));
  }
  EXPECT_THAT(sizes, ::testing::ElementsAre("10", "20", "10", "80", "40", "null"));
}

TEST_F(NcclSummary, ACollectiveLastsFromItsFirstChannelsBeginToItsLastOnesEnd) {
  Communicator& of = communicator(2);
  void* const operation = begin(of, "AllReduce", 1000, "ncclFloat32", 3);
  channel(of, operation, 2'000, 2'500);
  channel(of, operation, 1'900, 2'100);
  EXPECT_THAT(json(), HasSubstr(R"("time_ns": null, "clock": null)")) << "a channel has not ended";
  EXPECT_THAT(json(), HasSubstr(R"("count": 1, "timed": 0, "bytes": 0, "time_ns": 0, "busbw_count": 0, )"
                                R"("busbw_median_bytes_per_second": null)"));
  channel(of, operation, 2'100, 2'900);
  EXPECT_THAT(json(), HasSubstr(R"("time_ns": 1000, "clock": "gpu", "algbw_bytes_per_second": 4e+09)"));
}

TEST_F(NcclSummary, WithoutATimerOfTheGpuTheTimeIsTheHosts) {
  Communicator& of = communicator(2, 3);
  void* const operation = begin(of, "AllReduce", 1000, "ncclFloat32", 2);
  channel(of, operation, 0, 0);
  summary_clock += 480;
  channel(of, operation, 0, 0);
  EXPECT_THAT(json(), HasSubstr(R"("time_ns": 500, "clock": "host", "algbw_bytes_per_second": 8e+09)"));
}

TEST_F(NcclSummary, WithoutChannelsTheTimeIsThatOfTransfers) {
  Communicator& of = communicator(0, 2);
  void* const operation = begin(of, "AllReduce", 1000, "ncclFloat32", 2);
  void* const transfers = recorder_.begin_proxy_op(
      of, operation, {.process = ::getpid(), .channel = 0, .peer = 1, .steps = 1, .chunk_bytes = 1, .is_send = 1});
  summary_clock += 250;
  recorder_.end(transfers);
  EXPECT_THAT(json(), HasSubstr(R"("time_ns": 250, "clock": "host", "algbw_bytes_per_second": 1.6e+10, )"
                                R"("busbw_bytes_per_second": null)"))
      << "the number of ranks is not known";
}

TEST_F(NcclSummary, ClassesHaveCountsAndQuantiles) {
  Communicator& of = communicator(2);
  for (std::uint64_t i = 1; i <= 20; ++i) collective(of, "AllReduce", 1024, 4096 / i);  // 1 to about 20 GB/s
  collective(of, "AllReduce", 1023, 4092);                                              // the next smaller class
  collective(of, "Broadcast", 1024, 4096);
  const std::string text = json();
  std::uint64_t time = 0;
  for (std::uint64_t i = 1; i <= 20; ++i) time += 4096 / i;
  EXPECT_THAT(text, HasSubstr(R"({"collective": "AllReduce", "from_bytes": 4096, "count": 20, "timed": 20, "bytes": )" +
                              std::to_string(20 * 4096) + R"(, "time_ns": )" + std::to_string(time) +
                              R"(, "busbw_count": 20, "busbw_median_bytes_per_second": )"));
  // By nearest rank the median of 20 is the 10th, 4096 bytes in 409 ns, and the 95th percentile the 19th, in 215 ns.
  EXPECT_THAT(text, HasSubstr(R"("busbw_median_bytes_per_second": 1.00146699e+10, )"
                              R"("busbw_p95_bytes_per_second": 1.90511628e+10)"));
  EXPECT_THAT(text, HasSubstr(R"("from_bytes": 2048, "count": 1, "timed": 1, "bytes": 4092, "time_ns": 4092)"));
  EXPECT_THAT(text, HasSubstr(R"({"collective": "Broadcast", "from_bytes": 4096, "count": 1)"));
}

class NcclSummaryOfThree : public NcclSummary {
 protected:
  NcclSummaryOfThree() : NcclSummary(3) {}
};

TEST_F(NcclSummaryOfThree, WhatLeavesTheRingIsStillCounted) {
  Communicator& of = communicator(2);
  for (int i = 0; i < 4; ++i) collective(of, "AllReduce", 1024, 1000);
  void* const late = begin(of, "AllReduce", 1024);
  for (int i = 0; i < 3; ++i) collective(of, "AllReduce", 1024, 2000);
  channel(of, late, 1'000, 9'000);  // it has left the ring before it ended
  const std::string text = json();
  EXPECT_THAT(text, HasSubstr(R"("collectives": 8, "left_ring": 5, "other_operations": 0)"));
  EXPECT_THAT(text, HasSubstr(R"("count": 8, "timed": 7, "bytes": 28672, "time_ns": 10000, "busbw_count": 3)"));
  EXPECT_THAT(text, Not(HasSubstr(R"("sequence": 4,)")));
  for (const char* const kept : {R"({"sequence": 5,)", R"({"sequence": 6,)", R"({"sequence": 7,)"})
    EXPECT_THAT(text, HasSubstr(kept));
}

TEST_F(NcclSummary, CommunicatorsAreSeparateAndMayEnd) {
  Communicator& first = communicator(2);
  Communicator* const second = recorder_.begin_communicator(6);
  recorder_.describe(*second, "a \"name\"\n", 0xCD, 8, 3, 2);
  collective(first, "AllReduce", 10, 100);
  recorder_.end_communicator(first);
  collective(*second, "Gather", 10, 100);
  const std::string text = json();
  EXPECT_THAT(text, HasSubstr(R"({"nccl_summary": 1, "pid": 7, "lost_channels": 0,)"));
  EXPECT_THAT(text, HasSubstr(R"("name": "world", "id": "0xab", "ranks": 2, "rank": 0, "nodes": 1, "ended": true, )"
                              R"("collectives": 1,)"));
  EXPECT_THAT(text, HasSubstr(R"("name": "a \"name\"\u000a", "id": "0xcd", "ranks": 8, "rank": 3, "nodes": 2, )"
                              R"("ended": false, "collectives": 0, "left_ring": 0, "other_operations": 1)"));
}

TEST_F(NcclSummary, ChannelsThatHaveNoRoomAreCounted) {
  Recorder small(target(true), 2);
  Communicator* const of = small.begin_communicator(6);
  small.describe(*of, "world", 1, 2, 0, 1);
  void* const operation = small.begin_operation(*of, {.function = "AllReduce", .channels = 5});
  for (int i = 0; i < 5; ++i) static_cast<void>(small.begin_channel(*of, operation, 0, 1));
  small.record_lost();
  EXPECT_THAT(json(), HasSubstr(R"("lost_channels": 3)"));
}

}  // namespace
}  // namespace stepsim::capture::nccl::summary_test
