#include "scenarios/search/plan_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/text.h"
#include "model/cost/device/accelerator.h"
#include "scenarios/answer/baseline.h"
#include "scenarios/answer/sweep_document.h"
#include "sim/analysis/intervals.h"
#include "sim/report/common_fields.h"
#include "sim/report/throughput.h"

namespace stepsim::scenarios {
namespace {

using sim::Align;
using sim::at;
using sim::Cell;
using sim::Column;
using sim::Field;
using sim::ratio;
using sim::Table;
using Sections = std::vector<sim::Section>;

/// A ranked plan with the answer that it belongs to.
struct PlanLine {
  const PlanAnswer* answer;
  const RankedPlan* plan;

  [[nodiscard]] const Outcome& outcome() const { return plan->outcome; }
  [[nodiscard]] const StepParts& parts() const { return plan->parts; }
  [[nodiscard]] std::vector<Setting> settings() const { return answer->head.points.at(plan->point); }
  [[nodiscard]] std::uint32_t devices() const { return answer->findings.devices[plan->point]; }
  [[nodiscard]] bool is_first() const { return plan->point == answer->findings.best.front().point; }
  /// True if its range overlaps with that of the best plan, which it may be as fast as.
  [[nodiscard]] bool ties() const {
    return outcome().iteration->low <= answer->findings.best.front().outcome.iteration->high;
  }
  /// Returns what limits the plan: a part of its step, or the memory of a plan that may not fit.
  [[nodiscard]] std::string_view limit() const {
    const std::optional<Fit> fit = outcome().memory ? outcome().memory->fits() : std::nullopt;
    return fit && *fit != Fit::kYes ? "memory" : parts().limit();
  }
  [[nodiscard]] sim::StepWork work() const {
    sim::StepWork work = answer->head.work;
    work.workers = outcome().workers;
    work.devices = outcome().devices;
    work.batches = outcome().batches;
    return work;
  }
};

std::vector<PlanLine> lines_of(const PlanAnswer& answer, const std::vector<RankedPlan>& plans) {
  std::vector<PlanLine> lines;
  lines.reserve(plans.size());
  for (const RankedPlan& plan : plans) lines.push_back({&answer, &plan});
  return lines;
}

std::vector<PlanLine> best_lines(const PlanAnswer& answer) { return lines_of(answer, answer.findings.best); }

/// Returns the first plan; nothing if the memory that it needs is known, but not that of its device.
std::optional<PlanLine> best_line(const PlanAnswer& answer) {
  const PlanLine first = best_lines(answer).front();
  const std::optional<MemoryNeed>& need = first.outcome().memory;
  return need && !need->capacity ? std::nullopt : std::optional{first};
}

// --- the first sentence

std::string devices_text(const PlanAnswer& answer) {
  std::vector<std::string> numbers;
  for (const std::uint32_t devices : answer.space.devices) numbers.push_back(std::to_string(devices));
  return one_of(numbers) + (answer.space.devices.back() == 1 ? " device" : " devices");
}

/// Returns how the fastest plan is called.
std::string_view rank_of(const PlanAnswer& answer) { return best_line(answer) ? "best" : "fastest"; }

/// Returns how far the best plan is ahead of the next one, compared with their ranges.
std::string lead_text(const PlanAnswer& answer) {
  const std::vector<RankedPlan>& best = answer.findings.best;
  if (best.size() == 1) return "no other plan was simulated";
  const Duration first = best[0].outcome.iteration->mid;
  const auto ties = std::count_if(best.begin() + 1, best.end(), [&answer](const RankedPlan& plan) {
    return PlanLine{&answer, &plan}.ties();
  });
  const auto fastest = std::min_element(best.begin(), best.end(), [](const RankedPlan& a, const RankedPlan& b) {
    return a.outcome.iteration->mid < b.outcome.iteration->mid;
  });
  const Duration least = fastest->outcome.iteration->mid;
  const double longer = 100 * ratio(best[1].outcome.iteration->mid - first, first);
  std::string lead;
  if (least < first) lead = fmt::format("one that may not fit takes {:.1f} % less", 100 * ratio(first - least, first));
  if (longer >= 0) add_item(lead, fmt::format("the next plan takes {:.1f} % longer", longer));
  const std::string_view rank = rank_of(answer);
  if (ties == 0) return fmt::format("{}, and no range of the next ones reaches that of the {}", lead, rank);
  return fmt::format("{}, and the ranges of {} of the next {} overlap with that of the {}", lead, ties, best.size() - 1,
                     rank);
}

std::string memory_text(const Outcome& outcome) {
  if (!outcome.memory) return "; its memory is not known";
  const MemoryNeed& need = *outcome.memory;
  if (const std::string doubt = doubt_text(need); !doubt.empty()) return "; it " + doubt;
  return fmt::format("; it needs {}{} of memory per device", in_gib(need.peak.mid),
                     need.capacity ? fmt::format(" of {}", in_gib(*need.capacity)) : "");
}

/// Returns how many plans were tried, and why the others were not.
std::string tried_text(const PlanFindings& findings) {
  const std::size_t all = findings.states.size();
  const std::size_t simulated = findings.count(PlanState::kSimulated);
  std::string text =
      fmt::format("{} of {} {} simulated", grouped(simulated), counted(all, "plan"), all == 1 ? "was" : "were");
  std::string others;
  const auto add = [&](PlanState state, std::string_view what) {
    if (const std::size_t count = findings.count(state); count > 0)
      add_item(others, fmt::format("{} {}", grouped(count), what));
  };
  add(PlanState::kCannotWin, findings.front.empty() ? "cannot be faster" : "cannot be faster or on the Pareto front");
  add(PlanState::kDoesNotFit, "do not fit in memory");
  add(PlanState::kRefused, "have no answer");
  return others.empty() ? text : fmt::format("{}; of the others, {}", text, others);
}

/// Returns what to give if the capacity of the device is not known.
std::string capacity_text(const std::string& device) {
  std::vector<std::string> names = names_with_size(device);
  for (std::string& name : names) name = fmt::format("`{}`", name);
  return fmt::format("Capacity {}not known: give {} as device.to",
                     device.empty() ? "" : fmt::format("of {} ", shown(device)),
                     names.empty() ? "a device with its memory, such as `B200 180GB`," : one_of(names));
}

std::string headline(const PlanAnswer& answer) {
  const PlanLine best = best_lines(answer).front();
  const Outcome& outcome = best.outcome();
  const sim::StepWork work = best.work();
  const std::string title =
      best_line(answer) ? "Best plan" : capacity_text(outcome.memory->device) + ". Fastest plan, which may not fit,";
  return fmt::format("{} for {}: {}: step time {}, {} {}{}{}; {}. {}. {}", title, devices_text(answer),
                     to_text(best.settings()),
                     with_range(outcome.iteration->mid, outcome.iteration->low, outcome.iteration->high),
                     sim::rate_text(sim::rate_in_all(work, outcome.iteration->mid)), sim::unit_of(work),
                     data_sheet_text(outcome.by_data_sheet), memory_text(outcome), lead_text(answer),
                     tried_text(answer.findings), trust_text(answer.head.baseline, answer.head.assumptions));
}

// --- the best plans

/// Returns the keys that the plans in `lines` set, in order of appearance.
std::vector<std::string> keys_in(const std::vector<PlanLine>& lines) {
  std::vector<std::string> keys;
  for (const PlanLine& line : lines) {
    for (const Setting& setting : line.settings()) {
      if (std::find(keys.begin(), keys.end(), setting.key) == keys.end()) keys.push_back(setting.key);
    }
  }
  return keys;
}

Table times_of(const PlanAnswer& answer, const std::vector<PlanLine>& lines) {
  const std::vector<std::string> keys = keys_in(lines);
  std::vector<Column> columns{{""}};
  for (const std::string& key : keys) columns.push_back({shown(key)});
  columns.insert(columns.end(),
                 {{"step time"}, {"from", Align::kRight, sim::Use::kDetail}, {"to", Align::kRight, sim::Use::kDetail}});
  const bool data_sheet = std::any_of(lines.begin(), lines.end(),
                                      [](const PlanLine& line) { return line.outcome().by_data_sheet.has_value(); });
  if (data_sheet) columns.push_back({"by data sheet"});
  columns.push_back({std::string(sim::unit_of(answer.head.work))});
  const bool memory =
      std::any_of(lines.begin(), lines.end(), [](const PlanLine& line) { return line.outcome().memory.has_value(); });
  if (memory) {
    columns.insert(columns.end(),
                   {{"peak memory"}, {"capacity", Align::kRight, sim::Use::kDetail}, {"fits", Align::kLeft}});
  }
  Table table(std::move(columns));
  table.compare_times();
  for (const PlanLine& line : lines) {
    const Outcome& outcome = line.outcome();
    const bool is_best = line.is_first() && best_line(answer);
    std::vector<Cell> cells{is_best ? "*" : line.ties() ? "~" : ""};
    for (std::string& value : values_of(answer.head.points, line.plan->point, keys))
      cells.emplace_back(std::move(value));
    cells.insert(cells.end(),
                 {Cell{outcome.iteration->mid}, Cell{outcome.iteration->low}, Cell{outcome.iteration->high}});
    if (data_sheet) cells.push_back(outcome.by_data_sheet ? Cell{*outcome.by_data_sheet} : "-");
    cells.push_back(sim::rate_cell(sim::rate_in_all(line.work(), outcome.iteration->mid)));
    if (memory) {
      const auto bytes = [](const std::optional<Bytes>& size) {
        return size ? Cell{in_gib(*size), size->count(), sim::Unit::kNone} : Cell{"-"};
      };
      const std::optional<MemoryNeed>& need = outcome.memory;
      const std::optional<Fit> fit = need ? need->fits() : std::nullopt;
      cells.push_back(bytes(need ? std::optional{need->peak.mid} : std::nullopt));
      cells.push_back(bytes(need ? need->capacity : std::nullopt));
      cells.push_back(fit ? Cell{std::string(word_of(*fit))} : "-");
    }
    table.add_row(std::move(cells));
  }
  return table;
}

Table parts_table(const std::vector<PlanLine>& lines) {
  Table table({{"plan"},
               {"step time"},
               {"compute"},
               {"tensor"},
               {"pipeline"},
               {"data"},
               {"idle"},
               {"bottleneck", Align::kLeft}});
  table.compare_times();
  std::size_t number = 0;
  for (const PlanLine& line : lines) {
    const StepParts& parts = line.parts();
    table.add_row({std::to_string(++number), Cell{line.outcome().iteration->mid}, Cell{parts.compute},
                   Cell{parts.tensor}, Cell{parts.pipeline}, Cell{parts.data}, Cell{parts.idle},
                   std::string(line.limit())});
  }
  return table;
}

Sections best_sections(const PlanAnswer& answer) {
  const std::vector<PlanLine> lines = best_lines(answer);
  return {
      {.title = fmt::format("The {0} plans ({1}~ = its range overlaps with that of the {0}){2}", rank_of(answer),
                            best_line(answer) ? "* = best, " : "", sim::condition_of(answer.head.work)),
       .table = times_of(answer, lines)},
      {.title = "Parts of their steps: compute, then communication that is waited for", .table = parts_table(lines)}};
}

constexpr auto kParts = std::to_array<Field<StepParts>>({
    {"compute_ns", at<&StepParts::compute>},
    {"tensor_parallel_ns", at<&StepParts::tensor>},
    {"pipeline_parallel_ns", at<&StepParts::pipeline>},
    {"data_parallel_ns", at<&StepParts::data>},
    {"bubble_ns", at<&StepParts::idle>},
});

constexpr auto kPlan = std::to_array<Field<PlanLine>>({
    {"set", [](const PlanLine& line) { return entries_of(line.settings()); }},
    {"devices", at<&PlanLine::devices>},
    {"iteration_ns", [](const PlanLine& line) { return line.outcome().iteration->mid; }},
    {"low_ns", [](const PlanLine& line) { return line.outcome().iteration->low; }},
    {"high_ns", [](const PlanLine& line) { return line.outcome().iteration->high; }},
    {"by_data_sheet_ns", at<&PlanLine::outcome, &Outcome::by_data_sheet>, {}, sim::kIfAny},
    {"tie", at<&PlanLine::ties>},
    {"throughput", [](const PlanLine& line) { return sim::throughput_of(line.work(), line.outcome().iteration->mid); },
     sim::kThroughput},
    {"memory", [](const PlanLine& line) { return line.outcome().memory ? &*line.outcome().memory : nullptr; },
     kMemoryNeed, sim::kIfAny},
    {"parts", at<&PlanLine::parts>, kParts},
    {"bottleneck", at<&PlanLine::limit>},
    {"note",
     [](const PlanLine& line) { return line.outcome().note.empty() ? nullptr : &line.outcome().note; },
     {},
     sim::kIfAny},
});

constexpr auto kBest = std::to_array<Field<PlanAnswer>>({
    {"name", at<&PlanAnswer::head, &SweepHead::name>, {}, sim::kLineAfter},
    {"capture", at<&PlanAnswer::head, &SweepHead::trust>, sim::kCaptureTrust, sim::kLineAfter},
    {"baseline", at<&PlanAnswer::head>, kSweepBaseline, sim::kLineAfter},
    {"global_batches", at<&PlanAnswer::space, &PlanSpace::batches>, {}, sim::kLineAfter},
    {"best", at<best_line>, kPlan, sim::kLineAfter},
    {"plans", at<best_lines>, kPlan, sim::kItemLines},
});

// --- the best plan of each number of devices

std::vector<PlanLine> by_devices_lines(const PlanAnswer& answer) {
  return lines_of(answer, answer.findings.by_devices);
}

Sections by_devices_sections(const PlanAnswer& answer) {
  if (answer.findings.by_devices.size() < 2) return {};
  const std::vector<PlanLine> lines = by_devices_lines(answer);
  Table table = times_of(answer, lines);
  return {{.title = "The best plan of each number of devices", .table = std::move(table)}};
}

constexpr auto kByDevices =
    std::to_array<Field<PlanAnswer>>({{"by_devices", at<by_devices_lines>, kPlan, sim::kOnNewLine | sim::kItemLines}});

// --- the Pareto front

std::vector<PlanLine> front_lines(const PlanAnswer& answer) { return lines_of(answer, answer.findings.front); }

Sections front_sections(const PlanAnswer& answer) {
  if (answer.findings.front.size() < 2) return {};
  return {{.title = fmt::format("The Pareto front: the fastest plans for less and less memory{}",
                                answer.space.devices.size() > 1 ? ", and for fewer devices" : ""),
           .table = times_of(answer, front_lines(answer))}};
}

constexpr auto kFront =
    std::to_array<Field<PlanAnswer>>({{"front", at<front_lines>, kPlan, sim::kOnNewLine | sim::kItemLines}});

// --- how many plans were tried

struct Refusals {
  std::string problem;
  std::size_t plans = 0;
};

/// Returns why plans were refused, those of most plans first.
std::vector<Refusals> refusals(const PlanAnswer& answer) {
  std::map<std::string, std::size_t> counts;
  const PlanFindings& findings = answer.findings;
  for (std::size_t point = 0; point < findings.states.size(); ++point) {
    if (findings.states[point] == PlanState::kRefused) ++counts[findings.outcomes[point].problem];
  }
  std::vector<Refusals> list;
  list.reserve(counts.size());
  for (const auto& [problem, plans] : counts) list.push_back({problem, plans});
  std::stable_sort(list.begin(), list.end(), [](const Refusals& a, const Refusals& b) { return a.plans > b.plans; });
  return list;
}

Sections tried_sections(const PlanAnswer& answer) {
  constexpr std::size_t kMostReasons = 5;
  sim::Section section{.title = "Plans"};
  section.sentences.emplace_back(tried_text(answer.findings) + ".");
  section.sentences.emplace_back(
      fmt::format("Each step has {} times the samples of the captured one.", answer.space.batches));
  if (!answer.why_no_memory.empty())
    section.sentences.emplace_back("Whether plans fit in memory is not known: " + answer.why_no_memory + ".");
  for (const std::string& reason : answer.limits.reasons) section.sentences.emplace_back("Not tried: " + reason);
  const std::vector<Refusals> list = refusals(answer);
  for (std::size_t i = 0; i < std::min(list.size(), kMostReasons); ++i) {
    section.sentences.emplace_back(
        fmt::format("No answer for {}: {}", counted(list[i].plans, "plan"), list[i].problem));
  }
  if (list.size() > kMostReasons)
    section.sentences.emplace_back(fmt::format("{} more are in --json", counted(list.size() - kMostReasons, "reason")));
  return {std::move(section)};
}

template <PlanState State>
std::size_t count_of(const PlanFindings& findings) {
  return findings.count(State);
}

constexpr auto kTried = std::to_array<Field<PlanFindings>>({
    {"plans", [](const PlanFindings& findings) { return findings.states.size(); }},
    {"simulated", at<count_of<PlanState::kSimulated>>},
    {"cannot_be_faster", at<count_of<PlanState::kCannotWin>>},
    {"do_not_fit", at<count_of<PlanState::kDoesNotFit>>},
    {"refused", at<count_of<PlanState::kRefused>>},
});

constexpr auto kRefusals =
    std::to_array<Field<Refusals>>({{"problem", at<&Refusals::problem>}, {"plans", at<&Refusals::plans>}});

constexpr auto kPlansTried = std::to_array<Field<PlanAnswer>>({
    {"tried", at<&PlanAnswer::findings>, kTried, sim::kOnNewLine},
    {"refusals", at<refusals>, kRefusals, sim::kOnNewLine},
    {"why_no_memory",
     [](const PlanAnswer& answer) { return answer.why_no_memory.empty() ? nullptr : &answer.why_no_memory; },
     {},
     sim::kIfAny},
    {"not_tried", at<&PlanAnswer::limits, &PlanLimits::reasons>, {}, sim::kOnNewLine},
});

// --- what holds for every plan

constexpr auto kPlanChanges =
    std::to_array<Field<PlanAnswer>>({{"changes", at<&PlanAnswer::head, &SweepHead::changes>}});

Sections changes_sections(const PlanAnswer& answer) {
  return {{.title = "Changes in every plan", .sentences = sim::as_list(answer.head.changes)}};
}

constexpr auto kModel = std::to_array<Field<SweepHead>>({{"model", at<&SweepHead::network>}});
constexpr auto kPlanNetwork = std::to_array<Field<PlanAnswer>>({{"network", at<&PlanAnswer::head>, kModel}});

constexpr auto kPlanAssumptions = std::to_array<Field<PlanAnswer>>(
    {{"assumptions", [](const PlanAnswer& answer) { return sentences_of(answer.head.assumptions); }}});

Sections assumptions_sections(const PlanAnswer& answer) { return {sim::assumptions_section(answer.head.assumptions)}; }

using PlanReport = sim::Report<PlanAnswer>;

std::span<const PlanReport> plan_reports() {
  static constexpr auto kReports = std::to_array<PlanReport>({
      {.id = "best", .sections = best_sections, .fields = kBest},
      {.id = "by_devices", .sections = by_devices_sections, .fields = kByDevices},
      {.id = "front", .sections = front_sections, .fields = kFront},
      {.id = "tried", .sections = tried_sections, .fields = kPlansTried},
      {.id = "changes", .sections = changes_sections, .fields = kPlanChanges},
      {.id = "network", .fields = kPlanNetwork},
      {.id = "assumptions", .sections = assumptions_sections, .fields = kPlanAssumptions},
  });
  return kReports;
}

/// Returns one row for each of the best plans, for programs.
Table rows_of(const PlanAnswer& answer) {
  const std::vector<PlanLine> lines = best_lines(answer);
  const std::vector<std::string> keys = keys_in(lines);
  std::vector<Column> columns;
  columns.reserve(columns.size() + keys.size());
  for (const std::string& key : keys) columns.push_back({key});
  for (const char* const name :
       {"devices", "iteration_ns", "low_ns", "high_ns", "per_second", "peak_bytes", "capacity_bytes", "fits",
        "compute_ns", "tensor_parallel_ns", "pipeline_parallel_ns", "data_parallel_ns", "bubble_ns", "bottleneck"})
    columns.push_back({name});
  Table table(std::move(columns));
  for (const PlanLine& line : lines) {
    const Outcome& outcome = line.outcome();
    const std::optional<MemoryNeed>& need = outcome.memory;
    const std::optional<Fit> fit = need ? need->fits() : std::nullopt;
    std::vector<Cell> cells;
    for (std::string& value : values_of(answer.head.points, line.plan->point, keys))
      cells.emplace_back(std::move(value));
    cells.emplace_back(std::to_string(line.devices()));
    for (const Duration time : {outcome.iteration->mid, outcome.iteration->low, outcome.iteration->high})
      cells.push_back(sim::nanoseconds_cell(time));
    cells.push_back(sim::number_cell(sim::rate_in_all(line.work(), outcome.iteration->mid)));
    cells.emplace_back(need ? std::to_string(need->peak.mid.count()) : "");
    cells.emplace_back(need && need->capacity ? std::to_string(need->capacity->count()) : "");
    cells.emplace_back(fit ? std::string(word_of(*fit)) : "");
    const StepParts& parts = line.parts();
    for (const Duration time : {parts.compute, parts.tensor, parts.pipeline, parts.data, parts.idle})
      cells.push_back(sim::nanoseconds_cell(time));
    cells.emplace_back(std::string(line.limit()));
    table.add_row(std::move(cells));
  }
  return table;
}

}  // namespace

sim::Document plan_document(const PlanAnswer& answer) {
  sim::Document document{.warning = answer.head.trust.warning,
                         .headline = headline(answer),
                         .caution = answer.head.trust.caution,
                         .trust = answer.head.trust.evidence};
  sim::add_sections(document, plan_reports(), answer);
  document.rows = [&answer] { return rows_of(answer); };
  document.json = [&answer](sim::JsonWriter& json) {
    sim::write_object(json, "stepsim.plan/1", plan_reports(), answer, answer.head.provenance);
  };
  return document;
}

sim::AnswerSchema plan_schema() { return sim::schema_of("stepsim.plan/1", plan_reports()); }

}  // namespace stepsim::scenarios
