#include "scenarios/advice/advice_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/answer/baseline.h"
#include "sim/report/table.h"

namespace stepsim::scenarios {
namespace {

using stepsim::to_text;

/// Returns the shortest of the changes that can be carried out and have this verdict, or null if there is none. If
/// `with_hardware` is false, considers only changes that need no other hardware.
const Tried* shortest(const Advice& advice, Verdict verdict, bool with_hardware) {
  const auto found = std::find_if(advice.tried.begin(), advice.tried.end(), [&](const Tried& tried) {
    const Effort effort = tried.candidate.effort;
    return tried.verdict == verdict && effort != Effort::kLimit && (with_hardware || effort != Effort::kHardware);
  });
  return found == advice.tried.end() ? nullptr : &*found;
}

std::string full_text(const Advice& advice, const Tried& tried) {
  std::string text = fmt::format("{}: step time ", name_of(tried.candidate));
  if (advice.mean) {
    const auto changed = [&advice](double change) { return scaled(*advice.mean, 1 + change); };
    const Range<double>& change = tried.leading();
    text += fmt::format("{} on average, {}", with_range(changed(change.mid), changed(change.low), changed(change.high)),
                        against_baseline(changed(change.mid), *advice.mean));
  } else {
    text += fmt::format("{}, {}", with_range(tried.iteration.mid, tried.iteration.low, tried.iteration.high),
                        against_baseline(tried.iteration.mid, advice.baseline.iteration));
  }
  if (!tried.note.empty()) text += "; " + tried.note;
  return text;
}

/// Returns "use a faster CPU [host.scale=0.7]: -18.5 % (-30.0 % to -14.2 %)".
std::string short_text(const Tried& tried) {
  const Range<double>& change = tried.leading();
  return fmt::format("{}: {} ({} to {})", name_of(tried.candidate), sim::signed_percent(change.mid),
                     sim::signed_percent(change.low), sim::signed_percent(change.high));
}

/// States what to do first: what to do about calls that take most of the CPU work, then the largest gain by a setting
/// or by code. Hardware and uncertain changes follow if they may save more.
std::string headline(const Advice& advice) {
  const Tried* const first = shortest(advice, Verdict::kGain, false);
  const Tried* const hardware = shortest(advice, Verdict::kGain, true);
  const auto saves_more = [first](const Tried* tried) {
    return tried != nullptr && tried != first && is_worth_a_look(*tried) &&
           (first == nullptr || tried->leading().mid < first->leading().mid);
  };
  const Tried* uncertain = shortest(advice, Verdict::kUnsure, false);
  if (!saves_more(uncertain)) uncertain = shortest(advice, Verdict::kUnsure, true);
  const bool calls_first = !advice.long_calls.empty() && advice.long_calls.front().share > 0.5;
  std::string text;
  if (calls_first) {
    const LongCalls& calls = advice.long_calls.front();
    text = fmt::format("{} of the CPU work is {}: {}. ", sim::percent(calls.share), calls.name, calls.remedy);
  }
  text += first != nullptr ? (calls_first ? "Then: " : "Do this first: ") + full_text(advice, *first)
          : hardware != nullptr
              ? "No setting and no change of the code is certain to shorten the step time"
              : fmt::format("None of the {} changes tried is certain to shorten the step time of {}",
                            advice.tried.size(), to_text(advice.mean.value_or(advice.baseline.iteration)));
  if (first == nullptr && hardware != nullptr) {
    text += ". With other hardware: " + full_text(advice, *hardware);
  } else if (saves_more(hardware)) {
    text += ". With other hardware: " + short_text(*hardware);
  }
  if (saves_more(uncertain)) text += ". Uncertain, because the range includes no change: " + short_text(*uncertain);
  return fmt::format("{}. {}", text, trust_text(advice.baseline, advice.assumptions));
}

}  // namespace

sim::Document advice_document(const AdviceFindings& findings, const sim::Provenance& provenance) {
  sim::Document document{.warning = findings.advice.trust.warning,
                         .headline = headline(findings.advice),
                         .caution = findings.advice.trust.caution};
  sim::add_sections(document, advice_reports(), findings);
  document.rows = [&findings] { return rows_of(findings.advice); };
  document.json = [&findings, &provenance](sim::JsonWriter& json) {
    sim::write_object(json, "stepsim.advise/1", advice_reports(), findings, provenance);
  };
  return document;
}

sim::BarChart chart_of(const Advice& advice) {
  constexpr std::size_t kMost = 10;
  const Duration whole = advice.baseline.iteration;
  sim::BarChart chart{.title = "Changes that save time",
                      .kinds = {"step after the change", "time saved", "time saved at most (upper bound)"},
                      .line = "step as captured"};
  const auto add = [&](bool limits) {
    std::size_t rows = 0;
    for (const Tried& tried : advice.tried) {
      const bool is_limit = tried.candidate.effort == Effort::kLimit;
      if (tried.verdict != Verdict::kGain || !tried.best || is_limit != limits || ++rows > kMost) continue;
      const std::string change =
          fmt::format("{}, from {} to {}", sim::signed_percent(tried.change.mid), sim::signed_percent(tried.change.low),
                      sim::signed_percent(tried.change.high));
      chart.rows.push_back({.group = fmt::format("{} ({})", name_of(tried.candidate), change),
                            .name = to_text(tried.iteration.mid),
                            .bars = {{.length = tried.iteration.mid, .hint = to_text(tried.iteration.mid)},
                                     {.begin = tried.iteration.mid,
                                      .length = whole - tried.iteration.mid,
                                      .kind = limits ? 2U : 1U,
                                      .hint = change}},
                            .mark = whole});
    }
  };
  add(false);
  add(true);
  return chart;
}

sim::AnswerSchema advice_schema() { return sim::schema_of("stepsim.advise/1", advice_reports()); }

}  // namespace stepsim::scenarios
