#include "cli/sweep/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/program/process.h"
#include "cli/program/terminal.h"
#include "cli/sweep/part.h"
#include "cli/sweep/shared_folder.h"
#include "cli/work/scenario_options.h"
#include "cli/work/what_if_session.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "model/cost/collective/nccl_times.h"
#include "scenarios/answer/knee.h"
#include "scenarios/answer/sweep_document.h"
#include "sim/analysis/summary.h"
#include "sim/export/exporter.h"
#include "sim/output/json_writer.h"
#include "sim/output/write_file.h"
#include "sim/report/headline.h"

namespace stepsim::cli {
namespace {

using scenarios::Outcome;

void tell(const CommonOptions& options, const std::string& note) {
  if (!options.quiet) write_error(shown(note, 1000) + '\n');
}

std::string part_path(const std::string& output, std::size_t index, std::size_t count) {
  return fmt::format("{}.part-{}-of-{}", output, index, count);
}

bool is_part(const SweepRequest& request) { return request.shard.count > 1; }
bool is_launched(const SweepRequest& request) { return is_part(request) && !request.shard.from.empty(); }

/// True if -o is the file of the complete result. A shard with only some of the points then stores them in a file of
/// another name, because they are not a complete result.
bool names_result(const SweepRequest& request) {
  return !is_part(request) || is_launched(request) || sim::find_exporter(*request.common.output) != nullptr;
}

/// Returns the path of the file that stores finished points, or nothing if they are not stored. Throws UsageError if
/// the options contradict each other, or if a file is needed and they name none.
std::optional<std::string> journal_path(const SweepRequest& request) {
  const std::optional<std::string>& output = request.common.output;
  if (is_part(request)) {
    if (!output || writes_to_standard_output(request.common))
      throw UsageError("a shard writes its points to a file; expected -o FILE");
    if (request.resume_file) throw UsageError("--resume: a shard continues its own part; leave out FILE");
    return names_result(request) ? part_path(*output, request.shard.index, request.shard.count) : *output;
  }
  if (request.resume_file) return request.resume_file;
  if (output && !writes_to_standard_output(request.common)) return *output + ".points";
  if (request.resume) throw UsageError("--resume has no FILE; expected one, or -o FILE");
  return std::nullopt;
}

/// Checks -o and --resume before anything is read.
void check_output(const SweepRequest& request) {
  std::error_code unknown;  // if this fails, opening the file will report why
  const auto journal = journal_path(request);
  if (request.common.output && names_result(request)) check_output(request.common);
  if (journal && !std::filesystem::is_regular_file(*journal, unknown)) sim::refuse_unwritable(*journal);
}

/// Returns what a reader must know before the answers of a sweep. All shards must say the same, so the first and the
/// last point tell what moves the answers.
sim::CaptureTrust trust_of(const scenarios::Sweep& sweep, scenarios::Predictor& predictor,
                           const scenarios::Prediction& baseline, const sim::EngineOptions& engine) {
  scenarios::Caution caution = sweep.caution();
  if (caution.depends_on_ranges()) {
    scenarios::ReplayMeter meter(engine);
    const scenarios::IntervalFinder ranges(predictor, baseline, meter);
    for (const std::size_t point : {std::size_t{0}, sweep.points().size() - 1}) {
      static_cast<void>(scenarios::Sweep::refusal_of([&] { caution.add(ranges.predict(sweep.plan_of(point)).range); }));
    }
  }
  return caution.trust();
}

void set_baseline(SweepHead& head, WhatIfSession& what_if, const scenarios::Prediction& baseline) {
  head.baseline = scenarios::baseline_of(*what_if.predictor, baseline);
  if (sim::steps_differ(sim::summarize(*baseline.graph, baseline.timeline))) {
    add_item(head.trust.caution,
             "The captured steps differ by more than 20 %: these are times of typical steps, and 'stepsim whatif' also "
             "gives the mean.",
             " ");
  }
  head.assumptions = baseline.graph->assumptions;
}

/// Predicts the points of this process's shard. Finished points are stored in the journal, if there is one, and read
/// from it when the sweep is resumed.
class PointsAtWork {
 public:
  PointsAtWork(const SweepRequest& request, const SweepHead& head, const Session& session)
      : request_(request), progress_(progress_of(request.common, session)), found_(head.points.size()) {
    if (const auto path = journal_path(request)) {
      journal_ = std::make_unique<SweepJournal>(*path, head, request.shard, request.resume);
      for (const auto& [point, outcome] : journal_->done()) found_[point] = outcome;
    }
    for (const std::size_t point : request.shard.deal(head.points)) (found_[point] ? before_ : to_do_).push_back(point);
    tell_of_journal();
  }

  void predict(scenarios::Sweep& sweep, const Session& session) {
    progress_.phase("sweeping", Progress::Clock::now(), "points");
    std::size_t done = 0;
    const auto take = [&](std::size_t point, const Outcome& outcome) {
      if (journal_) journal_->add(point, outcome);
      found_[point] = outcome;
      progress_.update(++done, to_do_.size());
    };
    try {
      sweep.run(to_do_, {.threads = request_.common.threads, .stop = &session.stop, .done = take});
    } catch (const Interrupted&) {
      if (!journal_) throw;
      throw ExplainedInterrupt(
          fmt::format("interrupted; {} of {} points are in {}; the same command with --resume continues",
                      before_.size() + done, before_.size() + to_do_.size(), shown(journal_->path())));
    }
  }

  /// Returns the outcomes of all points. Precondition: the shard has all points, and all are predicted.
  [[nodiscard]] std::vector<Outcome> take() {
    std::vector<Outcome> outcomes;
    for (std::optional<Outcome>& outcome : found_) outcomes.push_back(std::move(*outcome));
    return outcomes;
  }
  [[nodiscard]] std::size_t mine() const noexcept { return before_.size() + to_do_.size(); }
  [[nodiscard]] const SweepJournal* journal() const noexcept { return journal_.get(); }

 private:
  void tell_of_journal() {
    if (!journal_ || before_.empty()) return;
    tell(request_.common, fmt::format("{}: {} of {} points were predicted before{}", journal_->path(), before_.size(),
                                      mine(), journal_->dropped() ? "; 1 was incomplete and is predicted again" : ""));
  }

  const SweepRequest& request_;
  Progress progress_;
  std::unique_ptr<SweepJournal> journal_;
  std::vector<std::optional<Outcome>> found_;  ///< indexed by point
  std::vector<std::size_t> before_;
  std::vector<std::size_t> to_do_;
};

/// Throws if no point has a prediction: UsageError if a point has invalid settings, else CannotAnswer.
void refuse_if_none(const SweepAnswer& answer) {
  const std::vector<Outcome>& outcomes = answer.outcomes;
  if (scenarios::best_point(outcomes)) return;
  const auto wrong = std::find_if(outcomes.begin(), outcomes.end(), [](const Outcome& outcome) {
    return outcome.refusal == scenarios::Refusal::kQuestion;
  });
  const bool of_capture = wrong == outcomes.end();
  const auto named = of_capture ? outcomes.begin() : wrong;
  const std::string problem =
      fmt::format("none of the {} points has a prediction; {}: {}", outcomes.size(),
                  to_text(answer.head.points.at(static_cast<std::size_t>(named - outcomes.begin()))), named->problem);
  if (of_capture) throw CannotAnswer({}, problem);
  throw UsageError(problem);
}

void report(SweepAnswer found, const CommonOptions& options, const Session& session) {
  refuse_if_none(found);
  Result result;
  const SweepAnswer& answer = result.keep(std::move(found));
  result.set(scenarios::sweep_document(answer), answer.head.provenance);
  report(std::move(result), options, session);
}

/// Writes the complete result to -o FILE and prints nothing.
void write_whole(const SweepAnswer& answer, const CommonOptions& options) {
  refuse_if_none(answer);
  sim::Document document = scenarios::sweep_document(answer);
  document.origin = origin_line(answer.head.provenance);
  write_output(options, {.provenance = answer.head.provenance, .document = &document});
}

/// Merges the parts that the `count` shards wrote next to `output`. Returns nothing if one is missing or incomplete.
std::optional<SweepAnswer> all_parts(const std::string& output, std::size_t count) {
  std::vector<SweepPart> parts;
  try {
    for (std::size_t index = 0; index < count; ++index) parts.push_back(read_part(part_path(output, index, count)));
    return merged(parts);
  } catch (const InputError&) {
    return std::nullopt;  // another shard has not finished its part
  }
}

void report_part(const SweepRequest& request, const PointsAtWork& points, std::size_t of, const Session& session) {
  const CommonOptions& options = request.common;
  const std::string& path = points.journal()->path();
  const auto answer = names_result(request) ? all_parts(*options.output, request.shard.count) : std::nullopt;
  if (answer) write_whole(*answer, options);
  if (options.json) {
    sim::JsonWriter json;
    json.begin_object().key("schema").value("stepsim.sweep_part/1").new_line();
    json.key("shard").value(request.shard.to_text()).key("points").value(points.mine()).key("of").value(of);
    json.key("part").value(path).key("merged").value(answer.has_value());
    json.end_object();
    session.out.write(json.take() + "\n");
  } else {
    session.out.write(fmt::format("Shard {} is done: {} of {} points are in {}{}.\n", request.shard.to_text(),
                                  points.mine(), of, shown(path),
                                  answer ? fmt::format("; it was the last, and {} is written", shown(*options.output))
                                         : "; stepsim sweep --merge joins the parts"));
  }
}

/// Removes the file of finished points, which is not needed once the result is written. Keeps a FILE of --resume.
void remove_own_journal(const SweepRequest& request, const PointsAtWork& points) {
  if (points.journal() == nullptr || request.resume_file) return;
  std::error_code ignored;  // on failure the file remains
  std::filesystem::remove(points.journal()->path(), ignored);
}

void refuse_no_sweep(const scenarios::Scenario& scenario) {
  constexpr std::string_view kGrid = "a grid such as 'sweep: {network.bandwidth: [1x, 2x]}'";
  if (!scenario.sweep.empty() || !scenario.points.empty()) return;
  if (scenario.file) {
    throw InputError(
        {scenario.file->name, {}, 1},
        fmt::format("the scenario has no 'sweep'; expected {}, several values as in --set network.bandwidth=1x,2x, or "
                    "'stepsim whatif'",
                    kGrid));
  }
  throw UsageError(fmt::format(
      "nothing to sweep; expected several values as in --set network.bandwidth=1x,2x,4x, or -s FILE with {}", kGrid));
}

void tell_of_shard(const SweepRequest& request) {
  if (!is_launched(request)) return;
  tell(request.common,
       fmt::format("shard {}, from {}; --shard 0/1 predicts all points", request.shard.to_text(), request.shard.from));
}

}  // namespace

SweepHead sweep_head(WhatIfSession& what_if, const scenarios::Scenario& scenario, const scenarios::Sweep& sweep,
                     sim::Provenance provenance, const sim::EngineOptions& engine) {
  const scenarios::Prediction baseline = what_if.predictor->predict(what_if.predictor->plan(), engine);
  SweepHead head{.trust = trust_of(sweep, *what_if.predictor, baseline, engine)};
  set_baseline(head, what_if, baseline);
  if (what_if.calibration) append(head.assumptions, what_if.calibration->assumptions);
  append(head.assumptions, sweep.assumptions());
  const scenarios::Plan captured = what_if.predictor->plan();
  if (captured.network->make != nullptr && !captured.recorded_collectives)
    append(head.assumptions, nccl_assumptions(captured.captured->dag, captured.cluster));
  head.name = scenario.name;
  head.network = what_if.network->name;
  for (const scenarios::Change& change : scenario.changes) head.changes.push_back(change.to_text());
  head.work = sim::captured_work(what_if.capture);
  head.points = sweep.points();
  head.provenance = std::move(provenance);
  return head;
}

void run_sweep(SweepRequest request, const Session& session) {
  refuse_no_sweep(request.scenario);
  check_output(request);
  tell_of_shard(request);
  const std::shared_ptr<WhatIfSession> what_if = load_for_what_ifs(request.common, request.scenario, session);
  const std::vector<InputFile> inputs = inputs_of(*what_if, request.scenario, request.common);
  for (const auto& path : {request.common.output, journal_path(request)}) {
    if (path) refuse_input_as_output(*path, inputs);
  }
  limit_threads(request.common, session);
  with_typed_errors([&] {
    scenarios::Sweep sweep(*what_if->predictor, request.scenario);
    SweepAnswer answer;
    answer.head = sweep_head(*what_if, request.scenario, sweep, make_provenance(request.arguments, inputs),
                             {.threads = request.common.threads, .stop = &session.stop});
    PointsAtWork points(request, answer.head, session);
    points.predict(sweep, session);
    if (is_part(request)) return report_part(request, points, sweep.points().size(), session);
    answer.outcomes = points.take();
    report(std::move(answer), request.common, session);
    remove_own_journal(request, points);
  });
}

void run_on_engine(const SweepRequest& request, const Engine& engine, const Session& session) {
  const CommonOptions& options = request.common;
  refuse_no_sweep(request.scenario);
  check_output(options);
  if (std::count(options.traces.begin(), options.traces.end(), "-") > 0)
    throw UsageError("--engine: other processes cannot read this standard input; expected a file");
  const bool to_file = options.output && !writes_to_standard_output(options);
  const SharedFolder folder(to_file ? std::filesystem::path(*options.output).parent_path() : std::filesystem::path());
  Progress progress = progress_of(options, session);
  progress.phase("sweeping", Progress::Clock::now(), "shards");
  const std::vector<std::string> paths = run_shards(
      engine, {.arguments = request.arguments,
               .folder = folder.path(),
               .points = scenarios::points_of(request.scenario).size(),
               .threads = options.threads,
               .stop = &session.stop,
               .progress = [&progress](std::size_t done, std::size_t shards) { progress.update(done, shards); }});
  std::vector<SweepPart> parts;
  parts.reserve(paths.size());
  for (const std::string& path : paths) parts.push_back(read_part(path));
  report(merged(parts), options, session);
}

void run_merge(const CommonOptions& options, const Session& session) {
  check_output(options);
  std::vector<SweepPart> parts;
  for (const std::string& path : options.traces) parts.push_back(read_part(path));
  report(merged(parts), options, session);
}

}  // namespace stepsim::cli
