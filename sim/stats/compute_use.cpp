#include "sim/stats/compute_use.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "model/cost/device/accelerator.h"
#include "model/cost/device/device_work.h"
#include "model/job/kernel_class.h"
#include "sim/analysis/intervals.h"

namespace stepsim::sim {
namespace {

/// Sums over kernels of each figure times the kernel's length.
struct Sums {
  std::size_t count = 0;
  Duration time{};
  double blocks = 0;
  double warps = 0;
  double occupancy = 0;
  double efficiency = 0;

  void add(const KernelLaunch& launch, const Accelerator& device, Duration length) {
    constexpr double kWarp = 32;
    const auto nanoseconds = static_cast<double>(length.count());
    const double per_processor = static_cast<double>(launch.blocks) / device.processors;
    const double resident = std::min(per_processor, static_cast<double>(resident_blocks(launch, device.resident)));
    ++count;
    time = saturated_sum(time, length);
    blocks += nanoseconds * per_processor;
    warps += nanoseconds * per_processor * launch.threads / kWarp;
    occupancy += nanoseconds * resident * launch.threads / device.resident.threads;
    efficiency += nanoseconds * std::min(1.0, per_processor);
  }
};

double mean(double sum, Duration time) noexcept {
  return time > Duration{} ? sum / static_cast<double>(time.count()) : 0;
}

bool states_matrix_units(std::string_view name, const Accelerator& device) {
  const KernelClass kind = classify_kernel(name);
  if (kind != KernelClass::kGemm && kind != KernelClass::kConvolution && kind != KernelClass::kAttention) return false;
  const std::optional<Precision> precision = precision_in(name);
  return precision && device.has_matrix_units(*precision);
}

using DevicePlace = std::pair<Rank, std::int32_t>;

/// The kernels of one device.
struct DeviceSums {
  const Accelerator* device = nullptr;
  Sums sums;
  Duration compute{};  ///< time of compute kernels
  Duration on_matrix_units{};
  std::vector<std::int8_t> states_units;  ///< indexed by name; -1 if not determined yet
};

class Occupancy {
 public:
  explicit Occupancy(const MeasuredWork& work)
      : work_(work), dag_(work.capture.dag), of_name_(dag_.name_count()), of_lane_(dag_.lanes().size()) {
    for (std::size_t i = 0; i < of_lane_.size(); ++i) {
      const Lane& lane = dag_.lanes()[i];
      const auto name = work.capture.devices.find(lane.rank);
      if (lane.device < 0 || name == work.capture.devices.end()) continue;
      const Accelerator* device = find_accelerator(name->second);
      if (device == nullptr || device->resident.threads == 0 || device->processors == 0) continue;
      of_lane_[i] = &of_device_[{lane.rank, lane.device}];
      of_lane_[i]->device = device;
      of_lane_[i]->states_units.resize(dag_.name_count(), -1);
    }
  }

  OccupancyUse run(const std::vector<DeviceUse>& devices) {
    const LaunchTable& table = work_.capture.launches;
    if (of_device_.empty() || table.uses.empty()) return {};
    auto use = table.uses.begin();
    for (const Piece& piece : work_.pieces) {
      if (piece.is_call) break;
      const TaskId task{piece.index};
      while (use != table.uses.end() && use->task < task) ++use;
      DeviceSums* const device = of_lane_[dag_.lane_id(task).index()];
      if (device == nullptr) continue;
      if (dag_.kind(task) == TaskKind::kKernel) add_compute(piece, *device);
      if (use == table.uses.end() || use->task != task) continue;
      const KernelLaunch& launch = table.launches[use->which];
      if (launch.threads == 0) continue;
      of_name_[dag_.name_id(task).index()].add(launch, *device->device, piece.length);
      device->sums.add(launch, *device->device, piece.length);
    }
    return {devices_of(devices), kernels()};
  }

 private:
  void add_compute(const Piece& piece, DeviceSums& device) const {
    const NameId name = dag_.name_id(TaskId{piece.index});
    std::int8_t& states = device.states_units[name.index()];
    if (states < 0) states = states_matrix_units(dag_.name(name), *device.device) ? 1 : 0;
    device.compute = saturated_sum(device.compute, piece.length);
    if (states == 1) device.on_matrix_units = saturated_sum(device.on_matrix_units, piece.length);
  }

  [[nodiscard]] std::vector<DeviceOccupancy> devices_of(const std::vector<DeviceUse>& devices) const {
    std::vector<DeviceOccupancy> made;
    for (const DeviceUse& use : devices) {
      const auto found = of_device_.find({use.rank, use.device});
      if (found == of_device_.end() || found->second.sums.count == 0) continue;
      const DeviceSums& device = found->second;
      made.push_back({use.rank, use.device, std::string(device.device->name), device.sums.time,
                      mean(device.sums.occupancy, device.sums.time), mean(device.sums.efficiency, use.use.span),
                      ratio(device.on_matrix_units, device.compute)});
    }
    return made;
  }

  [[nodiscard]] std::vector<KernelOccupancy> kernels() const {
    std::vector<KernelOccupancy> made;
    for (std::size_t i = 0; i < of_name_.size(); ++i) {
      const Sums& sums = of_name_[i];
      if (sums.count == 0) continue;
      made.push_back({std::string(dag_.name(NameId{i})), sums.count, sums.time, mean(sums.blocks, sums.time),
                      mean(sums.warps, sums.time), mean(sums.occupancy, sums.time)});
    }
    std::sort(made.begin(), made.end(), [](const KernelOccupancy& a, const KernelOccupancy& b) {
      return a.time != b.time ? a.time > b.time : a.name < b.name;
    });
    return made;
  }

  const MeasuredWork& work_;
  const Dag& dag_;
  std::vector<Sums> of_name_;  ///< indexed by name
  std::map<DevicePlace, DeviceSums> of_device_;
  std::vector<DeviceSums*> of_lane_;  ///< indexed by lane; null if the device is unknown
};

}  // namespace

OccupancyUse occupancy_use(const MeasuredWork& work, const std::vector<DeviceUse>& devices) {
  return Occupancy(work).run(devices);
}

namespace {

class Flops {
 public:
  explicit Flops(const MeasuredWork& work) : work_(work), table_(work.capture.operators) {}

  std::vector<FlopsUse> run() {
    add_device_work();
    for (const Piece& piece : work_.pieces) {
      if (piece.is_call && !on_device_.contains(work_.rank(piece))) add_call(piece);
    }
    std::vector<FlopsUse> made;
    for (auto& [key, use] : uses_) made.push_back(std::move(use));
    std::stable_sort(made.begin(), made.end(), [](const FlopsUse& a, const FlopsUse& b) { return a.flops > b.flops; });
    return made;
  }

 private:
  FlopsUse& use_of(const std::string& name, bool on_device) {
    FlopsUse& use = uses_[{name, on_device}];
    use.name = name;
    use.on_device = on_device;
    return use;
  }

  /// Adds a piece's part of the time that its operator takes at the peak rate. Pieces without work of their own, such
  /// as memsets, add none.
  static void add_peak(const DeviceWork* device, FlopsUse& sum) {
    constexpr double kSecond = 1e9;
    if (device == nullptr || !device->work) return;
    const bool known = device->on != nullptr && device->precision_known;
    sum.knows_peak = sum.knows_peak && known;
    if (!known) return;
    const double peak = device->on->peak_flops[static_cast<std::size_t>(device->precision)];
    sum.at_peak += Duration{std::llround(device->work->flops / peak * kSecond)};
  }

  void add_device_work() {
    const DevicePieces devices = device_work(work_.capture);
    std::vector<bool> counted(table_.occurrences + std::size_t{1});
    auto use = table_.uses.begin();
    for (const Piece& piece : work_.pieces) {
      if (piece.is_call) break;
      while (use != table_.uses.end() && use->task < TaskId{piece.index}) ++use;
      if (use == table_.uses.end()) break;
      if (use->task != TaskId{piece.index}) continue;
      on_device_.insert(work_.rank(piece));
      const OperatorTable::Operator& one = table_.operators[use->which];
      if (one.work.flops <= 0) continue;
      FlopsUse& sum = use_of(one.name, true);
      if (sum.time == Duration{}) sum.knows_peak = true;
      sum.time = saturated_sum(sum.time, piece.length);
      add_peak(devices[piece.index], sum);
      if (counted[use->occurrence]) continue;
      counted[use->occurrence] = true;
      ++sum.calls;
      sum.flops += one.work.flops;
    }
  }

  void add_call(const Piece& piece) {
    const TraceDetails::Call& call = work_.details.calls[piece.index];
    if (call.flops <= 0) return;
    FlopsUse& sum = use_of(work_.details.names[call.name], false);
    ++sum.calls;
    sum.flops += call.flops;
    sum.time = saturated_sum(sum.time, call.duration);
  }

  const MeasuredWork& work_;
  const OperatorTable& table_;
  std::set<Rank> on_device_;  ///< ranks where it is known which operator launched what
  std::map<std::pair<std::string, bool>, FlopsUse> uses_;
};

}  // namespace

double FlopsUse::per_second() const noexcept {
  constexpr double kNanosecond = 1e-9;
  return time == Duration{} ? 0 : flops / (static_cast<double>(time.count()) * kNanosecond);
}

std::optional<double> FlopsUse::of_peak() const noexcept {
  return knows_peak && at_peak > Duration{} && time > Duration{} ? std::optional{ratio(at_peak, time)} : std::nullopt;
}

std::optional<double> flops_utilisation(const std::vector<FlopsUse>& flops, const std::vector<DeviceUse>& devices) {
  Duration at_peak{};
  for (const FlopsUse& use : flops) {
    if (use.knows_peak) at_peak += use.at_peak;
  }
  Duration span{};
  for (const DeviceUse& device : devices) {
    if (device.device >= 0) span += device.use.span;
  }
  return at_peak > Duration{} && span > Duration{} ? std::optional{ratio(at_peak, span)} : std::nullopt;
}

std::vector<FlopsUse> flops_use(const MeasuredWork& work) { return Flops(work).run(); }

}  // namespace stepsim::sim
