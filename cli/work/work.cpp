#include "cli/work/work.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "cli/program/output.h"
#include "cli/program/progress.h"
#include "cli/program/threads.h"
#include "ingest/config/cluster_file.h"
#include "ingest/load/load.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "model/rewrite/data_parallel.h"
#include "model/rewrite/parameter_server/build.h"
#include "sim/engine/engine.h"
#include "sim/export/exporter.h"
#include "sim/output/json_writer.h"

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

/// A file whose cluster does not fit the job is a file that cannot be used.
void set_network(sim::Machine& machine, const Cluster& cluster, const CommonOptions& options) {
  try {
    machine.set_network(*options.network, cluster);
  } catch (const UsageError& error) {
    if (!options.cluster_file) {
      throw;
    }
    throw InputError({*options.cluster_file, {}, {}}, error.what());
  }
}

/// How long a recorded push took is what its network made of it: for a model of this or another
/// network the messages of a parameter-server job are built anew from what the job did.
void build_anew(Capture& capture, const Cluster& cluster) {
  const std::shared_ptr<const PsWorkload> workload = capture.parameter_server;
  if (workload != nullptr) {
    capture = build_parameter_server(capture, as_captured(*workload), cluster);
  }
}

sim::Machine machine_for(Replayed& result, const CommonOptions& options) {
  if (options.network->make != nullptr) {
    result.hardware = hardware_of(result.capture, options);
    if (result.hardware.calibration) {
      append(result.capture.assumptions, result.hardware.calibration->assumptions);
    }
    const Cluster& cluster = result.hardware.cluster;
    build_anew(result.capture, cluster);
    sim::Machine machine = sim::Machine::as_recorded(result.capture);
    set_network(machine, cluster, options);
    return machine;
  }
  if (result.capture.cluster) {
    result.capture.assumptions.push_back(
        {"unshared_links",
         "transfers do not share links: each takes its route's latency and its bytes over the narrowest link"});
  }
  return sim::Machine::as_recorded(result.capture);
}

sim::Timeline replay(const Capture& capture, const sim::Machine& machine, const CommonOptions& options,
                     const Session& session, Progress& progress) {
  progress.phase("replaying");
  const std::size_t tasks = capture.dag.task_count();
  return sim::replay(capture.dag, machine,
                     {.threads = options.threads,
                      .stop = &session.stop,
                      .progress = [&progress, tasks](std::size_t done) { progress.update(done, tasks); }});
}

/// The whole steps of `rank`, the shortest first.
std::vector<sim::StepReport> steps_of(const sim::Summary& summary, Rank rank) {
  std::vector<sim::StepReport> steps;
  std::copy_if(summary.steps.begin(), summary.steps.end(), std::back_inserter(steps),
               [rank](const sim::StepReport& step) { return step.rank == rank; });
  std::stable_sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.replayed < b.replayed; });
  return steps;
}

std::size_t index_of(const Recording& recording, const sim::StepReport& step) {
  const auto found = std::find_if(
      recording.steps.begin(), recording.steps.end(),
      [&step](const RecordedStep& recorded) { return recorded.rank == step.rank && recorded.number == step.step; });
  STEPSIM_ASSERT(found != recording.steps.end(), "a reported step is a recorded one");
  return static_cast<std::size_t>(found - recording.steps.begin());
}

}  // namespace

Capture load_capture(CommonOptions options, const Session& session) {
  const auto limit = limit_threads(options.threads);
  Progress progress(options.quiet);
  return load(options, session, progress);
}

Hardware hardware_of(Capture& capture, const CommonOptions& options) {
  if (options.cluster_file) {
    capture.inputs.push_back(*options.cluster_file);
    return {ingest::read_cluster_file(*options.cluster_file), std::nullopt};
  }
  if (capture.cluster) {
    return {*capture.cluster, std::nullopt};
  }
  Calibration calibration = calibrate(capture);
  Cluster cluster = calibration.cluster;
  return {std::move(cluster), std::move(calibration)};
}

Replayed load_and_replay(CommonOptions options, const Session& session) {
  if (options.output) {
    static_cast<void>(sim::exporter_for(*options.output));
  }
  const auto limit = limit_threads(options.threads);
  Progress progress(options.quiet);
  Replayed result;
  result.capture = load(options, session, progress);
  result.network = options.network;
  if (options.network->make != nullptr) {
    result.capture = under_models(std::move(result.capture));
  }
  const sim::Machine machine = machine_for(result, options);
  result.timeline = replay(result.capture, machine, options, session, progress);
  return result;
}

NamedPath path_of_iteration(const Capture& capture, const sim::Timeline& timeline, const sim::Summary& summary) {
  const std::vector<sim::StepReport> steps = steps_of(summary, sim::slowest_rank(summary).rank);
  if (steps.empty()) {
    return {sim::critical_path(capture, timeline), "the replay"};
  }
  const sim::StepReport& median = steps[(steps.size() - 1) / 2];
  const std::size_t index = index_of(capture.recording, median);
  return {sim::critical_path_of_step(capture, timeline, index),
          fmt::format("rank {}'s step {}", median.rank, median.step)};
}

NamedPath path_of_iteration(const Replayed& replayed, const sim::Summary& summary) {
  return path_of_iteration(replayed.capture, replayed.timeline, summary);
}

Provenance provenance_if_needed(const CommonOptions& options, const Session& session, const Capture& capture) {
  return options.json || options.output ? make_provenance(session.arguments, capture.inputs) : Provenance{};
}

void print_document(const sim::Document& document, const CommonOptions& options, const Session& session) {
  if (!options.json) {
    session.out.write(sim::to_text(document));
    return;
  }
  sim::JsonWriter json;
  document.json(json);
  session.out.write(json.take() + "\n");
}

void refuse_input_as_output(const std::string& output, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code ignored;  // a file that is not there yet is no input
    if (std::filesystem::equivalent(output, input, ignored)) {
      throw UsageError(fmt::format("-o '{}' is one of the inputs; expected another file", shown(output)));
    }
  }
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
