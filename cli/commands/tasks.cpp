// stepsim tasks TRACE...: which tasks can be selected, and how much time do they take?

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/work/scenario_options.h"
#include "cli/work/work.h"
#include "scenarios/question/scenario.h"
#include "sim/report/task_list.h"

namespace stepsim::cli {
namespace {

void run_tasks(const CommonOptions& options, std::size_t rows, const std::optional<std::string>& typed,
               const Session& session) {
  check_output(options);
  with_typed_errors([&] {
    scenarios::TypedSelection selection;
    if (typed) selection = scenarios::parse_selection(*typed);
    Result result;
    const Capture& capture = *result.keep(shared_capture(options, session));
    const Provenance& provenance = result.keep(provenance_if_needed(options, session, capture.inputs));
    const sim::TaskList& list = result.keep(sim::list_tasks(capture, selection.selector.select(capture)));
    result.set(sim::task_list_document(list, capture, rows, selection.selector.to_text(), provenance), provenance);
    report(std::move(result), options, session);
  });
}

Command::Run setup_tasks(CLI::App& app) {
  const auto common = add_common_options(app, {.command = "tasks", .contents = {sim::Content::kDocument}});
  const auto rows = add_rows_option(app, "Print the N longest names and operators", 20);
  const auto* select = app.add_option("--select")
                           ->type_name("KEY=VALUE,...")
                           ->description("List only selected tasks, as in the braces of --set: class=gemm,rank=0");
  return [=](const Session& session) {
    run_tasks(common(), rows(), select->count() > 0 ? std::optional(select->results().back()) : std::nullopt, session);
  };
}

}  // namespace

extern const Command tasks_command{
    .name = "tasks",
    .summary = "List the tasks that a what-if can select, by kind, class and name",
    .setup = setup_tasks,
    .examples = {"stepsim tasks scenarios/samples/byteps-even --rows 5",
                 "stepsim tasks scenarios/samples/byteps-even --select kind=transfer,rank=0"},
};

}  // namespace stepsim::cli
