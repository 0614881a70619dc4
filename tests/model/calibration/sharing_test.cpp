#include "model/calibration/parameter_server.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "model/calibration/calibration.h"
#include "model/cost/network/maxmin.h"
#include "model/job/parameter_server/workload.h"
#include "tests/model/rewrite/parameter_server/workload_maker.h"

namespace stepsim::testing::sharing_test {
namespace {

constexpr Bytes kPush{1'000'000};
constexpr Duration kTransfer{10'000'000};
constexpr Bandwidth kLink = Bandwidth::from_bytes_per_second(1e8);  // moves a push of kPush bytes in kTransfer

PsWorkload two_workers(std::uint32_t servers) {
  WorkloadMaker maker;
  maker.workers = 2;
  maker.servers = servers;
  return *maker.capture().parameter_server;
}

/// Adds pushes that are all ready at 0. One push is acknowledged every kTransfer; `order` lists their workers in the
/// order of the acknowledgements.
void add_pushes(PsWorkload& workload, const std::vector<std::uint32_t>& order, std::int64_t key = 0) {
  Time now{};
  for (const std::uint32_t worker : order) {
    now += kTransfer;
    workload.stages.push_back({worker, 0, key, PsStage::kPush, kPush, {Time{}, now}});
  }
}

std::vector<std::uint32_t> repeated(std::vector<std::uint32_t> order, int times) {
  std::vector<std::uint32_t> all;
  for (int i = 0; i < times; ++i) all.insert(all.end(), order.begin(), order.end());
  return all;
}

TEST(SharingOfPushesTest, WorkersThatTakeTurnsShareFairly) {
  PsWorkload workload = two_workers(1);
  add_pushes(workload, repeated({0, 1}, 20));
  const SharingSeen seen = sharing_of_pushes(workload, kLink);
  EXPECT_EQ(seen.samples, 1U);
  EXPECT_EQ(seen.sharing, 1);
}

TEST(SharingOfPushesTest, OneWorkerAfterTheOtherIsSerial) {
  PsWorkload workload = two_workers(1);
  std::vector<std::uint32_t> order = repeated({1}, 20);
  order.insert(order.end(), 20, 0);
  add_pushes(workload, order);
  EXPECT_EQ(sharing_of_pushes(workload, kLink).sharing, 0);
}

TEST(SharingOfPushesTest, BetweenItIsWhatTheOneGotOfWhatTheOtherGot) {
  PsWorkload workload = two_workers(1);
  std::vector<std::uint32_t> order = repeated({0, 0, 0, 0, 1}, 10);
  order.insert(order.end(), 30, 1);  // the remaining pushes of worker 1, which has the link alone
  add_pushes(workload, order);
  // When worker 0 has finished, 40 of its pushes and 9 of worker 1's pushes have been acknowledged.
  EXPECT_NEAR(sharing_of_pushes(workload, kLink).sharing, 9.0 / 40, 1e-12);
}

TEST(SharingOfPushesTest, PushesToSeveralServersAtATimeSayNothing) {
  PsWorkload workload = two_workers(2);
  std::int64_t other = 1;  // a key that another server stores
  while (server_of(other, workload.job) == server_of(0, workload.job)) ++other;
  add_pushes(workload, repeated({0, 1}, 20));
  add_pushes(workload, repeated({0, 1}, 20), other);
  EXPECT_EQ(sharing_of_pushes(workload, kLink).samples, 0U);
}

TEST(SharingOfPushesTest, AWorkerAloneSaysNothing) {
  PsWorkload workload = two_workers(1);
  add_pushes(workload, repeated({0}, 40));
  EXPECT_EQ(sharing_of_pushes(workload, kLink).samples, 0U);
}

TEST(SharingOfPushesTest, ALinkThatIsNotFullSaysNothing) {
  PsWorkload workload = two_workers(1);
  add_pushes(workload, repeated({0, 0, 0, 0, 1}, 10));
  const Bandwidth twice = Bandwidth::from_bytes_per_second(2e8);
  EXPECT_EQ(sharing_of_pushes(workload, twice).samples, 0U);
}

TEST(SharingOfPushesTest, AFewPushesSayNothing) {
  PsWorkload workload = two_workers(1);
  add_pushes(workload, repeated({0, 1}, 4));
  EXPECT_EQ(sharing_of_pushes(workload, kLink).samples, 0U);
}

/// Calibrates on `contests` periods of contention, in which worker 0 gets four times as much of the link as worker 1.
NetworkParameters calibrated_by(int contests) {
  WorkloadMaker maker;
  maker.workers = 2;
  Capture capture = maker.capture();
  PsWorkload workload = *capture.parameter_server;
  workload.job.bandwidth = kLink;
  for (int contest = 0; contest < contests; ++contest) {
    const std::size_t first = workload.stages.size();
    add_pushes(workload, repeated({0, 0, 0, 0, 1}, 10));
    for (std::size_t i = first; i < workload.stages.size(); ++i) {
      workload.stages[i].run.start += Duration{contest * 10'000'000'000};
      workload.stages[i].run.finish += Duration{contest * 10'000'000'000};
    }
  }
  capture.job = workload.job;
  capture.parameter_server = std::make_shared<const PsWorkload>(std::move(workload));
  return calibrate(capture).cluster.network;
}

TEST(CalibratedSharingTest, IsAnAssumptionIfThreeContestsShowItAndKnownIfTwentyDo) {
  EXPECT_TRUE(calibrated_by(3).is_assumed(kSharing));
  EXPECT_FALSE(calibrated_by(3).is_given(kSharing));
  EXPECT_TRUE(calibrated_by(20).is_given(kSharing));
  EXPECT_NEAR(calibrated_by(20)[kSharing], calibrated_by(3)[kSharing], 1e-9);
}

TEST(RateErrorTest, FallsWithTheSamplesFromTheResidualToAFifthOfIt) {
  EXPECT_EQ(rate_error(0.3, 0), 0);
  EXPECT_EQ(rate_error(0.3, 4), 0.3);
  EXPECT_NEAR(rate_error(0.3, 64), 0.15, 1e-12);
  EXPECT_NEAR(rate_error(0.3, 1'000'000), 0.06, 1e-12);
}

}  // namespace
}  // namespace stepsim::testing::sharing_test
