#include "ingest/stitch/parameter_server/parameter_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ingest/stitch/parameter_server/recorded_gpu.h"
#include "ingest/stitch/parameter_server/tasks.h"
#include "sim/engine/engine.h"

namespace stepsim::ingest {
namespace {

constexpr std::int64_t kKey = 0;

Time at(std::int64_t microseconds) { return Time{Duration{microseconds * 1'000}}; }

/// One GPU of a job with one tensor, "a_weight". op() adds operators, stage() adds stages of the tensor's
/// communication. Times are in microseconds.
struct MadeGpu {
  GpuParts parts;

  explicit MadeGpu(std::uint32_t worker, std::uint32_t local_rank = 0) {
    parts.worker = worker;
    parts.local_rank = local_rank;
    parts.host = "host" + std::to_string(worker);
    parts.stages.emplace();
    parts.stages->tensors = {"byteps.gradient_0"};
    parts.operators.emplace();
    parts.tensors.emplace();
    parts.tensors->tensors = {{"a_weight", Bytes{1'000'000}}};
  }
  MadeGpu& op(const std::string& name, std::int64_t step, std::int64_t start, std::int64_t finish,
              std::vector<std::string> inputs = {}) {
    parts.operators->events.push_back(
        {name, "rank0", "1", step, at(start), at(finish) - at(start), std::move(inputs), false});
    return *this;
  }
  MadeGpu& stage(Stage stage, std::int64_t start, std::int64_t finish, std::int64_t key = kKey) {
    parts.stages->events.push_back({0, stage, key, 0, at(start), at(finish) - at(start)});
    return *this;
  }
};

Job job_of(std::uint32_t workers) {
  Job job;
  job.workers = workers;
  job.servers = 1;
  job.control = Control::kFirst;
  return job;
}

Capture stitched(std::vector<MadeGpu> gpus, const Job& job) {
  std::vector<GpuParts> parts;
  parts.reserve(gpus.size());
  for (MadeGpu& gpu : gpus) parts.push_back(std::move(gpu.parts));
  Assembly assembly;
  stitch_parameter_server(std::move(parts), job, assembly);
  return finish(std::move(assembly));
}

TaskId task_named(const Dag& dag, std::string_view name, Rank rank, std::size_t occurrence = 0) {
  for (std::size_t i = 0; i < dag.task_count(); ++i) {
    if (dag.name(TaskId{i}) == name && dag.lane(TaskId{i}).rank == rank && occurrence-- == 0) return TaskId{i};
  }
  throw InternalError("no task of that name");
}

bool has_edge(const Dag& dag, TaskId from, TaskId to) {
  const auto successors = dag.successors(from);
  return std::find(successors.begin(), successors.end(), to) != successors.end();
}

/// Worker 0 pushes its gradient until 20 us, worker 1 until 30 us. Worker 0 has pulled the sum at 45 us, worker 1 at 40
/// us.
std::vector<MadeGpu> two_workers() {
  std::vector<MadeGpu> gpus;
  gpus.push_back(MadeGpu(0)
                     .op("FW.a", 0, 0, 5, {"UPDATE"})
                     .op("BW.a", 0, 5, 10, {"FW.a"})
                     .op("UPDATE", 0, 46, 50, {"Comm.a_weight"})
                     .stage(Stage::kPush, 10, 20)
                     .stage(Stage::kPull, 20, 45));
  gpus.push_back(MadeGpu(1)
                     .op("FW.a", 0, 0, 5, {"UPDATE"})
                     .op("BW.a", 0, 5, 10, {"FW.a"})
                     .op("UPDATE", 0, 41, 45, {"Comm.a_weight"})
                     .stage(Stage::kPush, 10, 30)
                     .stage(Stage::kPull, 30, 40));
  return gpus;
}

TEST(ParameterServerTest, PullWaitsForEveryWorkersPushAndTakesTheRest) {
  const Capture capture = stitched(two_workers(), job_of(2));
  const Dag& dag = capture.dag;
  // The last push of the tensor ends at 30 us. Worker 0's pull from 20 to 45 us therefore waits until 30 us, and takes
  // 15 us.
  EXPECT_EQ(dag.duration(task_named(dag, "Comm.a_weight.PULL.0", 0)), Duration{15'000});
  EXPECT_EQ(dag.duration(task_named(dag, "Comm.a_weight.PULL.0", 1)), Duration{10'000});
  const TaskId sum = task_named(dag, "Comm.a_weight.SUM.0", 0);
  EXPECT_TRUE(has_edge(dag, task_named(dag, "Comm.a_weight.PUSH.0", 1), sum));
  EXPECT_TRUE(has_edge(dag, sum, task_named(dag, "Comm.a_weight.PULL.0", 0)));
}

TEST(ParameterServerTest, PushesAndPullsAreOnLinksToAndFromTheirServer) {
  const Capture capture = stitched(two_workers(), job_of(2));
  const auto lane_of = [&](std::string_view name) { return capture.dag.lane(task_named(capture.dag, name, 0)).name; };
  EXPECT_THAT(lane_of("Comm.a_weight.PUSH.0"), ::testing::EndsWith(" to server 0"));
  EXPECT_THAT(lane_of("Comm.a_weight.PULL.0"), ::testing::EndsWith(" from server 0"));
}

TEST(ParameterServerTest, ReplayGivesEveryRecordedTime) {
  const Capture capture = stitched(two_workers(), job_of(2));
  const sim::Timeline timeline = sim::replay(capture.dag, sim::Machine::as_recorded(capture));
  for (std::size_t i = 0; i < timeline.size(); ++i)
    EXPECT_EQ(timeline.finish[i], capture.recording.finish[i]) << capture.dag.name(TaskId{i});
}

TEST(ParameterServerTest, UpdateThatBeginsAfterItsTensorHasWaitedUnexplained) {
  const Capture capture = stitched(two_workers(), job_of(2));
  // Each worker's UPDATE begins 1 us after its tensor has arrived. Nothing else is unexplained.
  Duration waited{};
  for (const auto& wait : capture.recording.unexplained) waited += wait.wait;
  EXPECT_EQ(waited, Duration{2'000});
}

TEST(ParameterServerTest, AcknowledgementThatCameAfterAnAnswerIsCutFromThePush) {
  auto gpus = two_workers();
  // Worker 1's push is acknowledged at 50 us, after worker 0 has pulled the sum at 45 us.
  gpus[1].parts.stages->events[0].duration = Duration{40'000};
  gpus[1].parts.stages->events[1] = {0, Stage::kPull, kKey, 0, at(50), Duration{5'000}};
  // The server sends the acknowledgement after the answer to this pull, which ends at 50 us.
  gpus[1].stage(Stage::kPush, 5, 8, 1).stage(Stage::kPull, 8, 50, 1);
  const Capture capture = stitched(std::move(gpus), job_of(2));
  const Dag& dag = capture.dag;
  EXPECT_EQ(capture.recording.finish[task_named(dag, "Comm.a_weight.PUSH.0", 1).index()], at(45));
  EXPECT_EQ(dag.duration(task_named(dag, "Comm.a_weight.PUSH.0.ack", 1)), Duration{5'000});
}

TEST(ParameterServerTest, NextStepsForwardWaitsForUpdate) {
  auto gpus = two_workers();
  for (MadeGpu& gpu : gpus) gpu.op("FW.a", 1, 60, 65, {"UPDATE"}).op("BW.a", 1, 65, 70, {"FW.a"});
  const Capture capture = stitched(std::move(gpus), job_of(2));
  const Dag& dag = capture.dag;
  EXPECT_TRUE(has_edge(dag, task_named(dag, "UPDATE", 0), task_named(dag, "FW.a", 0, 1)));
  ASSERT_EQ(capture.recording.steps.size(), 4U);
  EXPECT_EQ(capture.recording.steps[0].number, 0);
  EXPECT_EQ(dag.name(capture.recording.steps[1].first), "FW.a");
}

TEST(ParameterServerTest, WithoutUpdateALayersForwardWaitsForItsOwnTensor) {
  std::vector<MadeGpu> gpus;
  gpus.push_back(MadeGpu(0)
                     .op("FW.a", 0, 0, 5, {"Comm.a_weight"})
                     .op("BW.a", 0, 5, 10)
                     .op("FW.a", 1, 30, 35, {"Comm.a_weight"})
                     .op("BW.a", 1, 35, 40)
                     .stage(Stage::kPush, 10, 20)
                     .stage(Stage::kPull, 20, 29)
                     .stage(Stage::kPush, 40, 50)
                     .stage(Stage::kPull, 50, 60));
  Job job = job_of(1);
  job.barrier = Barrier::kCross;
  const Capture capture = stitched(std::move(gpus), job);
  EXPECT_TRUE(
      has_edge(capture.dag, task_named(capture.dag, "Comm.a_weight.PULL.0", 0), task_named(capture.dag, "FW.a", 0, 1)));
}

TEST(ParameterServerTest, MissingRecordDoesNotShiftLaterSteps) {
  std::vector<MadeGpu> gpus;
  MadeGpu gpu(0);
  for (std::int64_t step = 0; step < 3; ++step) {
    const std::int64_t begin = step * 100;
    gpu.op("FW.a", step, begin, begin + 5)
        .op("BW.a", step, begin + 5, begin + 10)
        .op("UPDATE", step, begin + 50, begin + 60, {"Comm.a_weight"});
    if (step != 1) gpu.stage(Stage::kPush, begin + 10, begin + 20);  // step 1's push is missing
    gpu.stage(Stage::kPull, begin + 20, begin + 49);
  }
  gpus.push_back(std::move(gpu));
  const Capture capture = stitched(std::move(gpus), job_of(1));
  EXPECT_EQ(capture.recording.finish[task_named(capture.dag, "Comm.a_weight.PUSH.0", 0, 1).index()], at(220));
  EXPECT_EQ(capture.recording.step[task_named(capture.dag, "Comm.a_weight.PUSH.0", 0, 1).index()], 2);
}

TEST(ParameterServerTest, WithoutOperatorsAnOpaqueSegmentLeadsToEachRelease) {
  auto gpus = two_workers();
  for (MadeGpu& gpu : gpus) {
    gpu.parts.operators.reset();
    gpu.stage(Stage::kPush, 110, 120).stage(Stage::kPull, 120, 140);
    gpu.parts.stages->events.push_back({0, Stage::kTotal, -1, 0, at(9), Duration{40'000}});
    gpu.parts.stages->events.push_back({0, Stage::kTotal, -1, 0, at(109), Duration{40'000}});
  }
  const Capture capture = stitched(std::move(gpus), job_of(2));
  const TaskId second = task_named(capture.dag, "opaque before a_weight", 0, 1);
  // The opaque task lasts from 45 us, when worker 0 has pulled the sum, to 109 us, when the tensor's next communication
  // begins on worker 0.
  EXPECT_EQ(capture.dag.duration(second), Duration{64'000});
  EXPECT_THAT(sentences_of(capture.assumptions), ::testing::Contains(::testing::HasSubstr("one opaque task")));
}

TEST(ParameterServerTest, RootAndPeersOfAWorkerWaitForEachOther) {
  std::vector<MadeGpu> gpus;
  gpus.push_back(MadeGpu(0, 0)
                     .op("BW.a", 0, 0, 10)
                     .op("UPDATE", 0, 80, 90, {"Comm.a_weight"})
                     .stage(Stage::kCoordinateReduce, 10, 11)
                     .stage(Stage::kReduce, 16, 21)
                     .stage(Stage::kCopyD2H, 21, 25)
                     .stage(Stage::kCoordinatePush, 25, 26)
                     .stage(Stage::kCopyH2D, 60, 64)
                     .stage(Stage::kCoordinateBroadcast, 64, 65)
                     .stage(Stage::kBroadcast, 66, 71));
  gpus.push_back(MadeGpu(0, 1)
                     .op("BW.a", 0, 0, 15)
                     .op("UPDATE", 0, 80, 90, {"Comm.a_weight"})
                     .stage(Stage::kReduce, 15, 20)
                     .stage(Stage::kCopyD2H, 20, 24)
                     .stage(Stage::kPush, 26, 40)
                     .stage(Stage::kPull, 40, 60)
                     .stage(Stage::kCopyH2D, 60, 63)
                     .stage(Stage::kBroadcast, 66, 70));
  Job job = job_of(1);
  job.local_size = 2;
  const Capture capture = stitched(std::move(gpus), job);
  const Dag& dag = capture.dag;
  const TaskId reduce = task_named(dag, "Comm.a_weight.REDUCE.0", 1);
  EXPECT_TRUE(has_edge(dag, task_named(dag, "Comm.a_weight.COORDINATE_REDUCE.0", 0), reduce));
  EXPECT_TRUE(
      has_edge(dag, task_named(dag, "Comm.a_weight.COORDINATE_PUSH.0", 0), task_named(dag, "Comm.a_weight.PUSH.0", 1)));
  EXPECT_TRUE(has_edge(dag, task_named(dag, "Comm.a_weight.PULL.0", 1), task_named(dag, "Comm.a_weight.COPYH2D.0", 0)));
  ASSERT_TRUE(dag.rendezvous(reduce).valid());
  EXPECT_EQ(dag.rendezvous(reduce), dag.rendezvous(task_named(dag, "Comm.a_weight.REDUCE.0", 0)));
  // GPU 1, the root, is the last to arrive at the REDUCE, at 15 us. From 15 us on, the REDUCE takes 5 us on GPU 1 and 6
  // us on GPU 0.
  EXPECT_EQ(dag.duration(reduce), Duration{5'000});
  EXPECT_EQ(dag.duration(task_named(dag, "Comm.a_weight.REDUCE.0", 0)), Duration{6'000});
}

// Traces of ByteProfile's first generation have only one event for the whole communication of each tensor
// ("Comm.fc_weight"). This event names its inputs. No event has args.step. The graph contains only forward operators
// with their parameters, and the operators' names have no prefix "FW." there.
TEST(ParameterServerTest, TraceOfTheFirstGenerationIsJoinedByNames) {
  GpuParts parts;
  parts.operators.emplace();
  const auto add = [&](const char* name, std::int64_t start, std::int64_t finish, std::vector<std::string> inputs) {
    const bool communication = std::string_view(name).starts_with("Comm.");
    parts.operators->events.push_back(
        {name, "0", "1", -1, at(start), at(finish) - at(start), std::move(inputs), communication});
  };
  for (const std::int64_t begin : {0, 100}) {
    add("FW.fc", begin, begin + 10, {"Comm.fc_weight"});
    add("BW.fc", begin + 10, begin + 20, {"FW.fc"});
    add("Comm.fc_weight", begin + 20, begin + 95, {"BW.fc"});
  }
  parts.graph = OperatorGraph{{{"fc", {{"var", "Comm.fc_weight"}}}}, {}};
  Assembly assembly;
  stitch_parameter_server({parts}, Job{}, assembly);
  const Capture capture = finish(std::move(assembly));
  const Dag& dag = capture.dag;
  const TaskId sent = task_named(dag, "Comm.fc_weight.total", 0);
  EXPECT_EQ(dag.duration(sent), Duration{75'000});
  EXPECT_TRUE(has_edge(dag, task_named(dag, "BW.fc", 0), sent));
  EXPECT_TRUE(has_edge(dag, sent, task_named(dag, "FW.fc", 0, 1)));
  ASSERT_EQ(capture.recording.steps.size(), 2U);
  EXPECT_TRUE(capture.recording.steps[0].next_follows);
}

TEST(WorkerClockTest, ClockThatCannotAgreeIsMovedToTheMiddleOfItsBounds) {
  auto gpus = two_workers();
  constexpr Duration kAhead{50'000};
  for (auto& event : gpus[1].parts.stages->events) event.start += kAhead;
  for (auto& event : gpus[1].parts.operators->events) event.start += kAhead;
  const Capture capture = stitched(std::move(gpus), job_of(2));
  ASSERT_EQ(capture.recording.clocks.size(), 2U);
  const HostClock& clock = capture.recording.clocks[1];
  // Worker 0 had the sum at 45 us, and worker 1's push ended before that, at 30 + 50 us on worker 1's clock. So worker
  // 1's clock is ahead by at least 35 us. Worker 1 had the sum at 40 + 50 us on its clock, and worker 0's push ended
  // before that, at 20 us. So worker 1's clock is ahead by at most 70 us. The middle is 52.5 us.
  EXPECT_EQ(clock.offset, Duration{52'500});
  EXPECT_EQ(clock.residual, Duration{17'500});
}

TEST(WorkerClockTest, ClocksThatMayAgreeAreTakenToAgree) {
  const Capture capture = stitched(two_workers(), job_of(2));
  EXPECT_EQ(capture.recording.clocks[1].offset, Duration{});
  // A worker's push ends before the other worker has pulled the sum. So worker 1's clock is ahead by at least 30 - 45 =
  // -15 us and at most 40 - 20 = 20 us. An offset of 0 is between these bounds, and the farther bound is 20 us away.
  EXPECT_EQ(capture.recording.clocks[1].residual, Duration{20'000});
}

TEST(MergedTracesTest, FileOfSeveralGpusIsDividedByRank) {
  GpuParts whole;
  whole.host = "folder";
  whole.operators.emplace();
  for (const char* process : {"wk0.rank0", "wk0.rank1", "wk1.rank0"})
    whole.operators->events.push_back({"FW.a", process, "1", 0, at(0), Duration{5}, {}, false});
  const std::vector<GpuParts> gpus = split_merged_traces({whole});
  ASSERT_EQ(gpus.size(), 3U);
  EXPECT_EQ(gpus[1].worker, 0U);
  EXPECT_EQ(gpus[1].local_rank, 1U);
  EXPECT_EQ(gpus[2].worker, 1U);
  EXPECT_EQ(gpus[2].host, "wk1");
}

TEST(MergedTracesTest, OtherNumbersOfProcessesAreNoRanks) {
  GpuParts whole;
  whole.operators.emplace();
  for (const char* process : {"pid7", "pid8", "rank", "9"})
    whole.operators->events.push_back({"FW.a", process, "1", 0, at(0), Duration{5}, {}, false});
  EXPECT_EQ(split_merged_traces({whole}).size(), 1U);
}

TEST(MergedTracesTest, FilesOfOneGpuStayTogether) {
  std::vector<GpuParts> gpus;
  for (MadeGpu& gpu : two_workers()) gpus.push_back(std::move(gpu.parts));
  EXPECT_EQ(split_merged_traces(std::move(gpus)).size(), 2U);
}

// The djb2 hash is 210653553582 for key 65536 and 210653553583 for key 65537, so with two servers the keys are on
// servers 0 and 1. The second push is acknowledged before the first, which is possible with two connections but not
// with one.
TEST(ParameterServerTest, NumberOfServersIsInferredFromTheOrderOfAcknowledgements) {
  MadeGpu gpu(0);
  gpu.op("BW.a", 0, 0, 10'000).op("UPDATE", 0, 90'000, 95'000, {"Comm.a_weight"});
  gpu.stage(Stage::kPush, 10'000, 50'000, 65'536).stage(Stage::kPull, 50'000, 60'000, 65'536);
  gpu.stage(Stage::kPush, 11'000, 20'000, 65'537).stage(Stage::kPull, 20'000, 30'000, 65'537);
  Job job = job_of(1);
  job.servers.reset();
  std::vector<MadeGpu> gpus;
  gpus.push_back(std::move(gpu));
  const Capture capture = stitched(std::move(gpus), job);
  EXPECT_THAT(sentences_of(capture.assumptions),
              ::testing::Contains(::testing::HasSubstr("number of servers, 2, is inferred from")));
}

TEST(PartitionBytesTest, BoundIsRoundedUpToPagesOfAllGpusUnlessItIsExact) {
  RecordedTensor tensor;
  tensor.bytes = Bytes{10'000'000};
  Job job;
  job.partition_bytes = Bytes{4'096'000};
  // The partition size of 4,096,000 bytes is rounded up to a multiple of 3 pages, one for each local GPU: 334 * 3 *
  // 4096 = 4,104,192 bytes.
  job.local_size = 3;
  EXPECT_EQ(partition_bytes(tensor, 0, job), Bytes{4'104'192});
  EXPECT_EQ(partition_bytes(tensor, 2, job), Bytes{10'000'000 - 2 * 4'104'192});
  EXPECT_FALSE(partition_bytes(tensor, 3, job).has_value());
  job.exact = true;
  EXPECT_EQ(partition_bytes(tensor, 1, job), Bytes{4'096'000});
}

/// Returns the data from which the job can be built again with other settings.
const PsWorkload& workload_of(const Capture& capture) { return *capture.parameter_server; }

TEST(PsWorkloadTest, HoldsOperatorsTensorsAndStagesOfWholeSteps) {
  const Capture capture = stitched(two_workers(), job_of(2));
  const PsWorkload& workload = workload_of(capture);
  EXPECT_EQ(workload.cannot_build, "");
  ASSERT_EQ(workload.gpus.size(), 2U);
  const PsGpu& gpu = workload.gpus.front();
  ASSERT_EQ(gpu.tensors.size(), 1U);
  EXPECT_EQ(gpu.tensors[0].bytes, Bytes{1'000'000});
  EXPECT_EQ(gpu.operators[gpu.tensors[0].made_by.at(0)].name, "BW.a");
  EXPECT_EQ(gpu.operators[gpu.tensors[0].needed_by.at(0)].name, "UPDATE");
  EXPECT_TRUE(gpu.operators[gpu.tensors[0].needed_by.at(0)].update);
  EXPECT_FALSE(workload.stages.empty());
}

/// No operators are recorded, so an opaque segment replaces them in each step. In each step of 100 ms, the gradient is
/// pushed from 40 ms on, and its pull ends at 90 ms. The opaque segment of the next step lasts 50 ms, from the end of
/// this pull to the beginning of the next push.
TEST(PsWorkloadTest, CommunicationIsNotPartOfAnOpaqueSegment) {
  MadeGpu gpu(0);
  gpu.parts.operators.reset();
  for (const std::int64_t begin : {0, 100'000, 200'000})
    gpu.stage(Stage::kPush, begin + 40'000, begin + 60'000).stage(Stage::kPull, begin + 60'000, begin + 90'000);
  std::vector<MadeGpu> gpus;
  gpus.push_back(std::move(gpu));
  const Capture capture = stitched(std::move(gpus), job_of(1));
  const PsWorkload& workload = workload_of(capture);
  ASSERT_EQ(workload.cannot_build, "");
  ASSERT_EQ(workload.steps.size(), 2U);  // the third step is not whole: the work after its push was not recorded
  const PsGpu& only = workload.gpus.front();
  EXPECT_TRUE(only.opaque);
  Duration second{};
  for (const PsOperator& op : only.operators) {
    second += op.runs[1].finish - op.runs[1].start + op.gap;
  }
  EXPECT_EQ(second, Duration{50'000'000});
}

TEST(PsWorkloadTest, SaysWhatIsMissingToBuildTheJobAnew) {
  std::vector<MadeGpu> gpus = two_workers();
  for (MadeGpu& gpu : gpus) gpu.parts.tensors.reset();
  const Capture capture = stitched(std::move(gpus), job_of(2));
  EXPECT_THAT(workload_of(capture).cannot_build, ::testing::HasSubstr("the size of byteps.gradient_0 is unknown"));
}

}  // namespace
}  // namespace stepsim::ingest
