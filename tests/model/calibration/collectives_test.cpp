#include "model/calibration/collectives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "model/cost/network/network.h"
#include "tests/model/rewrite/data_parallel_job.h"

namespace stepsim {
namespace {

using testing::DataParallelJob;
using testing::DeviceDataParallelJob;

double goodput(const Calibration& calibration) {
  return calibration.cluster.links.front().goodput().bytes_per_second();
}

TEST(CalibrateCollectivesTest, RingsThatHaveTheLinkAloneTellItsGoodput) {
  // In a ring of n ranks, each rank sends 2 (n - 1) / n bytes per payload byte. The job's all-reduces take 1 ns for
  // each byte that a rank sends.
  for (const std::size_t ranks : {2U, 3U, 4U, 7U}) {
    const auto calibration = calibrate_collectives(DataParallelJob{.ranks = ranks}.capture());
    ASSERT_TRUE(calibration.has_value());
    EXPECT_NEAR(goodput(*calibration), 1e9, 1e4) << ranks << " ranks";
    EXPECT_EQ(calibration->cluster.endpoints.size(), ranks);
    EXPECT_EQ(calibration->fits.front().samples, ranks * 4);
  }
}

/// Sets the recorded times of the k-th all-reduce on every rank: it starts at `begin` and takes `length`.
void record(Capture& capture, std::size_t k, std::int64_t begin, std::int64_t length) {
  for (const TaskId member : capture.dag.members(RendezvousId{k})) {
    capture.recording.start[member.index()] = Time{Duration{begin}};
    capture.recording.finish[member.index()] = Time{Duration{begin + length}};
  }
}

TEST(CalibrateCollectivesTest, CollectivesSideBySideShareTheLink) {
  // The job has four all-reduces, of 4, 2.6, 4 and 2.6 MB. They overlap, and together they move 13.2 MB in 13.2 ms.
  Capture capture = DataParallelJob{}.capture();
  record(capture, 0, 0, 13'200'000);
  record(capture, 1, 1'000'000, 5'000'000);
  record(capture, 2, 4'000'000, 9'000'000);
  record(capture, 3, 7'000'000, 6'200'000);

  EXPECT_NEAR(goodput(*calibrate_collectives(capture)), 1e9, 1e4);
}

TEST(CalibrateCollectivesTest, TimeBesideTheBytesIsToldApartWhereSizesDiffer) {
  // Each all-reduce takes two rounds of 300 us, plus its bytes at 1 GB/s.
  Capture capture = DataParallelJob{.gradients = {Bytes{40'000}, Bytes{60'000}, Bytes{6'000'000}}}.capture();
  for (std::size_t k = 0; k < 4; ++k) {
    const std::int64_t bytes = k % 2 == 0 ? 100'000 : 6'000'000;
    record(capture, k, static_cast<std::int64_t>(k) * 50'000'000, 600'000 + bytes);
  }

  const Calibration calibration = *calibrate_collectives(capture);

  EXPECT_NEAR(goodput(calibration), 1e9, 1e6);
  const Link& link = calibration.cluster.links.front();
  const Duration alpha = calibration.cluster.network[kMessageOverhead] + 2 * link.latency;
  EXPECT_NEAR(static_cast<double>(alpha.count()), 300'000, 3'000);
}

TEST(CalibrateCollectivesTest, MessagesOfAboutOneSizeTellTheGoodputAlone) {
  // Three ranks exchange a third of a payload per message. The payloads of 2,000,001 and 2,000,000 bytes give messages
  // that differ by a byte at most.
  const Capture capture =
      DataParallelJob{.ranks = 3, .gradients = {Bytes{1'000'000}, Bytes{1'000'001}, Bytes{2'000'000}}}.capture();

  const Calibration calibration = *calibrate_collectives(capture);

  EXPECT_NEAR(goodput(calibration), 1e9, 1e4);
  EXPECT_EQ(calibration.cluster.network[kMessageOverhead], Duration{});
  EXPECT_EQ(calibration.fits.size(), 1U);
}

TEST(CalibrateCollectivesTest, WorkDoesNotGrowWithTheMembersThatATraceClaims) {
  // The rings of this group have 2e10 messages. They are not visited one by one.
  const auto calibration = calibrate_collectives(DeviceDataParallelJob{.ranks = 1, .group = 100'000}.capture());

  ASSERT_TRUE(calibration.has_value());
  EXPECT_NEAR(goodput(*calibration), 1e9, 1e5);
}

TEST(CalibrateCollectivesTest, JobFilesBandwidthIsKeptAndItsEfficiencyFitted) {
  Capture capture = DataParallelJob{}.capture();
  capture.job.bandwidth = Bandwidth::from_bits_per_second(10e9);

  const Calibration calibration = *calibrate_collectives(capture);

  EXPECT_EQ(calibration.cluster.links.front().bandwidth, Bandwidth::from_bits_per_second(10e9));
  EXPECT_NEAR(calibration.cluster.links.front().efficiency, 0.8, 1e-4);
}

TEST(CalibrateCollectivesTest, TheShareOfPayloadIsNotAssumedWhereItIsMeasured) {
  Capture capture = DataParallelJob{}.capture();
  capture.job.bandwidth = Bandwidth::from_bits_per_second(10e9);
  const auto assumes = [](const Calibration& calibration, std::string_view id) {
    return std::any_of(calibration.assumptions.begin(), calibration.assumptions.end(),
                       [id](const Assumption& assumption) { return assumption.id == id; });
  };

  EXPECT_TRUE(assumes(network_of_job_file(capture), "link_payload"));
  EXPECT_FALSE(assumes(*calibrate_collectives(capture), "link_payload"));
  EXPECT_TRUE(assumes(*calibrate_collectives(capture), "one_switch"));
}

TEST(CalibrateCollectivesTest, CaptureWithoutSizesShowsNothing) {
  CaptureEdit edit(DataParallelJob{}.capture());
  for (std::size_t i = 0; i < edit.builder().rendezvous_count(); ++i)
    edit.builder().collective(RendezvousId{i}).bytes = Bytes{};

  EXPECT_FALSE(calibrate_collectives(std::move(edit).finish()).has_value());
  EXPECT_FALSE(calibrate_collectives(Capture{}).has_value());
}

}  // namespace
}  // namespace stepsim
