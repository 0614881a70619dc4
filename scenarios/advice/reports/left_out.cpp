// What does not apply to this job, and why.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scenarios/advice/advice_document.h"

#include "model/base/text.h"

namespace stepsim::scenarios {
namespace {

/// A reason without what else would be expected, so that it is one line; JSON has it whole.
std::string in_short(const std::string& reason) { return reason.substr(0, reason.find("; expected ")); }

std::vector<sim::Section> advice_left_out_sections(const AdviceFindings& findings) {
  sim::Section section{.title = "Does not apply to this job"};
  for (const LeftOut& left_out : findings.advice.left_out)
    section.sentences.emplace_back(fmt::format("{}: {}", joined(left_out.changes), in_short(left_out.reason)));
  return {std::move(section)};
}

void advice_left_out_members(sim::JsonWriter& json, const AdviceFindings& findings) {
  json.key("left_out").begin_array();
  for (const LeftOut& left_out : findings.advice.left_out) {
    json.new_line().begin_object().key("changes").begin_array();
    for (const std::string& change : left_out.changes) json.value(change);
    json.end_array().key("reason").value(left_out.reason).end_object();
  }
  json.end_array();
}

}  // namespace

extern const AdviceReport left_out_advice_report;
const AdviceReport left_out_advice_report{
    .id = "left out", .sections = advice_left_out_sections, .members = advice_left_out_members};

}  // namespace stepsim::scenarios
