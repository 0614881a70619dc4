#include "ingest/load/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "ingest/bytes/input.h"
#include "ingest/config/config.h"
#include "ingest/load/discover.h"
#include "ingest/load/job_parts.h"
#include "ingest/load/read.h"
#include "ingest/load/recognise.h"
#include "ingest/stitch/host_device/like_ranks.h"
#include "model/base/error.h"
#include "model/base/known_diagnostics.h"

namespace stepsim::ingest {
namespace {

/// Calls finish() for a graph that may contain a cycle, because nothing has ever run it or because it follows from rows
/// of a table; a cycle throws InputError.
Capture finish_unsure(Assembly&& assembly, const std::string& trace) {
  try {
    return finish(std::move(assembly));
  } catch (const CycleError& error) {
    throw InputError({trace, {}, {}}, fmt::format("{}; expected a graph without cycles", error.what()));
  }
}

/// Counts the marked steps of each process, which the stitcher also finds by the names of ranges. Processes whose rank
/// is not known keep the number of their format's own marks, unless there is only one.
void count_steps(const Recording& recording, CaptureContents& contents) {
  std::map<std::int64_t, std::uint64_t> steps;
  for (const RecordedStep& step : recording.steps) steps[step.rank] += step.marked ? 1U : 0U;
  for (SourceContents& source : contents.sources) {
    const bool only = contents.sources.size() == 1 && source.processes.size() == 1 && steps.size() == 1;
    for (HostDeviceContents& process : source.processes) {
      const auto found = only ? steps.begin() : steps.find(process.rank.value_or(-1));
      if (found != steps.end()) process.step_marks = std::max(process.step_marks, found->second);
    }
  }
}

/// Optional outputs; null if not wanted.
struct Extras {
  TraceDetails* details = nullptr;
  std::vector<Source>* sources = nullptr;
  std::optional<std::string>* job_text = nullptr;
};

/// Reads files of which many may be alike. Those of a few ranks cost too little memory to compare them.
ReadInputs read_rank_files(const std::vector<FoundFile>& files, const LoadOptions& options, bool details) {
  LikeTraces like;
  return read_inputs(files, options, details, files.size() > kMostRanksApart ? &like : nullptr);
}

Capture load(const std::vector<std::string>& traces, const LoadOptions& options, const Extras& extras) {
  FoundFiles found = discover(traces);
  const std::optional<std::string> job_path = options.job_file ? options.job_file : find_job_file(traces);
  std::vector<InputFile> job_file;
  Job job = job_path ? read_job_file(*job_path, job_file) : Job{};
  ReadInputs read = read_rank_files(found.files, options, extras.details != nullptr);
  refuse_empty(read, traces);
  if (options.inspect) options.inspect(read);
  if (read.job && !options.job_file) {  // a job.yaml in the archive takes precedence over one outside
    job = parse_job(read.job->text, read.job->name);
    job_file.clear();
    if (extras.job_text != nullptr) *extras.job_text = std::move(read.job->text);
  } else if (job_path && extras.job_text != nullptr) {
    *extras.job_text = read_small_file(*job_path, kLargestJobFile).text;
  }

  const auto begin_stage = [&options](std::string_view name) {
    if (options.stage) options.stage(name);
  };
  begin_stage("stitching");
  Assembly assembly;
  assembly.details = extras.details;
  assembly.threads = options.threads;
  assembly.diagnostics.merge(found.diagnostics);
  assembly.diagnostics.merge(read.diagnostics);
  std::uint64_t events = 0;
  std::uint64_t skipped = 0;
  CaptureContents contents;
  JobParts parts;
  for (ReadInput& input : read.inputs) {
    assembly.diagnostics.merge(input.sink.diagnostics);
    events += input.sink.events;
    skipped += input.sink.skipped;
    contents.sources.push_back(std::move(input.contents));
    parts.add(input);
  }
  const bool untimed = options.untimed && parts.stitch_untimed(assembly);
  if (!untimed) parts.stitch(options.ranks, job, assembly);
  if (extras.sources != nullptr) *extras.sources = parts.take_sources();
  if (options.steps) keep_steps(assembly, options.steps->first, options.steps->second);
  begin_stage("building the graph");
  const bool unsure = untimed || parts.is_table();
  Capture capture = unsure ? finish_unsure(std::move(assembly), traces.front()) : finish(std::move(assembly));
  const std::optional<std::uint32_t> samples = capture.job.batch_size;
  capture.job = job;
  if (!job.batch_size) capture.job.batch_size = samples;
  count_steps(capture.recording, contents);
  capture.contents = std::move(contents);
  capture.events = events;
  capture.skipped = skipped;
  capture.inputs = std::move(read.files);
  capture.inputs.insert(capture.inputs.end(), job_file.begin(), job_file.end());
  return capture;
}

}  // namespace

Capture load(const std::vector<std::string>& traces, const LoadOptions& options) {
  return load(traces, options, Extras{});
}

DetailedCapture load_with_details(const std::vector<std::string>& traces, const LoadOptions& options) {
  DetailedCapture detailed;
  detailed.capture = load(traces, options, Extras{.details = &detailed.details});
  return detailed;
}

SourcedCapture load_with_sources(const std::vector<std::string>& traces, const LoadOptions& options) {
  SourcedCapture sourced;
  sourced.capture = load(traces, options, Extras{.sources = &sourced.sources, .job_text = &sourced.job_text});
  return sourced;
}

}  // namespace stepsim::ingest
