#include "model/rewrite/parameter_server/build.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "model/cost/network/maxmin.h"
#include "model/job/topology.h"
#include "tests/model/rewrite/parameter_server/workload_maker.h"
#include "tests/thrown_by.h"

namespace stepsim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kRate = 1e9;

Capture built(const Capture& capture, PsOptions options) {
  const std::uint32_t endpoints = *options.job.workers + *options.job.servers;
  return build_parameter_server(capture, options, switch_of(endpoints, kRate));
}

Capture built(const Capture& capture) { return built(capture, as_captured(*capture.parameter_server)); }

std::string refused(const Capture& capture, const PsOptions& options, std::uint32_t endpoints = 10) {
  return thrown_by<InputError>([&] { return build_parameter_server(capture, options, switch_of(endpoints, kRate)); },
                               "");
}

std::vector<TaskId> named(const Dag& dag, std::string_view name, Rank rank = 0) {
  std::vector<TaskId> found;
  for (std::size_t i = 0; i < dag.task_count(); ++i) {
    if (dag.name(TaskId{i}) == name && dag.lane(TaskId{i}).rank == rank) found.emplace_back(i);
  }
  return found;
}

bool has_edge(const Dag& dag, TaskId from, TaskId to) {
  const auto successors = dag.successors(from);
  return std::find(successors.begin(), successors.end(), to) != successors.end();
}

TEST(PsBuild, SendsEachPartitionToTheServerOfItsKeyAndBack) {
  WorkloadMaker maker;
  maker.servers = 4;
  maker.tensors = {Bytes{1'500'000}};
  const Capture job = built(maker.capture());
  // djb2("0") mod 4 = 1 and djb2("1") mod 4 = 2, so partitions 0 and 1 go to servers 1 and 2. Server s is endpoint 1 +
  // s.
  for (const auto& [part, server] : std::vector<std::pair<std::string, std::uint32_t>>{{"0", 1}, {"1", 2}}) {
    const Lane& up = job.dag.lane(named(job.dag, "Comm.w0.PUSH." + part).front());
    EXPECT_EQ(up.from, EndpointId{0U});
    EXPECT_EQ(up.to, EndpointId{1U + server});
    const Lane& down = job.dag.lane(named(job.dag, "Comm.w0.PULL." + part).front());
    EXPECT_EQ(down.from, EndpointId{1U + server});
    EXPECT_EQ(down.to, EndpointId{0U});
  }
  EXPECT_EQ(job.dag.bytes(named(job.dag, "Comm.w0.PUSH.1").front()), Bytes{500'000});
}

TEST(PsBuild, HasWarmUpStepsThatAreNotReported) {
  WorkloadMaker maker;
  maker.steps = 3;
  const Capture job = built(maker.capture());
  EXPECT_EQ(named(job.dag, "UPDATE").size(), 3U + PsOptions{}.warm_up);
  ASSERT_EQ(job.recording.steps.size(), 3U);
  EXPECT_EQ(job.recording.steps[0].number, 10);
  EXPECT_TRUE(job.recording.steps[1].next_follows);
  EXPECT_FALSE(job.recording.steps[2].next_follows);
}

TEST(PsBuild, SpreadsItsWorkersEvenlyOverAnIteration) {
  WorkloadMaker maker;
  maker.workers = 4;
  const Capture job = built(maker.capture());
  for (Rank rank = 0; rank < 4; ++rank) {
    const TaskId wait = named(job.dag, "begins later", rank).front();
    EXPECT_EQ(job.dag.duration(wait), (kForward + kBackward + kUpdate) * rank / 4);
    EXPECT_TRUE(has_edge(job.dag, wait, named(job.dag, "FW.0", rank).front()));
  }
}

TEST(PsBuild, NumbersTheRanksOfAWorkerOneAfterTheOther) {
  WorkloadMaker maker;
  maker.workers = 3;
  maker.local_size = 2;
  const Capture job = built(maker.capture());
  for (Rank rank = 0; rank < 6; ++rank) {
    const std::vector<TaskId> forward = named(job.dag, "FW.0", rank);
    ASSERT_EQ(forward.size(), 1U + PsOptions{}.warm_up) << rank;
    EXPECT_EQ(job.dag.lane(forward.front()).host, "host " + std::to_string(rank / 2));
  }
}

TEST(PsBuild, KeepsTheMeasuredTimesOfTheCapture) {
  WorkloadMaker maker;
  maker.steps = 2;
  const Capture capture = maker.capture();
  const Capture job = built(capture);
  const std::vector<PsRun>& runs = capture.parameter_server->gpus.front().operators.front().runs;
  for (std::size_t step = 0; step < runs.size(); ++step) {
    const TaskId first = job.recording.steps[step].first;
    EXPECT_EQ(job.dag.name(first), "FW.0");
    EXPECT_EQ(job.recording.start[first.index()], runs[step].start);
    EXPECT_EQ(job.recording.finish[first.index()], runs[step].finish);
  }
}

TEST(PsBuild, LetsEveryTensorWaitAtTheUpdateBehindAGlobalBarrier) {
  WorkloadMaker maker;
  maker.tensors = {Bytes{1'000}, Bytes{1'000}};
  const Capture job = built(maker.capture());
  for (const char* tensor : {"Comm.w0", "Comm.w1"})
    EXPECT_TRUE(has_edge(job.dag, named(job.dag, tensor).front(), named(job.dag, "UPDATE").front())) << tensor;
}

TEST(PsBuild, LetsTheFirstOperatorWaitBehindAGlobalBarrierWithoutUpdates) {
  WorkloadMaker maker;
  maker.tensors = {Bytes{1'000}, Bytes{1'000}};
  Capture capture = maker.capture();
  PsWorkload workload = *capture.parameter_server;
  for (PsTensor& tensor : workload.gpus.front().tensors) tensor.needed_by.clear();
  capture.parameter_server = std::make_shared<const PsWorkload>(std::move(workload));
  const Capture job = built(capture);
  const TaskId last = named(job.dag, "Comm.w1").front();
  EXPECT_TRUE(has_edge(job.dag, last, named(job.dag, "FW.0")[1]));
  EXPECT_FALSE(has_edge(job.dag, last, named(job.dag, "FW.1")[1])) << "FW.1 uses it, but follows FW.0";
}

TEST(PsBuild, LetsALayerWaitForItsOwnTensorOnlyAcrossTheBarrier) {
  WorkloadMaker maker;
  maker.tensors = {Bytes{1'000}, Bytes{1'000}};
  const Capture capture = maker.capture();
  PsOptions options = as_captured(*capture.parameter_server);
  options.job.barrier = Barrier::kCross;
  const Capture job = built(capture, options);
  const TaskId next_forward = named(job.dag, "FW.1")[1];
  EXPECT_TRUE(has_edge(job.dag, named(job.dag, "Comm.w1").front(), next_forward));
  EXPECT_FALSE(has_edge(job.dag, named(job.dag, "Comm.w0").front(), next_forward));
  EXPECT_THAT(named(job.dag, "UPDATE"), IsEmpty());
}

TEST(PsBuild, ReturnsTheCreditOfAPushWhenItIsAcknowledged) {
  WorkloadMaker maker;
  const Capture capture = maker.capture();
  PsOptions options = as_captured(*capture.parameter_server);
  options.job.credit_bytes = Bytes{1'000'000};
  const Capture job = built(capture, options);
  const TaskId copy = named(job.dag, "Comm.w0.COPYD2H.0").front();
  EXPECT_EQ(job.dag.lane(copy).credit, Bytes{1'000'000});
  EXPECT_EQ(job.dag.returns_credit_of(named(job.dag, "Comm.w0.PUSH.0.ack").front()), copy);
}

TEST(PsBuild, GivesEarlierDeclaredTensorsPriority) {
  WorkloadMaker maker;
  maker.tensors = {Bytes{2'000'000}, Bytes{1'000'000}};
  const Capture capture = maker.capture();
  PsOptions options = as_captured(*capture.parameter_server);
  options.job.schedule = Schedule::kPriority;
  const Capture job = built(capture, options);
  std::vector<std::int32_t> priorities;
  for (const char* name : {"Comm.w0.COPYD2H.0", "Comm.w0.COPYD2H.1", "Comm.w1.COPYD2H.0"})
    priorities.push_back(job.dag.priority(named(job.dag, name).front()));
  EXPECT_THAT(priorities, ElementsAre(0, 1, 2));
  EXPECT_EQ(job.dag.lane(named(job.dag, "Comm.w0.COPYD2H.0").front()).order, LaneOrder::kPriority);
}

TEST(PsBuild, LetsOnlyTheRootOfAWorkerPushAndPull) {
  WorkloadMaker maker;
  maker.local_size = 2;
  const Capture job = built(maker.capture());
  EXPECT_THAT(named(job.dag, "Comm.w0.PUSH.0", 0), IsEmpty());
  ASSERT_FALSE(named(job.dag, "Comm.w0.PUSH.0", 1).empty());
  // The root GPU reduces after COORDINATE_REDUCE of the other GPU, and pushes after its COORDINATE_PUSH. The other GPU
  // copies the result to its device after the root's pull.
  EXPECT_TRUE(has_edge(job.dag, named(job.dag, "Comm.w0.COORDINATE_REDUCE.0", 0).front(),
                       named(job.dag, "Comm.w0.REDUCE.0", 1).front()));
  EXPECT_TRUE(has_edge(job.dag, named(job.dag, "Comm.w0.COORDINATE_PUSH.0", 0).front(),
                       named(job.dag, "Comm.w0.PUSH.0", 1).front()));
  EXPECT_TRUE(
      has_edge(job.dag, named(job.dag, "Comm.w0.PULL.0", 1).front(), named(job.dag, "Comm.w0.COPYH2D.0", 0).front()));
  // Each GPU has the tensor when its broadcast is done.
  for (const Rank rank : {0, 1}) {
    EXPECT_TRUE(has_edge(job.dag, named(job.dag, "Comm.w0.BROADCAST.0", rank).front(),
                         named(job.dag, "Comm.w0", rank).front()));
  }
}

TEST(PsBuild, MakesFurtherWorkersCopiesOfTheMiddleOneAndLeavesTheLastOut) {
  WorkloadMaker maker;
  maker.workers = 3;
  maker.scale = {1, 9, 2};
  const Capture capture = maker.capture();
  PsOptions options = as_captured(*capture.parameter_server);
  options.job.workers = 4;
  const Capture four = built(capture, options);
  EXPECT_EQ(four.dag.duration(named(four.dag, "FW.0", 3).front()), kForward * 2);
  EXPECT_EQ(four.recording.steps.size(), 3U);  // only three workers were measured
  options.job.workers = 1;
  const Capture one = built(capture, options);
  EXPECT_FALSE(named(one.dag, "FW.0", 0).empty());
  EXPECT_THAT(named(one.dag, "FW.0", 1), IsEmpty());
}

TEST(PsBuild, ScalesTheComputeOfAWorker) {
  WorkloadMaker maker;
  maker.workers = 2;
  const Capture capture = maker.capture();
  PsOptions options = as_captured(*capture.parameter_server);
  options.compute_scale = {1, 1.5};
  const Capture job = built(capture, options);
  EXPECT_EQ(job.dag.duration(named(job.dag, "BW.0", 0).front()), kBackward);
  EXPECT_EQ(job.dag.duration(named(job.dag, "BW.0", 1).front()), kBackward * 3 / 2);
}

TEST(PsBuild, RefusesWhatItWouldHaveToGuess) {
  WorkloadMaker maker;
  const Capture capture = maker.capture();
  const PsOptions options = as_captured(*capture.parameter_server);
  PsOptions built_in = options;
  built_in.job.servers = 2;
  built_in.job.key_hash = "built_in";
  EXPECT_THAT(refused(capture, built_in), HasSubstr("the rule 'built_in' does not determine the servers"));
  PsOptions tiny = options;
  tiny.job.partition_bytes = Bytes{1};
  EXPECT_THAT(refused(capture, tiny), HasSubstr("into 1000000 partitions; expected at most 65536"));
  PsOptions none = options;
  none.job.servers = 0;
  EXPECT_THAT(refused(capture, none), HasSubstr("1 workers and 0 servers; expected 1 to"));
  EXPECT_THAT(refused(capture, options, 1), HasSubstr("the cluster has 1 endpoints"));
  PsOptions many = options;
  many.job.workers = 50'000;
  many.job.partition_bytes = Bytes{200'000};  // each worker pushes 5 partitions in 6 steps
  EXPECT_THAT(refused(capture, many), HasSubstr("make 1500000 pushes; expected at most 1000000"));
  Capture incomplete = capture;
  PsWorkload workload = *capture.parameter_server;
  workload.cannot_build = "the job cannot be rebuilt: the size of w0 is unknown";
  incomplete.parameter_server = std::make_shared<const PsWorkload>(workload);
  EXPECT_EQ(refused(incomplete, options), "capture: the job cannot be rebuilt: the size of w0 is unknown");
}

TEST(PsBuild, RefusesToGuessWhichLayerWaitsForWhichTensor) {
  WorkloadMaker maker;
  Capture capture = maker.capture();
  PsWorkload workload = *capture.parameter_server;
  workload.gpus[0].opaque = true;
  capture.parameter_server = std::make_shared<const PsWorkload>(workload);
  PsOptions options = as_captured(workload);
  EXPECT_EQ(refused(capture, options), "");
  options.job.barrier = Barrier::kCross;
  EXPECT_THAT(refused(capture, options), HasSubstr("without operators it is unknown which layer"));
}

TEST(PsBuild, RefusesGpusThatDidNotPushTheSameTensors) {
  WorkloadMaker maker;
  maker.workers = 2;
  Capture capture = maker.capture();
  PsWorkload workload = *capture.parameter_server;
  workload.gpus[1].tensors[0].bytes = Bytes{7};
  capture.parameter_server = std::make_shared<const PsWorkload>(workload);
  EXPECT_THAT(refused(capture, as_captured(workload)), HasSubstr("its GPUs did not push the same tensors"));
}

TEST(WithPlaces, NewHostsAreLikeTheUsualOnesAndServersKeepTheirs) {
  const Bandwidth rate = Bandwidth::from_bytes_per_second(kRate);
  ClusterShape shape{.hosts = numbered_hosts(4), .nic = {rate, Duration{7}}};
  shape.differ[HostId{3}] = {rate, Duration{70}};  // of the second server
  Cluster two_and_two = build_cluster(shape);
  two_and_two.network.set(kSharing, 0.5);
  const Cluster three_and_two = with_places(two_and_two, {2, 2}, {3, 2});
  EXPECT_EQ(three_and_two.endpoints.size(), 5U);
  const std::vector<Cluster::UplinkPath>& paths = three_and_two.uplinks;
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_EQ(three_and_two.links[paths[i].up.front().index()].latency, Duration{i == 4 ? 70 : 7}) << i;
  EXPECT_EQ(three_and_two.network, two_and_two.network);
  EXPECT_EQ(with_places(three_and_two, {3, 2}, {2, 2}), two_and_two);
}

TEST(WithPlaces, ColocatedServersAreOnTheWorkersHosts) {
  const Cluster apart = switch_of(4, kRate);
  const Cluster cluster = with_places(apart, {2, 2}, {2, 2, true});
  EXPECT_EQ(cluster.hosts.size(), 2U);
  EXPECT_TRUE(cluster.route(EndpointId{0U}, EndpointId{2U})->empty());  // worker 0 and server 0 share a host
  EXPECT_EQ(cluster.route(EndpointId{0U}, EndpointId{3U})->size(), 2U);
  EXPECT_EQ(places_in(cluster, 2, 2), (PsPlaces{2, 2, true}));
  EXPECT_EQ(places_in(apart, 2, 2), (PsPlaces{2, 2, false}));
  EXPECT_EQ(with_places(cluster, {2, 2, true}, {2, 2}), apart);
}

TEST(KeepSteps, LeavesOutTheOthersWithTheirRuns) {
  WorkloadMaker maker;
  maker.steps = 3;
  maker.copy = Duration{5};
  PsWorkload workload = *maker.capture().parameter_server;
  keep_steps(workload, 11, 12);
  EXPECT_THAT(workload.steps, ElementsAre(11, 12));
  EXPECT_EQ(workload.gpus.front().operators.front().runs.size(), 2U);
  EXPECT_THAT(workload.stages, IsEmpty());  // WorkloadMaker records stages only in step 10, which is left out
  keep_steps(workload, 1, 2);
  EXPECT_THAT(workload.cannot_build, HasSubstr("none of the chosen steps"));
}

}  // namespace
}  // namespace stepsim::testing
