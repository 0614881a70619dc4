#include "cli/work/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "cli/program/memory.h"
#include "cli/program/process.h"
#include "cli/program/terminal.h"
#include "cli/work/result.h"
#include "ingest/bytes/input.h"
#include "ingest/config/config.h"
#include "ingest/load/discover.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "model/cost/collective/nccl_times.h"
#include "model/cost/device/accelerator.h"
#include "model/job/group.h"
#include "model/job/rank_places.h"
#include "model/rewrite/data_parallel.h"
#include "model/rewrite/modelled_times.h"
#include "model/rewrite/parameter_server/build.h"
#include "model/rewrite/ranks.h"
#include "model/rewrite/repeated_step.h"
#include "sim/analysis/steady.h"
#include "sim/analysis/step_spread.h"
#include "sim/analysis/step_times.h"
#include "sim/check/checkup.h"
#include "sim/engine/engine.h"
#include "sim/report/headline.h"

namespace stepsim::cli {

namespace {

constexpr const char* kExample = "--cluster FILE whose devices have a model ('devices: {count: 8, model: H100}')";

InputLocation place_of(const Capture& capture) {
  return {capture.inputs.empty() ? std::string{} : capture.inputs.front().name, {}, {}};
}

/// Returns the device of the --cluster file. Throws CannotAnswer if the file names none, or one that the library does
/// not know.
const Accelerator& device_of(const Capture& capture, const CommonOptions& options, std::size_t tasks) {
  const std::string what = fmt::format("{} tasks have no recorded duration", tasks);
  if (!options.cluster_file) {
    throw CannotAnswer(
        place_of(capture),
        fmt::format("{}; expected {}, or a torch.profiler trace of the same run too ('stepsim tasks' needs no times)",
                    what, kExample));
  }
  std::vector<InputFile> read;
  const Cluster cluster = ingest::read_cluster_file(*options.cluster_file, read);
  const std::string model = cluster.devices.empty() ? std::string{} : cluster.devices.front().model;
  if (model.empty()) {
    throw CannotAnswer({*options.cluster_file, {}, {}},
                       fmt::format("{}, and no device has a model; expected {}", what, kExample));
  }
  if (const Accelerator* const device = find_accelerator(model)) return *device;
  throw CannotAnswer({*options.cluster_file, {}, {}},
                     fmt::format("{}, and the device '{}' is unknown; expected one that 'stepsim help devices' lists",
                                 what, shown(model, 60)));
}

/// True if the capture contains no times at all: nothing was measured, and no task in the graph takes time or moves
/// data.
bool has_no_times(const Capture& capture) {
  if (!capture.recording.start.empty() || !capture.task_ids.empty()) return false;
  return std::ranges::none_of(capture.dag.tasks(), [&dag = capture.dag](TaskId task) {
    return dag.duration(task) > Duration{} || dag.bytes(task) > Bytes{};
  });
}

}  // namespace

void model_missing_times(Capture& capture, const CommonOptions& options) {
  const UntimedWork untimed = untimed_work(capture);
  if (untimed.device > 0) capture = with_modelled_times(capture, device_of(capture, options, untimed.device));
  if (has_no_times(capture)) {
    throw CannotAnswer(
        place_of(capture),
        "no task has a recorded or modelled duration; expected a torch.profiler trace of the same run too");
  }
  const bool has_network = options.cluster_file || options.network->make != nullptr;
  if (untimed.communication > 0 && !has_network) {
    throw CannotAnswer(place_of(capture), fmt::format("{} collectives and messages have a size but no duration; "
                                                      "expected --network maxmin and --cluster FILE, which time them",
                                                      untimed.communication));
  }
}

namespace {

constexpr std::size_t kLargestJobFile = std::size_t{1} << 20U;  // the same limit as in load()

/// Sets the network model of `machine`. If the cluster does not fit the job, throws InputError, which names the file of
/// --cluster, or UsageError if there is no such file.
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

/// Rebuilds the graph of a parameter-server job with messages for a network model; other jobs are unchanged. The
/// recorded duration of a push depends on the network of the captured job, so it cannot be used with another network.
void rebuild_messages(Capture& capture, const Cluster& cluster) {
  const std::shared_ptr<const PsWorkload> workload = capture.parameter_server;
  if (workload != nullptr) {
    capture = build_parameter_server(capture, as_captured(*workload), cluster);
  }
}

Assumption replayed_elsewhere(const std::string& file) {
  return {
      std::string(sim::kClusterFile),
      fmt::format("The replay uses the links of {}: the difference from the measured times comes from both that file "
                  "and the model's error, which 'stepsim whatif --cluster' reports separately.",
                  shown(file))};
}

/// Devices to which the file gives no model are taken for those of the capture, if these are all the same. Times of
/// collectives depend on the model; without one it would follow from the links, and change with them.
void name_devices(const Capture& capture, Cluster& cluster) {
  std::set<std::string> models;
  for (const auto& [rank, name] : capture.devices) models.insert(name);
  if (models.size() != 1) return;
  for (Device& device : cluster.devices) {
    if (device.model.empty()) device.model = *models.begin();
  }
  if (cluster.shape && cluster.shape->devices > 0 && cluster.shape->device_model.empty())
    cluster.shape->device_model = *models.begin();
}

/// Makes of a capture the job that is replayed, and finds its hardware if there is a network model.
void prepare(Capture& capture, Hardware& hardware, const CommonOptions& options) {
  if (options.network->make == nullptr) {
    if (capture.cluster) {
      capture.assumptions.push_back(
          {"unshared_links",
           "Transfers do not share links: each takes the latency of its route and its size over the slowest link."});
    }
    return;
  }
  capture = under_models(std::move(capture));
  hardware = hardware_of(capture, options);
  if (hardware.calibration) append(capture.assumptions, hardware.calibration->assumptions);
  rebuild_messages(capture, hardware.cluster);
  if (options.cluster_file) capture.assumptions.push_back(replayed_elsewhere(name_of_cluster_file(options)));
  append(capture.assumptions, nccl_assumptions(capture.dag, hardware.cluster));
}

/// True if prepare() and model_missing_times() would change nothing and throw nothing.
bool is_prepared(const Capture& capture, const CommonOptions& options) {
  const UntimedWork untimed = untimed_work(capture);
  return options.network->make == nullptr && !capture.cluster && untimed.device == 0 && untimed.communication == 0 &&
         !has_no_times(capture);
}

/// Begins a progress phase and returns options that report to it. Keeps references to its arguments.
sim::EngineOptions engine_options(std::string_view phase, std::size_t tasks, const CommonOptions& options,
                                  const Session& session, Progress& progress) {
  progress.phase(phase);
  return {.threads = options.threads, .stop = &session.stop, .progress = [&progress, tasks](std::size_t done) {
            progress.update(done, tasks);
          }};
}

/// Throws sim::CopiesDiffer if ranks that the capture says are copies of others would not do the same.
Replayed replay_once(std::shared_ptr<const Capture> capture, Hardware hardware, const CommonOptions& options,
                     const Session& session, bool test) {
  Progress progress = progress_of(options, session);
  const Capture& of = *capture;
  Replayed result{
      .held = std::move(capture), .capture = of, .hardware = std::move(hardware), .network = options.network};
  sim::Machine machine = sim::Machine::as_recorded(of);
  if (options.network->make != nullptr) set_network(machine, result.hardware.cluster, options);
  const std::size_t tasks = of.dag.task_count();
  result.timeline = sim::replay(of.dag, machine, engine_options("replaying", tasks, options, session, progress));
  if (test) {
    result.perturbation = sim::perturbation_test(of, machine, result.timeline,
                                                 engine_options("testing", tasks, options, session, progress));
  }
  begin_stage(session, "analysing");
  return result;
}

Replayed replay_prepared(const std::shared_ptr<const Capture>& capture, const Hardware& hardware,
                         const CommonOptions& options, const Session& session, bool test) {
  try {
    return replay_once(capture, hardware, options, session, test);
  } catch (const sim::CopiesDiffer&) {
    return replay_once(std::make_shared<const Capture>(with_ranks(*capture, known_ranks(*capture).size(), every_rank)),
                       hardware, options, session, test);
  }
}

}  // namespace

ingest::Hidden hidden_in(const CommonOptions& options) {
  if (options.anonymous) return ingest::Hidden::kHostsAndPaths;
  const sim::Exporter* const exporter = options.host_names ? nullptr : exporter_if_any(options);
  const bool is_seen =
      exporter != nullptr && (exporter->extension == "html" || exporter->accepts == sim::Content::kPicture ||
                              exporter->accepts == sim::Content::kGraph);
  return is_seen ? ingest::Hidden::kHosts : ingest::Hidden::kNothing;
}

void refuse_anonymous(const CommonOptions& options, std::string_view why) {
  if (!options.anonymous) return;
  throw UsageError(fmt::format("--anonymous: {}; expected 'stepsim convert --scrub' to replace names in traces", why));
}

std::string name_in_answers(const std::string& trace, const CommonOptions& options,
                            const std::vector<InputFile>& inputs) {
  const auto found = std::ranges::find(inputs, trace, &InputFile::opened);
  if (found != inputs.end()) return found->name;
  const std::filesystem::path path = trace;
  return options.anonymous ? (path.has_filename() ? path : path.parent_path()).filename().string() : trace;
}

std::string name_of_cluster_file(const CommonOptions& options) {
  const std::filesystem::path path = *options.cluster_file;
  return options.anonymous ? path.filename().string() : path.string();
}

void limit_threads(CommonOptions& options, const Session& session) {
  session.host == nullptr ? limit_threads(options.threads) : fit_threads(options.threads);
}

Progress progress_of(const CommonOptions& options, const Session& session) {
  return session.host == nullptr ? Progress(options.quiet, session.stages) : Progress(session.host->progress);
}

ingest::LoadOptions load_options(const CommonOptions& options, const Session& session, Progress& progress) {
  progress.phase("reading");
  if (session.host == nullptr) return_freed_memory();
  return {.job_file = options.job_file,
          .steps = options.steps,
          .ranks = options.ranks,
          .untimed = options.untimed,
          .threads = options.threads,
          .stop = &session.stop,
          .progress = [&progress](std::uint64_t done, std::uint64_t total) { progress.update(done, total); },
          .stage = [&session](std::string_view name) { begin_stage(session, name); }};
}

namespace {

Capture read_capture(const CommonOptions& options, const Session& session) {
  return loaded(
      options, session, [&](const ingest::LoadOptions& loading) { return ingest::load(options.traces, loading); },
      [](const Capture& capture) { return &capture.inputs; });
}

}  // namespace

std::shared_ptr<const Capture> shared_capture(const CommonOptions& options, const Session& session) {
  const auto read = [&] { return read_capture(options, session); };
  return session.host == nullptr ? std::make_shared<const Capture>(read())
                                 : session.host->captures.capture(options, read);
}

Capture load_capture(const CommonOptions& options, const Session& session) {
  return session.host == nullptr ? read_capture(options, session) : *shared_capture(options, session);
}

ingest::SourcedCapture load_sourced_capture(const CommonOptions& options, const Session& session) {
  return loaded(
      options, session,
      [&](const ingest::LoadOptions& loading) { return ingest::load_with_sources(options.traces, loading); },
      [](const ingest::SourcedCapture& sourced) { return &sourced.capture.inputs; });
}

StagedCapture load_staged_capture(const CommonOptions& options, const Session& session) {
  const auto read = [&](ingest::LoadOptions loading) {
    StagedCapture staged;
    loading.inspect = [&staged](const ingest::ReadInputs& inputs) {
      staged.stages = ingest::recorded_stages(inputs);
      if (inputs.job) staged.job_text = inputs.job->text;
    };
    ingest::DetailedCapture detailed = ingest::load_with_details(options.traces, loading);
    const std::optional<std::string> job_file =
        options.job_file ? options.job_file : ingest::find_job_file(options.traces);
    if (job_file && (options.job_file || !staged.job_text))
      staged.job_text = ingest::read_small_file(*job_file, kLargestJobFile).text;
    staged.capture = std::move(detailed.capture);
    staged.details = std::move(detailed.details);
    return staged;
  };
  return loaded(options, session, read, [](const StagedCapture& staged) { return &staged.capture.inputs; });
}

ingest::Survey survey_capture(const CommonOptions& options, const Session& session) {
  return loaded(
      options, session, [&](const ingest::LoadOptions& loading) { return ingest::survey(options.traces, loading); },
      [](const ingest::Survey& survey) { return survey.capture ? &survey.capture->inputs : nullptr; });
}

Hardware hardware_of(Capture& capture, const CommonOptions& options) {
  if (options.cluster_file) {
    Cluster cluster = ingest::read_cluster_file(*options.cluster_file, capture.inputs);
    ingest::hide_names(cluster, capture);
    name_devices(capture, cluster);
    if (capture.parameter_server == nullptr) append(capture.assumptions, place_as_captured(capture.dag, cluster));
    return {std::move(cluster), std::nullopt};
  }
  if (capture.cluster) {
    return {*capture.cluster, std::nullopt};
  }
  Calibration calibration = calibrate(capture);
  Cluster cluster = calibration.cluster;
  return {std::move(cluster), std::move(calibration)};
}

Replayed load_and_replay(CommonOptions options, const Session& session, bool test) {
  check_output(options);
  limit_threads(options, session);
  const std::shared_ptr<const Capture> shared = session.host != nullptr ? shared_capture(options, session) : nullptr;
  if (shared != nullptr && is_prepared(*shared, options)) return replay_prepared(shared, {}, options, session, test);
  Capture capture = shared != nullptr ? *shared : read_capture(options, session);
  if (!options.untimed) model_missing_times(capture, options);
  return replay(std::move(capture), options, session, test);
}

Replayed replay(Capture capture, CommonOptions options, const Session& session, bool test) {
  limit_threads(options, session);
  begin_stage(session, "preparing");
  Hardware hardware;
  prepare(capture, hardware, options);
  return replay_prepared(std::make_shared<const Capture>(std::move(capture)), hardware, options, session, test);
}

Replayed replay_recorded(const Capture& capture, CommonOptions options, const Session& session) {
  options.network = find_network_model("recorded");
  return replay_prepared(std::shared_ptr<const Capture>(std::shared_ptr<void>(), &capture), {}, options, session, true);
}

sim::ReplayCheck replay_check_of(const sim::Findings& findings) {
  return {findings.summary, findings.path, findings.perturbation, findings.contradicted_repetition};
}

sim::Findings findings_of(const Replayed& replayed) {
  sim::Findings findings{.capture = replayed.capture, .timeline = &replayed.timeline, .network = replayed.network};
  findings.summary = sim::summarize(replayed.capture, replayed.timeline);
  findings.path = sim::iteration_path(replayed.capture, replayed.timeline, findings.summary);
  findings.steady = sim::steady_iteration(replayed.capture, replayed.timeline);
  findings.contradicted_repetition = sim::contradicted_repetition(replayed.capture, replayed.timeline, findings.steady);
  if (findings.contradicted_repetition) findings.steady.reset();  // what-ifs do not use it either
  findings.perturbation = replayed.perturbation;
  findings.stragglers = sim::stragglers(replayed.capture.dag, replayed.timeline);
  if (replayed.hardware.calibration) findings.calibration = &*replayed.hardware.calibration;
  // On another cluster the replay is to differ from the captured steps, which says nothing about the capture.
  const bool is_elsewhere = std::ranges::find(replayed.capture.assumptions, sim::kClusterFile, &Assumption::id) !=
                            replayed.capture.assumptions.end();
  const sim::ReplayCheck check = replay_check_of(findings);
  findings.trust = sim::trust_in(replayed.capture, sim::checkup_of(replayed.capture, is_elsewhere ? nullptr : &check),
                                 {sim::Question::kReplay});
  return findings;
}

sim::SlowRanks slow_ranks_of(const Replayed& replayed, const CommonOptions& options, const Session& session) {
  Progress progress = progress_of(options, session);
  auto found = sim::slow_ranks(
      replayed.capture,
      engine_options("comparing ranks", sim::replays_for_slow_ranks(replayed.capture), options, session, progress));
  if (found) return *std::move(found);
  throw CannotAnswer({options.traces.front(), {}, {}},
                     "the capture has no steps of two ranks to compare; expected a capture of several ranks");
}

Writes writes_of_replay(std::string command) {
  using sim::Content;
  return {.command = std::move(command),
          .contents = {Content::kDocument, Content::kTimeline, Content::kTaskGraph, Content::kPicture},
          .cluster = HasCluster::kUnderModel};
}

sim::Answer answer_of(const Replayed& replayed, const Provenance& provenance) {
  sim::Answer answer{.provenance = provenance, .replays = {{"replayed", replayed.capture, replayed.timeline}}};
  if (replayed.network->make != nullptr) answer.cluster = &replayed.hardware.cluster;
  if (replayed.hardware.calibration) answer.calibration = &*replayed.hardware.calibration;
  return answer;
}

Provenance provenance_if_needed(const CommonOptions& options, const Session& session,
                                const std::vector<InputFile>& inputs) {
  return options.json || options.output || session.host != nullptr ? make_provenance(session.arguments, inputs)
                                                                   : Provenance{};
}

Simulated simulate_steps(const Replayed& replayed, std::size_t count, const CommonOptions& options,
                         const Session& session) {
  Simulated simulated;
  simulated.repeated =
      sim::typical_step(sim::summarize(replayed.capture, replayed.timeline), repeatable_steps(replayed.capture));
  simulated.capture = with_repeated_step(replayed.capture, simulated.repeated, count);
  sim::Machine machine = sim::Machine::as_recorded(simulated.capture);
  if (replayed.network->make != nullptr) machine.set_network(*replayed.network, replayed.hardware.cluster);
  Progress progress = progress_of(options, session);
  simulated.timeline =
      sim::replay(simulated.capture.dag, machine,
                  engine_options("simulating", simulated.capture.dag.task_count(), options, session, progress));
  return simulated;
}

}  // namespace stepsim::cli
