#include "cli/work.h"

#include <fmt/core.h>

#include <filesystem>

#include "cli/progress.h"
#include "ingest/load.h"
#include "model/error.h"
#include "model/text.h"
#include "sim/engine.h"
#include "sim/export/exporter.h"

namespace stepsim::cli {
namespace {

Capture load(const CommonOptions& options, const Session& session, Progress& progress) {
  progress.phase("reading");
  return ingest::load(options.traces, {.job_file = options.job_file,
                                       .steps = options.steps,
                                       .ranks = options.ranks,
                                       .threads = options.threads,
                                       .stop = &session.stop,
                                       .progress = [&progress](std::uint64_t done, std::uint64_t total) {
                                         progress.update(done, total);
                                       }});
}

sim::Timeline replay(const Capture& capture, const CommonOptions& options, const Session& session, Progress& progress) {
  progress.phase("replaying");
  const std::size_t tasks = capture.dag.task_count();
  return sim::replay(capture.dag, sim::Machine::as_recorded(capture),
                     {.threads = options.threads,
                      .stop = &session.stop,
                      .progress = [&progress, tasks](std::size_t done) { progress.update(done, tasks); }});
}

void refuse_input_as_output(const std::string& output, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code ignored;  // a file that is not there yet is no input
    if (std::filesystem::equivalent(output, input, ignored)) {
      throw UsageError(fmt::format("-o '{}' is one of the inputs; expected another file", shown(output)));
    }
  }
}

}  // namespace

Replayed load_and_replay(const CommonOptions& options, const Session& session) {
  if (options.output) {
    static_cast<void>(sim::exporter_for(*options.output));
  }
  Progress progress(options.quiet);
  Replayed result;
  result.capture = load(options, session, progress);
  result.timeline = replay(result.capture, options, session, progress);
  return result;
}

Provenance provenance_if_needed(const CommonOptions& options, const Session& session, const Capture& capture) {
  return options.json || options.output ? make_provenance(session.arguments, capture.inputs) : Provenance{};
}

void export_if_asked(const CommonOptions& options, const Replayed& replayed, const Provenance& provenance) {
  if (!options.output) {
    return;
  }
  refuse_input_as_output(*options.output, replayed.capture.inputs);
  const sim::Provenance origin = for_file(provenance);
  sim::export_to_file(*options.output,
                      {.capture = replayed.capture, .timeline = replayed.timeline, .provenance = origin});
}

}  // namespace stepsim::cli
