// Tests how exports of Nsight Systems are read: from the bytes of the database to events and their waits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/parts/process_groups.h"
#include "tests/ingest/formats/nsys/nsys_maker.h"
#include "tests/ingest/read_text.h"
#include "tests/ingest/stitched.h"

namespace stepsim::ingest::nsys_test {
namespace {

using ::testing::AllOf;
using testing::DatabaseMaker;
using ::testing::HasSubstr;
using testing::NsysMaker;

constexpr std::int64_t kProcess = 4242;

PartSink read(const NsysMaker& maker) {
  const std::string bytes = maker.database.bytes();
  Input input = Input::from_memory(bytes, "file.sqlite");
  PartSink sink;
  format_named("nsys").read(input, sink);
  return sink;
}

const HostDeviceTrace& trace_of(const PartSink& sink, std::size_t part = 0) {
  return std::get<HostDeviceTrace>(sink.parts.at(part).part);
}

/// Returns the first event with this name; fails if there is none.
std::size_t event(const HostDeviceTrace& trace, std::string_view name) {
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (trace.text(trace.name[i]) == name) return i;
  }
  ADD_FAILURE() << "no event " << name;
  return 0;
}

TEST(NsysTest, DatabasesWithItsTablesAreItsOwn) {
  const std::string bytes = NsysMaker().database.bytes();
  EXPECT_GE(format_named("nsys").recognise("x", bytes), 60);
  EXPECT_EQ(format_named("nsys").recognise("x", DatabaseMaker().run("CREATE TABLE t (i)").bytes()), 0);
  EXPECT_EQ(format_named("nsys").recognise("x.sqlite", "{}"), 0);
}

/// Nsight Systems 2022 writes two rows for a call, with the same correlation.
TEST(NsysTest, ACallWithTwoRowsLosesNoKernel) {
  NsysMaker maker;
  for (int step = 0; step < 4; ++step) {
    const int at = 100'000 * step + 1'000;
    maker.range(kProcess, "step " + std::to_string(step), at, at + 99'000);
    maker.call(kProcess, "cudaLaunchKernel", at + 100, at + 200, step + 1);
    maker.call(kProcess, "cudaLaunchKernel_v7000", at + 110, at + 190, step + 1);
    maker.kernel(kProcess, "void f(int)", at + 300, at + 50'000, step + 1);
  }
  const Capture capture = testing::stitched({trace_of(read(maker))});
  EXPECT_EQ(capture.diagnostics.count_of("lost_kernels"), 0U);
  ASSERT_EQ(capture.recording.steps.size(), 4U);
  for (const auto& step : capture.recording.steps) EXPECT_TRUE(step.whole);
}

TEST(NsysTest, CallsAndDeviceWorkAreEvents) {
  NsysMaker maker;
  maker.call(kProcess, "cudaLaunchKernel_v7000", 100, 110, 5);
  maker.kernel(kProcess, "void f(int)", 130, 180, 5, 1, 9);
  maker.copy(kProcess, 200, 260, 6, 4096);
  const PartSink sink = read(maker);
  ASSERT_EQ(sink.parts.size(), 1U);
  EXPECT_EQ(sink.parts[0].of, "");
  EXPECT_EQ(sink.events, 3U);
  EXPECT_EQ(sink.skipped, 0U);
  const HostDeviceTrace& trace = trace_of(sink);
  ASSERT_EQ(trace.size(), 3U);
  EXPECT_TRUE(trace.has_base_time);
  EXPECT_FALSE(trace.rank);

  const std::size_t call = event(trace, "cudaLaunchKernel");
  EXPECT_EQ(trace.kind[call], EventKind::kRuntimeCall);
  EXPECT_EQ(trace.start[call], Time{Duration{NsysMaker::kBegin + 100}});
  EXPECT_EQ(trace.duration[call], Duration{10});
  EXPECT_EQ(trace.correlation[call], 5);
  EXPECT_EQ(trace.tracks[trace.track[call].index()].thread, "4242");

  const std::size_t kernel = event(trace, "void f(int)");
  EXPECT_EQ(trace.kind[kernel], EventKind::kKernel);
  EXPECT_EQ(trace.correlation[kernel], 5);
  const Track& stream = trace.tracks[trace.track[kernel].index()];
  EXPECT_TRUE(stream.on_device);
  EXPECT_EQ(stream.device, 1);
  EXPECT_EQ(stream.stream, 9);
  ASSERT_EQ(trace.launches.size(), 1U);
  EXPECT_EQ(trace.launches[0], (KernelLaunch{.blocks = 48, .threads = 128, .registers = 40, .shared_memory = 1024}));

  const std::size_t copy = event(trace, "Memcpy HtoD (Pinned -> Device)");
  EXPECT_EQ(trace.kind[copy], EventKind::kMemcpy);
  EXPECT_EQ(trace.detail_of(copy)->bytes, Bytes{4096});
}

TEST(NsysTest, EachProcessWithDeviceWorkIsARankInTheOrderOfTheDevices) {
  NsysMaker maker;
  maker.kernel(20, "k", 100, 110, 5, 1);
  maker.kernel(30, "k", 100, 120, 5, 0);  // the same correlation id, which is unique only within a process
  maker.call(10, "cudaGetDeviceCount_v3020", 50, 60, 1);
  const PartSink sink = read(maker);
  ASSERT_EQ(sink.parts.size(), 2U);
  EXPECT_EQ(sink.parts[0].of, "process 30");
  EXPECT_EQ(sink.parts[1].of, "process 20");
  EXPECT_EQ(trace_of(sink, 0).duration[0], Duration{20});
  EXPECT_EQ(sink.diagnostics.count_of("process_not_used"), 1U);
}

TEST(NsysTest, AProcessThatSeesOneDeviceOfSeveralCountsFromZero) {
  NsysMaker maker;
  maker.database.run("CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER)");
  maker.database.run("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (3, 0, 20), (2, 0, 30)");
  maker.database.run("CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT)");
  maker.database.run("INSERT INTO TARGET_INFO_GPU VALUES (2, 'NVIDIA A'), (3, 'NVIDIA B')");
  maker.kernel(20, "k", 100, 110, 5);
  maker.kernel(30, "k", 100, 120, 5);
  const PartSink sink = read(maker);
  ASSERT_EQ(sink.parts.size(), 2U);
  EXPECT_EQ(sink.parts[0].of, "process 30");
  EXPECT_EQ(trace_of(sink, 0).device_name, "NVIDIA A");
  EXPECT_EQ(trace_of(sink, 1).device_name, "NVIDIA B");
}

/// The rows of the waits contain device 0, but the context of process 20 is on device 1.
TEST(NsysTest, WaitsNameTheRecordOfTheirEvent) {
  NsysMaker maker;
  maker.kernel(20, "a", 100, 200, 1, 1, 7);
  maker.record(20, 7, 2, 77);
  maker.sync(20, 2, 150, 151, 3, 9, 2, 77);
  maker.sync(20, 3, 160, 210, 4, 7, 2);
  maker.sync(20, 4, 220, 230, 5, 0xFFFFFFFF, 2);
  maker.sync(20, 2, 240, 241, 6, 9, 2, 78);  // waits for an event that was never recorded
  const PartSink sink = read(maker);
  const HostDeviceTrace& trace = trace_of(sink);
  const std::size_t wait = event(trace, "Stream Wait Event");
  EXPECT_EQ(trace.kind[wait], EventKind::kSync);
  EXPECT_EQ(trace.correlation[wait], 3);
  EXPECT_EQ(trace.detail_of(wait)->stream, 9);
  EXPECT_EQ(trace.detail_of(wait)->wait_stream, 7);
  EXPECT_EQ(trace.detail_of(wait)->wait_correlation, 2);
  EXPECT_EQ(trace.tracks[trace.track[wait].index()].device, 1);
  EXPECT_EQ(trace.detail_of(event(trace, "Stream Sync"))->stream, 7);
  EXPECT_EQ(trace.detail_of(event(trace, "Context Sync"))->stream, -1);
  EXPECT_EQ(sink.diagnostics.count_of("event_not_recorded"), 1U);
}

std::vector<std::string> kinds_of_waits(const HostDeviceTrace& trace) {
  std::vector<std::string> kinds;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (trace.kind[i] == EventKind::kSync) kinds.push_back(trace.text(trace.name[i]));
  }
  return kinds;
}

/// Exports number the kinds of waits in three ways. Some use CUPTI's numbers. Those of schema 3.17 always have 0, and
/// an old number in another column. Those of 2020 use other numbers, one of which means two kinds. The kind must
/// therefore follow from the name of the call.
TEST(NsysTest, TheCallSaysTheKindOfAWait) {
  struct Numbers {
    int device, event, stream, stream_wait, deprecated_device, deprecated_event, deprecated_stream;
  };
  for (const Numbers& n : {Numbers{4, 1, 3, 2, 9, 9, 9}, {0, 0, 0, 0, 0, 1, 2}, {1, 2, 3, 3, 9, 9, 9}}) {
    NsysMaker maker;
    maker.kernel(kProcess, "a", 100, 200, 1);
    maker.call(kProcess, "cudaEventRecord_v3020", 210, 220, 2);
    maker.old_record(kProcess, 7, 2, 16);
    maker.old_sync(kProcess, "cudaEventSynchronize_v3020", n.event, n.deprecated_event, 300, 3, 0xFFFFFFFF, 16);
    maker.old_sync(kProcess, "cudaStreamSynchronize_v3020", n.stream, n.deprecated_stream, 400, 4, 7);
    maker.old_sync(kProcess, "cuStreamWaitEvent", n.stream_wait, n.deprecated_stream, 500, 5, 9, 16);
    maker.old_sync(kProcess, "cudaDeviceSynchronize_v3020", n.device, n.deprecated_device, 600, 6, 0xFFFFFFFF);
    // The name of this call does not show a kind of wait.
    maker.old_sync(kProcess, "cudaFree_v3020", n.device, n.deprecated_device, 700, 7, 0xFFFFFFFF);
    const PartSink sink = read(maker);
    EXPECT_THAT(kinds_of_waits(trace_of(sink)), ::testing::ElementsAre("Event Sync", "Stream Sync", "Stream Wait Event",
                                                                       "Context Sync", "Context Sync"))
        << n.device;
    EXPECT_EQ(sink.skipped, 0U) << n.device;
  }
}

/// Event 16 is recorded on stream 7, then on stream 8. Each wait is for the last record before it.
TEST(NsysTest, WithoutEventSyncIdAWaitIsForTheEventsLastRecord) {
  NsysMaker maker;
  maker.kernel(kProcess, "a", 100, 200, 1);
  maker.old_record(kProcess, 7, 2, 16);
  maker.old_sync(kProcess, "cudaStreamWaitEvent_v3020", 2, 0, 300, 3, 9, 16);
  maker.old_record(kProcess, 8, 4, 16);
  maker.old_sync(kProcess, "cudaStreamWaitEvent_v3020", 2, 0, 500, 5, 9, 16);
  maker.old_sync(kProcess, "cudaStreamWaitEvent_v3020", 2, 0, 600, 6, 9, 17);  // event 17 was never recorded
  const PartSink sink = read(maker);
  const HostDeviceTrace& trace = trace_of(sink);
  std::vector<std::pair<std::int64_t, std::int64_t>> waited;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (trace.kind[i] == EventKind::kSync)
      waited.emplace_back(trace.detail_of(i)->wait_stream, trace.detail_of(i)->wait_correlation);
  }
  EXPECT_THAT(waited, ::testing::ElementsAre(std::pair{7, 2}, std::pair{8, 4}));
  EXPECT_EQ(sink.skipped, 0U);
  EXPECT_EQ(sink.diagnostics.count_of("event_not_recorded"), 1U);
}

/// Kernel b on stream 9 waits for kernel a on stream 7 of the same device, through an event.
TEST(NsysTest, AWaitBetweenStreamsIsAnExactEdge) {
  NsysMaker maker;
  maker.call(kProcess, "cudaLaunchKernel_v7000", 1'000, 2'000, 1);
  maker.call(kProcess, "cudaEventRecord_v3020", 2'100, 2'200, 2);
  maker.call(kProcess, "cudaStreamWaitEvent_v3020", 2'300, 2'400, 3);
  maker.call(kProcess, "cudaLaunchKernel_v7000", 2'500, 3'500, 4);
  maker.kernel(kProcess, "a", 3'000, 9'000, 1, 0, 7);
  maker.kernel(kProcess, "b", 9'004, 12'000, 4, 0, 9);
  maker.record(kProcess, 7, 2, 77);
  maker.sync(kProcess, 2, 2'300, 2'400, 3, 9, 1, 77);
  const Capture capture = testing::stitched({trace_of(read(maker))});
  const auto found = testing::edge(capture, testing::find(capture, "a"), testing::find(capture, "b"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, EdgeKind::kSync);
}

TEST(NsysTest, RangesAreOperatorsOrAnnotations) {
  NsysMaker maker;
  maker.kernel(kProcess, "k", 100, 200, 1);
  maker.range(kProcess, "aten::mm, seq = 3, op_id = 12", 10, 20);
  maker.range(kProcess, "forward", 5, 30);
  maker.range(kProcess, "mark", 7, 7, "NULL", 34);
  maker.database.run(fmt::format("INSERT INTO NVTX_EVENTS VALUES (40, NULL, 59, 'open', {}, NULL, NULL, NULL)",
                                 NsysMaker::id(kProcess, kProcess)));
  maker.database.run(fmt::format("INSERT INTO NVTX_EVENTS VALUES (50, 60, 59, NULL, {}, {}, NULL, NULL)",
                                 NsysMaker::id(kProcess, kProcess), maker.text("registered")));
  const PartSink sink = read(maker);
  const HostDeviceTrace& trace = trace_of(sink);
  EXPECT_EQ(trace.size(), 4U);
  EXPECT_EQ(trace.kind[event(trace, "aten::mm")], EventKind::kOp);
  EXPECT_EQ(trace.kind[event(trace, "forward")], EventKind::kAnnotation);
  EXPECT_EQ(trace.start[event(trace, "registered")], Time{Duration{NsysMaker::kBegin + 50}});
  EXPECT_EQ(sink.diagnostics.count_of("not used: NVTX marks"), 1U);
  EXPECT_EQ(sink.diagnostics.count_of("open_range"), 1U);
}

/// The names have the form that torch.autograd.profiler.emit_nvtx(record_shapes=True) writes.
TEST(NsysTest, ShapesAreInTheNamesOfOperators) {
  NsysMaker maker;
  maker.kernel(kProcess, "k", 100, 200, 1);
  maker.range(kProcess, "aten::mm, seq = 3, op_id = 12, sizes = [[2, 3], [3, 4]], input_op_ids = [(1,0), (2,0)]", 10,
              20);
  maker.range(kProcess, "aten::add, seq = 4, op_id = 13, sizes = [[2, 4], [2, 4], []]", 30, 40);
  maker.range(kProcess, "aten::mm, seq = 5, op_id = 14, sizes = [[2, 3], [3, 4]], input_op_ids = [(5,0), (2,0)]", 50,
              60);
  maker.range(kProcess, "aten::relu, seq = 6, op_id = 15", 70, 80);
  const PartSink sink = read(maker);
  const HostDeviceTrace& trace = trace_of(sink);
  ASSERT_EQ(trace.operators.size(), 2U);
  std::vector<std::uint32_t> shaped;
  for (std::uint32_t i = 0; i < trace.size(); ++i) {
    if (trace.operator_of[i] != HostDeviceTrace::kNone) shaped.push_back(i);
  }
  ASSERT_EQ(shaped.size(), 3U);
  EXPECT_EQ(trace.operators[0].name, "aten::mm");
  EXPECT_EQ(trace.operators[0].shapes, "[[2, 3], [3, 4]]");
  EXPECT_EQ(trace.operators[0].work.flops, 2.0 * 2 * 3 * 4);
  EXPECT_EQ(trace.operators[1].shapes, "[[2, 4], [2, 4], []]");
  EXPECT_EQ(trace.operator_of[shaped[0]], trace.operator_of[shaped[2]]);
  EXPECT_EQ(trace.text(trace.name[shaped[1]]), "aten::add");
}

/// Returns a number as little-endian hexadecimal digits.
std::string little(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, number >>= 8U) text += fmt::format("{:02x}", number & 0xFFU);
  return text;
}

/// Returns the payload of a mark: a header with the schema's number and sizes, then the values.
std::string payload(std::uint32_t schema, const std::string& values) {
  const std::uint64_t size = values.size() / 2;
  return fmt::format("x'{}{}{}{}{}{}{}'", little(1, 4), little(0, 4), little(schema, 4), little(0, 4), little(size, 8),
                     little(size + 32, 8), values);
}

constexpr std::uint64_t kCommunicator = 0xFEDCBA9876543210;

/// Reads an export of two processes, whose ranks are not in the order of their devices. `mark` adds NVTX marks from
/// 1000 to 1100 ns, around a call that launches `kernel`. The kernel ends at 1200 ns. It begins at 1100 ns on rank 0
/// and at 1150 ns on rank 1.
template <class Mark>
PartSink two_ranks(const std::string& kernel, Mark mark) {
  NsysMaker maker;
  maker.database.run(
      "INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (16, 18, 'NCCL communicator ID', NULL), (16, 5, 'No. of ranks', "
      "8), "
      "(16, 5, 'Rank', 12), (17, 18, 'NCCL communicator ID', NULL), (17, 22, 'Message size [bytes]', 8), (18, 18, "
      "'NCCL "
      "communicator ID', NULL), (18, 22, 'Message size [bytes]', 8), (18, 5, 'Peer rank', 16)");
  for (const int process : {20, 30}) {
    const int rank = process == 20 ? 1 : 0;
    maker.range(process, "ncclCommInitRank", 10, 20,
                payload(16, little(kCommunicator, 8) + little(2, 4) + little(static_cast<std::uint64_t>(rank), 4)));
    mark(maker, process, rank);
    maker.call(process, "cudaLaunchKernelExC_v11060", 1'040, 1'060, 3);
    maker.kernel(process, kernel, 1'100 + 50 * rank, 1'200, 3, process == 20 ? 0 : 1);
  }
  return read(maker);
}

TEST(NsysTest, NcclSaysTheRankTheGroupAndTheSize) {
  const PartSink sink = two_ranks("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096>)",
                                  [](NsysMaker& maker, int process, int) {
                                    maker.range(process, "ncclReduceScatter", 1'000, 1'100,
                                                payload(17, little(kCommunicator, 8) + little(4096, 8)));
                                  });
  ASSERT_EQ(sink.parts.size(), 2U);
  EXPECT_EQ(trace_of(sink, 0).rank, 1);
  EXPECT_EQ(trace_of(sink, 1).rank, 0);
  EXPECT_EQ(trace_of(sink, 0).world_size, 2);
  EXPECT_EQ(trace_of(sink, 0).backend, "nccl");
  const HostDeviceTrace& trace = trace_of(sink, 0);
  const EventDetail* const detail =
      trace.detail_of(event(trace, "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096>)"));
  ASSERT_NE(detail, nullptr);
  EXPECT_EQ(detail->bytes, Bytes{8192});  // NCCL records the 4096 bytes that one of the two ranks receives
  EXPECT_EQ(trace.text(detail->collective), "reducescatter");
  EXPECT_EQ(key_of(trace, detail->group), "nccl 0xfedcba9876543210");
  ASSERT_EQ(trace.groups.size(), 1U);
  EXPECT_EQ(trace.groups[0].own, 1);
  EXPECT_EQ(trace.groups[0].size, 2U);
}

/// Schema 3.27 contains payloads as JSON. The communicator's number takes all 64 bits.
TEST(NsysTest, PayloadsOfNcclMayBeJson) {
  NsysMaker maker;
  const std::string kernel = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096>)";
  for (const int process : {20, 30}) {
    const int rank = process == 20 ? 1 : 0;
    maker.range(process, "ncclCommInitRankConfig", 10, 20, "NULL", 59,
                fmt::format(R"('{{"NCCL communicator ID":{},"No. of ranks":2,"Rank":{},"CUDA device":{}}}')",
                            kCommunicator, rank, rank));
    maker.range(
        process, "ncclAllReduce", 1'000, 1'100, "NULL", 59,
        fmt::format(R"('{{"NCCL communicator ID":{},"Message size [bytes]":4096,"Reduction operation":"Sum"}}')",
                    kCommunicator));
    maker.call(process, "cudaLaunchKernelExC_v11060", 1'040, 1'060, 3);
    maker.kernel(process, kernel, 1'100, 1'200, 3, process == 20 ? 0 : 1);
  }
  const PartSink sink = read(maker);
  ASSERT_EQ(sink.parts.size(), 2U);
  EXPECT_EQ(trace_of(sink, 0).rank, 1);
  EXPECT_EQ(trace_of(sink, 1).rank, 0);
  EXPECT_EQ(trace_of(sink, 0).world_size, 2);
  const HostDeviceTrace& trace = trace_of(sink, 0);
  const EventDetail* const detail = trace.detail_of(event(trace, kernel));
  ASSERT_NE(detail, nullptr);
  EXPECT_EQ(detail->bytes, Bytes{4096});
  EXPECT_EQ(trace.text(detail->collective), "allreduce");
  EXPECT_EQ(key_of(trace, detail->group), "nccl 0xfedcba9876543210");
}

/// Rank 0 waits 50 ns for rank 1. Then both transfer for 50 ns.
TEST(NsysTest, RanksMeetInTheirCollectives) {
  PartSink sink = two_ranks("ncclDevKernel_AllReduce_Sum_f32_RING_LL()", [](NsysMaker& maker, int process, int) {
    maker.range(process, "ncclAllReduce", 1'000, 1'100, payload(17, little(kCommunicator, 8) + little(4096, 8)));
  });
  const Capture capture = testing::stitched({trace_of(sink, 1), trace_of(sink, 0)});
  ASSERT_EQ(capture.dag.rendezvous_count(), 1U);
  const Collective& collective = capture.dag.collective(RendezvousId{0});
  EXPECT_EQ(collective.op, CollectiveOp::kAllReduce);
  EXPECT_EQ(collective.bytes, Bytes{4096});
  ASSERT_EQ(capture.dag.members(RendezvousId{0}).size(), 2U);
  for (const TaskId task : capture.dag.members(RendezvousId{0})) EXPECT_EQ(capture.dag.duration(task), Duration{50});
}

TEST(NsysTest, AGroupWithOneCallIsThatCall) {
  const auto send_or_receive = [](NsysMaker& maker, int process, int rank) {
    const std::string values =
        little(kCommunicator, 8) + little(512, 8) + little(static_cast<std::uint64_t>(1 - rank), 4);
    maker.range(process, "ncclGroupStart", 900, 910);
    maker.range(process, rank == 0 ? "ncclSend" : "ncclRecv", 920, 930, payload(18, values));
    maker.range(process, "ncclGroupEnd", 1'000, 1'100);
  };
  const PartSink sink = two_ranks("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096>)", send_or_receive);
  const HostDeviceTrace& trace = trace_of(sink, 1);
  const EventDetail* const detail =
      trace.detail_of(event(trace, "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096>)"));
  ASSERT_NE(detail, nullptr);
  EXPECT_EQ(trace.text(detail->collective), "send");
  EXPECT_EQ(detail->peer, 1);
  EXPECT_EQ(detail->bytes, Bytes{512});
}

TEST(NsysTest, AnAllToAllHasAPartForEachRank) {
  const std::string kernel = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096>)";
  const PartSink sink = two_ranks(kernel, [](NsysMaker& maker, int process, int) {
    maker.range(process, "ncclAlltoAll", 1'000, 1'100, payload(17, little(kCommunicator, 8) + little(4096, 8)));
  });
  const HostDeviceTrace& trace = trace_of(sink);
  const EventDetail* const detail = trace.detail_of(event(trace, kernel));
  ASSERT_NE(detail, nullptr);
  EXPECT_EQ(detail->bytes, Bytes{8192});  // NCCL records the 4096 bytes for one of the two ranks
}

TEST(NsysTest, AMarkThatSaysAnotherOperationOrLessThanItsSchemaSaysNothing) {
  for (const std::string& bad : {payload(17, little(kCommunicator, 8)), payload(99, little(1, 8)), std::string{"x'00'"},
                                 std::string{"NULL"}, std::string{"'text'"}}) {
    const PartSink sink = two_ranks(
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL()",
        [&](NsysMaker& maker, int process, int) { maker.range(process, "ncclAllReduce", 1'000, 1'100, bad); });
    const HostDeviceTrace& trace = trace_of(sink);
    EXPECT_EQ(trace.detail_of(event(trace, "ncclDevKernel_AllReduce_Sum_f32_RING_LL()")), nullptr) << bad;
  }
  const PartSink sink = two_ranks("ncclDevKernel_AllReduce_Sum_f32_RING_LL()", [](NsysMaker& maker, int process, int) {
    maker.range(process, "ncclBroadcast", 1'000, 1'100, payload(17, little(kCommunicator, 8) + little(64, 8)));
  });
  const HostDeviceTrace& trace = trace_of(sink);
  EXPECT_EQ(trace.detail_of(event(trace, "ncclDevKernel_AllReduce_Sum_f32_RING_LL()")), nullptr);
}

TEST(NsysTest, GraphsRecordedAsAWholeAreOneKernelEach) {
  NsysMaker maker;
  maker.database.run(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, "
      "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER)");
  maker.database.run(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (100, 300, 0, 1, 7, 3, {}, 12)",
                                 NsysMaker::id(kProcess)));
  const PartSink sink = read(maker);
  EXPECT_EQ(trace_of(sink).kind[event(trace_of(sink), "CUDA graph 12")], EventKind::kKernel);
  EXPECT_EQ(sink.diagnostics.count_of("whole_graphs"), 1U);
}

TEST(NsysTest, WhatIsMissingIsNamedWithWhatRecordsIt) {
  NsysMaker maker;
  maker.kernel(kProcess, "k", 100, 200, 1);
  maker.database.run("DROP TABLE NVTX_EVENTS").run("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN gridX");
  const PartSink sink = read(maker);
  EXPECT_EQ(sink.diagnostics.count_of("missing table: NVTX_EVENTS"), 1U);
  EXPECT_EQ(sink.diagnostics.count_of("missing table: CUPTI_ACTIVITY_KIND_RUNTIME"), 1U);  // the table has no rows
  EXPECT_EQ(sink.diagnostics.count_of("column not written: CUPTI_ACTIVITY_KIND_KERNEL.gridX"), 1U);
  EXPECT_TRUE(trace_of(sink).launches.empty());
  for (const auto& entry : sink.diagnostics.entries()) {
    EXPECT_FALSE(entry.remedy.empty()) << entry.name;
    if (entry.name.starts_with("missing table: ")) {
      EXPECT_THAT(entry.remedy, ::testing::HasSubstr("nsys profile --trace="));
    }
  }
}

TEST(NsysTest, RowsThatCannotBeAreSkippedAndNamed) {
  NsysMaker maker;
  maker.kernel(kProcess, "good", 100, 200, 1);
  maker.kernel(kProcess, "backwards", 200, 100, 1);
  maker.kernel(kProcess, "without a time", 0, 0, 1);
  maker.database.run(
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ('soon', 10, 1, 1, 1), (1, 9223372036854775807, 1, 1, 1), "
      "(-9223372036854775807, 9223372036854775807, 1, 1, 1)");
  maker.sync(kProcess, 9, 150, 151, 3, 9, 2, 77);
  const PartSink sink = read(maker);
  EXPECT_EQ(trace_of(sink).size(), 1U);
  EXPECT_EQ(sink.skipped, 6U);
  EXPECT_EQ(sink.diagnostics.count_of("bad_row"), 6U);
  EXPECT_THAT(sink.diagnostics.entries().at(0).detail, HasSubstr("row 2 of CUPTI_ACTIVITY_KIND_KERNEL"));
}

TEST(NsysTest, AnExportWithNothingToReplayIsRefused) {
  EXPECT_THAT(refusal("nsys", NsysMaker().database.bytes()), AllOf(HasSubstr("no kernel"), HasSubstr("; expected ")));
  EXPECT_THAT(refusal("nsys", DatabaseMaker().run("CREATE TABLE t (i)").bytes()),
              AllOf(HasSubstr("no table of Nsight Systems"), HasSubstr("; expected ")));
}

}  // namespace
}  // namespace stepsim::ingest::nsys_test
