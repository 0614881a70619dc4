// Why the answer is a range: each source, and the range if it were the only one. For people; programs
// find it in "scenario".

#include "scenarios/answer/what_if_document.h"

namespace stepsim::scenarios {
namespace {

std::vector<sim::Section> range_sections(const WhatIfAnswer& answer) {
  using sim::Align;
  if (answer.interval.sources.empty())
    return {{.title = "Why it is not a range", .sentences = {"the capture shows no source of error"}}};
  sim::Table table({{"source", Align::kLeft}, {"from"}, {"to"}, {"reason", Align::kLeft, sim::Use::kHelp, true}});
  table.compare_times();
  for (const IntervalSource& source : answer.interval.sources)
    table.add_row({std::string(source.name), source.low, source.high, source.reason});
  return {{.title = "Why it is a range", .table = std::move(table)}};
}

}  // namespace

extern const WhatIfReport range_report;
const WhatIfReport range_report{.id = "range", .sections = range_sections};

}  // namespace stepsim::scenarios
