// stepsim check TRACE...: is this capture good enough, and what should be recorded next time?

#include <CLI/CLI.hpp>
#include <optional>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/program/terminal.h"
#include "cli/work/work.h"
#include "model/base/error.h"
#include "sim/check/check_document.h"

namespace stepsim::cli {
namespace {

/// The replay of a capture. Empty if the input files do not form a job: capture() and check() are then null.
class Replays {
 public:
  Replays(std::optional<Capture> capture, const CommonOptions& options, const Session& session) {
    if (!capture) return;
    replayed_.emplace(replay(std::move(*capture), options, session, true));
    check_ = replay_check_of(findings_of(*replayed_));
  }
  [[nodiscard]] const Capture* capture() const { return replayed_ ? &replayed_->capture : nullptr; }
  [[nodiscard]] const sim::ReplayCheck* check() const { return check_ ? &*check_ : nullptr; }

 private:
  std::optional<Replayed> replayed_;
  std::optional<sim::ReplayCheck> check_;
};

void run_check(CommonOptions options, std::size_t rows, const Session& session) {
  options.rank_rows = rank_rows_of(rows);
  check_output(options);
  Result result;
  ingest::Survey& survey = result.keep(survey_capture(options, session));
  const std::vector<InputFile> inputs = survey.capture ? survey.capture->inputs : std::vector<InputFile>{};
  const Replays& replays = result.keep(Replays(std::move(survey.capture), options, session));
  const auto& examined = result.keep(sim::Examined{.contents = survey.contents,
                                                   .diagnostics = survey.diagnostics,
                                                   .capture = replays.capture(),
                                                   .problem = survey.problem,
                                                   .replay = replays.check()});
  const sim::Checkup& checkup = result.keep(sim::check(examined));
  const Provenance& provenance = result.keep(provenance_if_needed(options, session, inputs));
  const sim::BarChart& chart = result.keep(sim::chart_of(examined));
  result.set(sim::check_document(checkup, examined, provenance, rows), {.provenance = provenance, .bars = &chart});
  const bool is_usable = checkup.verdict != sim::Verdict::kUnusable;
  report(std::move(result), options, session);
  session.out.flush();
  if (!is_usable) {
    throw InputError({options.traces.front(), {}, {}},
                     "this capture cannot be used; record again what is listed as missing");
  }
}

Command::Run setup_check(CLI::App& app) {
  const auto common =
      add_common_options(app, {.command = "check", .contents = {sim::Content::kDocument, sim::Content::kPicture}});
  const auto rows = add_rows_option(app, "Of more than 16 files or rows by rank, print N", kRankRows);
  return [=](const Session& session) { run_check(common(), rows(), session); };
}

}  // namespace

extern const Command check_command{
    .name = "check",
    .summary = "Check whether a capture is good enough, and what to record next time",
    .setup = setup_check,
    .examples = {"stepsim check scenarios/samples/byteps-even", "stepsim check scenarios/samples/byteps-even --brief"},
};

}  // namespace stepsim::cli
