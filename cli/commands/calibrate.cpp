// stepsim calibrate TRACE... -o cluster.yaml: how fast is the hardware that this was captured on?

#include <CLI/CLI.hpp>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/work/work.h"
#include "model/base/error.h"
#include "model/calibration/calibration.h"
#include "sim/report/capture_documents.h"

namespace stepsim::cli {
namespace {

void run(const CommonOptions& options, const Session& session) {
  if (options.network->make != nullptr) {
    throw UsageError("calibrate replays nothing; expected it without --network and --cluster");
  }
  check_output(options);
  const Capture capture = load_capture(options, session);
  const Calibration calibration = calibrate(capture);
  const Provenance provenance = provenance_if_needed(options, session, capture);
  const sim::Findings findings{.capture = capture, .calibration = &calibration};
  sim::Document document = sim::calibration_document(findings, provenance);
  report(
      document,
      {.provenance = provenance, .document = &document, .cluster = &calibration.cluster, .calibration = &calibration},
      options, session);
}

Command::Run setup(CLI::App& app) {
  const auto common = add_common_options(
      app, {.command = "calibrate", .contents = {sim::Content::kDocument}, .cluster = HasCluster::kAlways});
  return [=](const Session& session) { run(common(), session); };
}

}  // namespace

extern const Command calibrate_command;
const Command calibrate_command{
    .name = "calibrate",
    .summary = "Fit links, copies, sums and launches to a capture, and write them as cluster.yaml",
    .setup = setup,
};

}  // namespace stepsim::cli
