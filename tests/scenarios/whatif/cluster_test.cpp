// More and fewer machines, for steps that are sums of a few terms.

#include <gtest/gtest.h>

#include "tests/model/rewrite/parameter_server/workload_maker.h"
#include "tests/scenarios/sample_questions.h"

namespace stepsim::testing {
namespace {

using std::chrono::microseconds;

constexpr Duration kCompute = kForward + kBackward + kUpdate;
constexpr Duration kWire{1'000'000};  // 1 MB at 1 GB/s
constexpr Duration kLatency{20'000};  // two links
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
  maker.tensors = {Bytes{2'000'000}};  // keys 0 and 1: djb2 mod 2 = 1 and 0
  // One server: requests queue behind both pushes. Two servers: each partition is requested when its push is
  // acknowledged.
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
  // The last bucket of DataParallelJob, 2.6 MB, is not hidden behind its 41 ms of compute.
  const Question question = data_parallel_question();
  for (const int ranks : {2, 4, 5, 10}) {
    const Duration round = kLatency + microseconds{2600} / ranks;
    EXPECT_EQ(question.iteration({"comm.algorithm=ring", "cluster.workers=" + std::to_string(ranks)}),
              microseconds{41'000} + round * 2 * (ranks - 1))
        << ranks;
  }
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
