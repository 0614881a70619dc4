#include "model/calibration/data_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/cost/collective/nccl_times.h"
#include "model/cost/device/accelerator.h"
#include "model/job/group.h"
#include "model/job/rank_places.h"
#include "model/job/topology.h"

namespace stepsim {
namespace {

/// Returns the device of all ranks, or null.
const Accelerator* only_device(const Capture& capture) {
  const std::map<Rank, std::string>& names = capture.devices;
  if (names.empty() || names.size() < capture.recording.ranks.size()) return nullptr;
  const std::string& name = names.begin()->second;
  const bool same = std::all_of(names.begin(), names.end(), [&](const auto& other) { return other.second == name; });
  return same ? find_accelerator(name) : nullptr;
}

}  // namespace

std::optional<DataSheet> data_sheet_of(const Capture& capture) {
  const Accelerator* const device = only_device(capture);
  if (device == nullptr || device->vendor != Vendor::kNvidia || !has_all_members(capture.dag)) return std::nullopt;
  const bool has_nvlink = device->nvlink > Bandwidth{};
  if (!has_nvlink && is_nvlink(device->host_link)) return std::nullopt;

  ClusterShape shape{.device_model = capture.devices.begin()->second};
  std::map<std::string, std::uint32_t> ranks_on;
  for (const auto& [rank, host] : hosts_of_ranks(capture.dag)) ++ranks_on[host];
  for (const auto& [host, ranks] : ranks_on) {
    shape.hosts.push_back({host});
    shape.devices = std::max(shape.devices, ranks);
  }
  const Cable link{device->inside_link()};
  (has_nvlink ? shape.nvlink : shape.pcie) = link;
  shape.nic = {link.bandwidth};
  DataSheet sheet{build_cluster(std::move(shape)), fmt::format("{}: {}, {} in each direction", device->name,
                                                               device->inside_kind(), to_text(link.bandwidth))};
  static_cast<void>(place_as_captured(capture.dag, sheet.cluster));
  return sheet;
}

}  // namespace stepsim
