// stepsim convert IN... -o OUT: the same job in another format, named by OUT's extension.

#include <CLI/CLI.hpp>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/program/output.h"
#include "cli/work/work.h"
#include "model/base/error.h"
#include "sim/report/capture_documents.h"

namespace stepsim::cli {
namespace {

void run(const CommonOptions& options, const Session& session) {
  if (!options.output) {
    throw UsageError("convert needs -o OUT; its extension names the format, see 'stepsim convert --help'");
  }
  const Replayed replayed = load_and_replay(options, session);
  const Provenance provenance = make_provenance(session.arguments, replayed.capture.inputs);
  const sim::Findings findings{.capture = replayed.capture, .timeline = &replayed.timeline, .output = *options.output};
  sim::Document document = sim::conversion_document(findings, sim::find_exporter(*options.output)->name, provenance);
  document.origin = origin_line(provenance);
  write_output(options, answer_of(replayed, document, provenance));
  if (writes_to_standard_output(options)) return;
  if (options.json) {
    print_document(document, options, session);
  } else {
    session.out.write(document.headline + "\n");
  }
}

Command::Run setup(CLI::App& app) {
  const auto common = add_common_options(app, writes_of_replay("convert"));
  return [=](const Session& session) { run(common(), session); };
}

}  // namespace

extern const Command convert_command;
const Command convert_command{
    .name = "convert",
    .summary = "Write the job in another format, by the extension of -o",
    .setup = setup,
    .examples = {"stepsim convert scenarios/samples/byteps-even -o -.tasks.json",
                 "stepsim convert scenarios/samples/byteps-even -o -.trace.json"},
};

}  // namespace stepsim::cli
