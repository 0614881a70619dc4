#include "scenarios/answer/comparison.h"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "sim/report/class_style.h"

namespace stepsim::scenarios {
namespace {

using sim::RankBreakdown;

Duration overlapped(const RankBreakdown& rank) { return rank.communication - rank.exposed_communication; }

}  // namespace

std::vector<ComparedTime> compared_breakdowns(const WhatIfAnswer& answer) {
  const RankBreakdown& before = answer.baseline.slowest;
  const RankBreakdown& after = answer.scenario.slowest;
  return {{"iteration", "step time", false, before.iteration, after.iteration},
          {"compute", "compute", false, before.compute, after.compute},
          {"communication", "communication", false, before.communication, after.communication},
          {"exposed transfer", "exposed transfer", true, before.exposed_communication, after.exposed_communication},
          {"hidden behind compute", "overlapped with compute", true, overlapped(before), overlapped(after)},
          {"copies", "copies", false, before.copies, after.copies},
          {"waiting in collectives", "waiting in collectives", false, before.collective_wait, after.collective_wait},
          {"waiting for data", "waiting for data", false, before.loader, after.loader},
          {"host", "CPU", false, before.host, after.host},
          {"idle", "nothing running", false, before.idle, after.idle}};
}

std::vector<ComparedTime> compared_paths(const WhatIfAnswer& answer) {
  const sim::CriticalPath& before = answer.baseline.path.path;
  const sim::CriticalPath& after = answer.scenario.path.path;
  std::vector<ComparedTime> times{{"length", "length", false, before.length, after.length}};
  for (std::size_t i = 0; i < sim::kPathClassCount; ++i) {
    const auto path_class = static_cast<sim::PathClass>(i);
    times.push_back(
        {sim::to_text(path_class), sim::style_of(path_class).label, false, before[path_class], after[path_class]});
  }
  return times;
}

const ComparedTime* largest_change(const std::vector<ComparedTime>& breakdown) {
  const Duration change = breakdown.front().after - breakdown.front().before;
  const ComparedTime* largest = nullptr;
  Duration most{};
  for (const ComparedTime& time : std::span(breakdown).subspan(1)) {
    const Duration along = change < Duration{} ? time.before - time.after : time.after - time.before;
    if (time.id == "communication" || time.id == "hidden behind compute" || along <= most) continue;
    most = along;
    largest = &time;
  }
  return largest;
}

sim::Table table_of(std::string title, const std::vector<ComparedTime>& times) {
  sim::Table table({{std::move(title), sim::Align::kLeft}, {"baseline"}, {"scenario"}, {"difference"}});
  table.compare_times();
  for (const ComparedTime& time : times) {
    if (time.before == Duration{} && time.after == Duration{}) continue;
    table.add_row({(time.is_part ? "- " : "") + std::string(time.title), time.before, time.after,
                   sim::signed_time_cell(time.after - time.before)});
  }
  return table;
}

}  // namespace stepsim::scenarios
