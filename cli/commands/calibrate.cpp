// stepsim calibrate TRACE... -o cluster.yaml: how fast is the hardware of this capture?
// stepsim calibrate --nccl-tests FILE... -o cluster.yaml: how fast is the machine on which nccl-tests ran?
// stepsim calibrate --measured RUNS.csv -o machine.yaml: how do measured steps of a machine differ from predicted ones?

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/program/arguments.h"
#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/program/run_command.h"
#include "cli/program/terminal.h"
#include "cli/work/what_if_session.h"
#include "cli/work/work.h"
#include "ingest/config/config.h"
#include "model/base/csv.h"
#include "model/base/error.h"
#include "model/calibration/calibration.h"
#include "model/calibration/collectives.h"
#include "scenarios/calibration/machine_document.h"
#include "scenarios/calibration/machine_fit.h"
#include "scenarios/calibration/measured_runs.h"
#include "sim/check/checkup.h"
#include "sim/output/machine_yaml.h"
#include "sim/output/temporary_folder.h"
#include "sim/report/capture_documents.h"

namespace stepsim::cli {
namespace {

/// Calibrates from tables of nccl-tests. Adds the files to capture.inputs and leaves the rest of `capture` empty.
Calibration calibrate_tables(const CommonOptions& options, Capture& capture) {
  const std::vector<NcclTestsRow> rows = ingest::read_nccl_tests(options.traces, capture.inputs, capture.diagnostics);
  if (options.output) refuse_input_as_output(*options.output, capture.inputs);
  return calibrate_nccl_tables(rows);
}

void run_calibrate(const CommonOptions& options, bool of_tables, const Session& session) {
  Result result;
  Capture& capture = result.keep(of_tables ? Capture{} : load_capture(options, session));
  const Calibration& calibration = result.keep(of_tables ? calibrate_tables(options, capture) : calibrate(capture));
  const Provenance& provenance = result.keep(provenance_if_needed(options, session, capture.inputs));
  const auto& findings = result.keep(
      sim::Findings{.capture = capture,
                    .calibration = &calibration,
                    .trust = sim::trust_in(capture, sim::checkup_of(capture, nullptr), {sim::Question::kNetwork})});
  result.set(sim::calibration_document(findings, provenance),
             {.provenance = provenance, .cluster = &calibration.cluster, .calibration = &calibration});
  report(std::move(result), options, session);
}

const Command& model_command() { return find_command("model", commands()); }

/// Returns the names of the options of `stepsim model` that describe a step, without dashes.
std::vector<std::string> model_options() {
  CLI::App app;
  static_cast<void>(model_command().setup(app));
  std::vector<std::string> names;
  for (const CLI::Option* const option : app.get_options()) {
    const bool is_of_step = option->get_group() != kCommonGroup && option->get_group() != kOutputGroup;
    if (is_of_step && option->get_expected_min() > 0 && !option->get_lnames().empty())
      names.push_back(option->get_lnames().front());
  }
  return names;
}

/// The captures of measured steps, each read or modelled once.
class CapturesOfRuns {
 public:
  CapturesOfRuns(CommonOptions options, const Session& session) : options_(std::move(options)), session_(session) {
    options_.output.reset();
    options_.quiet = true;
  }

  /// Returns the predictor of a run's capture. Throws InputError at its line.
  scenarios::Predictor& predictor_of(const std::string& file, const scenarios::MeasuredRun& run) {
    std::vector<std::string> key = run.model;
    key.push_back(run.capture);
    std::shared_ptr<WhatIfSession>& found = sessions_[key];
    if (found == nullptr) {
      try {
        found = load(run);
      } catch (const InputError& problem) {
        throw InputError({file, {}, run.line}, problem.what());
      } catch (const UsageError& problem) {
        throw InputError({file, {}, run.line}, fmt::format("stepsim model: {}", problem.what()));
      }
    }
    return *found->predictor;
  }

  [[nodiscard]] std::vector<InputFile> inputs() const {
    std::vector<InputFile> files;
    for (const auto& [key, session] : sessions_) {
      if (!key.back().empty())
        files.insert(files.end(), session->capture.inputs.begin(), session->capture.inputs.end());
    }
    return files;
  }

 private:
  std::shared_ptr<WhatIfSession> load(const scenarios::MeasuredRun& run) {
    CommonOptions options = options_;
    options.traces = {run.capture};
    if (!run.capture.empty()) return load_for_what_ifs(options, {}, session_);
    const sim::TemporaryFolder folder;
    options.traces = {folder.file("step.json")};
    std::vector<std::string> arguments{"model"};
    arguments.insert(arguments.end(), run.model.begin(), run.model.end());
    arguments.insert(arguments.end(), {"--quiet", "-o", options.traces.front()});
    Output unread;
    run_command(model_command(), {.arguments = std::move(arguments), .out = unread, .stop = session_.stop});
    return load_for_what_ifs(options, {}, session_);
  }

  CommonOptions options_;
  const Session& session_;
  std::map<std::vector<std::string>, std::shared_ptr<WhatIfSession>> sessions_;
};

/// Returns today's date as 2026-11-29.
std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm date{};
  ::gmtime_r(&now, &date);
  return fmt::format("{:04}-{:02}-{:02}", date.tm_year + 1900, date.tm_mon + 1, date.tm_mday);
}

/// Fits a machine to the measured steps of a csv file.
void run_measured(const CommonOptions& options, scenarios::MachineHeadline headline, const Session& session) {
  if (options.traces.size() != 1) throw UsageError("calibrate --measured takes one file, for one kind of machine");
  Result result;
  const std::string& file = options.traces.front();
  const ingest::SmallFile read = ingest::read_runs_file(file);
  const scenarios::MeasuredRuns runs = scenarios::measured_runs_of(parse_csv(read.text, file), model_options());
  Progress progress = progress_of(options, session);
  progress.phase("modelling");
  CapturesOfRuns captures(options, session);
  std::vector<scenarios::RunToFit> to_fit;
  for (const scenarios::MeasuredRun& run : runs.runs) {
    if (session.stop) throw Interrupted();
    to_fit.push_back({&run, &captures.predictor_of(runs.file, run)});
    progress.update(to_fit.size(), runs.runs.size());
  }
  std::vector<InputFile> inputs{read.identity};
  for (InputFile& input : captures.inputs()) inputs.push_back(std::move(input));
  if (options.output) refuse_input_as_output(*options.output, inputs);
  progress.phase("fitting");
  scenarios::MachineFit& fit = result.keep(scenarios::fit_machine(
      runs.file, to_fit,
      {.threads = options.threads,
       .stop = &session.stop,
       .progress = [&progress](std::uint64_t done, std::uint64_t total) { progress.update(done, total); }}));
  fit.unused = runs.unused;
  fit.machine.fitted_on = today();
  const Provenance& provenance = result.keep(provenance_if_needed(options, session, inputs));
  result.set(scenarios::machine_document(fit, headline, provenance),
             {.provenance = provenance, .scenario = result.keep(sim::machine_yaml(fit.machine))});
  report(std::move(result), options, session);
}

Command::Run setup_calibrate(CLI::App& app) {
  const auto common = add_common_options(
      app, {.command = "calibrate", .contents = {sim::Content::kDocument}, .cluster = HasCluster::kAlways});
  const auto flag = [&app](const char* name, const char* description) {
    return app.add_flag(name)->disable_flag_override()->description(description);
  };
  const auto* tables = flag("--nccl-tests", "Read output of nccl-tests (all_reduce_perf, ...) instead of traces");
  const auto* measured = flag("--measured",
                              "Read a csv file with measured steps instead of traces, and fit a machine.yaml to them "
                              "('stepsim help machine')");
  const auto* backtest = flag("--backtest", "The same, and report how well each step is predicted from the others");
  return [=](const Session& session) {
    CommonOptions options = common();
    if (tables->count() + measured->count() + backtest->count() > 1)
      throw UsageError("give one of --nccl-tests, --measured and --backtest");
    if (options.network->make != nullptr)
      throw UsageError("calibrate does not replay; leave out --network and --cluster");
    if (measured->count() + backtest->count() > 0) {  // .yaml is then machine.yaml, and .svg the backtest
      options.writes.contents.insert(options.writes.contents.end(), {sim::Content::kScenario, sim::Content::kPicture});
      options.writes.cluster = HasCluster::kNever;
    }
    check_output(options);
    if (measured->count() > 0) return run_measured(options, scenarios::MachineHeadline::kFactors, session);
    if (backtest->count() > 0) return run_measured(options, scenarios::MachineHeadline::kBacktest, session);
    run_calibrate(options, tables->count() > 0, session);
  };
}

}  // namespace

extern const Command calibrate_command{
    .name = "calibrate",
    .summary = "Derive rates of links, copies and launches from a capture, or of a machine from measured steps",
    .setup = setup_calibrate,
    .examples = {"stepsim calibrate scenarios/samples/byteps-even",
                 "stepsim calibrate scenarios/samples/byteps-even -o -.yaml"},
};

}  // namespace stepsim::cli
