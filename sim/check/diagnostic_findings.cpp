#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "model/base/known_diagnostics.h"
#include "sim/check/known_findings.h"

namespace stepsim::sim {
namespace {

using enum Question;

/// What a diagnostic costs, where its severity alone does not say it.
struct KnownCost {
  std::string_view name;
  Cost cost;
  Questions weakens;
};

constexpr auto kKnownCosts = std::to_array<KnownCost>({
    // Most of what ran is not there.
    {diagnostic("launches_without_device_work").name, Cost::kPrevents, Questions::all()},
    {diagnostic("device_not_recorded").name, Cost::kPrevents, Questions::all()},
    {diagnostic("sampled_operators").name, Cost::kPrevents, Questions::all()},
    {diagnostic("missing table: CUPTI_ACTIVITY_KIND_KERNEL").name, Cost::kPrevents, {kDevice, kNetwork, kRanks}},
    // Ranks that do not meet.
    {diagnostic("ranks_not_merged").name, Cost::kPrevents, {kNetwork, kRanks}},
    {diagnostic("collective_ends_disagree").name, Cost::kWeakens, {kNetwork, kRanks}},
    {diagnostic("unmatched_collective").name, Cost::kWeakens, {kNetwork, kRanks}},
    {diagnostic("unmatched_host_collective").name, Cost::kBlurs, {kHost, kNetwork}},
    {diagnostic("clock_unmatched").name, Cost::kWeakens, {kNetwork, kRanks}},
    {diagnostic("element_type_assumed").name, Cost::kBlurs, {kNetwork}},
    {diagnostic("bad_base_time").name, Cost::kBlurs, {kRanks}},
    // What waits for what.
    {diagnostic("inferred_stream_wait").name, Cost::kBlurs, {kHost, kDevice, kNetwork}},
    {diagnostic("inferred_host_wait").name, Cost::kBlurs, {kHost, kDevice, kNetwork}},
    {diagnostic("unresolved_sync_event").name, Cost::kBlurs, {kHost, kDevice, kNetwork}},
    {diagnostic("event_not_recorded").name, Cost::kBlurs, {kHost, kDevice, kNetwork}},
    {diagnostic("missing table: CUPTI_ACTIVITY_KIND_SYNCHRONIZATION").name, Cost::kBlurs, {kHost, kDevice, kNetwork}},
    {diagnostic("polling").name, Cost::kBlurs, {kHost, kDevice}},
    {diagnostic("unexplained_blocking_call").name, Cost::kBlurs, {kDevice}},
    {diagnostic("release_by_time").name, Cost::kBlurs, {kHost, kDevice, kNetwork}},
    {diagnostic("dependency_against_time").name, Cost::kBlurs, {kHost, kDevice, kNetwork}},
    {diagnostic("edge_contradicted").name, Cost::kBlurs, {kReplay}},
    // What a task is.
    {diagnostic("missing table: CUPTI_ACTIVITY_KIND_RUNTIME").name, Cost::kPrevents, {kHost}},
    {diagnostic("missing table: NVTX_EVENTS").name, Cost::kBlurs, {kReplay}},
    {diagnostic("missing table: StringIds").name, Cost::kWeakens, {kDevice, kNetwork}},
    {diagnostic("whole_graphs").name, Cost::kWeakens, {kDevice}},
    {diagnostic("spans_between_events").name, Cost::kWeakens, {kReplay, kDevice}},
    {diagnostic("rows_of_operators").name, Cost::kBlurs, {kHost}},
    {diagnostic("no_duration").name, Cost::kBlurs, {kReplay}},
    {diagnostic("negative_duration").name, Cost::kBlurs, {kReplay}},
    // Steps.
    {diagnostic("overlapping_steps").name, Cost::kBlurs, {kReplay}},
    {diagnostic("incomplete_step").name, Cost::kBlurs, {kReplay}},
    {diagnostic("operator_without_step").name, Cost::kBlurs, {kReplay}},
    {diagnostic("open_range").name, Cost::kBlurs, {kReplay}},
    // Files beside the capture.
    {diagnostic("own_export_not_used").name, Cost::kNothing, {}},
    {diagnostic("odd_json").name, Cost::kNothing, {}},
    {diagnostic("member_ignored").name, Cost::kNothing, {}},
    {diagnostic("column not written:").name, Cost::kNothing, {}},
    {diagnostic("missing table: TARGET_INFO_SESSION_START_TIME").name, Cost::kNothing, {}},
    {diagnostic("duplicate_record").name, Cost::kNothing, {}},
});

/// Findings of another source say the same in better words: device_work_without_launch is "no_launches".
constexpr auto kSummedUp = std::to_array<std::string_view>({
    diagnostic("device_work_without_launch").name,
    diagnostic("steps_from_ranges").name,
});

const Diagnostic* find_diagnostic(std::string_view name) {
  for (const std::span<const Diagnostic> table : kDiagnosticTables) {
    for (const Diagnostic& known : table) {
      if (known.goes_on ? name.starts_with(known.name) : name == known.name) return &known;
    }
  }
  return nullptr;
}

KnownCost cost_of(const Diagnostics::Entry& entry) {
  const auto* const known = std::find_if(kKnownCosts.begin(), kKnownCosts.end(), [&entry](const KnownCost& cost) {
    return entry.name == cost.name || (cost.name.ends_with(':') && entry.name.starts_with(cost.name));
  });
  if (known != kKnownCosts.end()) return *known;
  if (entry.severity == Severity::kDataLoss) return {entry.name, Cost::kWeakens, Questions::all()};
  return {entry.name, Cost::kBlurs, Questions::all()};
}

/// The share in "12 % of the span"; nothing if the detail says none.
std::optional<double> share_in(std::string_view detail) {
  constexpr std::string_view kOfSpan = " % of the span";
  if (!detail.ends_with(kOfSpan)) return std::nullopt;
  double percent = 0;
  for (const char c : detail.substr(0, detail.size() - kOfSpan.size())) {
    if (c < '0' || c > '9') return std::nullopt;
    percent = 10 * percent + (c - '0');
  }
  return percent / 100;
}

Finding finding_of(const Diagnostics::Entry& entry) {
  const KnownCost cost = cost_of(entry);
  const Diagnostic* const known = find_diagnostic(entry.name);
  std::string sentence = entry.remedy;  // it says what there is, and what to do
  if (!entry.detail.empty()) sentence += fmt::format(" ({})", entry.detail);
  return {.name = entry.name,
          .cost = cost.cost,
          .weakens = cost.weakens,
          .count = entry.count,
          .share = share_in(entry.detail),
          .sentence = std::move(sentence),
          .effect = known == nullptr ? std::string() : std::string(known->effect),
          .remedy = known == nullptr ? std::string() : std::string(known->mend)};
}

}  // namespace

std::vector<Finding> diagnostic_findings(const Examined& examined) {
  std::vector<Finding> findings;
  for (const Diagnostics::Entry& entry : examined.diagnostics.entries()) {
    const bool summed_up = std::find(kSummedUp.begin(), kSummedUp.end(), entry.name) != kSummedUp.end();
    if (entry.severity != Severity::kInfo && !summed_up) findings.push_back(finding_of(entry));
  }
  return findings;
}

}  // namespace stepsim::sim
