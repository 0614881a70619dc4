// stepsim calibrate TRACE... -o cluster.yaml: how fast is the hardware that this was captured on?

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/program/output.h"
#include "cli/report/report_json.h"
#include "cli/report/report_text.h"
#include "cli/work/work.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "model/calibration/calibration.h"
#include "sim/export/cluster_yaml.h"

namespace stepsim::cli {
namespace {

void check(const CommonOptions& options) {
  if (options.network->make != nullptr) {
    throw UsageError("calibrate replays nothing; expected it without --network and --cluster");
  }
  if (options.output && !options.output->ends_with(".yaml") && !options.output->ends_with(".yml")) {
    throw UsageError(
        fmt::format("-o '{}' is no cluster.yaml; expected a name that ends in .yaml", shown(*options.output)));
  }
}

void run(const CommonOptions& options, const Session& session) {
  check(options);
  const Capture capture = load_capture(options, session);
  const Calibration calibration = calibrate(capture);
  const Provenance provenance = provenance_if_needed(options, session, capture);
  if (options.output) {
    refuse_input_as_output(*options.output, capture.inputs);
    sim::write_file(*options.output, sim::calibration_yaml(calibration, for_file(provenance)));
  }
  if (options.json) {
    write_calibration(session.out, capture, calibration, provenance);
  } else {
    session.out.write(calibration_text(capture, calibration));
  }
}

Command::Run setup(CLI::App& app) {
  const auto common = add_common_options(app);
  app.footer("-o FILE.yaml is written for --cluster: see docs/cluster.md and docs/calibration.md.\n");
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
