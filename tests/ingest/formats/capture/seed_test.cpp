// Makes a seed for the fuzzer (tests/fuzz/corpus/capture_fuzz/nccl.capture). It contains every kind of record of NCCL's
// profiler interface, and also marks and overhead. If the format changes, this command writes the seed again:
//
//     STEPSIM_WRITE_SEEDS=1 build/release/bin/capture_format_test --gtest_filter='CaptureSeedTest.*'
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/ingest/formats/capture/capture_maker.h"
#include "tests/ingest/read_text.h"
#include "tests/source_folder.h"

namespace stepsim::ingest::seed_test {
namespace {

using testing::CaptureMaker;
using wire::Kind;

constexpr std::uint64_t kBegin = 1'700'000'000'000'000'000;
constexpr std::uint32_t kSteps = 3;

/// Adds a collective on two channels with one sent and one received transfer, a message to the other rank, a mark and
/// overhead.
void add_step(CaptureMaker& maker, std::uint32_t step) {
  const std::uint64_t begin = kBegin + std::uint64_t{step} * 1'000'000;
  const std::uint32_t collective = 2 * step + 1;
  const std::uint32_t message = collective + 1;
  maker.step(step, begin);
  maker.call("cudaLaunchKernelExC", begin + 10'000, 3'000, collective);
  maker.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", begin + 20'000, 50'000, collective, 20);
  maker.nccl("AllReduce/ncclFloat32/RING/LL", begin + 14'000, 1000, collective, step, 1, collective);
  for (const std::uint16_t channel : {std::uint16_t{0}, std::uint16_t{1}}) {
    maker.add({.kind = Kind::kNcclChannel,
               .device = channel,
               .which = collective,
               .start = begin + 21'000,
               .duration = 40'000,
               .a = 100,
               .b = 40'100});
  }
  for (const std::uint8_t sends : {std::uint8_t{0}, std::uint8_t{1}}) {
    const std::uint32_t proxy = 2 * collective + sends;
    maker.add({.kind = Kind::kNcclProxyOp,
               .detail = sends,
               .device = 0,
               .which = collective,
               .start = begin + 22'000,
               .duration = 30'000,
               .correlation = proxy,
               .stream = 1,
               .a = 4096,
               .b = 1});
    maker.add({.kind = Kind::kNcclProxyStep,
               .detail = sends,
               .which = proxy,
               .start = begin + 23'000,
               .duration = 1'000,
               .correlation = 4096,
               .a = 200,
               .b = 300});
  }
  maker.call("cudaLaunchKernelExC", begin + 100'000, 3'000, message);
  maker.kernel("ncclDevKernel_SendRecv", begin + 110'000, 20'000, message, 20);
  maker.nccl("Send/ncclInt8", begin + 104'000, 512, message, 1, 1, message);
  const std::uint32_t mark = maker.text("epoch");
  maker.add({.kind = Kind::kRangeMark, .which = mark, .start = begin + 200'000, .stream = 100});
  const std::uint32_t flush = maker.text("Buffer Flush");
  maker.add({.kind = Kind::kOverhead, .which = flush, .start = begin + 300'000, .duration = 1'500, .stream = 100});
}

std::string seed() {
  CaptureMaker maker;
  maker.session("pid", "42").session("host", "node").session("rank", "0").session("world", "2");
  maker.nccl_communicator(1, 0x1F, 2, 0);
  for (std::uint32_t step = 0; step < kSteps; ++step) {
    add_step(maker, step);
    maker.block();
  }
  maker.step(kSteps, kBegin + std::uint64_t{kSteps} * 1'000'000, wire::Phase::kDone);
  maker.add({.kind = Kind::kNcclStatus, .start = 1, .correlation = 1, .a = 1, .b = 2});
  return maker.closed();
}

TEST(CaptureSeedTest, TheFuzzersSeedIsAsItIsMadeHere) {
  const std::filesystem::path path = source_folder() / "tests/fuzz/corpus/capture_fuzz/nccl.capture";
  if (std::getenv("STEPSIM_WRITE_SEEDS") != nullptr) std::ofstream(path, std::ios::binary) << seed();
  std::ifstream file(path, std::ios::binary);
  std::stringstream there;
  there << file.rdbuf();
  EXPECT_TRUE(there.str() == seed()) << path << " is not what the top of this file says how to write";
}

/// Each step has a collective of 4000 bytes and a message of 512 bytes, both reported by NCCL. All records are used;
/// the last one reports losses.
TEST(CaptureSeedTest, AllOfItIsUsed) {
  PartSink sink;
  sink.details = true;
  const std::string bytes = seed();
  Input input = Input::from_memory(bytes, "file");
  format_named("capture").read(input, sink);
  const auto& trace = std::get<HostDeviceTrace>(sink.parts.at(0).part);
  std::size_t sized = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const EventDetail* const detail = trace.detail_of(i);
    if (detail == nullptr || detail->bytes == Bytes{}) continue;
    ++sized;
    EXPECT_TRUE(detail->bytes == Bytes{4000} || detail->bytes == Bytes{512});
  }
  EXPECT_EQ(sized, 2 * kSteps);
  EXPECT_EQ(trace.overheads.size(), kSteps);
  ASSERT_EQ(trace.transports.size(), 2U);
  EXPECT_EQ(trace.transports[0].sent.pieces + trace.transports[1].sent.pieces, kSteps);
  EXPECT_EQ(sink.skipped, 0U);
  EXPECT_EQ(sink.diagnostics.count_of("unusable_record"), 0U);
  EXPECT_EQ(sink.diagnostics.count_of("nccl_events_lost"), 1U);
  EXPECT_EQ(sink.diagnostics.count_of("nccl_events_unfinished"), 2U);
}

}  // namespace
}  // namespace stepsim::ingest::seed_test
