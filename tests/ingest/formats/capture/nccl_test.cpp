// Tests how NCCL's reports about its kernels are read from files of stepsim capture.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>

#include "ingest/formats/capture/nccl.h"
#include "ingest/parts/process_groups.h"
#include "tests/ingest/formats/capture/capture_maker.h"
#include "tests/ingest/read_text.h"

namespace stepsim::ingest::nccl_test {
namespace {

using testing::CaptureMaker;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using wire::Kind;

constexpr std::uint64_t kBegin = 1'700'000'000'000'000'000;
constexpr std::string_view kAllReduceKernel = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

/// Adds a call that starts at `called` microseconds, and a kernel that it launches.
void launch(CaptureMaker& maker, std::uint64_t called, std::uint32_t correlation,
            std::string_view name = kAllReduceKernel) {
  maker.call("cudaLaunchKernelExC", kBegin + called * 1000, 3'000, correlation);
  maker.kernel(name, kBegin + called * 1000 + 10'000, 50'000, correlation, 20);
}

std::uint64_t after(std::uint64_t microseconds) { return kBegin + microseconds * 1000; }

Parsed<HostDeviceTrace> read(CaptureMaker& maker) { return read_text<HostDeviceTrace>("capture", maker.closed()); }

/// Returns the details of the kernel that the call with this correlation launched; null if it has none.
const EventDetail* detail_of(const HostDeviceTrace& trace, std::int64_t correlation) {
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (trace.kind[i] == EventKind::kKernel && trace.correlation[i] == correlation) return trace.detail_of(i);
  }
  ADD_FAILURE() << "no kernel of call " << correlation;
  return nullptr;
}

/// Returns the diagnostics about NCCL's records.
std::map<std::string, std::uint64_t> reported(const PartSink& sink) {
  std::map<std::string, std::uint64_t> counts;
  for (const Diagnostics::Entry& entry : sink.diagnostics.entries()) {
    if (entry.name.starts_with("nccl_")) counts[entry.name] = entry.count;
  }
  return counts;
}

TEST(NcclOperationTest, TextsHaveFourParts) {
  const NcclOperation whole = nccl_operation("AllReduce/ncclFloat32/RING/LL128");
  EXPECT_EQ(whole.function, "AllReduce");
  EXPECT_EQ(whole.element_type, "ncclFloat32");
  EXPECT_EQ(whole.algorithm, "RING");
  EXPECT_EQ(whole.protocol, "LL128");
  EXPECT_EQ(nccl_operation("Send").function, "Send");
  EXPECT_EQ(nccl_operation("Send/ncclInt8//").algorithm, "");
  EXPECT_EQ(nccl_operation("").function, "");
}

TEST(NcclOperationTest, TheLargerSideOfPartsIsThatOfAllRanks) {
  EXPECT_EQ(larger_side(nccl_operation("AllReduce/ncclFloat32"), 10, 4).bytes, Bytes{40});
  EXPECT_EQ(larger_side(nccl_operation("AllGather/ncclBfloat16"), 10, 4).bytes, Bytes{80});
  EXPECT_EQ(larger_side(nccl_operation("ReduceScatter/ncclFloat64"), 10, 4).elements, 40);
  EXPECT_EQ(larger_side(nccl_operation("Broadcast/ncclInt8"), 10, 4).bytes, Bytes{10});
  EXPECT_EQ(larger_side(nccl_operation("AllGather/ncclInt8"), 10, 0).bytes, Bytes{}) << "of how many ranks?";
  EXPECT_EQ(larger_side(nccl_operation("AllReduce/unheardOf"), 10, 4).bytes, Bytes{});
  EXPECT_EQ(larger_side(nccl_operation("AllReduce/ncclInt8"), ~std::uint64_t{0}, 4).elements, 0);
  EXPECT_EQ(larger_side(nccl_operation("AllGather/ncclInt8"), std::uint64_t{1} << 50U, 1'000'000).elements, 0);
}

TEST(CaptureNcclTest, AKernelIsDescribedByWhatWasEnqueuedRightAfterItsLaunch) {
  CaptureMaker maker;
  maker.nccl_communicator(1, 0x1F, 8, 3, 2);
  launch(maker, 100, 1);
  maker.nccl("AllReduce/ncclFloat32/RING/LL", after(104), 1000, 1, 7, 1, 1);
  launch(maker, 200, 2);
  launch(maker, 300, 3, "ncclDevKernel_AllGather_RING_LL");
  maker.nccl("AllGather/ncclInt8/RING/LL", after(305), 100, 2, 0, 1, 2);
  const auto [trace, sink] = read(maker);
  const EventDetail* const reduced = detail_of(trace, 1);
  ASSERT_NE(reduced, nullptr);
  EXPECT_EQ(trace.text(reduced->collective), "AllReduce");
  EXPECT_EQ(key_of(trace, reduced->group), "nccl 0x1f");
  EXPECT_EQ(trace.text(reduced->dtype), "ncclFloat32");
  EXPECT_EQ(reduced->sequence, 7);
  EXPECT_EQ(reduced->bytes, Bytes{4000});
  EXPECT_EQ(reduced->elements, 1000);
  EXPECT_EQ(detail_of(trace, 2), nullptr) << "NCCL told nothing of it";
  ASSERT_NE(detail_of(trace, 3), nullptr);
  EXPECT_EQ(detail_of(trace, 3)->bytes, Bytes{800});
  ASSERT_EQ(trace.groups.size(), 1U);
  EXPECT_EQ(trace.groups[0].own, 3);
  EXPECT_EQ(trace.groups[0].size, 8U);
  EXPECT_EQ(trace.groups[0].nodes, 2);
  EXPECT_EQ(trace.rank, 3) << "no launcher told it";
  EXPECT_EQ(trace.world_size, 8);
  EXPECT_THAT(reported(sink), IsEmpty());
}

TEST(CaptureNcclTest, WhatHasNoKernelOfItsThreadIsCounted) {
  CaptureMaker maker;
  maker.nccl_communicator(1, 0x1F, 2, 0);
  maker.nccl("AllReduce/ncclFloat32/RING/LL", after(50), 1, 1, 0, 1, 1);  // enqueued before any launch
  launch(maker, 100, 1);
  maker.nccl("AllReduce/ncclFloat32/RING/LL", after(110), 2, 2, 1, 1, 2);
  maker.nccl("AllReduce/ncclFloat32/RING/LL", after(120), 3, 3, 2, 1, 3);  // the kernel already has a collective
  const auto [trace, sink] = read(maker);
  EXPECT_EQ(detail_of(trace, 1)->elements, 2);
  EXPECT_THAT(reported(sink), ElementsAre(Pair("nccl_without_kernel", 2)));
}

constexpr std::uint32_t kCallbackThread = 200;

/// Adds a launch of a kernel by NCCL, for these calls of this communicator.
void launch_for(CaptureMaker& maker, std::uint32_t calls, std::uint64_t communicator, std::uint64_t called,
                std::uint32_t correlation) {
  maker.nccl_launch(calls, after(called) - 1'000, 5'000, communicator);
  launch(maker, called, correlation);
}

/// Adds an all-reduce that these calls asked for, reported on a thread of CUDA.
void reduce_for(CaptureMaker& maker, std::uint32_t calls, std::uint64_t communicator, std::uint64_t reported,
                std::uint32_t number, std::uint64_t elements, std::uint64_t group) {
  maker.nccl("AllReduce/ncclFloat32/RING/LL", after(reported), elements, number, number, communicator, group,
             kCallbackThread);
  maker.nccl_calls(calls, number, after(reported));
}

TEST(CaptureNcclTest, FromVersion5OnTheLaunchJoinsWhicheverThreadReports) {
  CaptureMaker maker;
  maker.nccl_communicator(1, 0x1F, 2, 0).nccl_communicator(2, 0x2F, 2, 1);
  launch_for(maker, 9, 1, 100, 1);
  launch_for(maker, 9, 2, 110, 2);
  launch_for(maker, 9, 1, 120, 3);  // the calls take two kernels of communicator 1
  reduce_for(maker, 9, 2, 130, 1, 70, 1);
  reduce_for(maker, 9, 1, 131, 2, 30, 2);
  reduce_for(maker, 9, 1, 131, 3, 5, 2);
  reduce_for(maker, 9, 1, 132, 4, 40, 3);
  const auto [trace, sink] = read(maker);
  EXPECT_EQ(detail_of(trace, 1)->elements, 35) << "of two collectives in one kernel";
  EXPECT_EQ(detail_of(trace, 2)->elements, 70);
  EXPECT_EQ(detail_of(trace, 3)->elements, 40);
  EXPECT_EQ(key_of(trace, detail_of(trace, 2)->group), "nccl 0x2f");
  EXPECT_THAT(reported(sink), IsEmpty());
}

TEST(CaptureNcclTest, ALaunchOfAnotherKernelBetweenTakesNothing) {
  CaptureMaker maker;
  maker.nccl_communicator(1, 0x1F, 2, 0);
  launch_for(maker, 9, 1, 100, 1);
  launch(maker, 120, 2);  // a kernel of another library, with a name like NCCL's
  maker.nccl("AllReduce/ncclFloat32/RING/LL", after(130), 30, 1, 0, 1, 1);
  maker.nccl_calls(9, 1, after(130));
  const auto [trace, sink] = read(maker);
  ASSERT_NE(detail_of(trace, 1), nullptr);
  EXPECT_EQ(detail_of(trace, 1)->elements, 30);
  EXPECT_EQ(detail_of(trace, 2), nullptr) << "it is the last launch before the report";
}

TEST(CaptureNcclTest, ReplaysOfACudaGraphHaveNoKernel) {
  CaptureMaker maker;
  maker.nccl_communicator(1, 0x1F, 2, 0);
  maker.nccl_launch(9, after(50), 5'000, 1, true);
  launch(maker, 100, 1);
  for (std::uint32_t replay = 1; replay <= 2; ++replay) {
    maker.nccl("AllReduce/ncclFloat32/RING/LL", after(100 + 5 * replay), 30, replay, 0, 1, replay);
    maker.nccl_calls(9, replay, after(100 + 5 * replay), true);
  }
  const auto [trace, sink] = read(maker);
  EXPECT_EQ(detail_of(trace, 1), nullptr);
  EXPECT_THAT(reported(sink), ElementsAre(Pair("nccl_without_kernel", 2)));
}

TEST(CaptureNcclTest, CallsWithAnotherNumberOfLaunchesAreNotGuessed) {
  CaptureMaker maker;
  maker.nccl_communicator(1, 0x1F, 2, 0);
  launch_for(maker, 9, 1, 100, 1);
  maker.nccl("AllReduce/ncclFloat32/RING/LL", after(104), 30, 1, 0, 1, 1).nccl_calls(9, 1, after(104));
  maker.nccl("AllReduce/ncclFloat32/RING/LL", after(105), 40, 2, 1, 1, 2).nccl_calls(9, 2, after(105));
  const auto [trace, sink] = read(maker);
  EXPECT_EQ(detail_of(trace, 1), nullptr);
  EXPECT_THAT(reported(sink), ElementsAre(Pair("nccl_without_kernel", 2)));
}

TEST(CaptureNcclTest, WithoutLaunchesCallsAreJoinedAsBeforeVersion5) {
  CaptureMaker maker;
  maker.nccl_communicator(1, 0x1F, 2, 0);
  launch(maker, 100, 1);
  maker.nccl("AllReduce/ncclFloat32/RING/LL", after(104), 30, 1, 0, 1, 1).nccl_calls(9, 1, after(104));
  const auto [trace, sink] = read(maker);
  EXPECT_EQ(detail_of(trace, 1)->elements, 30);
  EXPECT_THAT(reported(sink), IsEmpty());
}

TEST(CaptureNcclTest, SeveralCollectivesInOneKernelCountAsOneIfTheyAreAlike) {
  CaptureMaker maker;
  maker.nccl_communicator(1, 0x1F, 2, 0);
  launch(maker, 100, 1);
  maker.nccl("AllReduce/ncclFloat32/RING/LL", after(104), 1000, 1, 7, 1, 1);
  maker.nccl("AllReduce/ncclFloat32/TREE/SIMPLE", after(104), 500, 2, 8, 1, 1);
  launch(maker, 200, 2);
  maker.nccl("AllReduce/ncclFloat32/RING/LL", after(204), 1000, 3, 9, 1, 2);
  maker.nccl("AllGather/ncclInt8/RING/LL", after(204), 500, 4, 0, 1, 2);
  const auto [trace, sink] = read(maker);
  EXPECT_EQ(detail_of(trace, 1)->bytes, Bytes{6000});
  EXPECT_EQ(detail_of(trace, 1)->sequence, 7);
  EXPECT_EQ(detail_of(trace, 2)->bytes, Bytes{}) << "what one of them costs is not known";
  EXPECT_EQ(detail_of(trace, 2)->sequence, 9);
}

TEST(CaptureNcclTest, MessagesAreWhatTheirPeersMakeOfThem) {
  CaptureMaker maker;
  maker.nccl_communicator(1, 0x1F, 3, 0);
  const auto message = [&maker](std::string_view what, std::uint64_t at, std::uint32_t number, std::uint64_t peer,
                                std::uint64_t group) { maker.nccl(what, after(at), 10, number, peer, 1, group); };
  constexpr std::string_view kSend = "Send/ncclFloat32//";
  constexpr std::string_view kReceive = "Recv/ncclFloat32//";
  constexpr std::string_view kKernel = "ncclDevKernel_SendRecv";
  launch(maker, 100, 1, kKernel);
  message(kSend, 104, 1, 2, 1);
  launch(maker, 200, 2, kKernel);  // an exchange between two ranks
  message(kSend, 204, 2, 2, 2);
  message(kReceive, 204, 3, 2, 2);
  launch(maker, 300, 3, kKernel);  // all to all, including itself
  for (std::uint32_t peer = 0; peer < 3; ++peer) {
    message(kSend, 304, 10 + peer, peer, 3);
    message(kReceive, 304, 20 + peer, peer, 3);
  }
  launch(maker, 400, 4, kKernel);  // a send to one rank and a receive from another
  message(kSend, 404, 30, 1, 4);
  message(kReceive, 404, 31, 2, 4);
  const auto [trace, sink] = read(maker);
  EXPECT_EQ(trace.text(detail_of(trace, 1)->collective), "send");
  EXPECT_EQ(detail_of(trace, 1)->peer, 2);
  EXPECT_EQ(detail_of(trace, 1)->bytes, Bytes{40});
  EXPECT_EQ(trace.text(detail_of(trace, 2)->collective), "sendrecv");
  EXPECT_EQ(key_of(trace, detail_of(trace, 2)->group), "nccl 0x1f 0-2");
  EXPECT_EQ(trace.text(detail_of(trace, 3)->collective), "all_to_all");
  EXPECT_EQ(detail_of(trace, 3)->bytes, Bytes{120});
  EXPECT_EQ(trace.text(detail_of(trace, 4)->collective), "sendrecv");
  EXPECT_EQ(key_of(trace, detail_of(trace, 4)->group), "nccl 0x1f");
}

TEST(CaptureNcclTest, OnlyWhatWasEnqueuedInActiveStepsCounts) {
  CaptureMaker maker;
  maker.nccl_communicator(1, 0x1F, 2, 0);
  maker.step(0, after(0), wire::Phase::kWarmUp).step(1, after(150)).step(2, after(250), wire::Phase::kDone);
  launch(maker, 100, 1);
  maker.nccl("AllReduce/ncclFloat32/RING/LL", after(104), 1, 1, 0, 1, 1);
  launch(maker, 200, 2);
  maker.nccl("AllReduce/ncclFloat32/RING/LL", after(204), 2, 2, 1, 1, 2);
  const auto [trace, sink] = read(maker);
  EXPECT_EQ(detail_of(trace, 2)->elements, 2);
  EXPECT_THAT(reported(sink), IsEmpty());
}

/// Returns a file with every kind of NCCL record for one all-reduce.
std::string told() {
  CaptureMaker maker;
  maker.nccl_communicator(1, 0x1F, 2, 0);
  launch(maker, 100, 1);
  maker.nccl("AllReduce/ncclFloat32/RING/LL", after(104), 1000, 5, 0, 1, 1);
  maker.add(
      {.kind = Kind::kNcclChannel, .device = 0, .which = 5, .start = after(110), .duration = 9, .a = 100, .b = 700});
  maker.add({.kind = Kind::kNcclChannel, .device = 1, .which = 5, .start = after(110), .duration = 9});
  maker.add({.kind = Kind::kNcclProxyOp, .detail = 1, .device = 0, .which = 5, .start = after(110), .correlation = 8});
  maker.add({.kind = Kind::kNcclProxyStep,
             .detail = 1,
             .which = 8,
             .start = after(111),
             .duration = 1000,
             .correlation = 4096,
             .a = 200,
             .b = 300});
  // The following operation, with its transfer, belongs to another process.
  maker.add({.kind = Kind::kNcclProxyOp, .which = 0, .start = after(110), .correlation = 9});
  maker.add({.kind = Kind::kNcclProxyStep, .which = 9, .start = after(111), .duration = 50, .correlation = 1, .a = 60});
  return maker.closed();
}

TEST(CaptureNcclTest, WaitsOfTransfersAreAddedUpWhereTheyAreAskedFor) {
  PartSink sink;
  sink.details = true;
  const std::string bytes = told();
  Input input = Input::from_memory(bytes, "file");
  format_named("capture").read(input, sink);
  const auto& trace = std::get<HostDeviceTrace>(sink.parts.at(0).part);
  ASSERT_EQ(trace.transports.size(), 2U);
  const TransportUse& use = trace.transports[0];
  EXPECT_EQ(use.group, "0x1f, rank 0 of 2");
  EXPECT_EQ(use.operation, "AllReduce");
  EXPECT_EQ(use.algorithm, "RING");
  EXPECT_EQ(use.protocol, "LL");
  EXPECT_EQ(use.operations, 1U);
  EXPECT_EQ(use.bytes, Bytes{4000});
  EXPECT_EQ(use.channels, 2U);
  EXPECT_EQ(use.channel_time, Duration{609}) << "by the device's timer, else as the host saw it";
  EXPECT_EQ(use.sent.pieces, 1U);
  EXPECT_EQ(use.sent.bytes, Bytes{4096});
  EXPECT_EQ(use.sent.device, Duration{200});
  EXPECT_EQ(use.sent.peer, Duration{300});
  EXPECT_EQ(use.sent.network, Duration{500});
  EXPECT_EQ(use.received.pieces, 0U);
  const TransportUse& other = trace.transports[1];
  EXPECT_EQ(other.operation, "unknown");
  EXPECT_EQ(other.operations, 0U);
  EXPECT_EQ(other.received.pieces, 1U);
  EXPECT_EQ(other.received.device, Duration{50}) << "not more than it took";
  EXPECT_EQ(other.received.network, Duration{});
}

TEST(CaptureNcclTest, OthersDoWithoutThem) {
  EXPECT_THAT(read_text<HostDeviceTrace>("capture", told()).part.transports, IsEmpty());
}

TEST(CaptureNcclTest, LossesAreTold) {
  CaptureMaker maker;
  launch(maker, 100, 1);
  maker.add({.kind = Kind::kNcclStatus, .start = 1, .a = 5, .b = 2});
  maker.add({.kind = Kind::kNcclStatus, .start = 1, .a = 9, .b = 1});
  const auto [trace, sink] = read(maker);
  EXPECT_THAT(reported(sink), ElementsAre(Pair("nccl_events_lost", 9), Pair("nccl_events_unfinished", 3)))
      << "the one is a running count";
}

}  // namespace
}  // namespace stepsim::ingest::nccl_test
