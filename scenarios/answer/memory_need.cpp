#include "scenarios/answer/memory_need.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "model/base/error.h"
#include "model/base/text.h"
#include "scenarios/answer/evidence.h"
#include "scenarios/answer/factors.h"
#include "scenarios/change/on_machine.h"

namespace stepsim::scenarios {
namespace {

/// True if the plan changes more than the number of samples.
bool needs_shapes(const Plan& plan) { return plan.parallelism != Parallelism{} || plan.activation_bytes != 0; }

bool differs(const Plan& plan) {
  return plan.batches != 1 || !plan.other_device.empty() || plan.parallelism != Parallelism{} ||
         plan.activation_bytes != 0;
}

double as_double(Bytes size) noexcept { return static_cast<double>(size.count()); }

/// Returns a peak between two others, or the nearer of them, whose range is then widened (Range::factor).
MemoryNeed need_of(double low, double peak, double high, double factor) {
  const auto bytes = [](double size) { return Bytes{std::llround(std::min(size, 0x1p62))}; };
  if (peak <= 0) return {.peak = {{}, {}, bytes(high)}};
  Factors range;
  range.include(low / peak);
  range.include(high / peak);
  range = widened(range, factor);
  return {
      .peak = {
          .low = bytes(peak * range.least), .mid = bytes(peak), .high = bytes(peak * range.most), .factor = factor}};
}

Assumption assumption_of(const OptimizerStates& optimizer) {
  if (optimizer.name.empty()) {
    return {"optimizer_states",
            "No optimizer was captured, so the memory of Adam's two states is assumed; the range begins without any."};
  }
  if (optimizer.modelled) {
    return {
        "optimizer_states",
        fmt::format("{} has {:g} states of each parameter in 32 bits, and a copy in 32 bits of parameters that have "
                    "fewer, as its modelled update says.",
                    optimizer.name, optimizer.usual)};
  }
  const std::string others = optimizer.least < optimizer.most ? fmt::format("; with other settings it has {:g} to {:g}",
                                                                            optimizer.least, optimizer.most)
                                                              : "";
  return {"optimizer_states", fmt::format("{} is assumed to have {:g} states of each parameter's size in memory{}.",
                                          shown(optimizer.name), optimizer.usual, others)};
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
  std::string text = fmt::format("rank {} allocates at most {}", need.rank, in_gib(need.peak.mid));
  if (need.peak.low < need.peak.high) text += fmt::format(" ({} to {})", in_gib(need.peak.low), in_gib(need.peak.high));
  const std::optional<Fit> fit = need.fits();
  if (!fit) return need.device.empty() ? text : fmt::format("{} on {}", text, shown(need.device));
  constexpr std::array<std::string_view, 3> kOutcomes{"suffice", "may not suffice", "do not suffice"};
  return fmt::format("{}; the {} of {} {}", text, in_gib(*need.capacity), shown(need.device),
                     kOutcomes[static_cast<std::size_t>(*fit)]);
}

std::string parts_text(const MemoryNeed& need) {
  if (!need.parts) return {};
  const MemoryParts& parts = *need.parts;
  return fmt::format(
      "estimated from the shapes of operators: {} of parameters, {} of gradients, {} of the optimizer, {} of "
      "activations, and {} that one call works on",
      in_gib(parts.parameters), in_gib(parts.gradients), in_gib(parts.optimizer), in_gib(parts.activations),
      in_gib(parts.working));
}

std::string doubt_text(const MemoryNeed& need) {
  const std::optional<Fit> fit = need.fits();
  if (!fit || *fit == Fit::kYes) return {};
  return fmt::format("{} in memory ({} allocated, {} has {})", *fit == Fit::kNo ? "does not fit" : "may not fit",
                     in_gib(need.peak.mid), shown(need.device), in_gib(*need.capacity));
}

std::optional<Fit> MemoryNeed::fits() const noexcept {
  if (!capacity) return std::nullopt;
  if (peak.low > *capacity - outside.value_or(kLeastOutsideOfAllocator)) return Fit::kNo;
  const double most = static_cast<double>(peak.high.count()) * (1 + kFragmentation);
  return most <= static_cast<double>((*capacity - outside.value_or(kMostOutsideOfAllocator)).count()) ? Fit::kYes
                                                                                                      : Fit::kUnsure;
}

MemoryNeeds::MemoryNeeds(std::shared_ptr<DividedStep> step)
    : step_(std::move(step)), factor_(memory_factor(step_->capture())) {
  const Capture& capture = step_->capture();
  if (capture.recording.ranks.size() > 1 || capture.dag.rendezvous_count() > 0) {
    why_no_estimate_ = "the capture is not of a job on one device";
  } else {
    try {
      static_cast<void>(step_->step_memory());
    } catch (const CannotAnswer& problem) {
      why_no_estimate_ = problem.what();
    }
  }
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

/// Returns why the memory for a plan is not known; empty if it can be predicted.
std::string_view MemoryNeeds::unknown_because(const Plan& plan) const {
  const bool recorded = plan.captured->allocations != nullptr;
  if (recorded && !needs_shapes(plan)) return devices_.empty() ? "the allocations on devices were not recorded" : "";
  if (why_no_estimate_.empty()) return {};
  return recorded ? std::string_view(why_no_estimate_)
                  : "the capture has no allocations; record with profile_memory=True and record_shapes=True";
}

/// Returns the recorded peak with other samples. Of a divided job, activations and what one call needs have the same
/// ratio to their estimates as on the captured device; what lasts from step to step is as estimated.
MemoryNeed MemoryNeeds::from_allocations(const OfDevice& device, const Plan& plan) const {
  const double samples = plan.batches;
  const double recorded = as_double(device.recorded.peak(samples));
  if (!needs_shapes(plan)) {
    const double error = kPeakErrorOfTwice * std::abs(std::log2(samples));
    return samples == 1 ? need_of(recorded, recorded, recorded, factor_)
                        : need_of(recorded / (1 + error), recorded, recorded * (1 + error), factor_);
  }
  const auto peak_on = [&](MemorySide side) {
    const auto passing = [](const MemoryParts& parts) { return as_double(parts.activations + parts.working); };
    const MemoryParts whole = step_->memory({}, samples, side);
    const MemoryParts parts = step_->memory(plan.parallelism, samples, side, plan.activation_bytes);
    // If the peak is in the optimizer's step, it says nothing of activations.
    const double lasting = as_double(whole.total()) - passing(whole);
    const double ratio = whole.activations > Bytes{} ? std::max(0.0, (recorded - lasting) / passing(whole)) : 1;
    return as_double(parts.total()) + (ratio - 1) * passing(parts);
  };
  const double usual = peak_on(MemorySide::kUsual);
  const auto [low, high] = std::minmax({peak_on(MemorySide::kLeast), usual, peak_on(MemorySide::kMost)});
  return need_of(low / (1 + kDivisionError), usual, high * (1 + kDivisionError), factor_);
}

MemoryNeed MemoryNeeds::from_shapes(const Plan& plan) const {
  const auto parts_on = [&](MemorySide side) {
    return step_->memory(plan.parallelism, plan.batches, side, plan.activation_bytes);
  };
  const auto peak_of = [](const MemoryParts& parts, double error) {
    return as_double(parts.total()) + error * as_double(parts.activations + parts.working);
  };
  const MemoryParts usual = parts_on(MemorySide::kUsual);
  const bool gathers = plan.parallelism.zero == 3 && plan.parallelism.data > 1;
  const double division = gathers ? 1 + kDivisionError : 1;
  MemoryNeed need = need_of(peak_of(parts_on(MemorySide::kLeast), -kShapesError) / division, peak_of(usual, 0),
                            peak_of(parts_on(MemorySide::kMost), kShapesError) * division, factor_);
  need.parts = usual;
  return need;
}

std::optional<Assumption> MemoryNeeds::assumption_for(const Plan& plan) const {
  if (!unknown_because(plan).empty()) {
    const double larger = plan.batches / plan.parallelism.microbatches;
    if (plan.captured->allocations != nullptr || larger <= 1) return std::nullopt;
    return Assumption{std::string(kBatchFits),
                      fmt::format("No allocations were recorded: the batch is assumed to fit in memory, with "
                                  "activations {:.4g} times as large.",
                                  larger)};
  }
  const bool is_estimated = devices_.empty() || needs_shapes(plan);
  if (!why_no_estimate_.empty() || !is_estimated || !differs(plan)) return std::nullopt;
  return assumption_of(step_->step_memory().optimizer());
}

MemoryAnswer MemoryNeeds::of(const Plan& plan) const {
  MemoryAnswer answer{.why_none = std::string(unknown_because(plan)), .may_differ = differs(plan)};
  if (!answer.why_none.empty()) return answer;
  const auto filled = [](const MemoryNeed& need) {
    return std::tuple{need.capacity ? as_double(need.peak.mid) / as_double(*need.capacity) : 0.0, need.peak.mid};
  };
  const auto take = [&](MemoryNeed need, Rank rank, const std::string& device) {
    need.rank = rank;
    if (is_on_machine(plan) && plan.machine->outside_allocator > Bytes{})
      need.outside = plan.machine->outside_allocator;
    need.device = device == "CPU" || plan.other_device.empty() ? device : plan.other_device;
    // What a trace states of its own device is more certain than a name.
    const auto stated = plan.captured->device_memory.find(rank);
    const bool is_captured = device != "CPU" && need.device == device;
    need.capacity = is_captured && stated != plan.captured->device_memory.end() ? std::optional{stated->second}
                                                                                : capacity_of(need.device);
    if (!answer.need || filled(need) > filled(*answer.need)) answer.need = std::move(need);
  };
  if (devices_.empty()) {
    const auto& devices = plan.captured->devices;
    take(from_shapes(plan), devices.empty() ? 0 : devices.begin()->first,
         devices.empty() ? "" : devices.begin()->second);
  }
  for (const OfDevice& one : devices_) {
    if (!one.has_totals) return {{}, "the trace does not state how much memory is allocated in all", answer.may_differ};
    if ((plan.batches != 1 || needs_shapes(plan)) && !one.names_blocks) {
      return {{},
              "the recorded allocations do not name their blocks; record with a newer version of PyTorch",
              answer.may_differ};
    }
    take(from_allocations(one, plan), one.rank, one.device);
  }
  return answer;
}

}  // namespace stepsim::scenarios
