// stepsim graph TRACE... -o FILE: writes the dependencies of an iteration, as a picture or for other programs.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "cli/program/arguments.h"
#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/work/work.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/graph/graph_document.h"
#include "sim/graph/graph_text.h"

namespace stepsim::cli {
namespace {

struct NamedFold {
  std::string_view name;
  std::optional<sim::Fold> fold;  ///< if absent, the finest fold that gives a readable graph is used
};
constexpr std::array kFolds{NamedFold{"auto", std::nullopt},       NamedFold{"task", sim::Fold::kTask},
                            NamedFold{"name", sim::Fold::kName},   NamedFold{"layer", sim::Fold::kLayer},
                            NamedFold{"class", sim::Fold::kClass}, NamedFold{"lane", sim::Fold::kLane},
                            NamedFold{"rank", sim::Fold::kRank}};

struct GraphCommand {
  CommonOptions common;
  std::optional<sim::Folding> folding;
  std::size_t rows = 0;
};

/// True if -o is a picture or a page, which need a layout of the graph.
bool wants_layout(const CommonOptions& options) {
  const sim::Exporter* const exporter = exporter_if_any(options);
  return exporter != nullptr && (exporter->accepts == sim::Content::kPicture || exporter->name == "html");
}

void run_graph(const GraphCommand& command, const Session& session) {
  check_output(command.common);
  const bool is_drawn = wants_layout(command.common);
  if (is_drawn) sim::refuse_without_layout();
  Result result;
  const Replayed& replayed = result.keep(load_and_replay(command.common, session));
  const sim::Graph& graph =
      result.keep(sim::graph_of(replayed.capture, findings_of(replayed).path.path, command.folding));
  const Provenance& provenance = result.keep(provenance_if_needed(command.common, session, replayed.capture.inputs));
  const auto& layout = result.keep(is_drawn ? std::optional(sim::layout_of(graph, &session.stop)) : std::nullopt);
  result.set(sim::graph_document(graph, replayed.capture, command.rows, provenance),
             {.provenance = provenance, .graph = &graph, .layout = layout ? &*layout : nullptr});
  report(std::move(result), command.common, session);
}

Command::Run setup_graph(CLI::App& app) {
  using sim::Content;
  const auto common = add_common_options(
      app, {.command = "graph", .contents = {Content::kDocument, Content::kGraph, Content::kPicture}});
  app.get_option("TRACE")->description("Captures of one job, a task graph, or a dag.gml without events");
  const auto* fold = app.add_option("--fold")->type_name("KEY")->description(
      fmt::format("Draw one node per {}; auto keeps at most {} nodes (default: auto)", one_of(words_of(kFolds)),
                  sim::kReadableNodes));
  const auto* merge = app.add_flag("--merge-ranks")
                          ->disable_flag_override()
                          ->description("With --fold name, layer or class: merge the tasks of all ranks into one node");
  const auto rows = add_rows_option(app, "Print the first N nodes", 20, "--head,--rows", "--json and files have all");
  return [=](const Session& session) {
    GraphCommand command{.common = common()};
    command.common.untimed = true;
    const std::optional<sim::Fold> by = chosen("key of --fold", kFolds, fold->results()).fold;
    if (by) command.folding = {*by, merge->count() == 0};
    if (!by && merge->count() > 0)
      throw UsageError("--merge-ranks needs a --fold; expected --fold name, layer or class with it");
    command.rows = rows();
    run_graph(command, session);
  };
}

}  // namespace

extern const Command graph_command{
    .name = "graph",
    .summary = "Draw the dependency graph of a step: .svg, .html, .dot, .gml",
    .setup = setup_graph,
    .examples = {"stepsim graph scenarios/samples/byteps-even --fold layer -o -.dot",
                 "stepsim graph scenarios/samples/byteps-even/traces/0/0/dag.gml"},
};

}  // namespace stepsim::cli
