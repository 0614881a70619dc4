// stepsim convert IN... -o OUT: the same job in another format, named by OUT's extension.

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/program/output.h"
#include "cli/report/report_json.h"
#include "cli/work/work.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/export/exporter.h"

namespace stepsim::cli {
namespace {

std::string formats_text() {
  std::string text = "Formats of OUT, by its extension:\n";
  for (const sim::Exporter* exporter : sim::exporters()) {
    text += fmt::format("  .{:<12} {}\n", exporter->extension, exporter->summary);
  }
  return text;
}

void run(const CommonOptions& options, const Session& session) {
  if (!options.output) {
    throw UsageError("convert needs -o OUT; its extension names the format, see 'stepsim convert --help'");
  }
  const Replayed replayed = load_and_replay(options, session);
  const Provenance provenance = make_provenance(session.arguments, replayed.capture.inputs);
  export_if_asked(options, replayed, provenance);
  if (options.json) {
    write_conversion(session.out, replayed, *options.output, provenance);
  } else {
    session.out.write(fmt::format("Wrote {}: {}; {} tasks, {} of {} records used.\n", shown(*options.output),
                                  sim::exporter_for(*options.output).name, replayed.capture.dag.task_count(),
                                  replayed.capture.events - replayed.capture.skipped, replayed.capture.events));
  }
}

Command::Run setup(CLI::App& app) {
  const auto common = add_common_options(app);
  app.footer(formats_text());
  return [=](const Session& session) { run(common(), session); };
}

}  // namespace

extern const Command convert_command;
const Command convert_command{
    .name = "convert",
    .summary = "Write the job in another format, by the extension of -o",
    .setup = setup,
};

}  // namespace stepsim::cli
