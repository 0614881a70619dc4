// Tests more and fewer machines, for steps whose times are sums of a few terms.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/job/topology.h"
#include "model/rewrite/capture_edit.h"
#include "tests/model/rewrite/data_parallel_job.h"
#include "tests/model/rewrite/parameter_server/workload_maker.h"
#include "tests/scenarios/sample_questions.h"

namespace stepsim::testing {
namespace {

using std::chrono::microseconds;

constexpr Duration kCompute = kForward + kBackward + kUpdate;
constexpr Duration kWire{1'000'000};  // 1 MB at 1 GB/s
constexpr Duration kLatency{20'000};  // the latency of two links
constexpr Duration kHeader{100};

Question question_of(const WorkloadMaker& maker) {
  return Question(maker.capture(), switch_of(maker.workers + maker.servers, 1e9, kLatency / 2), "maxmin");
}

void expect_close(Duration actual, Duration expected) {
  EXPECT_NEAR(static_cast<double>(actual.count()), static_cast<double>(expected.count()), 20);
}

TEST(ClusterWhatIf, PartitionsOfTwoServersDoNotQueueBehindEachOther) {
  WorkloadMaker maker;
  maker.steps = 2;
  maker.tensors = {Bytes{2'000'000}};  // two partitions; djb2 sends keys 0 and 1 to different servers
  // With one server, the worker's requests queue after both pushes. With two servers, each partition is requested when
  // its push is acknowledged.
  expect_close(question_of(maker).iteration(), kCompute + kWire * 4 + kHeader + kLatency * 2);
  expect_close(question_of(maker).iteration({"cluster.servers=2"}), kCompute + kWire * 4 + kHeader * 4 + kLatency * 4);
}

TEST(ClusterWhatIf, ASingleWorkerDoesNotShareTheServersLink) {
  WorkloadMaker maker;
  maker.steps = 2;
  maker.workers = 3;
  const Duration alone = kCompute + kWire * 2 + kHeader * 2 + kLatency * 4;
  EXPECT_GT(question_of(maker).iteration(), alone);
  expect_close(question_of(maker).iteration({"cluster.workers=1"}), alone);
}

TEST(ClusterWhatIf, AServerOnItsWorkersHostIsReachedWithoutALink) {
  WorkloadMaker maker;
  maker.steps = 2;
  expect_close(question_of(maker).iteration({"cluster.colocated=true"}), kCompute);
}

TEST(ClusterWhatIf, ARingOfMoreRanksHasMoreRoundsOfSmallerPieces) {
  // DataParallelJob computes for 41 ms. Only the reduction of its last bucket, 2.6 MB, is not hidden.
  const Question question = data_parallel_question();
  for (const int ranks : {2, 4, 5, 10}) {
    const Duration round = kLatency + microseconds{2600} / ranks;
    EXPECT_EQ(question.iteration({"comm.algorithm=ring", "cluster.workers=" + std::to_string(ranks)}),
              microseconds{41'000} + round * 2 * (ranks - 1))
        << ranks;
  }
}

TEST(ClusterWhatIf, StrongScalingSplitsTheSamplesOfAllWorkers) {
  WorkloadMaker maker;
  maker.steps = 2;
  maker.workers = 2;
  const Question question = question_of(maker);
  // One worker processes the samples of two, so forward and backward take twice as long.
  expect_close(
      question.iteration({"cluster.scaling=strong", "cluster.workers=1"}) - question.iteration({"cluster.workers=1"}),
      kForward + kBackward);
}

TEST(ClusterWhatIf, StrongScalingIsTheBatchThatKeepsAllSamples) {
  const Question question = data_parallel_question();
  const Duration expected = question.iteration({"cluster.workers=4", "batch.scale=0.5"});
  EXPECT_EQ(question.iteration({"cluster.scaling=strong", "cluster.workers=4"}), expected);
  EXPECT_EQ(question.iteration({"cluster.workers=4", "cluster.scaling=strong"}), expected);
  EXPECT_EQ(question.iteration({"cluster.scaling=strong", "cluster.workers=8", "cluster.workers=4"}), expected);
  EXPECT_LT(expected, question.iteration({"cluster.workers=4"}));
}

TEST(ClusterWhatIf, WeakScalingTakesStrongScalingBack) {
  const Question question = data_parallel_question();
  EXPECT_EQ(question.iteration({"cluster.scaling=strong", "cluster.workers=4", "cluster.scaling=weak"}),
            question.iteration({"cluster.workers=4"}));
  EXPECT_EQ(question.iteration({"cluster.scaling=strong"}), question.iteration());
}

/// Makes the ranks of `group` take part in all collectives.
void take_part_in(DagBuilder& builder, const Group& group) {
  const GroupId id = builder.add_group(group);
  for (std::size_t i = 0; i < builder.rendezvous_count(); ++i) builder.collective(RendezvousId{i}).group = id;
}

TEST(ClusterWhatIf, OfOneCapturedRankTheOthersStayAssumed) {
  CaptureEdit edit(DataParallelJob{.ranks = 1}.capture());
  take_part_in(edit.builder(), {.size = 2});
  const Question question(std::move(edit).finish(), switch_of(2, 1e9, kLatency / 2), "maxmin");
  EXPECT_EQ(question.iteration({"cluster.workers=2"}), question.iteration());
  for (const int ranks : {2, 4, 10, 200}) {
    const Duration round = kLatency + microseconds{2600} / ranks;
    EXPECT_EQ(question.iteration({"comm.algorithm=ring", "cluster.workers=" + std::to_string(ranks)}),
              microseconds{41'000} + round * 2 * (ranks - 1))
        << ranks;
  }
  EXPECT_EQ(question.iteration({"cluster.workers=1"}), microseconds{41'000});
  EXPECT_NE(problem_of(question, {"cluster.workers=4097"}).find("at most 4,096 ranks"), std::string::npos);
}

TEST(ClusterWhatIf, AGroupOfSomeRanksIsNotTheJob) {
  CaptureEdit edit(DataParallelJob{.ranks = 1}.capture());
  take_part_in(edit.builder(), {"", 2, {0, 8}});
  const Question question(std::move(edit).finish(), switch_of(16, 1e9, kLatency / 2), "maxmin");
  EXPECT_EQ(question.iteration({"cluster.workers=2"}), question.iteration());
  EXPECT_NE(problem_of(question, {"cluster.workers=4"}).find("with the ranks 0, 8, which are not all"),
            std::string::npos);
}

TEST(ClusterWhatIf, ALoneRankKeepsItsNumber) {
  CaptureEdit edit(DataParallelJob{.ranks = 2}.capture());
  take_part_in(edit.builder(), {.size = 2});
  const Capture both = std::move(edit).finish();
  CaptureEdit alone(both);
  for (std::size_t i = 0; i < both.dag.task_count(); ++i) {
    if (both.dag.lane(TaskId{i}).rank == 0) alone.remove(TaskId{i});
  }
  const Question question(std::move(alone).finish(), switch_of(2, 1e9, kLatency / 2), "maxmin");
  EXPECT_NE(problem_of(question, {"cluster.workers=1"}).find("only rank 1 was captured"), std::string::npos);
  EXPECT_EQ(problem_of(question, {"cluster.workers=4"}), "taken");
}

TEST(ClusterWhatIf, RanksOfDifferentHostsTalkOverTheirNics) {
  const Question question = data_parallel_question();
  const auto ring = [&](const std::string& nic) {
    return question.iteration(
        {"comm.algorithm=ring", "cluster.nic=" + nic, "cluster.workers=4", "cluster.gpus_per_host=2"});
  };
  // The ring has six rounds, each with a quarter of 2.6 MB. With NICs of 400 MB/s the hops between hosts limit it (0.4
  // GB/s and a latency of 2 x 5 us). With 100 GB/s the hops inside hosts limit it (1 GB/s and a latency of 2 x 10 us).
  EXPECT_EQ(ring("400MB/s"), microseconds{41'000} + (microseconds{10} + microseconds{1625}) * 6);
  EXPECT_EQ(ring("100GB/s"), microseconds{41'000} + (kLatency + microseconds{650}) * 6);
}

TEST(ClusterWhatIf, LinksInsideAndBetweenHostsChangeAlone) {
  const Question question = data_parallel_question();
  const auto ring = [&](const std::string& nic, const std::string& set) {
    return question.iteration(
        {"comm.algorithm=ring", "cluster.nic=" + nic, "cluster.workers=4", "cluster.gpus_per_host=2", set});
  };
  // In each of the six rounds a rank sends a quarter of 2.6 MB, at 0.8 GB/s between hosts or at 0.4 GB/s inside them.
  EXPECT_EQ(ring("400MB/s", "network.between=2x"), microseconds{41'000} + Duration{10'000 + 812'500} * 6);
  EXPECT_EQ(ring("100GB/s", "network.inside=0.4x"), microseconds{41'000} + (kLatency + microseconds{1625}) * 6);
  EXPECT_EQ(ring("400MB/s", "network.inside=2x"), ring("400MB/s", "network.inside=1x"));
  EXPECT_NE(problem_of(question, {"network.inside=2x"}).find("cluster.gpus_per_host"), std::string::npos);
}

TEST(ClusterWhatIf, RanksOfAHostHaveTheirOwnNicsOnRails) {
  const Question question = data_parallel_question();
  const auto halving = [&](const std::string& rails) {
    return question.iteration({"comm.algorithm=halving_doubling", "cluster.rails=" + rails, "cluster.nic=800MB/s",
                               "cluster.workers=4", "cluster.gpus_per_host=2"});
  };
  // Two of the four rounds are between hosts. In each of them the two ranks of a host send at the same time, half of
  // 2.6 MB each, over one NIC or each over its own.
  EXPECT_EQ(halving("1") - halving("2"), 2 * microseconds{1'625});
  EXPECT_EQ(halving("1"), question.iteration({"comm.algorithm=halving_doubling", "cluster.nic=800MB/s",
                                              "cluster.workers=4", "cluster.gpus_per_host=2"}));
  EXPECT_NE(
      problem_of(question, {"cluster.nic=800MB/s", "cluster.workers=4", "cluster.gpus_per_host=2", "cluster.rails=3"})
          .find("has 2 GPUs per host; expected one for each of 3 rails"),
      std::string::npos);
  EXPECT_NE(problem_of(question, {"cluster.workers=4", "cluster.rails=2"}).find("no number of GPUs"),
            std::string::npos);
}

/// DataParallelJob computes for 41 ms. After that a ring has six rounds of 10 us plus a quarter of 2.6 MB at 0.8 GB/s.
constexpr Duration kFourRanksOnTwoHosts = microseconds{41'000} + Duration{10'000 + 812'500} * 6;

TEST(ClusterWhatIf, HardwareIsSettledOnceInWhicheverOrderItIsWritten) {
  const Question question = data_parallel_question();
  std::vector<std::string> sets{"cluster.gpus_per_host=2", "cluster.nic=400MB/s", "cluster.workers=4",
                                "comm.algorithm=ring", "network.between=2x"};
  do {
    scenarios::Scenario scenario;
    for (const std::string& set : sets) scenarios::add_set(scenario, set);
    EXPECT_EQ(question.predicted(scenario).iteration, kFourRanksOnTwoHosts) << ::testing::PrintToString(sets);
  } while (std::next_permutation(sets.begin(), sets.end()));
}

TEST(ClusterWhatIf, AFileMayWriteHardwareInAnyOrder) {
  const Question question = data_parallel_question();
  for (const char* const changes :
       {"[{network: {between: 2x}}, {cluster: {gpus_per_host: 2, workers: 4}}, {cluster: {nic: 400MB/s}}, {comm: "
        "{algorithm: ring}}]",
        "[{cluster: {gpus_per_host: 2, nic: 400MB/s}}, {network: {between: 2x}}, {comm: {algorithm: ring}}, {cluster: "
        "{workers: 4}}]"})
    EXPECT_EQ(question.predicted(std::string_view("changes: " + std::string(changes))).iteration, kFourRanksOnTwoHosts);
}

TEST(ClusterWhatIf, HostsOfGpusKeepTheirFormForAnyNumberOfWorkers) {
  const Question question = data_parallel_question();
  const Duration expected = question.iteration({"cluster.nic=100MB/s", "cluster.workers=4", "cluster.gpus_per_host=2"});
  EXPECT_EQ(
      question.iteration({"cluster.nic=100MB/s", "cluster.workers=2", "cluster.gpus_per_host=2", "cluster.workers=4"}),
      expected);
  EXPECT_EQ(
      question.iteration({"cluster.nic=1Gb/s", "cluster.workers=4", "cluster.gpus_per_host=2", "cluster.nic=100MB/s"}),
      expected);
}

TEST(ClusterWhatIf, HostsOfGpusWithoutANicAreRefused) {
  EXPECT_NE(problem_of(data_parallel_question(), {"cluster.workers=4", "cluster.gpus_per_host=2"}).find("cluster.nic"),
            std::string::npos);
  EXPECT_EQ(problem_of(data_parallel_question(), {"cluster.gpus_per_host=2"}), "taken");
  EXPECT_NE(problem_of(parameter_server_question(), {"cluster.gpus_per_host=2"}).find("has its own host"),
            std::string::npos);
}

TEST(ClusterWhatIf, SaysThatASharedUpdateKeepsItsTime) {
  const auto is_said = [](const Question& question, const char* set) {
    scenarios::Scenario scenario;
    scenarios::add_set(scenario, set);
    scenarios::Plan plan = question.predictor().plan();
    scenarios::apply_all(scenario.changes, plan);
    return find_assumption(plan.assumptions, "update_share") != nullptr;
  };
  Capture sharded = DataParallelJob{}.capture();
  sharded.job.framework = "pytorch-fsdp";
  const Question divides(std::move(sharded), star(2, {.bandwidth = Bandwidth::from_bytes_per_second(1e9)}), "maxmin");
  EXPECT_TRUE(is_said(divides, "cluster.workers=4"));
  EXPECT_FALSE(is_said(divides, "cluster.workers=2"));
  EXPECT_FALSE(is_said(data_parallel_question(), "cluster.workers=4"));
}

TEST(ClusterWhatIf, TheCapturedNumbersChangeNothing) {
  const Question servers = parameter_server_question();
  EXPECT_EQ(servers.iteration({"cluster.workers=2", "cluster.servers=2", "cluster.colocated=false"}),
            servers.iteration());
  const Question ranks = data_parallel_question();
  EXPECT_EQ(ranks.iteration({"cluster.workers=2"}), ranks.iteration());
}

}  // namespace
}  // namespace stepsim::testing
