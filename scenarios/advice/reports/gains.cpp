// What would help, the largest gain first; for programs also all that was tried.
//
//     What would help, the largest gain first
//     change                       takes      iteration        from          to        by
//     network.bandwidth=2x         machine   253.183 ms  246.010 ms  260.035 ms  -52.42 %
//     comm.partition_bytes=125KiB  setting   501.203 ms  489.671 ms  513.335 ms   -5.80 %
//
// Of the values of one setting the best has a row; a sentence below has all of them.

#include <fmt/format.h>

#include <utility>

#include "scenarios/advice/advice_document.h"
#include "sim/analysis/intervals.h"

namespace stepsim::scenarios {
namespace {

using sim::JsonWriter;

/// "comm.partition_bytes=500KiB -0.4 %; comm.partition_bytes=2MiB +0.1 %": a family, the best first; empty where a
/// candidate is alone.
std::string values_of(const Advice& advice, std::size_t family) {
  std::string text;
  std::size_t values = 0;
  for (const Tried& tried : advice.tried) {
    if (tried.candidate.family != family) continue;
    text += fmt::format("{}{} {}", values == 0 ? "" : "; ", to_text(tried.candidate.settings),
                        sim::signed_percent(tried.change.by));
    ++values;
  }
  return values > 1 ? text : std::string();
}

std::vector<sim::Sentence> families(const AdviceFindings& findings) {
  std::vector<sim::Sentence> sentences;
  for (const Tried& tried : findings.advice.tried) {
    if (!tried.best) continue;
    if (std::string values = values_of(findings.advice, tried.candidate.family); !values.empty())
      sentences.emplace_back(std::move(values));
  }
  return sentences;
}

std::vector<sim::Section> advice_gains_sections(const AdviceFindings& findings) {
  std::vector<sim::Section> sections;
  const std::vector<const Tried*> gains = best_with(findings, {Verdict::kGain}, false);
  if (!gains.empty())
    sections.push_back({.title = "What would help, the largest gain first", .table = table_of(gains)});
  sections.push_back({.title = "All values that were tried of one setting", .sentences = families(findings)});
  return sections;
}

template <class Texts>
void write_texts(JsonWriter& json, std::string_view key, const Texts& texts) {
  json.key(key).begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

void write_tried(JsonWriter& json, const Tried& tried) {
  json.new_line().begin_object().key("set").begin_object();
  for (const Setting& setting : tried.candidate.settings) json.key(setting.key).value(setting.value);
  json.end_object();
  json.key("takes").value(to_text(tried.candidate.effort)).key("what").value(tried.candidate.what);
  json.key("verdict").value(to_text(tried.verdict)).key("best_of_its_values").value(tried.best);
  json.key("iteration_ns").value(tried.iteration).key("low_ns").value(tried.low).key("high_ns").value(tried.high);
  json.key("change").value(tried.change.by);
  json.key("low_change").value(tried.change.low).key("high_change").value(tried.change.high);
  write_texts(json, "applies_to", tried.applies_to);
  write_texts(json, "assumptions", sentences_of(tried.assumptions));
  write_texts(json, "leaves_out", tried.leaves_out);
  json.end_object();
}

void advice_gains_members(JsonWriter& json, const AdviceFindings& findings) {
  const Advice& advice = findings.advice;
  json.key("baseline").begin_object();
  json.key("iteration_ns").value(advice.baseline).key("measured_ns").value(advice.measured).key("error");
  advice.measured ? json.value(sim::ratio(advice.baseline - *advice.measured, *advice.measured)) : json.null();
  json.end_object().new_line();
  json.key("advice").begin_array();
  for (const Tried& tried : advice.tried) write_tried(json, tried);
  json.end_array();
}

}  // namespace

extern const AdviceReport gains_advice_report;
const AdviceReport gains_advice_report{
    .id = "advice", .sections = advice_gains_sections, .members = advice_gains_members};

}  // namespace stepsim::scenarios
