#include "cli/commands/schemas.h"

#include <vector>

#include "scenarios/advice/advice_document.h"
#include "scenarios/answer/sweep_document.h"
#include "scenarios/answer/what_if_document.h"
#include "sim/check/check_document.h"
#include "sim/check/written_documents.h"
#include "sim/compare/compare_document.h"
#include "sim/compare/several.h"
#include "sim/graph/graph_document.h"
#include "sim/profile/scaling.h"
#include "sim/profile/timeline_document.h"
#include "sim/report/capture_documents.h"
#include "sim/report/step_times.h"
#include "sim/report/task_list.h"
#include "sim/stats/stats_document.h"

namespace stepsim::cli {

std::string json_schemas() {
  std::vector<sim::AnswerSchema> all = sim::capture_schemas();
  for (sim::AnswerSchema& written : sim::written_schemas()) all.push_back(std::move(written));
  for (sim::AnswerSchema& other : std::vector<sim::AnswerSchema>{
           scenarios::what_if_schema(), scenarios::sweep_schema(), scenarios::advice_schema(), sim::stats_schema(),
           sim::check_schema(), sim::compare_schema(), sim::several_schema(), sim::tasks_schema(), sim::graph_schema(),
           sim::timeline_schema(), sim::scaling_schema(), sim::simulated_schema(), sim::collect_schema(),
           combine_schema()})
    all.push_back(std::move(other));
  sim::JsonWriter json;
  sim::write_schemas(json, all);
  return json.take() + '\n';
}

}  // namespace stepsim::cli
