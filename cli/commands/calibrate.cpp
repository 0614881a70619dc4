// stepsim calibrate TRACE... -o cluster.yaml: how fast is the hardware of this capture?
// stepsim calibrate --nccl-tests FILE... -o cluster.yaml: how fast is the machine on which nccl-tests ran?

#include <CLI/CLI.hpp>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/program/terminal.h"
#include "cli/work/work.h"
#include "ingest/config/config.h"
#include "model/base/error.h"
#include "model/calibration/calibration.h"
#include "model/calibration/collectives.h"
#include "sim/check/checkup.h"
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
  if (options.network->make != nullptr) {
    throw UsageError("calibrate does not replay; leave out --network and --cluster");
  }
  check_output(options);
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

Command::Run setup_calibrate(CLI::App& app) {
  const auto common = add_common_options(
      app, {.command = "calibrate", .contents = {sim::Content::kDocument}, .cluster = HasCluster::kAlways});
  const auto* tables = app.add_flag("--nccl-tests")
                           ->disable_flag_override()
                           ->description("Read output of nccl-tests (all_reduce_perf, ...) instead of traces");
  return [=](const Session& session) { run_calibrate(common(), tables->count() > 0, session); };
}

}  // namespace

extern const Command calibrate_command{
    .name = "calibrate",
    .summary = "Derive link, copy and launch rates from a capture, as cluster.yaml",
    .setup = setup_calibrate,
    .examples = {"stepsim calibrate scenarios/samples/byteps-even",
                 "stepsim calibrate scenarios/samples/byteps-even -o -.yaml"},
};

}  // namespace stepsim::cli
