#include "scenarios/calibration/machine_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/base/text.h"
#include "sim/analysis/intervals.h"
#include "sim/report/common_fields.h"
#include "sim/report/report.h"

namespace stepsim::scenarios {
namespace {

using sim::at;
using sim::Field;
using sim::Form;
using sim::Use;

struct FactorLine {
  MachinePart part{};
  double factor = 1;
  double share = 0;
};
std::vector<FactorLine> factors_of(const MachineFit& fit) {
  std::vector<FactorLine> lines;
  lines.reserve(kMachineParts);
  for (const MachinePart part : kAllMachineParts)
    lines.push_back({part, fit.machine.factor(part), fit.shares[static_cast<std::size_t>(part)]});
  return lines;
}

/// Returns a prediction over the measured time, minus 1.
template <auto kPredicted>
std::optional<double> error(const FittedRun& run) {
  const std::optional<Duration> predicted = run.*kPredicted;
  if (!predicted) return std::nullopt;
  return sim::ratio(*predicted - run.measured, run.measured);
}

constexpr auto kFactor = std::to_array<Field<FactorLine>>({
    {"part", [](const FactorLine& line) { return to_text(line.part); }},
    {"", [](const FactorLine& line) { return description_of(line.part); }, {"part of a step"}},
    {"factor", at<&FactorLine::factor>, {"factor", Use::kMain, Form::kFactor}},
    {"share", at<&FactorLine::share>, {"share of steps", Use::kMain, Form::kShare}},
});
constexpr auto kRun = std::to_array<Field<FittedRun>>({
    {"name", at<&FittedRun::name>, {"step"}},
    {"line", at<&FittedRun::line>},
    {"measured_ns", at<&FittedRun::measured>, {"measured"}},
    {"by_data_sheet_ns", at<&FittedRun::by_data_sheet>, {"by data sheet"}},
    {"by_data_sheet_error", at<error<&FittedRun::by_data_sheet>>, {"error", Use::kMain, Form::kChange}},
    {"fitted_ns", at<&FittedRun::fitted>, {"fitted"}},
    {"fitted_error", at<error<&FittedRun::fitted>>, {"error", Use::kMain, Form::kChange}},
    {"from_others_ns", at<&FittedRun::from_others>, {"from the others"}},
    {"from_others_error", at<error<&FittedRun::from_others>>, {"error", Use::kMain, Form::kChange}},
});
constexpr auto kRefused = std::to_array<Field<RefusedRun>>({
    {"name", at<&RefusedRun::name>},
    {"line", at<&RefusedRun::line>},
    {"problem", at<&RefusedRun::problem>},
});

/// Returns the mean error of each step from the others, or nothing if there is one step.
std::optional<double> left_out(const MachineFit& fit) {
  return fit.machine.runs > 1 ? std::optional(fit.machine.left_out) : std::nullopt;
}

constexpr auto kMachine = std::to_array<Field<MachineFit>>({
    {"runs_file", at<&MachineFit::file>},
    {"device", at<&MachineFit::machine, &MeasuredMachine::device>},
    {"runs", at<&MachineFit::machine, &MeasuredMachine::runs>},
    {"error_by_data_sheet", at<&MachineFit::machine, &MeasuredMachine::before>},
    {"error_fitted", at<&MachineFit::machine, &MeasuredMachine::after>},
    {"error_from_others", at<left_out>},
    {"outside_allocator_bytes", at<&MachineFit::machine, &MeasuredMachine::outside_allocator>, {}, sim::kLineAfter},
    {"factors", at<factors_of>, kFactor, sim::kItemLines},
    {"steps", at<&MachineFit::runs>, kRun, sim::kRowLines},
    {"refused", at<&MachineFit::refused>, kRefused, sim::kRowLines},
    {"unused_columns", at<&MachineFit::unused>},
});

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

double worst_from_others(const MachineFit& fit) {
  double worst = 0;
  for (const FittedRun& run : fit.runs)
    worst = std::max(worst, std::abs(error<&FittedRun::from_others>(run).value_or(0)));
  return worst;
}

std::string headline_of(const MachineFit& fit, MachineHeadline headline) {
  const MeasuredMachine& machine = fit.machine;
  const std::string steps = counted(machine.runs, "measured step");
  if (machine.runs < 2) {
    return fmt::format(
        "{} on {}: the data sheet predicts it with an error of {}; with the fitted factors {} is left. "
        "How well they predict other steps shows with more of them.",
        steps, machine.device, percent(machine.before), percent(machine.after));
  }
  if (headline == MachineHeadline::kBacktest) {
    return fmt::format(
        "{} on {}, each predicted from the others: {} off in the mean, {} at most; {} by the data sheet.", steps,
        machine.device, percent(machine.left_out), percent(worst_from_others(fit)), percent(machine.before));
  }
  return fmt::format(
      "{} on {}: the data sheet predicts them with a mean error of {}, the fitted factors with {}, and "
      "each from the factors of the others with {}.",
      steps, machine.device, percent(machine.before), percent(machine.after), percent(machine.left_out));
}

/// Returns what a reader must know before he uses the factors.
std::string caution_of(const MachineFit& fit) {
  constexpr double kFarOff = 0.2;
  const MeasuredMachine& machine = fit.machine;
  if (machine.runs == 1 && machine.before > kFarOff) {
    return "A single step that is so far off may be an unusual one, or of a job that differs from its line: measure "
           "another before you rely on the factors.";
  }
  if (machine.runs > 1 && machine.left_out >= machine.before) {
    return "The steps do not agree on how the machine differs from its data sheet: each is predicted no better from "
           "the "
           "others than from the data sheet.";
  }
  return {};
}

std::vector<sim::Section> refused_sections(const MachineFit& fit) {
  sim::Section section{.title = "Steps and columns that were not used"};
  for (const RefusedRun& run : fit.refused)
    section.sentences.emplace_back(fmt::format("line {}, {}: {}", run.line, shown(run.name), run.problem));
  if (!fit.unused.empty()) {
    section.sentences.emplace_back(fmt::format(
        "{}: {}", fit.unused.size() == 1 ? "a column without a meaning here" : "columns without a meaning here",
        joined(fit.unused, [](const std::string& name) { return shown(name); })));
  }
  return {std::move(section)};
}

sim::Section factors_section(const MachineFit& fit) {
  sim::Section section{.title = "Factors", .table = sim::table_of(kFactor, factors_of(fit))};
  if (fit.machine.outside_allocator > Bytes{}) {
    section.sentences.emplace_back(fmt::format("besides what its allocator holds, a device has {} in use",
                                               to_text(fit.machine.outside_allocator)));
  }
  return section;
}

/// Returns the measured steps, and then what the others predict for them, for spreadsheets and the picture.
sim::Table rows_of(const MachineFit& fit) {
  sim::Table table({{"step", sim::Align::kLeft}, {"what", sim::Align::kLeft}, {"time_ns"}});
  for (const FittedRun& run : fit.runs) table.add_row({run.name, "measured", sim::nanoseconds_cell(run.measured)});
  for (const FittedRun& run : fit.runs) {
    if (run.from_others)
      table.add_row({run.name, "predicted from the others", sim::nanoseconds_cell(*run.from_others)});
  }
  return table;
}

}  // namespace

sim::Document machine_document(const MachineFit& fit, MachineHeadline headline, const sim::Provenance& provenance) {
  sim::Document document{.headline = headline_of(fit, headline), .caution = caution_of(fit)};
  document.sections = {factors_section(fit), {.title = "Measured steps", .table = sim::table_of(kRun, fit.runs)}};
  for (sim::Section& section : refused_sections(fit))
    if (!section.empty()) document.sections.push_back(std::move(section));
  document.rows = [&fit] { return rows_of(fit); };
  if (fit.machine.runs > 1) {
    document.plot = sim::Plot{.title = fmt::format("Steps of {}", fit.machine.device),
                              .x = "step",
                              .y = "time_ns",
                              .lines = {"measured", "predicted from the others"},
                              .points_a_line = fit.runs.size()};
  }
  document.json = [&fit, &provenance](sim::JsonWriter& json) {
    sim::write_answer(json, "stepsim.machine/1", kMachine, fit, provenance);
  };
  return document;
}

sim::AnswerSchema machine_schema() { return sim::schema_of("stepsim.machine/1", kMachine); }

}  // namespace stepsim::scenarios
