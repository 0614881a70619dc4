// Asks the first questions of users of GPUs about captures that are not in this repository
// (docs/internals/test-data.md). No other run of these jobs was measured, so the tests require what theory implies.
// They are skipped if the captures are absent.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "ingest/load/load.h"
#include "model/calibration/calibration.h"
#include "tests/scenarios/question.h"
#include "tests/source_folder.h"

namespace stepsim::testing {
namespace {

const std::filesystem::path kCaptures = shared_folder() / "traces/kineto";

class GpuQuestions : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kCaptures)) GTEST_SKIP() << kCaptures << " is absent: there is nothing to ask";
  }
  static Question question_of(const std::string& name) {
    Capture capture = ingest::load({(kCaptures / name).string()}, {});
    Cluster cluster = calibrate(capture).cluster;
    return Question(std::move(capture), std::move(cluster), "maxmin");
  }
};

/// Returns the sum of the payloads of all all-reduces of a graph.
Bytes reduced(const Dag& dag) {
  Bytes sum{};
  for (std::size_t i = 0; i < dag.rendezvous_count(); ++i) {
    const Collective& collective = dag.collective(RendezvousId{i});
    if (collective.op == CollectiveOp::kAllReduce && !dag.members(RendezvousId{i}).empty()) sum += collective.bytes;
  }
  return sum;
}

TEST_F(GpuQuestions, TheDefaultBucketsOfDistributedDataParallelChangeNothing) {
  const Question question = question_of("ddp-a100-rank0of2.json.gz");
  const scenarios::Prediction before = question.predicted({});
  const scenarios::Prediction after = question.predicted({"comm.bucket_bytes=25MiB"});
  EXPECT_EQ(after.timeline.start, before.timeline.start);
  EXPECT_EQ(after.timeline.finish, before.timeline.finish);
}

TEST_F(GpuQuestions, ManySmallBucketsCostTheirCallsAndLatencies) {
  const Question question = question_of("ddp-a100-rank0of2.json.gz");
  const Duration captured = question.iteration();
  EXPECT_LT(captured, question.iteration({"comm.bucket_bytes=4MB"}));
  EXPECT_LT(question.iteration({"comm.bucket_bytes=4MB"}), question.iteration({"comm.bucket_bytes=1MB"}));
  EXPECT_LT(question.iteration({"comm.bucket_bytes=1MB"}), question.iteration({"comm.bucket_bytes=1B"}));
}

TEST_F(GpuQuestions, OneBucketStartsTooLate) {
  const Question question = question_of("ddp-a100-rank0of2.json.gz");
  EXPECT_LT(question.iteration(), question.iteration({"comm.bucket_bytes=1GB"}));
}

TEST_F(GpuQuestions, OtherBucketsCarryAllGradients) {
  for (const char* const name :
       {"ddp-a100-rank0of2.json.gz", "diff-control-a100-rank3of8.json.gz", "diff-test-v100-rank1of2.json.gz"}) {
    const Question question = question_of(name);
    const Bytes captured = reduced(question.capture().dag);
    for (const char* const bytes : {"1MB", "10MB", "1GB"}) {
      const scenarios::Prediction other = question.predicted({std::string("comm.bucket_bytes=") + bytes});
      EXPECT_EQ(reduced(other.graph->dag), captured) << name << ", " << bytes;
    }
  }
}

TEST_F(GpuQuestions, KernelsOfACudaGraphGrowWithTheBatch) {
  // The capture is trace_05 of luatil/torch-profile, with a batch of 4. trace_06 has a batch of 32 and differs in
  // nothing else. The median distances between the ends of their steps on the device are 22.898 and 170.102 ms. One
  // operator launches nearly all kernels, and all of its inputs are parameters of the model.
  const Question question = question_of("gpt2-cuda-graphs-no-sync.json.gz");
  const double ratio = static_cast<double>(question.iteration({"batch.scale=8"}).count()) /
                       static_cast<double>(question.iteration().count());
  EXPECT_NEAR(ratio / (170.102 / 22.898), 1, 0.1);
}

TEST_F(GpuQuestions, AllReducesThatDoNotSayWhatTheyCarryAreRefused) {
  EXPECT_NE(problem_of(question_of("v100-rank1of2-5steps.json.gz"), {"comm.bucket_bytes=25MB"}).find("record_shapes"),
            std::string::npos);
}

TEST_F(GpuQuestions, OneCapturedRankStandsForMore) {
  const Question question = question_of("diff-test-v100-rank1of2.json.gz");
  EXPECT_EQ(question.iteration({"cluster.workers=2"}), question.iteration());
  Duration last = question.iteration();
  for (const char* const workers : {"4", "16", "64"}) {
    const Duration more = question.iteration({std::string("cluster.workers=") + workers});
    EXPECT_GT(more, last) << workers;
    last = more;
  }
}

TEST_F(GpuQuestions, ANicBetweenHostsIsSlowerThanLinksInside) {
  const Question question = question_of("diff-test-v100-rank1of2.json.gz");
  const auto over = [&](const std::string& nic) {
    return question.iteration({"cluster.nic=" + nic, "cluster.workers=16", "cluster.gpus_per_host=8"});
  };
  EXPECT_GT(over("25Gb/s"), over("100Gb/s"));
  EXPECT_GT(over("100Gb/s"), question.iteration({"cluster.workers=16"}));
}

TEST_F(GpuQuestions, RanksThatBeganLateMadeTheOthersWait) {
  const Question question = question_of("dlrm-8ranks");
  const Duration captured = question.iteration();
  const Duration together = question.iteration({"start.delay=0us"});
  EXPECT_LT(together, captured);
  EXPECT_GT(question.iteration({"start.delay=2x"}), captured);
  EXPECT_GE(question.iteration({"network{rank=3}.bandwidth=0.01x"}), captured);
}

}  // namespace
}  // namespace stepsim::testing
