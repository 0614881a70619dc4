// Tests how files of stepsim capture are read: from blocks to events and their waits, and what happens with damaged
// files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/bytes/byte_source.h"
#include "ingest/formats/capture/survey.h"
#include "tests/ingest/formats/capture/capture_maker.h"
#include "tests/ingest/read_text.h"

namespace stepsim::ingest::capture_test {
namespace {

using testing::CaptureMaker;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using wire::Kind;
using wire::Phase;
using wire::Status;

constexpr std::uint64_t kBegin = 1'700'000'000'000'000'000;

Parsed<HostDeviceTrace> read(const std::string& bytes) { return read_text<HostDeviceTrace>("capture", bytes); }

/// Returns the first event with this name; fails if there is none.
std::size_t event(const HostDeviceTrace& trace, std::string_view name) {
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (trace.text(trace.name[i]) == name) return i;
  }
  ADD_FAILURE() << "no event " << name;
  return 0;
}

/// Returns the details of the first event with this name; fails, and returns empty details, if it has none.
EventDetail detail(const HostDeviceTrace& trace, std::string_view name) {
  const EventDetail* const found = trace.detail_of(event(trace, name));
  if (found != nullptr) return *found;
  ADD_FAILURE() << name << " has no detail";
  return {};
}

std::vector<std::string> names(const HostDeviceTrace& trace) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < trace.size(); ++i) all.push_back(trace.text(trace.name[i]));
  return all;
}

TEST(CaptureFormatTest, FilesAreKnownByTheirFirstBlock) {
  EXPECT_EQ(format_named("capture").recognise("x", CaptureMaker().closed()), 95);
  EXPECT_EQ(format_named("capture").recognise("x.capture", "{}"), 0);
}

TEST(CaptureFormatTest, CallsAndKernelsBecomeEventsWithTheirTimesAndCorrelation) {
  CaptureMaker maker;
  maker.session("pid", "42").session("host", "node7").session("rank", "3").session("world", "8");
  maker.add({.kind = Kind::kLaunch, .which = 1, .start = 80, .duration = 128, .correlation = 32, .stream = 1024});
  maker.call("cudaLaunchKernel_v7000", kBegin, 3'000, 9);
  const std::uint32_t gemm = maker.text("gemm");
  maker.add({.kind = Kind::kKernel,
             .device = 2,
             .which = gemm,
             .start = kBegin + 5'000,
             .duration = 70'000,
             .correlation = 9,
             .stream = 7,
             .a = 1});
  const auto [trace, sink] = read(maker.closed());
  const std::size_t call = event(trace, "cudaLaunchKernel");
  const std::size_t kernel = event(trace, "gemm");
  EXPECT_EQ(trace.kind[call], EventKind::kRuntimeCall);
  EXPECT_EQ(trace.start[call].time_since_epoch().count(), static_cast<std::int64_t>(kBegin));
  EXPECT_EQ(trace.duration[call], Duration{3'000});
  EXPECT_EQ(trace.tracks[trace.track[call].index()].process, "42");
  EXPECT_EQ(trace.tracks[trace.track[call].index()].thread, "100");
  EXPECT_EQ(trace.kind[kernel], EventKind::kKernel);
  EXPECT_EQ(trace.duration[kernel], Duration{70'000});
  EXPECT_EQ(trace.correlation[kernel], 9);
  EXPECT_EQ(trace.tracks[trace.track[kernel].index()].device, 2);
  EXPECT_EQ(trace.tracks[trace.track[kernel].index()].stream, 7);
  EXPECT_EQ(trace.launches, (std::vector<KernelLaunch>{{80, 128, 32, 1024}}));
  EXPECT_EQ(trace.rank, 3);
  EXPECT_EQ(trace.world_size, 8);
  EXPECT_EQ(trace.host_name, "node7");
  EXPECT_TRUE(trace.has_base_time);
  EXPECT_EQ(sink.events, 2U);
  EXPECT_EQ(sink.skipped, 0U);
}

TEST(CaptureFormatTest, MarksAreInstantsAndOverheadIsNoEvent) {
  CaptureMaker maker;
  maker.call("cudaLaunchKernel_v7000", kBegin, 3'000, 9);
  const std::uint32_t mark = maker.text("epoch 1");
  const std::uint32_t flush = maker.text("Buffer Flush");
  maker.add({.kind = Kind::kRangeMark, .which = mark, .start = kBegin + 10, .stream = 100});
  maker.add({.kind = Kind::kRangeMark, .start = kBegin + 20, .stream = 100});
  maker.add({.kind = Kind::kOverhead, .which = flush, .start = kBegin + 30, .duration = 500, .stream = 100});
  const auto [trace, sink] = read(maker.closed());
  EXPECT_EQ(trace.size(), 3U);
  const std::size_t named = event(trace, "epoch 1");
  EXPECT_EQ(trace.kind[named], EventKind::kAnnotation);
  EXPECT_EQ(trace.duration[named], Duration{});
  EXPECT_EQ(trace.kind[event(trace, "mark without a name")], EventKind::kAnnotation);
  ASSERT_EQ(trace.overheads.size(), 1U);
  EXPECT_EQ(trace.text(trace.overheads[0].kind), "Buffer Flush");
  EXPECT_EQ(trace.overheads[0].length, Duration{500});
  EXPECT_EQ(sink.diagnostics.count_of("name_lost"), 0U);
  EXPECT_EQ(sink.diagnostics.count_of("not used:"), 0U);
}

/// Four kernels are launched: on a blocking stream (10), a non-blocking one (11), the default one (7), and on 10 again.
/// Those of streams 7 and 10 wait for each other. Without recorded waits nothing is added.
TEST(CaptureFormatTest, TheDefaultStreamIsOrderedWithBlockingStreams) {
  for (const bool with_waits : {true, false}) {
    CaptureMaker maker;
    maker.add({.kind = Kind::kContext, .device = 0, .a = 1});
    const std::vector<std::pair<std::uint32_t, wire::StreamKind>> streams{
        {10, wire::StreamKind::kBlocking}, {11, wire::StreamKind::kNonBlocking}, {7, wire::StreamKind::kDefault}};
    for (const auto& [stream, kind] : streams)
      maker.add({.kind = Kind::kStream, .detail = static_cast<std::uint8_t>(kind), .stream = stream, .a = 1});
    const std::uint32_t name = maker.text("work");
    std::uint32_t correlation = 1;
    for (const std::uint32_t stream : {10U, 11U, 7U, 10U}) {
      const std::uint64_t called = kBegin + std::uint64_t{correlation} * 1'000;
      maker.call("cudaLaunchKernel", called, 100, correlation);
      maker.add({.kind = Kind::kKernel,
                 .device = 0,
                 .which = name,
                 .start = called + 500,
                 .duration = 10,
                 .correlation = correlation++,
                 .stream = stream});
    }
    maker.call("cudaStreamSynchronize", kBegin + 9'000, 100, 9);
    if (with_waits)
      maker.add({.kind = Kind::kSync, .detail = 3, .start = kBegin + 9'000, .correlation = 9, .stream = 7, .b = 1});
    const auto [trace, sink] = read(maker.closed());
    std::vector<std::string> waits;
    for (std::size_t i = 0; i < trace.size(); ++i) {
      if (trace.text(trace.name[i]) != "Stream Wait Event") continue;
      const EventDetail& wait = *trace.detail_of(i);
      EXPECT_EQ(wait.wait_correlation, trace.correlation[i]);
      waits.push_back(std::to_string(wait.stream) + " for " + std::to_string(wait.wait_stream) + " by call " +
                      std::to_string(trace.correlation[i]));
    }
    if (with_waits) {
      EXPECT_THAT(waits, ElementsAre("7 for 10 by call 3", "10 for 7 by call 4"));
    } else {
      EXPECT_THAT(waits, ElementsAre());
    }
  }
}

/// On WSL, CUPTI's clock differs from the system's: times of several processes are compared by the system's.
TEST(CaptureFormatTest, TimesAreOnTheSystemsClock) {
  for (const std::int64_t ahead : {std::int64_t{5'000'000'000}, std::int64_t{-5'000'000'000}}) {
    CaptureMaker maker;
    maker.session("clock_ahead_ns", std::to_string(ahead)).call("cudaLaunchKernel", kBegin, 10, 1);
    const HostDeviceTrace trace = read(maker.closed()).part;
    EXPECT_EQ(trace.start[0].time_since_epoch().count(), static_cast<std::int64_t>(kBegin) - ahead);
    EXPECT_EQ(trace.duration[0], Duration{10});
  }
}

TEST(CaptureFormatTest, CopiesAreNamedAsByKineto) {
  CaptureMaker maker;
  maker.add({.kind = Kind::kMemcpy,
             .detail = 1,
             .device = 0,
             .which = wire::memories(2, 3),
             .start = kBegin,
             .duration = 10,
             .correlation = 1,
             .stream = 7,
             .a = 4096});
  maker.add({.kind = Kind::kMemset, .device = 0, .which = 3, .start = kBegin, .duration = 5, .stream = 7, .a = 64});
  const HostDeviceTrace trace = read(maker.closed()).part;
  const std::size_t copy = event(trace, "Memcpy HtoD (Pinned -> Device)");
  EXPECT_EQ(trace.kind[copy], EventKind::kMemcpy);
  EXPECT_EQ(detail(trace, "Memcpy HtoD (Pinned -> Device)").bytes, Bytes{4096});
  EXPECT_EQ(trace.kind[event(trace, "Memset (Device)")], EventKind::kMemset);
}

/// CUDA event 5 is recorded twice, on two streams. The wait has the same id as the first record, so it is for that one,
/// although the second record is later.
TEST(CaptureFormatTest, AWaitIsJoinedToItsRecordByTheIdOfBoth) {
  CaptureMaker maker;
  maker.call("cudaEventRecord", kBegin, 10, 1).call("cudaEventRecord", kBegin + 20, 10, 2);
  maker.call("cudaStreamWaitEvent", kBegin + 40, 10, 3);
  maker.add({.kind = Kind::kEventRecord, .which = 5, .correlation = 1, .stream = 7, .a = 11});
  maker.add({.kind = Kind::kEventRecord, .which = 5, .correlation = 2, .stream = 8, .a = 12});
  maker.add(
      {.kind = Kind::kSync, .detail = 2, .which = 5, .start = kBegin + 40, .correlation = 3, .stream = 20, .a = 11});
  const HostDeviceTrace trace = read(maker.closed()).part;
  const EventDetail wait = detail(trace, "Stream Wait Event");
  EXPECT_EQ(wait.stream, 20);
  EXPECT_EQ(wait.wait_stream, 7);
  EXPECT_EQ(wait.wait_correlation, 1);
}

/// Before CUDA 12.8, CUPTI gives no ids that connect a wait for a CUDA event with the record of that event.
TEST(CaptureFormatTest, WithoutIdsAWaitIsForTheLastRecordBeforeIt) {
  CaptureMaker maker;
  for (std::uint32_t i = 1; i <= 3; ++i) {
    maker.call("cudaEventRecord", kBegin + 100UL * i, 10, i);
    maker.add({.kind = Kind::kEventRecord, .which = 5, .correlation = i, .stream = 6 + i});
  }
  maker.call("cudaEventSynchronize", kBegin + 250, 10, 9);
  maker.add({.kind = Kind::kSync, .detail = 1, .which = 5, .start = kBegin + 250, .correlation = 9});
  const HostDeviceTrace trace = read(maker.closed()).part;
  EXPECT_EQ(detail(trace, "Event Sync").wait_correlation, 2);
}

/// CUPTI numbers the events of each context from 1, so event 5 of context 1 is not that of context 2.
TEST(CaptureFormatTest, WithoutIdsAWaitIsForARecordOfItsContext) {
  const auto waits_for = [](std::uint64_t context, std::uint64_t contexts) {
    CaptureMaker maker;
    for (std::uint32_t i = 1; i <= contexts; ++i) {
      maker.call("cudaEventRecord", kBegin + 100UL * i, 10, i);
      maker.add({.kind = Kind::kEventRecord, .which = 5, .correlation = i, .stream = 6 + i, .b = i});
    }
    maker.call("cudaEventSynchronize", kBegin + 450, 10, 9);
    maker.add({.kind = Kind::kSync, .detail = 1, .which = 5, .start = kBegin + 450, .correlation = 9, .b = context});
    const auto [trace, sink] = read(maker.closed());
    return sink.diagnostics.count_of("event_not_recorded") > 0 ? -1 : detail(trace, "Event Sync").wait_correlation;
  };
  EXPECT_EQ(waits_for(1, 2), 1);
  EXPECT_EQ(waits_for(2, 2), 2);
  EXPECT_EQ(waits_for(9, 1), 1) << "an event of another context, and there is one such event only";
  EXPECT_EQ(waits_for(9, 2), -1) << "it may be either of the two";
}

TEST(CaptureFormatTest, AWaitForAnEventWithoutARecordIsCounted) {
  CaptureMaker maker;
  maker.call("cudaStreamWaitEvent", kBegin, 10, 3);
  maker.add({.kind = Kind::kSync, .detail = 2, .which = 5, .start = kBegin, .correlation = 3, .stream = 20, .a = 11});
  EXPECT_EQ(read(maker.closed()).sink.diagnostics.count_of("event_not_recorded"), 1U);
}

TEST(CaptureFormatTest, RangesAndOperatorsOfNvtxAreThoseOfTheirThread) {
  CaptureMaker maker;
  const std::uint32_t range = maker.text("forward");
  const std::uint32_t op = maker.text("aten::mm, seq = 7, op_id = 12");
  maker.add({.kind = Kind::kRangeBegin, .which = range, .start = kBegin, .stream = 100, .a = 1});
  maker.add({.kind = Kind::kRangeBegin, .which = op, .start = kBegin + 10, .stream = 100, .a = 2});
  maker.add({.kind = Kind::kRangeEnd, .start = kBegin + 30, .stream = 100, .a = 2});
  maker.add({.kind = Kind::kRangeEnd, .start = kBegin + 50, .stream = 100, .a = 1});
  maker.add({.kind = Kind::kRangeBegin, .which = range, .start = kBegin + 60, .stream = 100, .a = 3});
  const auto [trace, sink] = read(maker.closed());
  EXPECT_EQ(trace.kind[event(trace, "forward")], EventKind::kAnnotation);
  EXPECT_EQ(trace.duration[event(trace, "forward")], Duration{50});
  EXPECT_EQ(trace.kind[event(trace, "aten::mm")], EventKind::kOp);
  EXPECT_EQ(trace.duration[event(trace, "aten::mm")], Duration{20});
  EXPECT_EQ(sink.diagnostics.count_of("open_range"), 1U);
}

/// Step 1, from 1000 to 2000 ns, is the active step. A kernel belongs to the step in which it was launched.
TEST(CaptureFormatTest, OnlyActiveStepsAreKeptWithWhatTheyLaunched) {
  CaptureMaker maker;
  maker.step(0, kBegin, Phase::kWarmUp).step(1, kBegin + 1'000).step(2, kBegin + 2'000, Phase::kDone);
  maker.call("before", kBegin + 900, 10, 1).kernel("late", kBegin + 1'100, 100, 1);
  maker.call("inside", kBegin + 1'900, 10, 2).kernel("runs over", kBegin + 2'500, 100, 2);
  maker.call("after", kBegin + 2'100, 10, 3).kernel("behind", kBegin + 2'700, 100, 3);
  maker.kernel("without a call", kBegin + 1'500, 100, 4);
  const HostDeviceTrace trace = read(maker.closed()).part;
  EXPECT_THAT(names(trace), UnorderedElementsAre("inside", "runs over", "without a call", "ProfilerStep#1"));
  const std::size_t step = event(trace, "ProfilerStep#1");
  EXPECT_EQ(trace.start[step].time_since_epoch().count(), static_cast<std::int64_t>(kBegin + 1'000));
  EXPECT_EQ(trace.duration[step], Duration{1'000});
}

/// The four launches "d", "a", "b" and "c" are repeated three times. The longest pause of each repetition is before
/// "a", so steps begin at "a".
TEST(CaptureFormatTest, WithoutMarksStepsAreWhereLaunchesRepeat) {
  CaptureMaker maker;
  std::uint32_t correlation = 0;
  std::uint64_t time = kBegin;
  for (int round = 0; round < 3; ++round) {
    for (const char* const name : {"d", "a", "b", "c"}) {
      time += std::string_view(name) == "a" ? 500U : 100U;
      ++correlation;
      maker.call("cudaLaunchKernel", time, 10, correlation).kernel(name, time + 20, 50, correlation);
    }
  }
  const auto [trace, sink] = read(maker.closed());
  std::vector<std::int64_t> steps;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (trace.text(trace.name[i]).starts_with("ProfilerStep#"))
      steps.push_back(trace.start[i].time_since_epoch().count() - static_cast<std::int64_t>(kBegin));
  }
  EXPECT_THAT(steps, ElementsAre(600, 1'400));
  EXPECT_EQ(sink.diagnostics.count_of("steps_from_launches"), 2U);
}

TEST(CaptureFormatTest, WithoutMarksAndRepetitionItSaysSo) {
  CaptureMaker maker;
  maker.call("cudaLaunchKernel", kBegin, 10, 1).kernel("a", kBegin + 20, 50, 1);
  EXPECT_EQ(read(maker.closed()).sink.diagnostics.count_of("no_steps_marked"), 1U);
}

/// Each producer numbers its own texts, so the same number may refer to different texts. Buffers may arrive in any
/// order.
TEST(CaptureFormatTest, EachProducerHasItsOwnTextsAndOrderDecidesNothing) {
  CaptureMaker first(0);
  CaptureMaker second(1);
  first.call("cudaLaunchKernel", kBegin, 10, 1).block();
  second.kernel("gemm", kBegin + 20, 50, 1).block(1);
  const std::string tail = CaptureMaker(9).status(Status::kClosed).block(2).file();
  const HostDeviceTrace one = read(first.file() + second.file() + tail).part;
  EXPECT_THAT(names(one), ElementsAre("cudaLaunchKernel", "gemm"));
  CaptureMaker second_first(1);
  CaptureMaker first_second(0);
  second_first.kernel("gemm", kBegin + 20, 50, 1).block(0);
  first_second.call("cudaLaunchKernel", kBegin, 10, 1).block(1);
  EXPECT_THAT(names(read(second_first.file() + first_second.file() + tail).part),
              ElementsAre("cudaLaunchKernel", "gemm"));
}

// ---------------------------------------------------------------- damaged files

std::string two_blocks() {
  CaptureMaker maker;
  maker.call("first", kBegin, 10, 1).block().call("second", kBegin + 100, 10, 2).block();
  return maker.file();
}
std::size_t first_block_size() {
  CaptureMaker maker;
  return maker.call("first", kBegin, 10, 1).block().file().size();
}

TEST(DamagedCaptureTest, WhatAKilledProgramLeftIsReadUpToTheLastWholeBlock) {
  const std::string whole = two_blocks();
  for (std::size_t size = first_block_size(); size < whole.size(); size += 7) {
    const auto [trace, sink] = read(whole.substr(0, size));
    EXPECT_THAT(names(trace), ElementsAre("first")) << size;
    ASSERT_EQ(sink.diagnostics.entries().size(), 1U) << size;
    EXPECT_EQ(sink.diagnostics.entries()[0].name, "capture_not_closed");
    EXPECT_EQ(sink.diagnostics.entries()[0].first.byte_offset, first_block_size());
  }
}

TEST(DamagedCaptureTest, EveryChangedByteIsNoticed) {
  const std::string whole = two_blocks();
  for (std::size_t at = 0; at < first_block_size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    const auto [trace, sink] = read(damaged);
    EXPECT_THAT(names(trace), ElementsAre("second")) << at;
    EXPECT_EQ(sink.diagnostics.count_of("damaged_block"), 1U) << at;
    EXPECT_EQ(sink.diagnostics.count_of("missing_block"), 0U) << at;
  }
}

TEST(DamagedCaptureTest, MissingBlocksAreCounted) {
  CaptureMaker maker;
  maker.call("first", kBegin, 10, 1).block().call("fourth", kBegin + 100, 10, 2).block(3);
  EXPECT_EQ(read(maker.closed()).sink.diagnostics.count_of("missing_block"), 2U);
}

TEST(DamagedCaptureTest, AFileThatHoldsACaptureTwiceIsReadOnce) {
  const std::string whole = two_blocks();
  const auto [trace, sink] = read(whole + whole);
  EXPECT_THAT(names(trace), ElementsAre("first", "second"));
  EXPECT_EQ(sink.diagnostics.count_of("repeated_block"), 2U);
}

TEST(DamagedCaptureTest, ANameWhoseBlockIsGoneIsSaidToBe) {
  CaptureMaker maker;
  maker.kernel("gemm", kBegin, 10, 1).block();
  const std::size_t first = maker.file().size();
  maker.kernel("gemm", kBegin + 100, 10, 2);
  const auto [trace, sink] = read(maker.closed().substr(first));
  EXPECT_THAT(names(trace), ElementsAre("kernel without a name"));
  EXPECT_EQ(sink.diagnostics.count_of("name_lost"), 1U);
  EXPECT_EQ(sink.diagnostics.count_of("missing_block"), 1U);
}

TEST(DamagedCaptureTest, RecordsThatCannotBeAreLeftOutAndPlaced) {
  CaptureMaker maker;
  const std::uint32_t name = maker.text("k");
  maker.add({.kind = Kind::kKernel, .which = name});                                      // no start time
  maker.add({.kind = Kind::kKernel, .which = name, .start = kBegin, .duration = ~0ULL});  // an impossible duration
  maker.add({.kind = static_cast<Kind>(200), .start = kBegin});                           // a kind of a later version
  maker.add({.kind = Kind::kText, .which = 9, .a = 1'000'000});                           // larger than its block
  maker.call("good", kBegin, 10, 1);
  const auto [trace, sink] = read(maker.closed());
  EXPECT_THAT(names(trace), ElementsAre("good"));
  EXPECT_EQ(sink.skipped, 4U);
  EXPECT_EQ(sink.diagnostics.count_of("unusable_record"), 4U);
}

TEST(DamagedCaptureTest, LostRecordsAreCountedByWhoLostThem) {
  CaptureMaker maker;
  maker.call("a", kBegin, 10, 1).status(Status::kRecording, 3, 4).status(Status::kClosed, 5, 6).block();
  const PartSink sink = read(maker.file()).sink;
  EXPECT_EQ(sink.diagnostics.count_of("records_lost_by_cupti"), 5U);
  EXPECT_EQ(sink.diagnostics.count_of("records_lost_by_writer"), 6U);
}

TEST(DamagedCaptureTest, AFileOfALaterVersionIsRefused) {
  EXPECT_THAT(refusal("capture", CaptureMaker().call("a", kBegin, 10, 1).block(0, 2).file()),
              HasSubstr("format version 2; expected version 1"));
}

TEST(DamagedCaptureTest, AFileWithoutAWholeBlockIsRefused) {
  EXPECT_THAT(refusal("capture", two_blocks().substr(0, 40)), HasSubstr("no complete block"));
  EXPECT_THAT(refusal("capture", "SCAP and nothing more"), HasSubstr("no complete block"));
}

TEST(DamagedCaptureTest, ACaptureOfNothingIsRefusedWithTheReason) {
  CaptureMaker marks;
  EXPECT_THAT(refusal("capture", marks.step(0, kBegin).step(1, kBegin + 100).closed()), HasSubstr("has no call"));
  CaptureMaker blocked;
  const std::uint32_t why = blocked.text("another profiler holds CUPTI");
  blocked.add({.kind = Kind::kStatus, .detail = static_cast<std::uint8_t>(Status::kOtherClient), .which = why});
  EXPECT_THAT(refusal("capture", blocked.closed()), HasSubstr("nothing was recorded: another profiler holds CUPTI"));
}

// ---------------------------------------------------------------- survey without reading events

TEST(CaptureSurveyTest, CountsWithoutReadingEvents) {
  CaptureMaker maker;
  maker.session("rank", "2").session("run", "r1");
  maker.step(0, kBegin, Phase::kWait).step(1, kBegin + 100).step(2, kBegin + 200).step(3, kBegin + 300);
  maker.kernel("a", kBegin + 120, 10, 1).kernel("b", kBegin + 150, 10, 2).status(Status::kRecording, 1, 2);
  const std::string bytes = maker.closed();
  const auto source = memory_source(bytes, "file");
  const CaptureSurvey found = survey_capture(*source);
  EXPECT_EQ(found.session.at("rank"), "2");
  EXPECT_EQ(found.session.at("run"), "r1");
  EXPECT_EQ(found.kernels, 2U);
  EXPECT_EQ(found.active_steps, 2U) << "step 3 has not ended";
  EXPECT_EQ(found.lost, 3U);
  EXPECT_TRUE(found.closed);
  EXPECT_EQ(found.bytes, bytes.size());
}

}  // namespace
}  // namespace stepsim::ingest::capture_test
