// Tests settings of a job's communication: for steps whose times are sums of a few terms, and against a capture with
// the same settings (tests/theory has the closed forms).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "sim/analysis/summary.h"
#include "tests/model/rewrite/data_parallel_job.h"
#include "tests/model/rewrite/parameter_server/workload_maker.h"
#include "tests/scenarios/sample_questions.h"

namespace stepsim::testing::comm_test {
namespace {

using std::chrono::microseconds;

constexpr Duration kCompute = kForward + kBackward + kUpdate;
constexpr Duration kWire{1'000'000};  // 1 MB at 1 GB/s
constexpr Duration kLatency{20'000};  // the latency of two links
constexpr Duration kHeader{100};

/// Returns a job with one worker, one server and one tensor of 1 MB. Each link has 1 GB/s.
Question one_tensor() {
  WorkloadMaker maker;
  maker.steps = 2;
  return Question(maker.capture(), switch_of(2, 1e9, kLatency / 2), "maxmin");
}

/// Expects equal times, except for the rounding of a few messages to whole nanoseconds.
void expect_close(Duration actual, Duration expected) {
  EXPECT_NEAR(static_cast<double>(actual.count()), static_cast<double>(expected.count()), 20);
}

TEST(CommWhatIf, PartitionsFollowEachOtherOnTheConnection) {
  // The request of a single partition is sent when its push is acknowledged. With several partitions, the requests
  // queue after the pushes.
  expect_close(one_tensor().iteration(), kCompute + kWire * 2 + kHeader * 2 + kLatency * 4);
  for (const char* const size : {"500kB", "250kB"}) {
    expect_close(one_tensor().iteration({std::string("comm.partition_bytes=") + size}),
                 kCompute + kWire * 2 + kHeader + kLatency * 2);
  }
}

/// Returns the time of a step of DataParallelJob: 40 ms of backward, the reduction of the last bucket, which is not
/// hidden, and 1 ms of optimizer.
Duration reduced_in(Duration last_bucket) { return microseconds{41'000} + last_bucket; }

TEST(CommWhatIf, ARingSendsAnNthInEachOfItsRounds) {
  // The last bucket has 2.6 MB. The ring has 2 (n - 1) rounds, and each takes a latency and the time of 2.6 MB / n.
  EXPECT_EQ(data_parallel_question().iteration({"comm.algorithm=ring"}),
            reduced_in((kLatency + microseconds{1300}) * 2));
  EXPECT_EQ(data_parallel_question().iteration({"cluster.workers=4", "comm.algorithm=ring"}),
            reduced_in((kLatency + microseconds{650}) * 6));
}

TEST(CommWhatIf, WithABucketPerGradientOnlyTheLastIsExposed) {
  EXPECT_EQ(data_parallel_question().iteration({"comm.algorithm=ring", "comm.bucket_bytes=1B"}),
            reduced_in((kLatency + microseconds{300}) * 2));
}

TEST(CommWhatIf, BucketsOfNcclAreRebuiltLikeThoseOfGloo) {
  const Question question(DeviceDataParallelJob{}.capture(), switch_of(2, 1e9, kLatency / 2), "maxmin");
  const auto iteration = [&](const std::string& bytes) {
    return question.iteration({"comm.algorithm=ring", "comm.bucket_bytes=" + bytes});
  };
  EXPECT_EQ(question.iteration({"comm.algorithm=ring"}), reduced_in((kLatency + microseconds{1300}) * 2));
  EXPECT_EQ(iteration("4MB"), reduced_in((kLatency + microseconds{1300}) * 2));
  EXPECT_EQ(iteration("1B"), reduced_in((kLatency + microseconds{300}) * 2));
  EXPECT_EQ(iteration("100MB"), reduced_in((kLatency + microseconds{3300}) * 2));
  EXPECT_EQ(question.iteration({"comm.bucket_bytes=4MB"}), question.iteration());
}

/// Returns a job with two workers, two servers, and tensors of several partitions, so that every setting has an effect.
WorkloadMaker busy_job() {
  WorkloadMaker maker;
  maker.workers = 2;
  maker.servers = 2;
  maker.tensors = {Bytes{3'000'000}, Bytes{1'500'000}, Bytes{4'000'000}};
  maker.steps = 2;
  return maker;
}

/// Returns the iteration of the job in `capture` after `change` has modified its settings.
Duration built_with(const Capture& capture, const Cluster& cluster, const std::function<void(Job& job)>& change) {
  PsOptions options = as_captured(*capture.parameter_server);
  change(options.job);
  const Capture job = build_parameter_server(capture, options, cluster);
  sim::Machine machine = sim::Machine::as_recorded(job);
  machine.set_network(*find_network_model("maxmin"), cluster);
  return sim::replayed_iteration(job, sim::replay(job.dag, machine));
}

struct Setting {
  std::string set;
  std::function<void(Job& job)> change;
};

TEST(CommWhatIf, ReductionsAtTheirGradientsAreThoseOfHooks) {
  const Cluster cluster = switch_of(2, 1e9, kLatency / 2);
  for (const std::vector<std::size_t>& buckets : {std::vector<std::size_t>{0, 1, 2, 3}, {1, 3}, {0, 3}}) {
    const Question hooks(DeviceDataParallelJob{.buckets = buckets}.capture(), cluster, "maxmin");
    const Question late(DeviceDataParallelJob{.buckets = buckets, .late = true}.capture(), cluster, "maxmin");
    EXPECT_GT(late.iteration(), hooks.iteration());
    EXPECT_EQ(late.iteration({"comm.start=gradient"}), hooks.iteration());
    EXPECT_EQ(hooks.iteration({"comm.start=gradient"}), hooks.iteration());
    EXPECT_EQ(late.iteration({"comm.start=recorded"}), late.iteration());
  }
}

TEST(CommWhatIf, ReductionsOfAnySizesAreThoseOfHooks) {
  std::mt19937 random(7);
  for (int i = 0; i < 30; ++i) {
    DeviceDataParallelJob job{.ranks = 3, .gradients = {}, .buckets = {}};
    const std::size_t count = 1 + random() % 8;
    for (std::size_t k = 0; k < count; ++k) {
      job.gradients.emplace_back(1 + random() % 4 * 5'000'000);  // some are equal, some take longer than a kernel
      job.buckets.push_back(k);
    }
    const Cluster cluster = switch_of(3, 1e9, kLatency / 2);
    const Duration in_hooks = Question(job.capture(), cluster, "maxmin").iteration();
    job.late = true;
    EXPECT_EQ(Question(job.capture(), cluster, "maxmin").iteration({"comm.start=gradient"}), in_hooks);
  }
}

TEST(CommWhatIf, ReductionsOfUnknownGradientsAreRefused) {
  const DeviceDataParallelJob late{.shapes = false, .late = true};
  EXPECT_THAT(problem_of(Question(late.capture()), {"comm.start=gradient"}),
              ::testing::HasSubstr("it is unknown which gradients 12 reductions carry"));
  EXPECT_THAT(problem_of(Question(DataParallelJob{}.capture()), {"comm.start=gradient"}),
              ::testing::HasSubstr("no reduction on a GPU's stream"));
}

TEST(CommWhatIf, EachSettingEqualsAJobThatRanWithIt) {
  const Capture capture = busy_job().capture();
  const Cluster cluster = switch_of(4, 1e9, kLatency / 2);
  const Question question(capture, cluster, "maxmin");
  const std::vector<Setting> settings{
      {"comm.schedule=priority", [](Job& job) { job.schedule = Schedule::kPriority; }},
      {"comm.credit_bytes=2MB", [](Job& job) { job.credit_bytes = Bytes{2'000'000}; }},
      {"comm.barrier=cross", [](Job& job) { job.barrier = Barrier::kCross; }},
      {"comm.control=first", [](Job& job) { job.control = Control::kFirst; }},
      {"comm.key_hash=naive", [](Job& job) { job.key_hash = "naive"; }},
      {"comm.partition_bytes=2MB", [](Job& job) { job.partition_bytes = Bytes{2'000'000}; }},
  };
  for (const Setting& setting : settings) {
    EXPECT_EQ(question.iteration({setting.set}), built_with(capture, cluster, setting.change)) << setting.set;
  }
}

TEST(CommWhatIf, TheCapturedSettingsChangeNothing) {
  const Question question = parameter_server_question();
  for (const char* const set : {"comm.partition_bytes=1MB", "comm.schedule=fifo", "comm.credit_bytes=0",
                                "comm.barrier=global", "comm.control=inline", "comm.key_hash=djb2"}) {
    EXPECT_EQ(question.iteration({set}), question.iteration()) << set;
  }
}

}  // namespace
}  // namespace stepsim::testing::comm_test
