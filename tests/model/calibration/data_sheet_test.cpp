#include "model/calibration/data_sheet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/job/dag_builder.h"

namespace stepsim {
namespace {

using ::testing::HasSubstr;

/// Makes a capture of one collective of ranks on these hosts, each with this device.
Capture capture_of(const std::vector<std::string>& hosts, const std::string& device, std::uint32_t ranks) {
  DagBuilder builder;
  const RendezvousId rendezvous = builder.add_rendezvous({.group = builder.add_group({.size = ranks})});
  Capture capture;
  for (Rank rank = 0; std::cmp_less(rank, hosts.size()); ++rank) {
    const LaneId lane = builder.add_lane({.host = hosts[static_cast<std::size_t>(rank)], .rank = rank});
    builder.join(rendezvous, builder.add_task({.name = builder.intern("all-reduce"), .lane = lane}));
    capture.devices[rank] = device;
    capture.recording.ranks.push_back(rank);
  }
  capture.dag = std::move(builder).build().dag;
  return capture;
}

TEST(DataSheetTest, RanksStayOnTheirHosts) {
  const std::optional<DataSheet> sheet = data_sheet_of(capture_of({"b", "a", "b", "a"}, "NVIDIA H100 80GB HBM3", 4));
  ASSERT_TRUE(sheet);
  const std::vector<Endpoint>& endpoints = sheet->cluster.endpoints;
  ASSERT_EQ(endpoints.size(), 4U);
  EXPECT_EQ(endpoints[0].host, endpoints[2].host);
  EXPECT_EQ(endpoints[1].host, endpoints[3].host);
  EXPECT_NE(endpoints[0].host, endpoints[1].host);
  EXPECT_EQ(sheet->cluster.shape->nvlink->bandwidth,
            Bandwidth::from_bytes_per_second(450e9));  // NVLink 4: 900 both ways
  EXPECT_THAT(sheet->text, HasSubstr("450GB/s"));
}

TEST(DataSheetTest, DevicesWithoutNvlinkUsePcie) {
  const std::optional<DataSheet> sheet = data_sheet_of(capture_of({"a", "a"}, "NVIDIA GeForce RTX 4090", 2));
  ASSERT_TRUE(sheet);
  EXPECT_FALSE(sheet->cluster.shape->nvlink);
  EXPECT_EQ(sheet->cluster.shape->pcie->bandwidth, Bandwidth::from_bytes_per_second(0.38 * 31.5e9))
      << "through the host's memory";
  const std::optional<DataSheet> of_workstation = data_sheet_of(capture_of({"a", "a"}, "NVIDIA RTX A5000", 2));
  ASSERT_TRUE(of_workstation);
  EXPECT_EQ(of_workstation->cluster.shape->pcie->bandwidth, Bandwidth::from_bytes_per_second(31.5e9));  // PCIe 4.0 x16
}

TEST(DataSheetTest, UnknownDevicesAndHostsHaveNone) {
  EXPECT_FALSE(data_sheet_of(capture_of({"a", "a"}, "Imaginary 9000", 2)));
  EXPECT_FALSE(data_sheet_of(capture_of({"a", "a"}, "AMD Instinct MI300X", 2)));
  EXPECT_FALSE(data_sheet_of(capture_of({"a", "a"}, "NVIDIA H100 80GB HBM3", 8)));  // six ranks are elsewhere
}

}  // namespace
}  // namespace stepsim
