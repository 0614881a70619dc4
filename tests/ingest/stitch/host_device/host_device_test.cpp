#include "ingest/stitch/host_device/host_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "ingest/stitch/host_device/host_threads.h"
#include "ingest/stitch/host_device/rank_events.h"
#include "tests/growth.h"
#include "tests/ingest/stitched.h"
#include "tests/ingest/trace_maker.h"

namespace stepsim::ingest {
namespace {

using testing::edge;
using testing::find;
using testing::stitched;
using testing::TraceMaker;
using testing::unexplained;
using testing::us;

std::vector<Segment> segments_of(const RankEvents& events, std::size_t thread) {
  std::vector<Segment> segments;
  cut_thread(events, events.threads[thread], [&](const Segment& segment) { segments.push_back(segment); });
  return segments;
}

TEST(ThreadCutTest, InnermostEventNamesEachSegment) {
  TraceMaker maker;
  const TrackId thread = maker.thread("1");
  maker.add(EventKind::kOp, "outer", thread, 0, 100);
  maker.add(EventKind::kOp, "inner", thread, 20, 30);
  const RankEvents events = arrange(maker.trace);

  const std::vector<Segment> segments = segments_of(events, 0);

  ASSERT_EQ(segments.size(), 3U);  // outer 0-20 us, inner 20-50 us, outer 50-100 us
  EXPECT_EQ(events.name_of(segments[1].event), "inner");
  EXPECT_EQ(segments[2].begin, Time{us(50)});
  EXPECT_EQ(segments[2].end, Time{us(100)});
}

TEST(ThreadCutTest, ChildThatEndsAfterItsParentKeepsItsWholeTime) {
  TraceMaker maker;
  const TrackId thread = maker.thread("1");
  maker.add(EventKind::kOp, "c10d::send", thread, 0, 30);
  maker.add(EventKind::kAnnotation, "gloo:send", thread, 20, 80);
  maker.add(EventKind::kOp, "next", thread, 110, 10);
  const RankEvents events = arrange(maker.trace);

  const std::vector<Segment> segments = segments_of(events, 0);

  ASSERT_EQ(segments.size(), 4U);  // send 0-20 us, gloo 20-100 us, nothing 100-110 us, next 110-120 us
  EXPECT_EQ(segments[1].kind, Segment::Kind::kCollective);
  EXPECT_EQ(segments[1].end, Time{us(100)});
  EXPECT_EQ(segments[2].event, kNoIndex);
}

TEST(ThreadCutTest, EventsWithinAHostCollectiveBelongToIt) {
  TraceMaker maker;
  const TrackId thread = maker.thread("1");
  maker.add(EventKind::kAnnotation, "gloo:all_gather", thread, 0, 100);
  maker.add(EventKind::kOp, "aten::copy_", thread, 40, 10);
  const RankEvents events = arrange(maker.trace);

  const std::vector<Segment> segments = segments_of(events, 0);

  ASSERT_EQ(segments.size(), 1U);
  EXPECT_EQ(segments[0].end - segments[0].begin, us(100));
}

TEST(ThreadCutTest, HundredThousandNestedEventsAreCutWithoutRecursion) {
  TraceMaker maker;
  const TrackId thread = maker.thread("1");
  constexpr int kDepth = 100'000;
  for (int i = 0; i < kDepth; ++i) maker.add(EventKind::kOp, "op", thread, i, 2.0 * (kDepth - i));
  const RankEvents events = arrange(maker.trace);

  // Each event except the innermost has a segment before and one after its child: 2n - 1 segments.
  EXPECT_EQ(segments_of(events, 0).size(), 2U * kDepth - 1);
}

TEST(HostDeviceTest, KernelDependsOnItsLaunchAndOnTheStreamsLastWork) {
  TraceMaker maker;
  const TrackId thread = maker.thread("1");
  const TrackId stream = maker.stream(7);
  maker.add(EventKind::kOp, "op", thread, 0, 100);
  maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, 10, 5, 1);
  maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, 20, 5, 2);
  maker.add(EventKind::kKernel, "first", stream, 18, 30, 1);
  maker.add(EventKind::kKernel, "second", stream, 49, 10, 2);

  const Capture capture = stitched({maker.trace});

  const TaskId second = find(capture, "second");
  EXPECT_EQ(edge(capture, find(capture, "first"), second)->kind, EdgeKind::kStream);
  EXPECT_EQ(edge(capture, find(capture, "first"), second)->lag, us(1));  // first ends at 48 us, second begins at 49 us
  EXPECT_EQ(edge(capture, find(capture, "cudaLaunchKernel", 20), second)->kind, EdgeKind::kLaunch);
  EXPECT_EQ(unexplained(capture), Duration{});
}

TEST(HostDeviceTest, LaunchesOfACaptureWithoutDeviceWorkAreCountedAsLost) {
  TraceMaker maker;
  const TrackId thread = maker.thread("1");
  maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, 10, 5, 1);
  maker.add(EventKind::kRuntimeCall, "cudaDeviceGetAttribute", thread, 20, 5, 2);
  maker.add(EventKind::kRuntimeCall, "hipLaunchKernel", thread, 30, 5, 3);
  EXPECT_EQ(stitched({maker.trace}).diagnostics.count_of("launches_without_device_work"), 2U);

  maker.add(EventKind::kKernel, "kernel", maker.stream(7), 40, 30, 3);
  EXPECT_EQ(stitched({maker.trace}).diagnostics.count_of("launches_without_device_work"), 0U);
}

TEST(HostDeviceTest, KernelThatStartsDuringItsLaunchCutsTheCall) {
  TraceMaker maker;
  const TrackId thread = maker.thread("1");
  maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, 0, 10, 1);
  maker.add(EventKind::kKernel, "kernel", maker.stream(7), 6, 30, 1);

  const Capture capture = stitched({maker.trace});

  const TaskId before = find(capture, "cudaLaunchKernel", 0);
  EXPECT_EQ(capture.dag.duration(before), us(6));
  EXPECT_EQ(edge(capture, before, find(capture, "kernel"))->lag, Duration{});
  EXPECT_EQ(capture.dag.duration(find(capture, "cudaLaunchKernel", 6)), us(4));
}

/// Returns a rank whose device has `queued` kernels of 10 us that were launched before the capture, from 0 on. A call
/// of `call_us` at 101 us launches one more.
TraceMaker full_queue(int queued, double call_us) {
  TraceMaker maker;
  const TrackId thread = maker.thread("1");
  const TrackId stream = maker.stream(7);
  for (int i = 0; i < queued; ++i) maker.add(EventKind::kKernel, "queued", stream, 10 * i, 10, 1'000'000 + i);
  maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, 101, call_us, 1);
  maker.add(EventKind::kKernel, "last", stream, 10 * queued, 10, 1);
  return maker;
}

TEST(HostDeviceTest, LaunchThatFindsTheQueueFullOfEarlierWorkWaits) {
  // At 101 us, ten kernels have ended and 290 are outstanding, all of them launched before the capture.
  EXPECT_EQ(stitched({full_queue(300, 50).trace}).diagnostics.count_of("full_launch_queue"), 1U);
  EXPECT_EQ(stitched({full_queue(300, 20).trace}).diagnostics.count_of("full_launch_queue"), 0U) << "a short call";
  EXPECT_EQ(stitched({full_queue(200, 50).trace}).diagnostics.count_of("full_launch_queue"), 0U) << "190 outstanding";
}

TEST(HostDeviceTest, MemsetsAndCopiesWaitForRoomAndEventsOnlyIfCuptiSawIt) {
  for (const auto& [call, waits] : std::vector<std::pair<std::string, bool>>{
           {"cudaMemsetAsync", true}, {"cudaMemcpyAsync", true}, {"cudaEventRecord", false}}) {
    TraceMaker maker = full_queue(300, 1);
    const TrackId thread = maker.thread("1");
    maker.add(EventKind::kRuntimeCall, call, thread, 111, 50, 2);
    if (waits) maker.add(EventKind::kMemset, "Memset (Device)", maker.stream(7), 3'020, 10, 2);
    EXPECT_EQ(stitched({maker.trace}).diagnostics.count_of("full_launch_queue"), waits ? 1U : 0U) << call;
    maker.trace.overheads.push_back({maker.text("Command Buffer Full"), Time{us(115)}, us(3), true});
    EXPECT_EQ(stitched({maker.trace}).diagnostics.count_of("full_launch_queue"), 1U) << call;
  }
}

TEST(HostDeviceTest, AGraphTakesOnePlaceInTheQueue) {
  TraceMaker maker;
  const TrackId thread = maker.thread("1");
  const TrackId stream = maker.stream(7);
  maker.add(EventKind::kRuntimeCall, "cudaGraphLaunch", thread, 0, 10, 1);
  for (int i = 0; i < 300; ++i) maker.add(EventKind::kKernel, "node", stream, 10 + 10 * i, 10, 1);
  maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, 20, 50, 2);
  maker.add(EventKind::kKernel, "kernel", stream, 3'010, 10, 2);
  EXPECT_EQ(stitched({maker.trace}).diagnostics.count_of("full_launch_queue"), 0U);
}

TEST(HostDeviceTest, ASynchronisationWaitsForWorkOfBeforeTheCapture) {
  TraceMaker maker;
  const TrackId thread = maker.thread("1");
  const TrackId stream = maker.stream(7);
  maker.add(EventKind::kKernel, "earlier", stream, 0, 500, 77);
  maker.add(EventKind::kRuntimeCall, "cudaDeviceSynchronize", thread, 20, 490, 1);
  maker.wait(SyncKind::kDevice, stream, 22, 488, 1).stream = -1;
  maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, 520, 10, 2);
  maker.add(EventKind::kKernel, "kernel", stream, 540, 10, 2);
  const Capture capture = stitched({maker.trace});
  const TaskId rest = find(capture, "cudaDeviceSynchronize", 500);
  ASSERT_TRUE(rest.valid());
  ASSERT_TRUE(edge(capture, find(capture, "earlier"), rest));
  EXPECT_EQ(edge(capture, find(capture, "earlier"), rest)->kind, EdgeKind::kSync);
}

TEST(HostDeviceTest, AStepBeginsWithItsFirstTaskIfTheThreadThatMarksItIsIdleThen) {
  TraceMaker maker;
  const TrackId marking = maker.thread("1");
  const TrackId launching = maker.thread("2");
  for (int step = 0; step < 3; ++step) {
    const double begin = 1'000.0 * step;
    maker.add(EventKind::kAnnotation, "ProfilerStep#" + std::to_string(step), marking, begin, 1'000);
    maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", launching, begin + 20, 10, step + 1);
    maker.add(EventKind::kKernel, "kernel", maker.stream(7), begin + 40, 900, step + 1);
    maker.add(EventKind::kRuntimeCall, "cudaStreamSynchronize", launching, begin + 50, 900, 100 + step);
  }
  maker.add(EventKind::kRuntimeCall, "cudaEventQuery", marking, 2'980, 5, 300);
  const Capture capture = stitched({maker.trace});
  ASSERT_EQ(capture.recording.steps.size(), 3U);
  for (std::size_t step = 0; step < 3; ++step) {
    const Time begins = capture.recording.start[capture.recording.steps[step].first.index()];
    EXPECT_LE(begins, Time{us(1'000 * static_cast<std::int64_t>(step) + 20)}) << step;
  }
}

TEST(HostDeviceTest, LaunchInWhichCuptiSawAFullBufferWaits) {
  TraceMaker maker = full_queue(20, 20);
  EXPECT_EQ(stitched({maker.trace}).diagnostics.count_of("full_launch_queue"), 0U);
  maker.trace.overheads.push_back({maker.text("Command Buffer Full"), Time{us(105)}, us(3), true});
  EXPECT_EQ(stitched({maker.trace}).diagnostics.count_of("full_launch_queue"), 1U);
}

TEST(HostDeviceTest, WaitInASynchronisingCallBecomesAnEdge) {
  TraceMaker maker;
  const TrackId thread = maker.thread("1");
  maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, 0, 5, 1);
  maker.add(EventKind::kRuntimeCall, "cudaDeviceSynchronize", thread, 5, 200, 2);
  maker.add(EventKind::kOp, "after", thread, 205, 10);
  maker.add(EventKind::kKernel, "kernel", maker.stream(7), 8, 192, 1);

  const Capture capture = stitched({maker.trace});

  // The call itself takes 2 us before it waits, and 5 us (200 to 205 us) after the kernel's end.
  const TaskId back = find(capture, "cudaDeviceSynchronize", 200);
  EXPECT_EQ(capture.dag.duration(find(capture, "cudaDeviceSynchronize", 5)), us(2));
  EXPECT_EQ(capture.dag.duration(back), us(5));
  EXPECT_EQ(edge(capture, find(capture, "kernel"), back)->kind, EdgeKind::kSync);
  EXPECT_EQ(unexplained(capture), Duration{});
}

/// Returns a rank whose synchronising call returns `early_us` before the recorded end of the kernel that it waits for.
TraceMaker early_return(double early_us, bool recorded) {
  TraceMaker maker;
  const TrackId thread = maker.thread("1");
  const TrackId stream = maker.stream(7);
  maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, 0, 5, 1);
  maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, 10, 5, 2);
  maker.add(EventKind::kRuntimeCall, "cudaStreamSynchronize", thread, 20, 580, 3);
  maker.add(EventKind::kOp, "after", thread, 600, 10);
  maker.add(EventKind::kKernel, "first", stream, 15, 100, 1);
  maker.add(EventKind::kKernel, "last", stream, 115, 485 + early_us, 2);
  if (recorded) maker.wait(SyncKind::kStream, stream, 22, 570, 3).stream = 7;
  return maker;
}

TEST(HostDeviceTest, SyncThatReturnsShortlyBeforeTheRecordedEndOfItsKernelWaitsForIt) {
  for (const bool recorded : {true, false}) {
    for (const double early : {0.0, 0.5, 7.3}) {
      const Capture capture = stitched({early_return(early, recorded).trace});
      const auto wait = edge(capture, find(capture, "last"), find(capture, "after"));
      ASSERT_TRUE(wait.has_value()) << early << recorded;
      EXPECT_EQ(wait->kind, EdgeKind::kSync);
      EXPECT_EQ(capture.dag.duration(find(capture, "cudaStreamSynchronize", 20)), us(2)) << "the rest is waiting";
    }
    const Capture late = stitched({early_return(30, recorded).trace});
    EXPECT_FALSE(edge(late, find(late, "last"), find(late, "after"))) << "no clock is that wrong";
  }
}

TEST(HostDeviceTest, StreamWaitsForAnEventOfAnotherDevice) {
  for (const bool has_stream_7_too : {false, true}) {
    TraceMaker maker;
    const TrackId thread = maker.thread("1");
    const TrackId consumer = maker.stream(9, 1);
    if (has_stream_7_too) {
      maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, 0, 5, 9);
      maker.add(EventKind::kKernel, "other", maker.stream(7, 1), 10, 5, 9);
    }
    maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, 20, 5, 1);
    maker.add(EventKind::kRuntimeCall, "cudaEventRecord", thread, 40, 3, 2);
    maker.add(EventKind::kRuntimeCall, "cudaStreamWaitEvent", thread, 60, 3, 3);
    maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, 80, 5, 4);
    maker.add(EventKind::kKernel, "producer", maker.stream(7, 0), 100, 3000, 1);
    maker.add(EventKind::kKernel, "consumer", consumer, 3105, 3000, 4);
    EventDetail& detail = maker.wait(SyncKind::kStreamWait, consumer, 60, 1, 3);
    detail.stream = 9;
    detail.wait_stream = 7;
    detail.wait_correlation = 2;
    const Capture capture = stitched({maker.trace});
    const auto wait = edge(capture, find(capture, "producer"), find(capture, "consumer"));
    ASSERT_TRUE(wait.has_value()) << has_stream_7_too;
    EXPECT_EQ(wait->kind, EdgeKind::kSync);
  }
}

TEST(HostDeviceTest, CorrelationsThatAreUsedAgainBelongToTheLastCallBeforeTheWork) {
  TraceMaker maker;
  const TrackId thread = maker.thread("1");
  const TrackId stream = maker.stream(7);
  for (const int start : {0, 1000, 2000}) {
    maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, start, 5, 1);
    maker.add(EventKind::kKernel, "kernel", stream, start + 20, 100, 1);
  }
  const Capture capture = stitched({maker.trace});
  for (const int start : {0, 1000, 2000}) {
    const auto launch = edge(capture, find(capture, "cudaLaunchKernel", start), find(capture, "kernel", start + 20));
    ASSERT_TRUE(launch.has_value()) << start;
    EXPECT_EQ(launch->kind, EdgeKind::kLaunch);
  }
}

TEST(HostDeviceTest, BackwardPassOnAnotherThreadIsHandedOverAndBack) {
  TraceMaker maker;
  const TrackId main = maker.thread("1");
  const TrackId autograd = maker.thread("2");
  maker.add(EventKind::kAnnotation, "ProfilerStep#1", main, 0, 1000);
  maker.add(EventKind::kOp, "forward", main, 0, 100);
  maker.add(EventKind::kOp, "optimizer", main, 900, 100);
  maker.add(EventKind::kOp, "backward", autograd, 120, 700);

  const Capture capture = stitched({maker.trace});

  const TaskId backward = find(capture, "backward");
  const TaskId before = find(capture, "ProfilerStep#1", 100);  // 20 us of the main thread before the hand-over
  const TaskId after = find(capture, "ProfilerStep#1", 820);   // 80 us of the main thread after the backward pass
  EXPECT_EQ(capture.dag.duration(before), us(20));
  EXPECT_EQ(capture.dag.duration(after), us(80));
  EXPECT_EQ(edge(capture, before, backward)->kind, EdgeKind::kHandOff);
  EXPECT_EQ(edge(capture, backward, after)->kind, EdgeKind::kHandOff);
  EXPECT_EQ(unexplained(capture), Duration{});
}

/// Returns true if the main thread, which records nothing for 800 us, waits for a thread that works for `length_us`.
bool waits_for_work_of(double length_us) {
  TraceMaker maker;
  const TrackId main = maker.thread("1");
  maker.add(EventKind::kOp, "before", main, 0, 100);
  maker.add(EventKind::kOp, "after", main, 900, 100);
  maker.add(EventKind::kOp, "work", maker.thread("2"), 120, length_us);
  const Capture capture = stitched({maker.trace});
  return !capture.dag.successors(find(capture, "work")).empty();
}

TEST(HostDeviceTest, AThreadThatWorksForHalfOfASilenceExplainsIt) {
  EXPECT_TRUE(waits_for_work_of(400));
  EXPECT_FALSE(waits_for_work_of(399));
}

TEST(HostDeviceTest, WorkThatBeginsRightAfterAnotherStreamsIsTakenToWaitForIt) {
  TraceMaker maker;
  const TrackId thread = maker.thread("1");
  maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, 0, 5, 1);
  maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, 10, 5, 2);
  maker.add(EventKind::kKernel, "compute", maker.stream(7), 7, 200, 1);
  maker.add(EventKind::kKernel, "ncclKernel_AllReduce_RING", maker.stream(14), 209, 50, 2);

  const Capture capture = stitched({maker.trace});

  const auto found = edge(capture, find(capture, "compute"), find(capture, "ncclKernel_AllReduce_RING"));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->kind, EdgeKind::kSync);
  EXPECT_EQ(found->lag, us(2));
  EXPECT_EQ(capture.diagnostics.count_of("inferred_stream_wait"), 1U);
}

/// A pipeline of two devices of one process: the second computes what the first has copied to it.
TEST(HostDeviceTest, WorkOfOneDeviceMayWaitForThatOfAnother) {
  TraceMaker maker;
  const TrackId thread = maker.thread("1");
  maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, 0, 5, 1);
  maker.add(EventKind::kRuntimeCall, "cudaMemcpyPeerAsync", thread, 10, 5, 2);
  maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, 20, 5, 3);
  maker.add(EventKind::kKernel, "first", maker.stream(7, 0), 7, 4'000, 1);
  maker.add(EventKind::kMemcpy, "Memcpy PtoP (Device -> Device)", maker.stream(7, 0), 4'009, 1'000, 2);
  maker.add(EventKind::kKernel, "second", maker.stream(7, 1), 5'012, 4'000, 3);
  const Capture capture = stitched({maker.trace});
  const auto wait = edge(capture, find(capture, "Memcpy PtoP (Device -> Device)"), find(capture, "second"));
  ASSERT_TRUE(wait.has_value());
  EXPECT_EQ(wait->kind, EdgeKind::kSync);
  EXPECT_EQ(wait->lag, us(3));
  EXPECT_EQ(unexplained(capture), Duration{});
}

TEST(HostDeviceTest, WaitThatNothingExplainsIsKeptAndCounted) {
  TraceMaker maker;
  const TrackId thread = maker.thread("1");
  maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, 0, 5, 1);
  maker.add(EventKind::kKernel, "late", maker.stream(7), 1005, 50, 1);

  const Capture capture = stitched({maker.trace});

  // The usual launch latency is taken to be at most 20 us. A delay of up to four times the usual latency counts as
  // explained.
  EXPECT_EQ(edge(capture, find(capture, "cudaLaunchKernel"), find(capture, "late"))->lag, us(1000));
  EXPECT_EQ(unexplained(capture), us(1000 - 4 * 20));
}

HostDeviceTrace collective_rank(double arrival, double end) {
  TraceMaker maker;
  const TrackId thread = maker.thread("1");
  maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, arrival - 10, 5, 1);
  maker.add(EventKind::kKernel, "ncclKernel_AllReduce_RING_LL_Sum_float", maker.stream(14), arrival, end - arrival, 1);
  return maker.trace;
}

TEST(HostDeviceTest, MatchedCollectiveTakesItsShortestPartAfterTheLastArrival) {
  const Capture capture = stitched({collective_rank(20, 320), collective_rank(220, 320)});

  ASSERT_EQ(capture.dag.rendezvous_count(), 1U);
  for (const TaskId member : capture.dag.members(RendezvousId{0})) EXPECT_EQ(capture.dag.duration(member), us(100));
}

TEST(HostDeviceTest, AllToAllMatchesAlthoughSizesDiffer) {
  HostDeviceTrace a = collective_rank(20, 320);
  HostDeviceTrace b = collective_rank(220, 320);
  for (const auto& [trace, elements] : {std::pair{&a, 100}, std::pair{&b, 300}}) {
    trace->texts.emplace_back("all_to_allv");
    trace->detail.set(1, 0);
    trace->details.push_back({});
    trace->details[0].collective = TextId{trace->texts.size() - 1};
    trace->details[0].elements = elements;
  }

  EXPECT_EQ(stitched({a, b}).dag.rendezvous_count(), 1U);
}

TEST(HostDeviceTest, EqualSequenceNumbersMatch) {
  std::vector<HostDeviceTrace> traces;
  for (int rank = 0; rank < 2; ++rank) {
    HostDeviceTrace trace = collective_rank(20 + 100 * rank, 320);
    trace.detail.set(1, 0);
    trace.details.push_back({});
    trace.details[0].sequence = 17;
    traces.push_back(std::move(trace));
  }
  // Rank 1 has a second collective, with a number that rank 0 does not have.
  traces[1].start.emplace_back(us(400));
  traces[1].duration.push_back(us(10));
  traces[1].kind.push_back(EventKind::kKernel);
  traces[1].name.push_back(traces[1].name[1]);
  traces[1].track.push_back(traces[1].track[1]);
  traces[1].detail.set(traces[1].size() - 1, 1);
  traces[1].details.push_back({});
  traces[1].details[1].sequence = 16;

  const Capture capture = stitched(std::move(traces));

  EXPECT_EQ(capture.dag.rendezvous_count(), 1U);
  EXPECT_EQ(capture.diagnostics.count_of("unmatched_collective"), 1U);
}

/// A kernel of NCCL with its begin in microseconds, its operation, its sequence number and, for a message, its peer.
struct Numbered {
  double begin = 0;
  std::string operation;
  std::int64_t sequence = 0;
  std::int32_t peer = -1;
};

HostDeviceTrace rank_of_numbered(const std::vector<Numbered>& kernels) {
  TraceMaker maker;
  maker.add(EventKind::kAnnotation, "ProfilerStep#1", maker.thread("1"), 0, 10'000);
  std::int64_t correlation = 0;
  for (const Numbered& one : kernels) {
    maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", maker.thread("1"), one.begin - 10, 5, ++correlation);
    const std::uint32_t kernel =
        maker.add(EventKind::kKernel, "ncclDevKernel_X", maker.stream(20), one.begin, 100, correlation);
    EventDetail detail;
    detail.collective = maker.text(one.operation);
    detail.group = maker.group("[0, 1]");
    detail.sequence = one.sequence;
    detail.peer = one.peer;
    detail.bytes = Bytes{4096};
    maker.detail(kernel) = detail;
  }
  return maker.trace;
}

TEST(HostDeviceTest, NumbersThatTwoGroupsOfEqualRanksShareMatchInOrder) {
  const auto rank = rank_of_numbered({{20, "allreduce", 10}, {200, "allreduce", 10}, {400, "allreduce", 11}});
  const Capture capture = stitched({rank, rank});
  EXPECT_EQ(capture.dag.rendezvous_count(), 3U);
  EXPECT_EQ(capture.diagnostics.count_of("unmatched_collective"), 0U);
}

TEST(HostDeviceTest, EachRankCountsItsOwnMessages) {
  const Capture capture = stitched({rank_of_numbered({{20, "send", 7, 1}, {200, "recv", 8, 1}}),
                                    rank_of_numbered({{20, "recv", 3, 0}, {200, "send", 4, 0}})});
  EXPECT_EQ(capture.dag.rendezvous_count(), 2U);
  EXPECT_EQ(capture.diagnostics.count_of("unmatched_collective"), 0U);
}

TEST(HostDeviceTest, CollectivesThatDoNotEndTogetherAreNamedAndNotMerged) {
  const Capture capture = stitched({collective_rank(20, 320), collective_rank(20, 9000)});

  EXPECT_EQ(capture.dag.rendezvous_count(), 0U);
  EXPECT_EQ(capture.diagnostics.count_of("collective_ends_disagree"), 1U);
  EXPECT_EQ(capture.diagnostics.count_of("ranks_not_merged"), 1U);
}

/// A kernel with its begin and end in microseconds. rank_with() builds a rank with such kernels on one stream. The
/// clock of that rank is ahead by `ahead` microseconds.
struct Kernel {
  std::string name;
  double begin = 0;
  double end = 0;
};
HostDeviceTrace rank_with(const std::vector<Kernel>& kernels, double ahead = 0) {
  TraceMaker maker;
  std::int64_t correlation = 0;
  for (const auto& [name, begin, end] : kernels) {
    maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", maker.thread("1"), begin + ahead - 10, 5, ++correlation);
    maker.add(EventKind::kKernel, name, maker.stream(14), begin + ahead, end - begin, correlation);
  }
  return maker.trace;
}

constexpr const char* kBroadcast = "ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
constexpr const char* kAllReduce = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

std::vector<Kernel> all_reduces(const std::vector<double>& begins) {
  std::vector<Kernel> kernels;
  kernels.reserve(begins.size());
  for (const double begin : begins) kernels.push_back({kAllReduce, begin, begin + 100});
  return kernels;
}

/// The k-th collectives of two ranks are not the same if one recording begins later. The ends show which ones are.
TEST(HostDeviceTest, RecordingsThatBeginAtDifferentCollectivesAreMatchedByTheEnds) {
  const std::vector<double> begins{1'000, 3'000, 4'500, 9'000, 11'000, 15'000, 15'800, 21'000};
  const auto whole = rank_with(all_reduces(begins));
  const auto late = rank_with(all_reduces({begins.begin() + 2, begins.end()}));
  for (const bool late_first : {false, true}) {
    const Capture capture = late_first ? stitched({late, whole}) : stitched({whole, late});
    EXPECT_EQ(capture.dag.rendezvous_count(), 6U) << late_first;
    EXPECT_EQ(capture.diagnostics.count_of("unmatched_collective"), 2U);
    EXPECT_EQ(capture.diagnostics.count_of("ranks_not_merged"), 0U);
    const std::string text = late_first
                                 ? "The recording of rank 1 begins 2 collectives before that of rank 0, as the ends of "
                                   "collectives show."
                                 : "The recording of rank 1 begins 2 collectives after that of rank 0, as the ends of "
                                   "collectives show.";
    EXPECT_THAT(capture.assumptions, ::testing::Contains(::testing::Field(&Assumption::sentence, text)));
  }
}

/// Hosts that are not named may have two clocks. Steps of irregular length show which collectives are the same.
TEST(HostDeviceTest, ManyCollectivesAreMatchedByTheEndsOnTwoClocks) {
  constexpr std::size_t kCount = 3'000;
  constexpr std::size_t kLate = 321;
  std::vector<double> begins{1'000};
  while (begins.size() < kCount)
    begins.push_back(begins.back() + 1'000 + static_cast<double>(begins.size() * 7'919 % 5'003));
  const auto late = rank_with(all_reduces({begins.begin() + kLate, begins.end()}), 1e7);
  const Capture capture = stitched({rank_with(all_reduces(begins)), late});
  EXPECT_EQ(capture.diagnostics.count_of("unmatched_collective"), kLate);
  const std::string text =
      "The recording of rank 1 begins 321 collectives after that of rank 0, as the ends of collectives show.";
  EXPECT_THAT(capture.assumptions, ::testing::Contains(::testing::Field(&Assumption::sentence, text)));
}

/// In a job of equal steps, any number of early collectives fits on two clocks, but only one on the clock of a host.
TEST(HostDeviceTest, CollectivesOfEqualStepsAreMatchedByTheEndsOnOneHost) {
  const auto on_host = [](int first) {
    std::vector<double> begins;
    for (int i = first; i < 200; ++i) begins.push_back(1'000 + 2'000.0 * i);
    HostDeviceTrace trace = rank_with(all_reduces(begins));
    trace.host_name = "node";
    return trace;
  };
  const Capture capture = stitched({on_host(0), on_host(5)});
  EXPECT_EQ(capture.diagnostics.count_of("unmatched_collective"), 5U);
  EXPECT_EQ(capture.dag.rendezvous_count(), 195U);
}

/// The ends of no two collectives are together, so that all numbers of early ones are tried.
TEST(HostDeviceTest, MatchingByTheEndsGrowsWithTheNumberOfCollectives) {
  const auto ends_apart = [](std::size_t count, std::size_t step) {
    std::vector<double> begins{1'000};
    while (begins.size() < count)
      begins.push_back(begins.back() + 1'000 + static_cast<double>(begins.size() * step % 2'003));
    return rank_with(all_reduces(begins));
  };
  const double grown = stepsim::testing::growth(500, [&](std::size_t count) {
    EXPECT_EQ(stitched({ends_apart(count, 7'919), ends_apart(count, 1'009)}).diagnostics.count_of("ranks_not_merged"),
              1U);
  });
  EXPECT_LT(grown, stepsim::testing::kLessThanQuadratic);
}

/// Two recordings of different parts of a job, or of two jobs, are not made to fit.
TEST(HostDeviceTest, CollectivesOfDifferentOrderAreNotMatchedByTheirEnds) {
  std::vector<Kernel> other = all_reduces({4'500, 9'000, 11'000, 15'000, 15'800, 21'000});
  other[2].name = "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
  const auto whole = rank_with(all_reduces({1'000, 3'000, 4'500, 9'000, 11'000, 15'000, 15'800, 21'000}));
  const Capture capture = stitched({whole, rank_with(other)});
  EXPECT_EQ(capture.dag.rendezvous_count(), 0U);
  EXPECT_EQ(capture.diagnostics.count_of("ranks_not_merged"), 1U);
}

/// A root puts its broadcasts into the transport's buffers and continues, while the other rank is late.
TEST(HostDeviceTest, RootedCollectivesNeedNotEndTogether) {
  for (const std::string root : {kBroadcast, "ncclDevKernel_Reduce_Sum_f32_RING_LL()"}) {
    const Capture capture =
        stitched({rank_with({{root, 100, 110}, {root, 110, 120}, {root, 120, 130}, {kAllReduce, 2'000, 2'600}}),
                  rank_with({{root, 900, 910}, {root, 910, 920}, {root, 920, 930}, {kAllReduce, 2'500, 2'600}})});

    ASSERT_EQ(capture.dag.rendezvous_count(), 1U) << root;
    EXPECT_EQ(capture.dag.collective(RendezvousId{0}).op, CollectiveOp::kAllReduce);
    EXPECT_EQ(capture.diagnostics.count_of("collective_ends_disagree"), 0U);
    EXPECT_EQ(capture.diagnostics.count_of("ranks_not_merged"), 0U);
    EXPECT_EQ(capture.diagnostics.count_of("rooted_ends_apart"), 3U);
  }
}

/// The parts on hosts of any other collective end at most 5 ms apart.
TEST(HostDeviceTest, RootedCollectivesOfHostsNeedNotEndTogether) {
  const auto capture_of = [](const std::string& name) {
    std::vector<HostDeviceTrace> ranks;
    for (const double begin : {100.0, 20'000.0}) {
      TraceMaker maker;
      maker.add(EventKind::kAnnotation, name, maker.thread("1"), begin, 10);
      maker.add(EventKind::kAnnotation, "gloo:barrier", maker.thread("1"), 40'000, 100);
      ranks.push_back(std::move(maker.trace));
    }
    return stitched(std::move(ranks));
  };
  for (const std::string name : {"gloo:broadcast", "gloo:reduce", "gloo:gather", "gloo:scatter"}) {
    const Capture capture = capture_of(name);
    EXPECT_EQ(capture.diagnostics.count_of("rooted_ends_apart"), 1U) << name;
    EXPECT_EQ(capture.diagnostics.count_of("collective_ends_disagree"), 0U) << name;
  }
  EXPECT_EQ(capture_of("gloo:all_reduce").diagnostics.count_of("collective_ends_disagree"), 1U);
}

/// The root's second broadcast transfers for 10 us and waits for room in a buffer for the rest of its time. A what-if
/// that scales transfers must not scale that wait.
TEST(HostDeviceTest, WaitsInRootedCollectivesAreNoTransfers) {
  const Capture capture =
      stitched({rank_with({{kBroadcast, 100, 110}, {kBroadcast, 120, 4'000}, {kAllReduce, 4'500, 5'100}}),
                rank_with({{kBroadcast, 3'980, 3'990}, {kBroadcast, 4'600, 4'610}, {kAllReduce, 5'000, 5'100}})});

  EXPECT_EQ(capture.diagnostics.count_of("rooted_ends_apart"), 2U);
  std::vector<Duration> broadcasts;
  Duration waits{};
  for (std::size_t i = 0; i < capture.dag.task_count(); ++i) {
    if (capture.dag.name(TaskId{i}) == kBroadcast) broadcasts.push_back(capture.dag.duration(TaskId{i}));
  }
  for (const auto& wait : capture.recording.unexplained) {
    if (capture.dag.name(wait.task) == kBroadcast) waits += wait.wait;
  }
  EXPECT_THAT(broadcasts, ::testing::Each(us(10)));
  EXPECT_EQ(broadcasts.size(), 4U);
  EXPECT_GE(waits, us(3'870));
  const TaskId reduction = capture.dag.members(RendezvousId{0})[0];
  EXPECT_EQ(capture.recording.start[reduction.index()], Time{us(4'500)});  // the recorded start
}

/// The only all-reduce does not match, so the ranks are not of one run. The nine broadcasts match, but that proves
/// nothing, because their root does not wait for the other rank.
TEST(HostDeviceTest, RootedCollectivesDoNotMakeRanksOfOneRun) {
  std::vector<Kernel> kernels{{kAllReduce, 9'000, 9'100}};
  for (int i = 0; i < 9; ++i) kernels.push_back({kBroadcast, 100.0 + 10 * i, 105.0 + 10 * i});
  std::vector<Kernel> late = kernels;
  late[0] = {kAllReduce, 19'000, 19'100};

  EXPECT_EQ(stitched({rank_with(kernels), rank_with(late)}).diagnostics.count_of("ranks_not_merged"), 1U);
}

/// The clock of rank b is ahead by 7,300 us. Rank a, the root, ends its broadcasts 500 us before rank b. The broadcasts
/// must not change the offset of the clocks.
TEST(HostDeviceTest, RootedCollectivesDoNotSayHowFarClocksAreApart) {
  HostDeviceTrace a = rank_with({{kBroadcast, 100, 110}, {kBroadcast, 110, 120}, {kAllReduce, 2'000, 2'600}});
  HostDeviceTrace b = rank_with({{kBroadcast, 600, 610}, {kBroadcast, 610, 620}, {kAllReduce, 2'500, 2'600}}, 7'300);
  a.host_name = "a";
  b.host_name = "b";

  EXPECT_EQ(stitched({a, b}).recording.clocks.at(1).offset, us(7'300));
}

TEST(HostDeviceTest, ClockOfAnotherHostIsFoundFromCollectiveEnds) {
  HostDeviceTrace a = collective_rank(20, 320);
  HostDeviceTrace b = collective_rank(20 + 7300, 320 + 7300);
  a.host_name = "a";
  b.host_name = "b";

  const Capture capture = stitched({a, b});

  ASSERT_EQ(capture.recording.clocks.size(), 2U);
  EXPECT_EQ(capture.recording.clocks[1].offset, us(7300));
  EXPECT_EQ(capture.recording.clocks[1].residual, Duration{});
  EXPECT_EQ(capture.dag.rendezvous_count(), 1U);
}

TEST(HostDeviceTest, HostThatSharesNoCollectiveIsRefused) {
  TraceMaker lonely;
  lonely.add(EventKind::kOp, "op", lonely.thread("1"), 0, 10);
  lonely.trace.host_name = "b";
  HostDeviceTrace a = collective_rank(20, 320);
  a.host_name = "a";

  EXPECT_THROW((void)stitched({a, lonely.trace}), InputError);
}

TEST(HostDeviceTest, GlooCallDependsOnTheCallThatSubmittedIt) {
  TraceMaker maker;
  const TrackId main = maker.thread("1");
  const TrackId worker = maker.thread("2");
  maker.add(EventKind::kOp, "AccumulateGrad", main, 0, 100);
  maker.add(EventKind::kOp, "c10d::allreduce_", main, 100, 40);
  maker.add(EventKind::kAnnotation, "gloo:all_reduce", worker, 125, 1000);
  maker.add(EventKind::kOp, "optimizer", main, 1150, 10);

  const Capture capture = stitched({maker.trace});

  const TaskId collective = find(capture, "gloo:all_reduce");
  EXPECT_EQ(edge(capture, find(capture, "c10d::allreduce_", 100), collective)->kind, EdgeKind::kHandOff);
  EXPECT_EQ(edge(capture, collective, find(capture, "(no operator)", 1125))->kind, EdgeKind::kHandOff);
  EXPECT_EQ(unexplained(capture), Duration{});
}

TEST(HostDeviceTest, StepsComeFromProfilerStepMarks) {
  TraceMaker maker;
  const TrackId main = maker.thread("1");
  for (int i = 0; i < 3; ++i) {
    maker.add(EventKind::kAnnotation, "ProfilerStep#" + std::to_string(4 + i), main, 100.0 * i, 99);
    maker.add(EventKind::kOp, "op", main, 100.0 * i + 10, 50);
  }

  const Capture capture = stitched({maker.trace});

  ASSERT_EQ(capture.recording.steps.size(), 3U);
  EXPECT_EQ(capture.recording.steps[1].number, 5);
  EXPECT_TRUE(capture.recording.steps[1].next_follows);
  EXPECT_FALSE(capture.recording.steps[2].next_follows);
  EXPECT_EQ(capture.recording.start[capture.recording.steps[1].first.index()], Time{us(100)});
}

/// Builds five steps of 14 ms that begin every 10 ms, so that they overlap, as in a pipeline. Each step has an operator
/// in its first 9 ms. The steps take turns on the `threads`.
Capture overlapping_steps(const std::vector<std::string>& threads) {
  TraceMaker maker;
  for (std::size_t i = 0; i < 5; ++i) {
    const TrackId thread = maker.thread(threads[i % threads.size()]);
    const double begin = 10'000.0 * static_cast<double>(i);
    maker.add(EventKind::kAnnotation, "ProfilerStep#" + std::to_string(1 + i), thread, begin, 14'000);
    maker.add(EventKind::kOp, "op", thread, begin + 1000, 8000);
  }
  return stitched({maker.trace});
}

TEST(HostDeviceTest, AnIterationOfStepsThatOverlapIsThePitchOfTheirBegins) {
  const Capture capture = overlapping_steps({"1"});
  const Recording& recording = capture.recording;
  ASSERT_EQ(recording.steps.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(recording.start[recording.steps[i].first.index()], Time{us(10'000) * static_cast<std::int64_t>(i)});
    EXPECT_EQ(recording.steps[i].next_follows, i < 4);
  }
  ASSERT_EQ(capture.diagnostics.count_of("overlapping_steps"), 4U);
  const auto& entries = capture.diagnostics.entries();
  const auto told =
      std::find_if(entries.begin(), entries.end(), [](const auto& e) { return e.name == "overlapping_steps"; });
  EXPECT_EQ(told->detail, "step 2 begins 4 ms before step 1 ends");
}

TEST(HostDeviceTest, StepMarksOfSeveralThreadsAreAllSteps) {
  const Capture capture = overlapping_steps({"1", "2"});
  ASSERT_EQ(capture.recording.steps.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(capture.recording.steps[i].number, static_cast<std::int64_t>(i) + 1);
  EXPECT_EQ(capture.diagnostics.count_of("overlapping_steps"), 4U);
}

TEST(HostDeviceTest, AStepMarkThatIsWrittenTwiceIsOneStep) {
  TraceMaker maker;
  const TrackId main = maker.thread("1");
  for (int i = 0; i < 3; ++i) {
    maker.add(EventKind::kAnnotation, "ProfilerStep#" + std::to_string(i), main, 100.0 * i, 99);
    maker.add(EventKind::kAnnotation, "ProfilerStep#" + std::to_string(i), main, 100.0 * i + 1, 97);
    maker.add(EventKind::kOp, "op", main, 100.0 * i + 10, 30);
  }
  const Capture capture = stitched({maker.trace});
  ASSERT_EQ(capture.recording.steps.size(), 3U);
  EXPECT_EQ(capture.diagnostics.count_of("overlapping_steps"), 0U);
  EXPECT_EQ(capture.recording.start[capture.recording.steps[1].first.index()], Time{us(100)});
}

/// Returns the names of the annotations that contain the launch of a task.
std::vector<std::string> annotations_of(const Capture& capture, TaskId task) {
  std::vector<std::string> names;
  for (const AnnotationTable::Use& use : capture.annotations.uses) {
    if (use.task == task) names.push_back(capture.annotations.names[use.which]);
  }
  return names;
}

/// In the annotation "backward pass", the main thread waits for the autograd thread. Later, the autograd thread
/// continues alone.
TEST(AnnotationTest, AnnotationsOfAThreadThatWaitsAreAroundWhatItWaitsFor) {
  TraceMaker maker;
  const TrackId main = maker.thread("1");
  const TrackId autograd = maker.thread("2");
  const TrackId stream = maker.stream(7);
  const auto launch = [&](const std::string& name, TrackId thread, double at, std::int64_t correlation) {
    maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, at, 5, correlation);
    maker.add(EventKind::kKernel, name, stream, at + 10, 20, correlation);
  };
  maker.add(EventKind::kOp, "aten::mm", main, 0, 90);
  launch("forward", main, 10, 1);
  maker.add(EventKind::kAnnotation, "backward pass", main, 100, 1000);
  maker.add(EventKind::kOp, "autograd::engine::evaluate_function: MmBackward0", autograd, 120, 900);
  maker.add(EventKind::kAnnotation, "hook", autograd, 500, 100);
  launch("gradient", autograd, 200, 2);
  launch("bucket", autograd, 520, 3);
  maker.add(EventKind::kOp, "aten::add_", main, 1'100, 90);
  launch("optimizer", main, 1'120, 4);
  maker.add(EventKind::kOp, "aten::copy_", autograd, 1'300, 90);
  launch("later", autograd, 1'310, 5);

  const Capture capture = stitched({maker.trace});

  EXPECT_THAT(annotations_of(capture, find(capture, "forward")), ::testing::ElementsAre());
  EXPECT_THAT(annotations_of(capture, find(capture, "gradient")), ::testing::ElementsAre("backward pass"));
  EXPECT_THAT(annotations_of(capture, find(capture, "bucket")),
              ::testing::UnorderedElementsAre("backward pass", "hook"));
  EXPECT_THAT(annotations_of(capture, find(capture, "optimizer")), ::testing::ElementsAre());
  EXPECT_THAT(annotations_of(capture, find(capture, "later")), ::testing::ElementsAre());
}

TEST(AnnotationTest, AnAnnotationAlsoContainsTheCallsBeforeTheModulesWithinIt) {
  TraceMaker maker;
  const TrackId thread = maker.thread("1");
  maker.add(EventKind::kAnnotation, "forward", thread, 0, 200);
  maker.trace.modules.push_back({thread, maker.text("nn.Module: Model_0"), Time{us(50)}, us(100)});
  maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, 10, 5, 1);
  maker.add(EventKind::kKernel, "before", maker.stream(7), 20, 20, 1);
  maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, 60, 5, 2);
  maker.add(EventKind::kKernel, "within", maker.stream(7), 70, 20, 2);

  const Capture capture = stitched({maker.trace});

  EXPECT_THAT(annotations_of(capture, find(capture, "before")), ::testing::ElementsAre("forward"));
  EXPECT_THAT(annotations_of(capture, find(capture, "within")),
              ::testing::UnorderedElementsAre("forward", "nn.Module: Model_0"));
}

}  // namespace
}  // namespace stepsim::ingest
