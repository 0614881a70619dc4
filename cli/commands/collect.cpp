// stepsim collect PATH: rebuilds ByteProfile's merged traces and graphs from a job's source files.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/work/rewrite.h"
#include "cli/work/work.h"
#include "ingest/load/collect.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/output/write_file.h"
#include "sim/report/step_times.h"

namespace stepsim::cli {
namespace {

enum class Wanted { kAll, kOperators, kTimes };

struct CollectCommand {
  CommonOptions common;
  Wanted wanted = Wanted::kAll;
  std::optional<std::string> folder;  ///< folder of the copy with the rebuilt files; absent to rebuild in place
};

/// Copies the folder `from`, so that `to` has all files of the job. Throws OutputError if that fails.
void copy_folder(const std::string& from, const std::string& to) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::create_directories(to, error);
  const fs::path source = fs::canonical(from, error);
  const fs::path target = error ? fs::path() : fs::canonical(to, error);
  if (!error && std::mismatch(source.begin(), source.end(), target.begin(), target.end()).first == source.end())
    throw UsageError(fmt::format("-o '{}' is in the folder of the traces; expected another, or --in-place", shown(to)));
  if (!error) fs::copy(source, target, fs::copy_options::recursive | fs::copy_options::overwrite_existing, error);
  if (error) throw OutputError(fmt::format("{}: cannot copy {} ({})", shown(to), shown(from), error.message()));
}

/// Writes the rebuilt files of the folder `root`, or to the same places in its copy `folder`. Returns their paths.
std::vector<std::string> write_files(const ingest::Collected& collected, const std::filesystem::path& root,
                                     const std::optional<std::string>& folder) {
  std::vector<const ingest::CollectedFile*> files;
  for (const ingest::CollectedGpu& gpu : collected.gpus) {
    for (const ingest::CollectedFile& file : gpu.files) files.push_back(&file);
  }
  if (collected.job_graph) files.push_back(&*collected.job_graph);
  std::vector<std::string> written;
  for (const ingest::CollectedFile* const file : files) {
    const std::filesystem::path place = std::filesystem::path(file->path).lexically_normal();
    const std::string path =
        folder ? (std::filesystem::path(*folder) / place.lexically_relative(root.lexically_normal())).string()
               : file->path;
    sim::write_file(path, file->text);
    written.push_back(path);
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

void run_collect(const CollectCommand& command, const Session& session) {
  CommonOptions options = command.common;
  if (options.traces.size() != 1)
    throw UsageError(fmt::format("collect works on one folder; {} given", options.traces.size()));
  check_output(options);
  refuse_anonymous(options, "collect writes traces as they are");
  std::vector<sim::Section> sections;
  std::vector<std::string> written;
  if (command.wanted != Wanted::kTimes) {
    const std::string root = options.traces.front();
    const ingest::Collected collected =
        ingest::collect(root, command.wanted == Wanted::kOperators ? ingest::Renew::kOperators : ingest::Renew::kAll);
    if (command.folder) {
      copy_folder(root, *command.folder);
      options.traces = {*command.folder};
    }
    written = write_files(collected, root, command.folder);
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
  const auto* in_place = app.add_flag("--in-place")
                             ->disable_flag_override()
                             ->description("Rebuild the files in TRACE itself, over those that are there");
  app.get_option("-o")->description(
      "Rebuild the files in a copy of TRACE if FILE is a folder or ends in /. Otherwise: " +
      output_help({.command = "collect", .contents = {sim::Content::kDocument}}));
  return [=](const Session& session) {
    if (times->count() > 0 && operators->count() > 0)
      throw UsageError("--iter-time writes no file and --operators rebuilds files; expected one of them");
    CollectCommand command{.common = common(),
                           .wanted = times->count() > 0       ? Wanted::kTimes
                                     : operators->count() > 0 ? Wanted::kOperators
                                                              : Wanted::kAll};
    if (command.common.output && names_folder(*command.common.output)) command.folder.swap(command.common.output);
    const bool rebuilds = command.wanted != Wanted::kTimes;
    if (rebuilds != (command.folder || in_place->count() > 0) || (command.folder && in_place->count() > 0)) {
      throw UsageError(rebuilds ? "collect rebuilds traces; expected either -o FOLDER/ for a copy of TRACE with the "
                                  "rebuilt files, or --in-place to write over those in TRACE"
                                : "--iter-time writes no traces; expected it without --in-place and -o FOLDER/");
    }
    run_collect(command, session);
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
