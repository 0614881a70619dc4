// Tests that a trace that is written in the form of PyTorch's profiler is read back unchanged.
#include "ingest/formats/kineto/kineto_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "ingest/parts/process_groups.h"
#include "tests/ingest/formats/capture/capture_maker.h"
#include "tests/ingest/read_text.h"
#include "tests/ingest/trace_maker.h"

namespace stepsim::ingest::kineto_text_test {
namespace {

using stepsim::testing::CaptureMaker;
using ::testing::HasSubstr;
using wire::Kind;

constexpr std::uint64_t kBegin = 1'700'000'000'000'000'123;

HostDeviceTrace captured() {
  CaptureMaker maker;
  maker.session("pid", "42").session("host", "node7").session("rank", "3").session("world", "8");
  maker.add({.kind = Kind::kLaunch, .which = 1, .start = 80, .duration = 128, .correlation = 32, .stream = 1024});
  const std::uint32_t name = maker.text("void \"gemm\"<2>(float*)");
  const std::uint32_t gpu = maker.text("H100");
  maker.add({.kind = Kind::kDevice, .device = 0, .which = gpu, .start = 85'520'809'984});
  maker.step(4, kBegin).step(5, kBegin + 9'000'001, wire::Phase::kDone);
  maker.call("cudaLaunchKernel", kBegin + 7, 3'001, 9).call("cudaEventRecord", kBegin + 4'000, 10, 10);
  maker.call("cudaStreamWaitEvent", kBegin + 5'000, 10, 11);
  maker.add({.kind = Kind::kKernel,
             .device = 0,
             .which = name,
             .start = kBegin + 5'009,
             .duration = 70'001,
             .correlation = 9,
             .stream = 7,
             .a = 1});
  maker.add({.kind = Kind::kMemcpy,
             .detail = 1,
             .device = 0,
             .which = wire::memories(2, 3),
             .start = kBegin + 6'000,
             .duration = 10,
             .correlation = 9,
             .stream = 20,
             .a = 4096});
  maker.add({.kind = Kind::kEventRecord, .correlation = 10, .stream = 7, .a = 1});
  maker.add({.kind = Kind::kContext, .device = 0, .a = 1});
  maker.add(
      {.kind = Kind::kSync, .detail = 2, .start = kBegin + 5'000, .correlation = 11, .stream = 20, .a = 1, .b = 1});
  return read_text<HostDeviceTrace>("capture", maker.closed()).part;
}

std::string written(const HostDeviceTrace& trace) {
  std::string text;
  write_kineto(trace, R"("program": "stepsim")", [&text](std::string_view more) { text += more; });
  return text;
}

TEST(KinetoTextTest, ReadingItGivesTheSameEvents) {
  const HostDeviceTrace before = captured();
  const auto [after, sink] = read_text<HostDeviceTrace>("kineto", written(before));
  EXPECT_EQ(sink.skipped, 0U);
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after.kind[i], before.kind[i]);
    EXPECT_EQ(after.text(after.name[i]), before.text(before.name[i]));
    EXPECT_EQ(after.start[i], before.start[i]);
    EXPECT_EQ(after.duration[i], before.duration[i]);
    EXPECT_EQ(after.correlation[i], before.correlation[i]);
    const Track& row = after.tracks[after.track[i].index()];
    const Track& row_before = before.tracks[before.track[i].index()];
    EXPECT_EQ(row.on_device, row_before.on_device);
    EXPECT_EQ(row.device, row_before.device);
    if (before.kind[i] != EventKind::kSync) {
      EXPECT_EQ(row.stream, row_before.stream);
    }
    EXPECT_EQ(row.thread, row_before.thread);
    const EventDetail* const detail = after.detail_of(i);
    const EventDetail* const detail_before = before.detail_of(i);
    ASSERT_EQ(detail == nullptr, detail_before == nullptr);
    if (detail == nullptr || detail_before == nullptr) continue;
    EXPECT_EQ(detail->bytes, detail_before->bytes);
    EXPECT_EQ(detail->stream, detail_before->stream);
    EXPECT_EQ(detail->wait_stream, detail_before->wait_stream);
    EXPECT_EQ(detail->wait_correlation, detail_before->wait_correlation);
    EXPECT_EQ(detail->sync, detail_before->sync);
    EXPECT_EQ(detail->from, detail_before->from);
    EXPECT_EQ(detail->to, detail_before->to);
  }
  EXPECT_EQ(after.launches, before.launches);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(after.launch_of[i], before.launch_of[i]) << i;
  EXPECT_EQ(after.rank, 3);
  EXPECT_EQ(after.world_size, 8);
  EXPECT_EQ(after.host_name, "node7");
  EXPECT_EQ(after.device_name, "H100");
  EXPECT_EQ(after.device_memory, 85'520'809'984);
  EXPECT_TRUE(after.has_base_time);
}

TEST(KinetoTextTest, CollectivesKeepWhatTheyTransferAndAmongWhom) {
  testing::TraceMaker maker;
  const TrackId stream = maker.stream(7);
  HostDeviceTrace& trace = maker.trace;
  trace.rank = 1;
  trace.world_size = 4;
  const auto collective = [&](const ProcessGroup& group, const std::string& operation, std::int32_t peer) {
    const double begin = 100.0 * static_cast<double>(trace.size());
    EventDetail& detail = maker.detail(maker.add(EventKind::kKernel, "ncclDevKernel_x", stream, begin, 50));
    detail.collective = maker.text(operation);
    detail.group = maker.group(group);
    detail.dtype = maker.text("ncclBfloat16");
    detail.elements = 1000;
    detail.bytes = Bytes{2000};
    detail.sequence = 12;
    detail.peer = peer;
  };
  collective({.name = {}, .size = 2, .ranks = {1, 3}}, "send", 3);
  collective({.name = maker.text("nccl 0x1"), .size = 4, .ranks = {}, .own = 1}, "AllReduce", -1);  // the whole job
  collective({.name = maker.text("nccl 0x2"), .size = 2, .ranks = {}, .own = 0}, "AllGather", -1);

  const auto [after, sink] = read_text<HostDeviceTrace>("kineto", written(trace));
  ASSERT_EQ(after.size(), trace.size());
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const EventDetail& before = *trace.detail_of(i);
    ASSERT_NE(after.detail_of(i), nullptr);
    const EventDetail& detail = *after.detail_of(i);
    EXPECT_EQ(after.text(detail.collective), trace.text(before.collective));
    EXPECT_EQ(after.text(detail.dtype), "ncclBfloat16");
    EXPECT_EQ(detail.elements, before.elements);
    EXPECT_EQ(detail.bytes, before.bytes);
    EXPECT_EQ(detail.sequence, before.sequence);
    EXPECT_EQ(detail.peer, before.peer);
  }
  const auto group = [&after = after](std::size_t event) { return group_in(after, after.detail_of(event)->group); };
  EXPECT_EQ(group(0), (Group{"", 2, {1, 3}}));
  EXPECT_EQ(group(1), (Group{"", 4, {0, 1, 2, 3}}));
  EXPECT_EQ(group(2), Group{"nccl 0x2"}) << "only its own rank is known";
}

TEST(KinetoTextTest, TimesCountFromKinetosBase) {
  // Kineto's base is a multiple of 7,889,238 s (a quarter of a year): here the last one before kBegin.
  EXPECT_THAT(written(captured()), HasSubstr("\"baseTimeNanoseconds\": 1696186170000000000,"));
}

}  // namespace
}  // namespace stepsim::ingest::kineto_text_test
