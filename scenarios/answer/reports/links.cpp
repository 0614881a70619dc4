// The busiest links of both replays: how much of the time a message crosses them, and what messages
// take beyond their time alone.

#include <algorithm>

#include "scenarios/answer/what_if_document.h"

namespace stepsim::scenarios {
namespace {

constexpr std::size_t kMostLinks = 6;

Duration queueing(const sim::LinkUse& use, const PredictionView& view) {
  return scaled(use.queueing, 1 / view.iterations);
}

std::vector<sim::Section> links_sections(const WhatIfAnswer& answer) {
  if (answer.links.empty()) return {};
  sim::Table table({{"link", sim::Align::kLeft}, {"busy"}, {"queueing"}, {"scenario: busy"}, {"queueing"}});
  table.compare_times();
  for (std::size_t i = 0; i < std::min(kMostLinks, answer.links.size()); ++i) {
    const LinkPair& link = answer.links[i];
    table.add_row({link.name, sim::percent_cell(link.baseline.busy), queueing(link.baseline, answer.baseline),
                   sim::percent_cell(link.scenario.busy), queueing(link.scenario, answer.scenario)});
  }
  return {{.title = "The busiest links",
           .table = std::move(table),
           .sentences = {"queueing: what the messages of an iteration take beyond their time alone, summed"}}};
}

void links_members(sim::JsonWriter& json, const WhatIfAnswer& answer) {
  json.key("links").begin_array();
  for (const LinkPair& link : answer.links) {
    json.new_line().begin_object().key("link").value(link.name);
    json.key("baseline_busy").value(link.baseline.busy).key("scenario_busy").value(link.scenario.busy);
    json.key("baseline_queueing_ns").value(link.baseline.queueing);
    json.key("scenario_queueing_ns").value(link.scenario.queueing).end_object();
  }
  json.end_array();
}

}  // namespace

extern const WhatIfReport links_report;
const WhatIfReport links_report{.id = "links", .sections = links_sections, .members = links_members};

}  // namespace stepsim::scenarios
