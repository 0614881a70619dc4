#include "capture/nccl/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ingest/bytes/byte_source.h"
#include "ingest/formats/capture/records.h"
#include "tests/sim/temporary_folder.h"

namespace stepsim::capture::nccl::recorder_test {
namespace {

using testing::TemporaryFolder;
using wire::Kind;
using wire::Record;

std::uint64_t clock_now = 0;
bool is_recording = true;

/// Makes a recorder that writes to a file, and reads the file.
class NcclRecorder : public ::testing::Test {
 protected:
  NcclRecorder() : writer_(Writer::create(path_, std::size_t{4} << 20U)) {
    clock_now = 1'700'000'000'000'000'000;
    is_recording = true;
    recorder_ = std::make_unique<Recorder>(target_of_file(), kRoom);
  }

  Target target_of_file() {
    return {.sink = &sink_,
            .now = []() noexcept { return clock_now; },
            .thread = []() noexcept { return 42U; },
            .recording = []() noexcept { return is_recording; }};
  }

  ingest::CaptureRecords read() {
    writer_.reset();
    ingest::PartSink sink;
    const auto source = ingest::open_file(path_);
    return ingest::read_capture_records(*source, sink);
  }

  static std::vector<Record> of_kind(const ingest::CaptureRecords& records, Kind kind) {
    std::vector<Record> found;
    std::copy_if(records.nccl.begin(), records.nccl.end(), std::back_inserter(found),
                 [kind](const Record& record) { return record.kind == kind; });
    return found;
  }

  void* begin_all_reduce(const Communicator& communicator, void* group) {
    return recorder_->begin_operation(communicator, {.function = "AllReduce",
                                                     .element_type = "ncclFloat32",
                                                     .algorithm = "RING",
                                                     .protocol = "LL",
                                                     .elements = 1000,
                                                     .sequence = 7,
                                                     .channels = 2,
                                                     .group = group});
  }
  static ProxyOp op(bool is_send) {
    return {
        .process = ::getpid(), .channel = 3, .peer = 5, .steps = 9, .chunk_bytes = 4096, .is_send = is_send ? 1 : 0};
  }

  static constexpr std::uint32_t kRoom = 4;
  const TemporaryFolder folder_;
  std::string path_ = folder_.file("a.capture");
  std::unique_ptr<Writer> writer_;
  CaptureSink sink_{*writer_};
  std::unique_ptr<Recorder> recorder_;
};

TEST_F(NcclRecorder, SaysWhatIsKnownOfACommunicator) {
  Communicator* const communicator = recorder_->begin_communicator(6);
  recorder_->describe(*communicator, "tensor parallel", 0xABCD, 8, 3, 2);
  Communicator* const other = recorder_->begin_communicator(2);
  recorder_->describe(*other, nullptr, 0, 0, -1, 0);
  recorder_->describe(*other, "later", 0x11, 0, 0, 0);
  const auto records = read();
  ASSERT_EQ(records.communicators.size(), 2U);
  const ingest::NcclCommunicator& first = records.communicators.at(1);
  EXPECT_EQ(first.name, "tensor parallel");
  EXPECT_EQ(first.id, 0xABCDU);
  EXPECT_EQ(first.size, 8);
  EXPECT_EQ(first.rank, 3);
  const ingest::NcclCommunicator& second = records.communicators.at(2);
  EXPECT_EQ(second.name, "later");
  EXPECT_EQ(second.id, 0x11U);
  EXPECT_EQ(second.size, 0);
  EXPECT_EQ(second.rank, 0);
}

TEST_F(NcclRecorder, AnOperationBelongsToItsGroupAndCommunicator) {
  Communicator* const communicator = recorder_->begin_communicator(6);
  void* const group = recorder_->begin_group();
  ASSERT_NE(begin_all_reduce(*communicator, group), nullptr);
  ASSERT_NE(recorder_->begin_operation(
                *communicator, {.is_message = true, .function = "Send", .element_type = "ncclInt8", .sequence = 4}),
            nullptr);
  const auto records = read();
  ASSERT_EQ(records.nccl.size(), 2U);
  const auto collectives = of_kind(records, Kind::kNcclCollective);
  ASSERT_EQ(collectives.size(), 1U);
  EXPECT_EQ(records.text(collectives[0].which), "AllReduce/ncclFloat32/RING/LL");
  EXPECT_EQ(collectives[0].duration, 1000U);
  EXPECT_EQ(collectives[0].a, 7U);
  EXPECT_EQ(collectives[0].b, 1U + (std::uint64_t{1} << 32U));
  EXPECT_EQ(collectives[0].stream, 42U);
  EXPECT_EQ(collectives[0].detail, 2);
  const auto messages = of_kind(records, Kind::kNcclMessage);
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(records.text(messages[0].which), "Send/ncclInt8//");
  EXPECT_EQ(messages[0].a, 4U);
  EXPECT_EQ(messages[0].b, 1U) << "no group";
}

TEST_F(NcclRecorder, ASendWaitsForTheDeviceThenThePeerThenTheNetwork) {
  Communicator* const communicator = recorder_->begin_communicator(6);
  void* const operation = begin_all_reduce(*communicator, nullptr);
  void* const proxy_op = recorder_->begin_proxy_op(*communicator, operation, op(true));
  void* const step = recorder_->begin_proxy_step(*communicator, proxy_op);
  // The wait for the device lasts from the beginning of the send, although NCCL reports its first state 1 ns later. So
  // it takes 1 + 30 ns.
  clock_now += 1;
  recorder_->change(step, State::kSendGpuWait, 999);
  clock_now += 30;
  recorder_->change(step, State::kSendPeerWait, 999);
  clock_now += 500;
  recorder_->change(step, State::kSendWait, 4096);
  clock_now += 7000;
  recorder_->end(step);
  recorder_->end(proxy_op);
  const auto records = read();
  const auto steps = of_kind(records, Kind::kNcclProxyStep);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].duration, 7531U);
  EXPECT_EQ(steps[0].a, 31U);
  EXPECT_EQ(steps[0].b, 500U);
  EXPECT_EQ(steps[0].correlation, 4096U);
  EXPECT_EQ(steps[0].detail, 1);
  const auto ops = of_kind(records, Kind::kNcclProxyOp);
  ASSERT_EQ(ops.size(), 1U);
  EXPECT_EQ(steps[0].which, ops[0].correlation);
  EXPECT_EQ(ops[0].which, of_kind(records, Kind::kNcclCollective)[0].correlation);
  EXPECT_EQ(ops[0].device, 3);
  EXPECT_EQ(ops[0].stream, 5U);
  EXPECT_EQ(ops[0].b, 9U);
}

TEST_F(NcclRecorder, AReceiveWaitsForTheNetworkThenTheDevice) {
  Communicator* const communicator = recorder_->begin_communicator(6);
  void* const proxy_op = recorder_->begin_proxy_op(*communicator, begin_all_reduce(*communicator, nullptr), op(false));
  void* const step = recorder_->begin_proxy_step(*communicator, proxy_op);
  recorder_->change(step, State::kReceiveWait, 1);
  clock_now += 100;
  recorder_->change(step, State::kReceiveFlushWait, 2048);
  clock_now += 10;
  recorder_->change(step, State::kReceiveGpuWait, 1);
  clock_now += 5;
  recorder_->end(step);
  const auto steps = of_kind(read(), Kind::kNcclProxyStep);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].duration, 115U);
  EXPECT_EQ(steps[0].a, 5U);
  EXPECT_EQ(steps[0].b, 0U);
  EXPECT_EQ(steps[0].correlation, 2048U);
  EXPECT_EQ(steps[0].detail, 0);
}

TEST_F(NcclRecorder, AChannelHasTheTimesOfTheDevice) {
  Communicator* const communicator = recorder_->begin_communicator(4);
  void* const channel = recorder_->begin_channel(*communicator, begin_all_reduce(*communicator, nullptr), 1, 1000);
  clock_now += 50;
  recorder_->change(channel, State::kKernelChannelStop, 1200);
  recorder_->end(channel);
  const auto channels = of_kind(read(), Kind::kNcclChannel);
  ASSERT_EQ(channels.size(), 1U);
  EXPECT_EQ(channels[0].a, 1000U);
  EXPECT_EQ(channels[0].b, 1200U);
  EXPECT_EQ(channels[0].duration, 50U);
  EXPECT_EQ(channels[0].device, 1);
}

TEST_F(NcclRecorder, AChannelHasNoTimesOfTheDeviceIfItsTimerDoesNotCountNanoseconds) {
  Target target = target_of_file();
  target.has_device_timer = false;
  recorder_ = std::make_unique<Recorder>(target, kRoom);
  Communicator* const communicator = recorder_->begin_communicator(6);
  void* const channel = recorder_->begin_channel(*communicator, begin_all_reduce(*communicator, nullptr), 1, 1000);
  clock_now += 50;
  recorder_->change(channel, State::kKernelChannelStop, 1200);
  recorder_->end(channel);
  const auto channels = of_kind(read(), Kind::kNcclChannel);
  ASSERT_EQ(channels.size(), 1U);
  EXPECT_EQ(channels[0].a, 0U);
  EXPECT_EQ(channels[0].b, 0U);
  EXPECT_EQ(channels[0].duration, 50U);
}

TEST_F(NcclRecorder, BeforeVersion4AProxyOperationHasTheBytes) {
  Communicator* const communicator = recorder_->begin_communicator(2);
  void* const proxy_op = recorder_->begin_proxy_op(*communicator, begin_all_reduce(*communicator, nullptr), op(true));
  recorder_->change(proxy_op, static_cast<State>(2), 4096);
  recorder_->change(proxy_op, static_cast<State>(3), 8192);
  recorder_->end(proxy_op);
  EXPECT_EQ(of_kind(read(), Kind::kNcclProxyOp).at(0).a, 8192U);
}

TEST_F(NcclRecorder, OfAnotherProcessThereIsNoParent) {
  Communicator* const communicator = recorder_->begin_communicator(6);
  void* const theirs = begin_all_reduce(*communicator, nullptr);
  ProxyOp other = op(true);
  other.process = ::getpid() + 1;
  recorder_->end(recorder_->begin_proxy_op(*communicator, theirs, other));
  recorder_->end(recorder_->begin_proxy_op(*communicator, nullptr, other));
  const auto ops = of_kind(read(), Kind::kNcclProxyOp);
  ASSERT_EQ(ops.size(), 2U);
  EXPECT_EQ(ops[0].which, 0U);
  EXPECT_EQ(ops[1].which, 0U);
}

TEST_F(NcclRecorder, WhatIsNotWantedIsNotRecordedNorWhatBelongsToIt) {
  Communicator* const communicator = recorder_->begin_communicator(6);
  is_recording = false;
  EXPECT_EQ(recorder_->begin_group(), nullptr);
  void* const operation = begin_all_reduce(*communicator, nullptr);
  EXPECT_EQ(operation, nullptr);
  is_recording = true;
  EXPECT_EQ(recorder_->begin_proxy_op(*communicator, operation, op(true)), nullptr);
  EXPECT_EQ(recorder_->begin_proxy_step(*communicator, nullptr), nullptr);
  EXPECT_EQ(recorder_->begin_channel(*communicator, operation, 0, 1), nullptr);
  recorder_->change(nullptr, State::kSendWait, 1);
  recorder_->end(nullptr);
  void* const wanted = begin_all_reduce(*communicator, nullptr);
  is_recording = false;
  void* const goes_on = recorder_->begin_proxy_op(*communicator, wanted, op(true));
  EXPECT_NE(goes_on, nullptr) << "what was begun is recorded to its end";
  recorder_->end(goes_on);
  EXPECT_EQ(read().nccl.size(), 2U);
}

TEST_F(NcclRecorder, ALaunchAndAnOperationNameTheCallsThatTheyServe) {
  Communicator* const communicator = recorder_->begin_communicator(6);
  void* const other_calls = recorder_->begin_calls(true);
  void* const calls = recorder_->begin_calls(false);
  void* const launch = recorder_->begin_launch(*communicator, calls);
  clock_now += 3'000;
  recorder_->end(launch);
  static_cast<void>(recorder_->begin_operation(*communicator, {.function = "AllReduce", .calls = calls}));
  recorder_->end(calls);
  recorder_->end(recorder_->begin_launch(*communicator, other_calls));
  static_cast<void>(recorder_->begin_operation(*communicator, {.function = "AllReduce", .calls = other_calls}));
  const auto records = read();
  const auto launches = of_kind(records, Kind::kNcclLaunch);
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0].which, 2U);
  EXPECT_EQ(launches[0].a, communicator->number);
  EXPECT_EQ(launches[0].stream, 42U);
  EXPECT_EQ(launches[0].duration, 3'000U);
  EXPECT_EQ(launches[0].detail, 0);
  EXPECT_EQ(launches[1].which, 1U);
  EXPECT_EQ(launches[1].detail, 1) << "captured by a CUDA graph";
  const auto of_operations = of_kind(records, Kind::kNcclCalls);
  ASSERT_EQ(of_operations.size(), 2U);
  const bool in_order = of_operations[0].which == 1;
  const Record& first = of_operations[in_order ? 0 : 1];
  const Record& second = of_operations[in_order ? 1 : 0];
  EXPECT_EQ(first.correlation, 2U);
  EXPECT_EQ(first.detail, 0);
  EXPECT_EQ(second.correlation, 1U);
  EXPECT_EQ(second.detail, 1);
}

TEST_F(NcclRecorder, CallsThatAGraphCapturedAreKnownWhenItsReplaysAreRecorded) {
  Communicator* const communicator = recorder_->begin_communicator(6);
  is_recording = false;
  void* const calls = recorder_->begin_calls(true);
  EXPECT_EQ(recorder_->begin_launch(*communicator, calls), nullptr);
  is_recording = true;
  static_cast<void>(recorder_->begin_operation(*communicator, {.function = "AllReduce", .calls = calls}));
  EXPECT_EQ(recorder_->begin_launch(*communicator, nullptr), nullptr) << "before version 5";
  const auto of_operations = of_kind(read(), Kind::kNcclCalls);
  ASSERT_EQ(of_operations.size(), 1U);
  EXPECT_EQ(of_operations[0].detail, 1);
}

TEST_F(NcclRecorder, CountsWhatHasNoRoomAndWhatDidNotEnd) {
  Communicator* const communicator = recorder_->begin_communicator(6);
  void* const proxy_op = recorder_->begin_proxy_op(*communicator, begin_all_reduce(*communicator, nullptr), op(true));
  std::vector<void*> steps(10);
  for (void*& step : steps) step = recorder_->begin_proxy_step(*communicator, proxy_op);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), nullptr), 10 - (kRoom - 1));
  recorder_->end(steps[0]);
  recorder_->end(steps[0]);
  recorder_->end_communicator(*communicator);
  const auto records = read();
  EXPECT_EQ(records.nccl_lost, 7U);
  EXPECT_EQ(records.nccl_unfinished, 3U) << "two steps and their proxy operation";
  EXPECT_EQ(of_kind(records, Kind::kNcclProxyStep).size(), 1U);
}

TEST_F(NcclRecorder, TextsMayBeMissingOrHaveSeparators) {
  Communicator* const communicator = recorder_->begin_communicator(6);
  static_cast<void>(recorder_->begin_operation(*communicator, {.elements = 1}));
  static_cast<void>(recorder_->begin_operation(*communicator, {.function = "A/B", .element_type = "x"}));
  const auto records = read();
  ASSERT_EQ(records.nccl.size(), 2U);
  EXPECT_THAT((std::vector<std::string>{std::string(records.text(records.nccl[0].which)),
                                        std::string(records.text(records.nccl[1].which))}),
              ::testing::UnorderedElementsAre("///", "A_B/x//"));
}

}  // namespace
}  // namespace stepsim::capture::nccl::recorder_test
