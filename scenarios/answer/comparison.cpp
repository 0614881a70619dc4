#include "scenarios/answer/comparison.h"

#include <fmt/format.h>

#include <utility>

namespace stepsim::scenarios {
namespace {

using sim::RankBreakdown;

Duration hidden(const RankBreakdown& rank) { return rank.communication - rank.exposed_communication; }

}  // namespace

std::vector<ComparedTime> compared_breakdowns(const WhatIfAnswer& answer) {
  const RankBreakdown& before = answer.baseline.slowest;
  const RankBreakdown& after = answer.scenario.slowest;
  return {{"iteration", false, before.iteration, after.iteration},
          {"compute", false, before.compute, after.compute},
          {"communication", false, before.communication, after.communication},
          {"exposed transfer", true, before.exposed_communication, after.exposed_communication},
          {"hidden behind compute", true, hidden(before), hidden(after)},
          {"copies", false, before.copies, after.copies},
          {"waiting in collectives", false, before.collective_wait, after.collective_wait},
          {"waiting for data", false, before.loader, after.loader},
          {"host", false, before.host, after.host},
          {"idle", false, before.idle, after.idle}};
}

std::vector<ComparedTime> compared_paths(const WhatIfAnswer& answer) {
  const sim::CriticalPath& before = answer.baseline.path.path;
  const sim::CriticalPath& after = answer.scenario.path.path;
  std::vector<ComparedTime> times{{"length", false, before.length, after.length}};
  for (std::size_t i = 0; i < sim::kPathClassCount; ++i) {
    const auto path_class = static_cast<sim::PathClass>(i);
    times.push_back({sim::to_text(path_class), false, before[path_class], after[path_class]});
  }
  return times;
}

sim::Table table_of(std::string title, const std::vector<ComparedTime>& times) {
  sim::Table table({{std::move(title), sim::Align::kLeft}, {"baseline"}, {"scenario"}, {"difference"}});
  table.compare_times();
  for (const ComparedTime& time : times) {
    if (time.before == Duration{} && time.after == Duration{}) continue;
    table.add_row({(time.is_part ? "- " : "") + std::string(time.what), time.before, time.after,
                   sim::signed_time_cell(time.after - time.before)});
  }
  return table;
}

}  // namespace stepsim::scenarios
