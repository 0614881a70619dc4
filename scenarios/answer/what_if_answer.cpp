#include "scenarios/answer/what_if_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "model/cost/collective/nccl_times.h"
#include "scenarios/answer/caution.h"
#include "scenarios/answer/predict.h"
#include "scenarios/change/on_machine.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/steady.h"
#include "sim/report/headline.h"

namespace stepsim::scenarios {
namespace {

/// Returns the view of a prediction. Its path is of the step `like`, if it can be.
PredictionView view_of(Prediction prediction, const Cluster& cluster,
                       const std::optional<sim::IterationPath::Step>& like = std::nullopt) {
  PredictionView view{.prediction = std::move(prediction)};
  const Capture& graph = *view.prediction.graph;
  const sim::Timeline& timeline = view.prediction.timeline;
  view.summary = sim::summarize(graph, timeline);
  view.summary.parts = sim::at_pace(view.summary.parts, view.prediction.iteration);
  view.slowest = sim::at_pace(sim::slowest_rank(view.summary), view.prediction.iteration);
  view.path = sim::iteration_path(graph, timeline, view.summary, like);
  view.links = sim::link_use(graph, timeline, cluster);
  Time end{};
  for (const Time finish : timeline.finish) end = std::max(end, finish);
  if (view.prediction.iteration > Duration{}) {
    view.iterations = std::max(
        1.0, static_cast<double>((end - Time{}).count()) / static_cast<double>(view.prediction.iteration.count()));
  }
  return view;
}

std::string name_of(const Cluster& cluster, LinkId link) {
  const std::string& name = cluster.links[link.index()].name;
  return name.empty() ? fmt::format("link {}", link.value()) : name;
}

/// Returns the links that are used in at least one of the two replays, the busiest first. Matches links by name,
/// because a scenario may have other links.
std::vector<LinkPair> busiest_links(const PredictionView& baseline, const Cluster& before,
                                    const PredictionView& scenario, const Cluster& after) {
  std::map<std::string, LinkPair> by_name;
  for (const sim::LinkUse& use : baseline.links) by_name[name_of(before, use.link)].baseline = use;
  for (const sim::LinkUse& use : scenario.links) by_name[name_of(after, use.link)].scenario = use;
  std::vector<LinkPair> links;
  for (auto& [name, link] : by_name) {
    link.name = name;
    if (link.baseline.busy > 0 || link.scenario.busy > 0) links.push_back(std::move(link));
  }
  std::stable_sort(links.begin(), links.end(), [](const LinkPair& a, const LinkPair& b) {
    return std::max(a.baseline.busy, a.scenario.busy) > std::max(b.baseline.busy, b.scenario.busy);
  });
  return links;
}

}  // namespace

WhatIfAnswer answer_of(Predictor& predictor, const Scenario& scenario, const Calibration* calibration,
                       ReplayMeter& meter) {
  Plan captured = predictor.plan();
  WhatIfAnswer answer{
      .name = scenario.name, .capture = captured.captured, .network = captured.network, .calibration = calibration};
  Plan plan = predictor.plan();
  apply_all(scenario.changes, plan);
  if (!is_on_machine(plan)) captured.machine = nullptr;  // both step times are then those of models
  Prediction baseline = meter.predict(predictor, captured);
  std::vector<const Change*> changes;
  for (const Change& change : scenario.changes) {
    changes.push_back(&change);
    answer.changes.push_back(change.to_text());
  }
  Caution caution(*captured.captured, predictor.settings().checkup);
  caution.add(changes, plan);
  auto [predicted, interval] = IntervalFinder(predictor, baseline, meter).predict(plan);
  caution.add(interval);
  answer.trust = caution.trust();
  for (const Change& change : scenario.changes) {
    auto& selection = answer.selections.emplace_back(selection_of(change, *captured.captured));
    if (!selection) selection = selection_of(change, *predicted.graph);
  }
  answer.interval = std::move(interval);
  if (baseline.iteration > Duration{}) answer.effect = effect_of(baseline, predicted, answer.interval);
  answer.captured = baseline_of(predictor, baseline);
  answer.baseline = view_of(std::move(baseline), captured.cluster);
  answer.steps_differ = sim::steps_differ(answer.baseline.summary);
  const std::shared_ptr<const Cluster> cluster = cluster_on_machine(plan);
  answer.scenario = view_of(std::move(predicted), *cluster, answer.baseline.path.step);
  answer.baseline.work = work_of(captured);
  answer.scenario.work = work_of(plan);
  if (is_on_machine(plan)) answer.by_data_sheet = meter.predict(predictor, without_machine(plan)).iteration;
  const MemoryNeeds memory(captured.divided_step);
  answer.memory = memory.of(plan);
  answer.links = busiest_links(answer.baseline, captured.cluster, answer.scenario, *cluster);
  append(answer.assumptions, answer.scenario.prediction.graph->assumptions);
  if (calibration != nullptr) append(answer.assumptions, calibration->assumptions);
  append(answer.assumptions, plan.assumptions);
  if (const auto assumption = machine_assumption(plan)) answer.assumptions.push_back(*assumption);
  if (const auto assumption = memory.assumption_for(plan)) answer.assumptions.push_back(*assumption);
  if (plan.network->make != nullptr && !plan.recorded_collectives)
    append(answer.assumptions, nccl_assumptions(answer.scenario.prediction.graph->dag, plan.cluster));
  answer.cluster = std::move(plan.cluster);
  return answer;
}

}  // namespace stepsim::scenarios
