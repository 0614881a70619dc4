#include "scenarios/answer/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <vector>

#include "model/base/error.h"
#include "scenarios/answer/baseline.h"
#include "tests/scenarios/sample_questions.h"
#include "tests/scenarios/whatif/gpu_step.h"

namespace stepsim::scenarios {
namespace {

using std::chrono::microseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kThreads[] = {1, 2, 3, 7, 16};

std::vector<Outcome> swept(const stepsim::testing::Question& question, const std::string& yaml, int threads = 2) {
  const Scenario scenario = parse_scenario(yaml, "s.yaml");
  Sweep sweep(question.predictor(), scenario);
  std::vector<Outcome> outcomes(sweep.points().size());
  std::vector<std::size_t> all(outcomes.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  sweep.run(all, {.threads = threads, .done = [&](std::size_t point, const Outcome& one) { outcomes[point] = one; }});
  return outcomes;
}

TEST(SweepTest, EveryPointHasItsClosedForm) {
  // In each step of sample_capture, rank 1 computes for 150 us and arrives last at a collective. The collective and the
  // work after it take another 60 us.
  const auto question = stepsim::testing::streams_question();
  for (const int threads : kThreads) {
    const auto outcomes = swept(question, "sweep: {compute.scale: [0.8, 1, 2, 4], compute.add: [0us, 10us]}", threads);
    std::size_t point = 0;
    for (const int fifths : {4, 5, 10, 20}) {
      for (const int added : {0, 10}) {
        EXPECT_EQ(outcomes[point++].iteration.value().mid, microseconds{30 * fifths + added + 60})
            << threads << " threads";
      }
    }
  }
}

TEST(SweepTest, PointsSayWhatWouldNarrowTheirRange) {
  const auto unknown = stepsim::testing::GpuStep("some board").question();
  const std::vector<Outcome> outcomes = swept(unknown, "sweep: {batch.scale: [1, 2]}");
  EXPECT_EQ(outcomes[0].note, "");
  EXPECT_THAT(outcomes[1].note, HasSubstr("device.from=NAME"));
  EXPECT_EQ(swept(stepsim::testing::GpuStep().question(), "sweep: {batch.scale: [1, 2]}")[1].note, "");
}

TEST(SweepTest, ANoteSaysThatInterferenceDidNotSettle) {
  Prediction prediction;
  EXPECT_EQ(note_on(prediction), "");
  prediction.unsettled = 0.013;
  EXPECT_EQ(
      note_on(prediction),
      "kernel times during communication did not converge in 20 replays: another replay would change them by 1.3 %");
}

TEST(SweepTest, PointsThatShareGraphsEqualTheirPredictionAlone) {
  const auto question = stepsim::testing::parameter_server_question();
  const std::string yaml =
      "changes: [{network: {latency: 20us}}]\n"
      "sweep: {network.bandwidth: [0.5x, 1x, 3x], comm.partition_bytes: [250kB, 600kB, 1MB], compute.scale: [1, 2]}";
  std::vector<Duration> alone;
  for (const char* const bandwidth : {"0.5x", "1x", "3x"}) {
    for (const char* const size : {"250kB", "600kB", "1MB"}) {
      for (const char* const scale : {"1", "2"}) {
        alone.push_back(
            question.iteration({"network.latency=20us", std::string("network.bandwidth=") + bandwidth,
                                std::string("comm.partition_bytes=") + size, std::string("compute.scale=") + scale}));
      }
    }
  }
  for (const int threads : kThreads) {
    const auto outcomes = swept(question, yaml, threads);
    ASSERT_EQ(outcomes.size(), alone.size());
    for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(outcomes[i].iteration.value().mid, alone[i]) << i;
  }
}

TEST(SweepTest, HardwareOfTheScenarioAndOfThePointsIsSettledTogether) {
  const auto question = stepsim::testing::data_parallel_question();
  const auto alone = [&](const char* gpus, const char* nic) {
    return question.iteration({"cluster.workers=4", std::string("cluster.nic=") + nic,
                               std::string("cluster.gpus_per_host=") + gpus, "network.between=2x"});
  };
  // The change network.between needs cluster.gpus_per_host. The two may be in one point in any order, or one of them
  // may be a fixed change.
  for (const char* const yaml : {"changes: [{network: {between: 2x}}, {cluster: {workers: 4}}]\n"
                                 "sweep: {cluster.gpus_per_host: [1, 2], cluster.nic: [1Gb/s, 8Gb/s]}",
                                 "changes: [{cluster: {workers: 4}}]\nsweep:\n"
                                 "  - {network.between: 2x, cluster.gpus_per_host: 1, cluster.nic: 1Gb/s}\n"
                                 "  - {cluster.gpus_per_host: 1, network.between: 2x, cluster.nic: 8Gb/s}\n"
                                 "  - {cluster.nic: 1Gb/s, cluster.gpus_per_host: 2, network.between: 2x}\n"
                                 "  - {network.between: 2x, cluster.nic: 8Gb/s, cluster.gpus_per_host: 2}\n"}) {
    const auto outcomes = swept(question, yaml);
    ASSERT_EQ(outcomes.size(), 4U);
    std::size_t point = 0;
    for (const char* const gpus : {"1", "2"}) {
      for (const char* const nic : {"1Gb/s", "8Gb/s"}) {
        EXPECT_EQ(outcomes[point].iteration.value().mid, alone(gpus, nic)) << yaml << outcomes[point].problem;
        ++point;
      }
    }
    EXPECT_NE(outcomes[0].iteration, outcomes[1].iteration);
  }
}

TEST(SweepTest, ARefusedPointHasASentence) {
  const auto outcomes =
      swept(stepsim::testing::streams_question(), "sweep: [{compute.scale: 2}, {network.latency: 2x}]");
  EXPECT_EQ(outcomes[0].iteration.value().mid, microseconds{360});
  EXPECT_EQ(outcomes[1].iteration, std::nullopt);
  EXPECT_THAT(
      outcomes[1].problem,
      HasSubstr("s.yaml:1: the capture does not show the rates of its links, so transfers keep their recorded times"));
}

TEST(SweepTest, ARefusalSaysWhoHasToChangeSomething) {
  // The first question needs a capture with links, which this one has not recorded. The second question is wrong,
  // because there is no rank 9.
  const auto outcomes =
      swept(stepsim::testing::streams_question(), "sweep: [{network.latency: 2x}, {\"compute{rank=9}.scale\": 2}]");
  EXPECT_EQ(outcomes[0].refusal, Refusal::kCapture) << outcomes[0].problem;
  EXPECT_EQ(outcomes[1].refusal, Refusal::kQuestion) << outcomes[1].problem;
}

TEST(SweepTest, AnInvalidValueEndsItBeforeAnythingIsPredicted) {
  const auto question = stepsim::testing::parameter_server_question();
  const Scenario unit = parse_scenario("sweep:\n  comm.partition_bytes: [1MB,\n   3 parrots]", "s.yaml");
  EXPECT_THROW(Sweep(question.predictor(), unit), ValueError);
  const Scenario number = parse_scenario("sweep: {compute.scale: [1, -2]}", "s.yaml");
  EXPECT_NO_THROW(Sweep(question.predictor(), parse_scenario("sweep: {compute.scale: [1]}", "s.yaml")));
  EXPECT_THROW(Sweep(question.predictor(), number), ValueError);
}

TEST(SweepTest, ARefusedChangeOfTheScenarioEndsIt) {
  const auto question = stepsim::testing::streams_question();
  const Scenario scenario =
      parse_scenario("changes: [{network: {latency: 2x}}]\nsweep: {compute.scale: [1, 2]}", "s.yaml");
  EXPECT_THROW(Sweep(question.predictor(), scenario), InputError);
}

TEST(SweepTest, OnlyTheGivenPointsAreDone) {
  const auto question = stepsim::testing::streams_question();
  const Scenario scenario = parse_scenario("sweep: {compute.scale: [1, 2, 3, 4, 5]}", "s.yaml");
  Sweep sweep(question.predictor(), scenario);
  const std::vector<std::size_t> some{1, 4};
  std::vector<std::size_t> done;
  sweep.run(some, {.threads = 1, .done = [&](std::size_t point, const Outcome&) { done.push_back(point); }});
  EXPECT_THAT(done, ElementsAre(1, 4));
}

TEST(SweepTest, CtrlCAndAFailureToStoreAPointEndIt) {
  const auto question = stepsim::testing::streams_question();
  const Scenario scenario = parse_scenario("sweep: {compute.scale: [1, 2, 3, 4, 5]}", "s.yaml");
  Sweep sweep(question.predictor(), scenario);
  const std::vector<std::size_t> all{0, 1, 2, 3, 4};
  std::atomic<bool> stop{false};
  std::size_t done = 0;
  const auto stop_after_two = [&](std::size_t, const Outcome&) { stop = ++done == 2; };
  EXPECT_THROW(sweep.run(all, {.threads = 1, .stop = &stop, .done = stop_after_two}), Interrupted);
  EXPECT_EQ(done, 2U);
  const auto disk_full = [](std::size_t, const Outcome&) { throw OutputError("disk full"); };
  EXPECT_THROW(sweep.run(all, {.threads = 2, .done = disk_full}), OutputError);
}

}  // namespace
}  // namespace stepsim::scenarios
