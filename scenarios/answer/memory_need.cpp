#include "scenarios/answer/memory_need.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "model/base/text.h"
#include "model/rewrite/buckets.h"

namespace stepsim::scenarios {
namespace {

bool has_only_replicas(const Parallelism& parallelism) {
  return parallelism.data > 1 && parallelism.tensor == 1 && !parallelism.has_pieces();
}

/// Returns the bytes of the gradients of a step: the most of all steps.
Bytes largest_gradients(const Capture& capture) {
  Bytes most{};
  for (const auto& [index, step] : gradients_of_steps(capture)) {
    Bytes bytes{};
    for (const Gradient& gradient : step.gradients) bytes += gradient.bytes;
    most = std::max(most, bytes);
  }
  return most;
}

/// Returns why the memory for a plan is not known; empty if it can be predicted.
std::string_view unknown_because(const Plan& plan) {
  if (plan.captured->allocations == nullptr)
    return "the capture has no allocations; record with profile_memory=True and record_shapes=True";
  if (plan.parallelism != Parallelism{} && !has_only_replicas(plan.parallelism))
    return "how parallel ranks divide the memory is not modelled";
  return plan.sizes_changed_by;
}

bool differs(const Plan& plan) {
  return plan.batches != 1 || !plan.other_device.empty() || plan.parallelism != Parallelism{} ||
         !plan.sizes_changed_by.empty();
}

MemoryNeed need_of(const RecordedMemory& recorded, double factor) {
  MemoryNeed need{.peak = recorded.peak(factor)};
  const double error = kPeakErrorOfTwice * std::abs(std::log2(factor));
  need.low = factor == 1 ? need.peak : scaled(need.peak, 1 / (1 + error));
  need.high = factor == 1 ? need.peak : scaled(need.peak, 1 + error);
  return need;
}

}  // namespace

std::string_view word_of(Fit fit) noexcept {
  constexpr std::array<std::string_view, 3> kNames{"yes", "unsure", "no"};
  return kNames[static_cast<std::size_t>(fit)];
}

std::string in_gib(Bytes size) {
  constexpr double kMib = 1 << 20;
  const double mib = static_cast<double>(size.count()) / kMib;
  return mib < 1024 ? fmt::format("{:.1f} MiB", mib) : fmt::format("{:.1f} GiB", mib / 1024);
}

std::string sentence_of(const MemoryNeed& need) {
  std::string text = fmt::format("rank {} allocates at most {}", need.rank, in_gib(need.peak));
  if (need.low < need.high) text += fmt::format(" ({} to {})", in_gib(need.low), in_gib(need.high));
  const std::optional<Fit> fit = need.fits();
  if (!fit) return need.device.empty() ? text : fmt::format("{} on {}", text, shown(need.device));
  constexpr std::array<std::string_view, 3> kOutcomes{"suffice", "may not suffice", "do not suffice"};
  return fmt::format("{}; the {} of {} {}", text, in_gib(*need.capacity), shown(need.device),
                     kOutcomes[static_cast<std::size_t>(*fit)]);
}

std::string doubt_text(const MemoryNeed& need) {
  const std::optional<Fit> fit = need.fits();
  if (!fit || *fit == Fit::kYes) return {};
  return fmt::format("{} in memory ({} allocated, {} has {})", *fit == Fit::kNo ? "does not fit" : "may not fit",
                     in_gib(need.peak), shown(need.device), in_gib(*need.capacity));
}

std::optional<Fit> MemoryNeed::fits() const noexcept {
  if (!capacity) return std::nullopt;
  if (low > *capacity - kLeastOutsideOfAllocator) return Fit::kNo;
  const double most = static_cast<double>(high.count()) * (1 + kFragmentation);
  return most <= static_cast<double>((*capacity - kMostOutsideOfAllocator).count()) ? Fit::kYes : Fit::kUnsure;
}

MemoryNeeds::MemoryNeeds(const Capture& capture) : gradients_(largest_gradients(capture)) {
  if (capture.allocations == nullptr) return;
  const AllocationTable& table = *capture.allocations;
  const ParameterSizes parameters(table.operators);
  const bool on_devices = has_kernels(capture) || std::any_of(table.memories.begin(), table.memories.end(),
                                                              [](const auto& memory) { return memory.device >= 0; });
  for (const AllocationTable::Memory& memory : table.memories) {
    if (on_devices && memory.device < 0) continue;
    const auto name = capture.devices.find(memory.rank);
    std::string device = memory.device < 0 ? "CPU" : name == capture.devices.end() ? std::string() : name->second;
    const RecordedMemory recorded(table, memory, parameters);
    devices_.push_back({memory.rank, std::move(device), recorded, recorded.peak(1) > Bytes{}, recorded.names_blocks()});
  }
}

MemoryAnswer MemoryNeeds::of(const Plan& plan) const {
  MemoryAnswer answer{.why_none = std::string(unknown_because(plan)), .may_differ = differs(plan)};
  if (!answer.why_none.empty()) return answer;
  const auto filled = [](const MemoryNeed& need) {
    return std::tuple{
        need.capacity ? static_cast<double>(need.peak.count()) / static_cast<double>(need.capacity->count()) : 0.0,
        need.peak};
  };
  if (devices_.empty()) answer.why_none = "the allocations on devices were not recorded";
  for (const OfDevice& one : devices_) {
    if (!one.has_totals) return {{}, "the trace does not state how much memory is allocated in all", answer.may_differ};
    if (plan.batches != 1 && !one.names_blocks) {
      return {{},
              "the recorded allocations do not name their blocks; record with a newer version of PyTorch",
              answer.may_differ};
    }
    MemoryNeed need = need_of(one.recorded, plan.batches);
    if (has_only_replicas(plan.parallelism)) {
      need.peak += gradients_;
      need.high += gradients_;
    }
    need.rank = one.rank;
    need.device = one.device == "CPU" || plan.other_device.empty() ? one.device : plan.other_device;
    need.capacity = capacity_of(need.device);
    if (!answer.need || filled(need) > filled(*answer.need)) answer.need = std::move(need);
  }
  return answer;
}

}  // namespace stepsim::scenarios
