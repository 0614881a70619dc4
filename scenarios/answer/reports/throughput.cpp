// Samples or captured batches a second before and after, where a step's work changes or job.yaml says a batch's size.

#include "sim/report/throughput.h"
#include "scenarios/answer/what_if_document.h"

namespace stepsim::scenarios {
namespace {

double efficiency_of(const WhatIfAnswer& answer) {
  return sim::efficiency(answer.scenario.work, answer.scenario.prediction.iteration, answer.baseline.work,
                         answer.baseline.prediction.iteration);
}

std::vector<sim::Cell> row_of(std::string name, const PredictionView& view, double efficiency) {
  const Duration iteration = view.prediction.iteration;
  return {std::move(name),
          view.work.workers,
          std::uint64_t{view.work.workers} * view.work.devices,
          sim::rate_cell(sim::rate_in_all(view.work, iteration)),
          sim::rate_cell(sim::rate_of_device(view.work, iteration)),
          sim::percent_cell(efficiency)};
}

std::vector<sim::Section> throughput_sections(const WhatIfAnswer& answer) {
  const sim::StepWork& work = answer.baseline.work;
  if (!work.batch_size && answer.scenario.work == work) return {};
  sim::Table table({{"", sim::Align::kLeft},
                    {"workers"},
                    {"devices"},
                    {std::string(sim::unit_of(work))},
                    {"a device"},
                    {"efficiency"}});
  table.add_row(row_of("baseline", answer.baseline, 1));
  table.add_row(row_of("scenario", answer.scenario, efficiency_of(answer)));
  return {{.title = "Throughput", .table = std::move(table)}};
}

void throughput_members(sim::JsonWriter& json, const WhatIfAnswer& answer) {
  json.key("throughput").begin_object().key("baseline");
  sim::begin_throughput(json, answer.baseline.work, answer.baseline.prediction.iteration);
  json.end_object().key("scenario");
  sim::begin_throughput(json, answer.scenario.work, answer.scenario.prediction.iteration);
  json.key("efficiency").value(efficiency_of(answer)).end_object().end_object();
}

}  // namespace

extern const WhatIfReport throughput_report;
const WhatIfReport throughput_report{
    .id = "throughput", .sections = throughput_sections, .members = throughput_members};

}  // namespace stepsim::scenarios
