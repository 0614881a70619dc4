// The largest gains at once. They do not add up: what one saves the other cannot save again.

#include <fmt/format.h>

#include "scenarios/advice/advice_document.h"

namespace stepsim::scenarios {
namespace {

using sim::JsonWriter;

std::vector<Setting> settings_of(const Advice& advice, const Together& together) {
  std::vector<Setting> settings;
  for (const std::size_t one : together.tried) {
    const std::vector<Setting>& more = advice.tried[one].candidate.settings;
    settings.insert(settings.end(), more.begin(), more.end());
  }
  return settings;
}

sim::Sentence sentence_of(const Advice& advice, const Together& together) {
  const std::string set = to_text(settings_of(advice, together));
  const Outcome& outcome = together.outcome;
  if (!outcome.iteration) return fmt::format("{}: cannot be predicted together: {}", set, outcome.problem);
  const Tried& largest = advice.tried[together.tried.front()];
  return fmt::format("{}: {}, from {} to {} ({}); the changes alone add up to {}{}", set,
                     stepsim::to_text(*outcome.iteration), stepsim::to_text(outcome.low),
                     stepsim::to_text(outcome.high), sim::signed_percent(together.change.by),
                     sim::signed_percent(together.sum),
                     *outcome.iteration < largest.iteration
                         ? ""
                         : fmt::format(", and {} alone does as much", to_text(largest.candidate.settings)));
}

std::vector<sim::Section> advice_together_sections(const AdviceFindings& findings) {
  sim::Section section{.title = "The best together"};
  for (const Together& together : findings.advice.together)
    section.sentences.push_back(sentence_of(findings.advice, together));
  return {std::move(section)};
}

void advice_together_members(JsonWriter& json, const AdviceFindings& findings) {
  json.key("together").begin_array();
  for (const Together& together : findings.advice.together) {
    const Outcome& outcome = together.outcome;
    json.new_line().begin_object().key("set").begin_object();
    for (const Setting& setting : settings_of(findings.advice, together)) json.key(setting.key).value(setting.value);
    json.end_object().key("iteration_ns").value(outcome.iteration);
    if (outcome.iteration) {
      json.key("low_ns").value(outcome.low).key("high_ns").value(outcome.high).key("change").value(together.change.by);
      json.key("low_change").value(together.change.low).key("high_change").value(together.change.high);
    } else {
      json.key("problem").value(outcome.problem);
    }
    json.key("sum_of_changes").value(together.sum).end_object();
  }
  json.end_array();
}

}  // namespace

extern const AdviceReport together_advice_report;
const AdviceReport together_advice_report{
    .id = "together", .sections = advice_together_sections, .members = advice_together_members};

}  // namespace stepsim::scenarios
