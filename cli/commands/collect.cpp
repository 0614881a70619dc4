// stepsim collect PATH: rebuilds ByteProfile's merged traces and graphs from a job's source files.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/work/work.h"
#include "ingest/load/collect.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/output/write_file.h"
#include "sim/report/step_times.h"

namespace stepsim::cli {
namespace {

enum class Wanted { kAll, kOperators, kTimes };

/// Writes the rebuilt files. Returns their paths.
std::vector<std::string> write_files(const ingest::Collected& collected) {
  std::vector<const ingest::CollectedFile*> files;
  for (const ingest::CollectedGpu& gpu : collected.gpus) {
    for (const ingest::CollectedFile& file : gpu.files) files.push_back(&file);
  }
  if (collected.job_graph) files.push_back(&*collected.job_graph);
  std::vector<std::string> written;
  for (const ingest::CollectedFile* const file : files) {
    sim::write_file(file->path, file->text);
    written.push_back(file->path);
  }
  return written;
}

std::vector<sim::Section> sections_of(const ingest::Collected& collected, const std::vector<std::string>& written) {
  sim::Table table{{{"folder", sim::Align::kLeft}, {"operators"}, {"communication"}, {"I/O"}}};
  sim::Section notes{.title = "Missing from the source files"};
  for (const ingest::CollectedGpu& gpu : collected.gpus) {
    table.add_row({gpu.folder, gpu.operators, gpu.communication, gpu.io});
    for (const std::string& note : gpu.notes)
      notes.sentences.emplace_back(fmt::format("{}: {}", shown(gpu.folder), note));
  }
  sim::Section files{.title = "Events of the merged traces", .table = std::move(table)};
  for (const std::string& file : written) files.sentences.emplace_back(fmt::format("Wrote {}", shown(file)));
  if (written.empty()) files.sentences.emplace_back("All files were up to date");
  return {std::move(files), std::move(notes)};
}

void run_collect(const CommonOptions& options, Wanted wanted, const Session& session) {
  if (options.traces.size() != 1)
    throw UsageError(fmt::format("collect works on one folder; {} given", options.traces.size()));
  check_output(options);
  std::vector<sim::Section> sections;
  std::vector<std::string> written;
  if (wanted != Wanted::kTimes) {
    const ingest::Collected collected = ingest::collect(
        options.traces.front(), wanted == Wanted::kOperators ? ingest::Renew::kOperators : ingest::Renew::kAll);
    written = write_files(collected);
    sections = sections_of(collected, written);
  }
  Result result;
  const Replayed& replayed = result.keep(load_and_replay(options, session));
  if (replayed.capture.recording.start.empty())
    throw InputError({options.traces.front(), {}, {}}, "a task graph has no measured times; expected a capture");
  const auto& times = result.keep(sim::pass_times(replayed.capture, replayed.timeline));
  const Provenance& provenance = result.keep(provenance_if_needed(options, session, replayed.capture.inputs));
  result.set(sim::pass_times_document(times, replayed.capture, std::move(sections), result.keep(written), provenance),
             provenance);
  report(std::move(result), options, session);
}

Command::Run setup_collect(CLI::App& app) {
  const auto common = add_common_options(app, {.command = "collect", .contents = {sim::Content::kDocument}});
  app.get_option("TRACE")->description("Folder of a GPU, a worker or a trial of BytePS; with --iter-time any capture");
  const auto* times = app.add_flag("--iter-time")
                          ->disable_flag_override()
                          ->description("Print the times of the iteration and its passes; write no file");
  const auto* operators = app.add_flag("--operators")
                              ->disable_flag_override()
                              ->description("Rebuild only the operators of the merged traces, from temp.json");
  return [=](const Session& session) {
    if (times->count() > 0 && operators->count() > 0)
      throw UsageError("--iter-time writes no file and --operators rebuilds files; expected one of them");
    run_collect(common(),
                times->count() > 0       ? Wanted::kTimes
                : operators->count() > 0 ? Wanted::kOperators
                                         : Wanted::kAll,
                session);
  };
}

}  // namespace

extern const Command collect_command{
    .name = "collect",
    .summary = "Rebuild ByteProfile's merged traces and dag.gml from source files",
    .setup = setup_collect,
    .examples = {"stepsim collect scenarios/samples/byteps-even --iter-time",
                 "stepsim collect scenarios/samples/byteps-even --iter-time --json"},
};

}  // namespace stepsim::cli
