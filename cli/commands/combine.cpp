// stepsim combine A B...: merges the traces of a job's ranks into one, for viewers and for later commands.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/schemas.h"
#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/work/trace_output.h"
#include "cli/work/work.h"
#include "ingest/combined/combined_trace.h"
#include "ingest/load/combine.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/output/json_writer.h"
#include "sim/output/write_file.h"
#include "sim/report/field.h"
#include "sim/report/headline.h"

namespace stepsim::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCombineName = "combined.json";

/// Enforces ByteProfile's rule: the inputs are either folders (of a GPU, a worker or a job) or files (one trace of a
/// GPU each), not both.
void refuse_mixture(const std::vector<std::string>& traces) {
  std::string file;
  std::string folder;
  for (const std::string& trace : traces) {
    std::error_code unknown;
    (fs::is_directory(trace, unknown) ? folder : file) = trace;
  }
  if (file.empty() || folder.empty()) return;
  throw UsageError(
      fmt::format("{} is a folder and {} is a file, which may be in that folder; expected only files or only folders",
                  shown(folder), shown(file)));
}

void refuse_unused_options(const CommonOptions& options) {
  if (options.steps || !options.ranks.empty())
    throw UsageError("combine merges all steps and ranks; leave out --steps and --ranks");
  if (options.network_given || options.cluster_file)
    throw UsageError("combine merges recorded times; leave out --network and --cluster");
  refuse_anonymous(options, "combine copies events as they are");
}

/// Splits "Comm.a,Comm.b" into names.
std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  for (const std::string_view name : parts_of(list, ',')) {
    if (name.empty())
      throw UsageError("--filter: a name is empty; expected names such as Comm.fc1_weight,Comm.fc2_weight");
    names.emplace_back(name);
  }
  return names;
}

using ingest::CombinedSource;
using sim::at;
constexpr auto kFile = std::to_array<sim::Field<CombinedSource>>({
    {"name", at<&CombinedSource::name>, {"file"}},
    {"process", at<&CombinedSource::process>, {"processes"}},
    {"events", at<&CombinedSource::events>, {"events"}},
    {"left_out", at<&CombinedSource::left_out>, {"left out", sim::Use::kHelp}},
    {"host", at<&CombinedSource::host>},
    {"offset_ns", at<&CombinedSource::offset>, {"clock ahead by"}},
    {"residual_ns", at<&CombinedSource::residual>, {"may be off by"}},
});
struct Combined {
  std::string output;
  const std::vector<CombinedSource>* files;
};
constexpr auto kCombined = std::to_array<sim::Field<Combined>>({
    {"output", at<&Combined::output>, {}, sim::kLineAfter},
    {"files", at<&Combined::files>, kFile, sim::kRowLines},
});

/// Returns the members of `provenance` as JSON, without the enclosing braces.
std::string members_of(const Provenance& provenance) {
  sim::JsonWriter json;
  json.begin_object();
  sim::write_members(json, sim::kProvenanceFields, provenance);
  json.end_object();
  const std::string object = json.take();
  return object.substr(1, object.size() - 2);
}

void run_combine(CommonOptions options, const std::vector<std::string>& filter, const Session& session) {
  const std::vector<std::string> traces = options.traces;
  refuse_mixture(traces);
  refuse_unused_options(options);
  const TraceOutput target(options, kCombineName, ingest::is_combined_trace);
  const std::string& output = target.path();
  const ingest::SourcedCapture sourced = load_sourced_capture(options, session);
  refuse_input_as_output(output, sourced.capture.inputs);
  const Provenance provenance = make_provenance(session.arguments, sourced.capture.inputs);

  sim::OutputFile out = sim::open_output(output);
  const std::vector<ingest::CombinedSource> files =
      ingest::combine(sourced, filter, members_of(provenance), [&out](std::string_view text) { out.write(text); });
  out.commit();
  if (target.is_standard_output()) return;

  std::uint64_t events = 0;
  for (const ingest::CombinedSource& file : files) events += file.events;
  sim::Document document{
      .warning = sim::warning_of(sourced.capture),
      .headline = fmt::format("Wrote {}: {} of {}, unchanged apart from aligned clocks.", shown(output),
                              counted(events, "event"), counted(files.size(), "file")),
      .caution = sim::caution_of(sourced.capture.diagnostics)};
  document.sections.push_back({.title = "Files", .table = sim::table_of(kFile, files)});
  document.json = [&](sim::JsonWriter& json) {
    sim::write_answer(json, "stepsim.combine/1", kCombined, Combined{output, &files}, provenance);
  };
  print_document(document, options, session);
}

Command::Run setup_combine(CLI::App& app) {
  const auto common = add_common_options(app, {.command = "combine", .contents = {}});
  app.get_option("TRACE")->description("Trace files, or folders of GPUs, workers or a job");
  app.get_option("-o")->description("Write the merged trace to FILE; .gz compresses it (default: combined.json)");
  const auto* filter =
      app.add_option("--filter")
          ->type_name("NAME,...")
          ->description("Keep only this communication, for example Comm.fc1_weight,Comm.fc2_weight.PUSH");
  return [=](const Session& session) {
    run_combine(common(), filter->count() > 0 ? names_in(filter->results().back()) : std::vector<std::string>{},
                session);
  };
}

}  // namespace

sim::AnswerSchema combine_schema() { return sim::schema_of("stepsim.combine/1", kCombined); }

extern const Command combine_command{
    .name = "combine",
    .summary = "Merge the traces of several GPUs or ranks into one Chrome trace",
    .setup = setup_combine,
    .examples = {"stepsim combine scenarios/samples/byteps-even/traces -o -",
                 "stepsim combine scenarios/samples/byteps-even/traces --filter Comm.layer0_weight -o -"},
};

}  // namespace stepsim::cli
