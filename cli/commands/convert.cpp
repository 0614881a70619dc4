// stepsim convert IN... -o OUT: writes the same job in another format, chosen by OUT's extension; or rewrites the
// traces themselves, without private data (--scrub) or only a part of them (--steps, --select, --min-duration).

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/program/terminal.h"
#include "cli/work/rewrite.h"
#include "cli/work/work.h"
#include "model/base/diagnostics.h"
#include "model/base/error.h"
#include "model/base/units.h"
#include "sim/check/written_documents.h"
#include "sim/report/capture_documents.h"
#include "sim/report/headline.h"

namespace stepsim::cli {
namespace {

struct ConvertCommand {
  CommonOptions common;
  bool scrub = false;
  ingest::Cut cut;
  bool comm_json = false;    ///< true if an option asks for comm.json, whatever the name of -o
  bool cuts_events = false;  ///< true with --select or --min-duration; they need the events of a trace file
};

/// Reports what was written, in a sentence or as JSON. Reports nothing if the file itself was written to standard
/// output. If there is a Host, passes the result to it.
void say(Result result, const CommonOptions& options, const Session& session) {
  if (session.host != nullptr) return session.host->take(std::move(result), options);
  if (!writes_to_standard_output(options)) print_document(result.document(), options, session);
}

/// Reports document_of(written, provenance).
template <class Written>
void say(Written written, sim::Document (*document_of)(const Written&, const Provenance&), const CommonOptions& options,
         const Session& session) {
  Result result;
  const Written& kept = result.keep(std::move(written));
  const Provenance& provenance = result.keep(provenance_if_needed(options, session, {}));
  result.set(document_of(kept, provenance), provenance);
  say(std::move(result), options, session);
}

void convert(const CommonOptions& options, const Session& session) {
  Result result;
  const Replayed& replayed = result.keep(load_and_replay(options, session));
  const Provenance& provenance = result.keep(make_provenance(session.arguments, replayed.capture.inputs));
  sim::Findings& findings = result.keep(sim::Findings{.capture = replayed.capture, .timeline = &replayed.timeline});
  findings.trust.warning = sim::warning_of(replayed.capture);
  findings.trust.caution = sim::caution_of(replayed.capture.diagnostics);
  findings.output = *options.output;
  sim::Document document = sim::conversion_document(findings, exporter_if_any(options)->name, provenance);
  const auto& defects = replayed.capture.diagnostics.entries();
  const bool whole = std::all_of(defects.begin(), defects.end(),
                                 [](const Diagnostics::Entry& defect) { return defect.severity == Severity::kInfo; });
  result.set(std::move(document), answer_of(replayed, provenance));
  CommonOptions printed = options;
  printed.brief |= whole;  // the file has the sections; a terminal needs them only where something was lost
  begin_stage(session, "writing");
  write_output(options, result.answer());
  say(std::move(result), printed, session);
}

void scrub_traces(const CommonOptions& options, const Session& session) {
  say(scrub(options, session), sim::scrub_document, options, session);
}

void cut_trace(const ConvertCommand& command, const Session& session) {
  refuse_anonymous(command.common, "a cut has its events as they are");
  if (!names_folder(*command.common.output)) check_output(command.common);
  Result result;
  auto& cuts = result.keep(std::vector<sim::CutOut>{});
  const CutAnswers& answers = result.keep(cut(command.common, command.cut, session));
  const std::string& output = result.keep(*command.common.output);
  for (const CutAnswer& answer : answers.parts) {
    cuts.push_back({.input = answer.input,
                    .output = answer.output,
                    .records = answer.counts.records,
                    .events = answer.counts.events,
                    .flows = answer.counts.flows,
                    .metadata = answer.counts.metadata,
                    .diagnostics = answer.counts.diagnostics});
  }
  const Provenance& provenance = result.keep(provenance_if_needed(command.common, session, {}));
  result.set(sim::cut_document(cuts, answers.left_out, output, provenance), provenance);
  say(std::move(result), command.common, session);
}

void convert_to_profiler_trace(const CommonOptions& options, const Session& session) {
  check_output(options);
  say(write_profiler_trace(options, session), sim::profiler_trace_document, options, session);
}

void convert_to_part(const ConvertCommand& command, const Session& session) {
  if (command.cuts_events || command.comm_json) {
    throw UsageError(
        "-o OUT.stepsim stores whole traces; expected it without --select, --min-duration and --comm-json");
  }
  say(write_part(command.common, session), sim::part_document, command.common, session);
}

void convert_to_comm_json(const ConvertCommand& command, const Session& session) {
  if (command.cuts_events)
    throw UsageError("--select and --min-duration cut a part out of a trace; expected -o OUT.trace.json or -o FOLDER/");
  if (command.common.network_given)
    throw UsageError("-o comm.json writes recorded communication; expected it without --network");
  say(write_comm_json(command.common, session), sim::comm_json_document, command.common, session);
}

/// True if the options ask for a part of the recorded trace files. False for output formats other than traces: for
/// these, --steps and --ranks select the part of the replay to write. Throws UsageError if the options contradict each
/// other or the input cannot be cut.
bool wants_cut(const ConvertCommand& command) {
  const CommonOptions& options = command.common;
  const sim::Exporter* const exporter = exporter_if_any(options);
  const bool to_folder = names_folder(*options.output);
  const bool to_trace = to_folder || (exporter != nullptr && exporter->extension == "trace.json");
  if (command.cuts_events && !to_trace)
    throw UsageError("--select and --min-duration cut a part out of a trace; expected -o OUT.trace.json or -o FOLDER/");
  const bool asked = command.cuts_events || options.steps || !options.ranks.empty();
  if (!asked || !to_trace) return false;
  if (options.network_given) {
    if (!command.cuts_events && !to_folder) return false;
    throw UsageError("--select, --min-duration and -o FOLDER/ cut the recorded trace; expected them without --network");
  }
  if (can_be_cut(options)) return true;
  if (command.cuts_events || to_folder) {
    throw UsageError(
        "--select, --min-duration and -o FOLDER/ cut files of PyTorch's profiler (Kineto) only; expected one file per "
        "rank, not in an archive");
  }
  return false;
}

void run_convert(const ConvertCommand& command, const Session& session) {
  if (!command.common.output) {
    throw UsageError("convert needs -o OUT; its extension names the format, see 'stepsim convert --help'");
  }
  if (command.scrub) {
    if (command.cuts_events) {
      throw UsageError("--scrub rewrites the whole trace; run --select or --min-duration as a separate command");
    }
    if (command.comm_json) throw UsageError("--scrub rewrites the whole trace; run --comm-json as a separate command");
    return scrub_traces(command.common, session);
  }
  if (names_part(command.common)) return convert_to_part(command, session);
  if (command.comm_json || names_comm_json(command.common)) return convert_to_comm_json(command, session);
  if (wants_profiler_trace(command.common)) return convert_to_profiler_trace(command.common, session);
  if (wants_cut(command)) return cut_trace(command, session);
  convert(command.common, session);
}

Command::Run setup_convert(CLI::App& app) {
  const auto common = add_common_options(app, writes_of_replay("convert"));
  CLI::Option* const output = app.get_option("-o");
  output->description(output->get_description() + "; .stepsim stores the traces, which are then read faster");
  const auto* scrubs = app.add_flag("--scrub")->disable_flag_override()->description(
      "Write the trace to OUT (a folder to the folder OUT) without secrets, names of users and hosts, paths and "
      "environment");
  const auto* select =
      app.add_option("--select")
          ->type_name("KEY=VALUE,...")
          ->description(
              "With -o OUT.trace.json: keep only events of this name (a regular expression), category, class, process, "
              "thread, stream or device");
  const auto* shortest = app.add_option("--min-duration")
                             ->type_name("TIME")
                             ->description("With -o OUT.trace.json: keep only events of at least this duration (10us)");
  const auto* comm = app.add_flag("--comm-json")
                         ->disable_flag_override()
                         ->description(
                             "Write the communication of each rank as BytePS's comm.json; of several ranks, as "
                             "OUT/worker0/0/comm.json, ... (implied by -o comm.json)");
  return [=](const Session& session) {
    ConvertCommand command{.common = common(), .scrub = scrubs->count() > 0, .cut = {}, .comm_json = comm->count() > 0};
    command.cuts_events = select->count() + shortest->count() > 0;
    if (select->count() > 0) command.cut.select = ingest::EventSelector(select->results().back());
    if (shortest->count() > 0) {
      const std::string& typed = shortest->results().back();
      try {
        command.cut.min_duration = parse_duration(typed);
      } catch (const std::invalid_argument& error) {
        throw UsageError("--min-duration: " + std::string(error.what()));
      }
    }
    run_convert(command, session);
  };
}

}  // namespace

extern const Command convert_command{
    .name = "convert",
    .summary = "Convert a capture to another format, cut it, or remove private data",
    .setup = setup_convert,
    .examples = {"stepsim convert scenarios/samples/byteps-even -o -.tasks.json",
                 "stepsim convert scenarios/samples/byteps-even -o -.trace.json"},
};

}  // namespace stepsim::cli
