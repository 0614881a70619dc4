#include "cli/work/profiles.h"

#include <fmt/format.h>

#include "cli/program/memory.h"
#include "cli/program/progress.h"
#include "cli/program/threads.h"
#include "model/base/error.h"

namespace stepsim::cli {
namespace {

void refuse(bool given, std::string_view option) {
  if (given)
    throw UsageError(fmt::format("{} does not go with an inline profile, which has no steps, ranks or links", option));
}

void refuse_options_of_captures(const CommonOptions& options) {
  refuse(options.job_file.has_value(), "--job");
  refuse(options.steps.has_value(), "--steps");
  refuse(!options.ranks.empty(), "--ranks");
  refuse(options.network_given, "--network");
  refuse(options.cluster_file.has_value(), "--cluster");
}

}  // namespace

std::variant<ingest::LoadedRun, ingest::DetailedCapture> load_measured(const std::vector<std::string>& traces,
                                                                       CommonOptions options, const Session& session) {
  limit_threads(options.threads);
  Progress progress(options.quiet);
  progress.phase("reading");
  return_freed_memory();
  std::variant<ingest::LoadedRun, ingest::DetailedCapture> loaded = ingest::load_measured(
      traces, {.job_file = options.job_file,
               .steps = options.steps,
               .ranks = options.ranks,
               .threads = options.threads,
               .stop = &session.stop,
               .progress = [&progress](std::uint64_t done, std::uint64_t total) { progress.update(done, total); }});
  const auto* const run = std::get_if<ingest::LoadedRun>(&loaded);
  if (run != nullptr) refuse_options_of_captures(options);
  const std::vector<InputFile>& inputs =
      run != nullptr ? run->inputs : std::get<ingest::DetailedCapture>(loaded).capture.inputs;
  if (options.output) refuse_input_as_output(*options.output, inputs);
  return loaded;
}

ingest::LoadedRun load_profiled_run(const std::vector<std::string>& traces, CommonOptions options,
                                    const Session& session) {
  refuse_options_of_captures(options);
  limit_threads(options.threads);
  Progress progress(options.quiet);
  progress.phase("reading");
  ingest::LoadedRun loaded = ingest::load_run(
      traces, {.threads = options.threads,
               .stop = &session.stop,
               .progress = [&progress](std::uint64_t done, std::uint64_t total) { progress.update(done, total); }});
  if (options.output) refuse_input_as_output(*options.output, loaded.inputs);
  return loaded;
}

}  // namespace stepsim::cli
