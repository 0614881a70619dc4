#include "sim/profile/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/analysis/intervals.h"

namespace stepsim::sim {
namespace {

using Costs = std::map<std::string, LabelCost>;

class Selection {
 public:
  explicit Selection(const std::vector<std::string>& wanted) : wanted_(wanted.begin(), wanted.end()) {}

  bool has(const RangeSummary& one, const std::string& layer) {
    known_.insert(one.label);
    if (!layer.empty()) known_.insert(layer);
    return wanted_.empty() ? one.depth == 0 : wanted_.contains(one.label) || wanted_.contains(layer);
  }
  void refuse_unknown() const {
    const std::vector<std::string> known(known_.begin(), known_.end());
    for (const std::string& word : wanted_) {
      if (known_.contains(word)) continue;
      const std::optional<std::string> nearest = nearest_name(word, known);
      throw UsageError(
          fmt::format("--labels: no run has a range or a layer '{}'; {}expected those that 'stepsim "
                      "timeline RUN --rows all' lists",
                      shown(word), nearest ? fmt::format("did you mean '{}'? ", shown(*nearest)) : ""));
    }
  }

 private:
  std::set<std::string> wanted_;
  std::set<std::string> known_;
};

Costs costs_of(const ProfiledRun& run, Selection& selection, RangeMean mean) {
  Costs costs;
  for (const RangeSummary& one : summaries_of(run, {.length = mean, .begin = RangeMean::kEarly})) {
    const RangeProfile& profile = run.processes[one.process];
    const MeasuredRange& range = profile.ranges[one.range];
    if (!selection.has(one, range.layer)) continue;
    LabelCost& cost = costs[one.label];
    cost.average = saturated_sum(cost.average, one.length);
    if (cost.streams++ == 0 || one.length > cost.most) {
      cost.most = one.length;
      cost.where = fmt::format("{}, device {}", profile.host.empty() ? profile.file : profile.host, range.device);
    }
  }
  for (auto& [label, cost] : costs) cost.average /= static_cast<std::int64_t>(cost.streams);
  return costs;
}

std::vector<std::string> labels_by_cost(const std::vector<Costs>& runs) {
  std::map<std::string, Duration> most;
  for (const Costs& costs : runs) {
    for (const auto& [label, cost] : costs) most[label] = std::max(most[label], cost.average);
  }
  std::vector<std::string> labels;
  labels.reserve(most.size());
  for (const auto& [label, cost] : most) labels.push_back(label);
  std::stable_sort(labels.begin(), labels.end(),
                   [&most](const std::string& a, const std::string& b) { return most.at(a) > most.at(b); });
  return labels;
}

/// `time` times `of` over `among`, rounded down.
Duration share_of(Duration time, std::size_t of, std::size_t among) {
  const auto whole = static_cast<std::int64_t>(among);
  const auto part = static_cast<std::int64_t>(of);
  return Duration{time.count() / whole * part + time.count() % whole * part / whole};
}

void compare_with_ideal(Scaling& scaling) {
  const auto smaller = [](const ScalingRun& a, const ScalingRun& b) {
    return b.iteration && (!a.iteration || b.devices < a.devices);
  };
  for (std::size_t i = 1; i < scaling.runs.size(); ++i) {
    if (smaller(scaling.runs[scaling.smallest], scaling.runs[i])) scaling.smallest = i;
  }
  const ScalingRun& smallest = scaling.runs[scaling.smallest];
  if (!smallest.iteration) {
    throw CannotAnswer({smallest.name, {}, {}},
                       "no run here measured whole iterations, which --ideal compares; expected profiles with "
                       "iter_time_ms");
  }
  for (ScalingRun& run : scaling.runs) {
    if (run.devices == 0) continue;
    run.ideal = scaling.ideal == Ideal::kWeak ? *smallest.iteration
                                              : share_of(*smallest.iteration, smallest.devices, run.devices);
    if (run.iteration && *run.iteration > Duration{}) run.efficiency = ratio(*run.ideal, *run.iteration);
  }
}

}  // namespace

std::string_view to_text(Ideal ideal) noexcept {
  switch (ideal) {
    case Ideal::kWeak: return "weak";
    case Ideal::kStrong: return "strong";
    case Ideal::kNone: break;
  }
  return {};
}

Scaling scaling_of(const std::vector<ProfiledRun>& runs, const std::vector<std::string>& wanted, RangeMean mean,
                   Ideal ideal) {
  Selection selection(wanted);
  std::vector<Costs> costs;
  costs.reserve(runs.size());
  for (const ProfiledRun& run : runs) costs.push_back(costs_of(run, selection, mean));
  selection.refuse_unknown();
  Scaling scaling{.mean = mean, .labels = labels_by_cost(costs), .runs = {}, .ideal = ideal};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    ScalingRun& made = scaling.runs.emplace_back();
    made.name = runs[i].name;
    made.processes = runs[i].processes.size();
    made.devices = devices_in(runs[i]);
    made.iteration = iteration_of(runs[i], mean);
    for (const RangeProfile& profile : runs[i].processes) made.iterations += profile.iterations.size();
    for (std::size_t label = 0; label < scaling.labels.size(); ++label) {
      const auto cost = costs[i].find(scaling.labels[label]);
      if (cost == costs[i].end()) continue;
      cost->second.label = label;
      made.average = saturated_sum(made.average, cost->second.average);
      made.most = saturated_sum(made.most, cost->second.most);
      made.costs.push_back(std::move(cost->second));
    }
  }
  if (scaling.ideal != Ideal::kNone) compare_with_ideal(scaling);
  return scaling;
}

}  // namespace stepsim::sim
