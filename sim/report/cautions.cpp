#include "sim/report/cautions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "model/base/text.h"

namespace stepsim::sim {
namespace {

constexpr std::string_view kNoDeviceWork = "launches_without_device_work";
constexpr std::string_view kSample = "sampled_operators";

/// That the capture holds a part of the operators only, if so.
std::string sample_warning(const Diagnostics& diagnostics) {
  const auto& entries = diagnostics.entries();
  const auto sample =
      std::find_if(entries.begin(), entries.end(), [](const auto& entry) { return entry.name == kSample; });
  if (sample == entries.end()) return {};
  return fmt::format(
      "The capture is a sample: {}. What waited for the others waits for nothing here, so no what-if can be trusted.",
      shown(sample->detail));
}

}  // namespace

std::string warning_of(const Capture& capture) {
  const std::uint64_t launches = capture.diagnostics.count_of(kNoDeviceWork);
  if (launches > 0) {
    return fmt::format(
        "The capture lacks its device work: {} launches and not one kernel, so all times are the host's alone. Record "
        "with ProfilerActivity.CUDA, and see that no other tool holds CUPTI.",
        launches);
  }
  const auto untied = std::find_if(capture.assumptions.begin(), capture.assumptions.end(),
                                   [](const Assumption& assumption) { return assumption.id == "untied_ranks"; });
  if (untied == capture.assumptions.end()) return sample_warning(capture.diagnostics);
  return fmt::format(
      "Nothing ties these {} captures together, no collective and no message: each is replayed on its own.",
      capture.recording.ranks.size());
}

std::string caution_of(const Diagnostics& diagnostics) {
  std::string names;
  for (const Diagnostics::Entry& entry : diagnostics.entries()) {
    if (entry.severity != Severity::kDataLoss || entry.name == kNoDeviceWork || entry.name == kSample) continue;
    const bool has_share = entry.detail.ends_with("of the span");  // of a category that is not known
    names += fmt::format("{}{} ({}", names.empty() ? "" : ", ", shown(entry.name), entry.count);
    names += has_share ? fmt::format(", {})", shown(entry.detail)) : ")";
  }
  return names.empty() ? names : fmt::format("Not all of the input could be used: {}; see Input below.", names);
}

}  // namespace stepsim::sim
