#include "cli/commands/schemas.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "ingest/config/config.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "scenarios/advice/advice_document.h"
#include "scenarios/answer/sweep_document.h"
#include "scenarios/answer/what_if_document.h"
#include "scenarios/calibration/machine_document.h"
#include "scenarios/question/scenario.h"
#include "scenarios/search/plan_document.h"
#include "sim/check/check_document.h"
#include "sim/check/written_documents.h"
#include "sim/compare/compare_document.h"
#include "sim/compare/several.h"
#include "sim/graph/graph_document.h"
#include "sim/output/yaml_schema.h"
#include "sim/profile/scaling.h"
#include "sim/profile/timeline_document.h"
#include "sim/report/capture_documents.h"
#include "sim/report/step_times.h"
#include "sim/report/task_list.h"
#include "sim/stats/collectives_document.h"
#include "sim/stats/stats_document.h"

namespace stepsim::cli {

namespace {

std::string answers_schema() {
  std::vector<sim::AnswerSchema> all = sim::capture_schemas();
  for (sim::AnswerSchema& written : sim::written_schemas()) all.push_back(std::move(written));
  for (sim::AnswerSchema& other : std::vector<sim::AnswerSchema>{
           scenarios::what_if_schema(), scenarios::sweep_schema(), scenarios::plan_schema(), scenarios::advice_schema(),
           sim::stats_schema(), sim::collectives_schema(), sim::check_schema(), sim::compare_schema(),
           sim::several_schema(), sim::tasks_schema(), sim::graph_schema(), sim::timeline_schema(),
           sim::scaling_schema(), scenarios::machine_schema(), sim::simulated_schema(), sim::collect_schema(),
           combine_schema(), model_schema()})
    all.push_back(std::move(other));
  sim::JsonWriter json;
  sim::write_schemas(json, all);
  return json.take() + '\n';
}

struct SchemaKind {
  std::string name;
  std::string (*write)();
};

const std::array kKinds{
    SchemaKind{"answers", answers_schema},
    SchemaKind{
        "scenario",
        [] { return sim::yaml_schema(scenarios::scenario_file_type(), "A scenario of stepsim whatif and sweep"); }},
    SchemaKind{"job", [] { return sim::yaml_schema(ingest::job_file_type(), "job.yaml of stepsim"); }},
    SchemaKind{"cluster", [] { return sim::yaml_schema(ingest::cluster_file_type(), "cluster.yaml of stepsim"); }},
    SchemaKind{"machine", [] { return sim::yaml_schema(ingest::machine_file_type(), "machine.yaml of stepsim"); }},
    SchemaKind{"ranges", [] { return sim::yaml_schema(ingest::ranges_file_type(), "Ranges for stepsim schedule"); }},
};

}  // namespace

std::string json_schema(std::string_view kind) {
  std::vector<std::string> names;
  for (const SchemaKind& known : kKinds) {
    if (known.name == kind) return known.write();
    names.push_back(known.name);
  }
  const auto nearest = nearest_name(kind, names);
  throw UsageError(fmt::format("--json-schema: there is no schema '{}'; {}expected {}", shown(kind),
                               nearest ? fmt::format("did you mean '{}'? ", *nearest) : "", one_of(names)));
}

}  // namespace stepsim::cli
