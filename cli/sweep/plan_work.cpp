#include "cli/sweep/plan_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "cli/program/process.h"
#include "cli/program/terminal.h"
#include "cli/sweep/part.h"
#include "cli/sweep/work.h"
#include "cli/work/scenario_options.h"
#include "cli/work/what_if_session.h"
#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/text.h"
#include "model/cost/device/accelerator.h"
#include "scenarios/search/plan_document.h"
#include "scenarios/search/plan_search.h"
#include "scenarios/search/plan_space.h"
#include "sim/output/write_file.h"

namespace stepsim::cli {
namespace {

using scenarios::Outcome;

/// Hosts of data centres usually have so many GPUs.
constexpr std::uint32_t kUsualGpus = 8;

/// Returns the path of the file that stores simulated plans, or nothing if they are not stored.
std::optional<std::string> plan_journal_path(const PlanRequest& request) {
  if (request.resume_file) return request.resume_file;
  if (request.common.output && !writes_to_standard_output(request.common)) return *request.common.output + ".points";
  if (request.resume) throw UsageError("--resume has no FILE; expected one, or -o FILE");
  return std::nullopt;
}

void check_files(const PlanRequest& request) {
  check_output(request.common);
  std::error_code unknown;  // if this fails, opening the file will report why
  const auto journal = plan_journal_path(request);
  if (journal && !std::filesystem::is_regular_file(*journal, unknown)) sim::refuse_unwritable(*journal);
}

/// Returns the value of a parameter that a change of the scenario sets, or null.
const YamlField* find_change(const scenarios::Scenario& scenario, std::string_view what_if,
                             std::string_view parameter) {
  for (const scenarios::Change& change : scenario.changes) {
    if (change.key().what_if != what_if) continue;
    if (const YamlField* const value = change.find(parameter)) return value;
  }
  return nullptr;
}

bool has_axis(const scenarios::Scenario& scenario, std::string_view key) {
  return std::any_of(scenario.sweep.begin(), scenario.sweep.end(),
                     [key](const scenarios::Axis& axis) { return axis.key == key; });
}

/// Completes the scenario with the device of --device, and with what connects the devices of a host if nothing else
/// says it. Returns the number of devices per host.
std::uint32_t complete_hardware(PlanRequest& request, const WhatIfSession& what_if) {
  scenarios::Scenario& scenario = request.scenario;
  const Cluster cluster = what_if.predictor->plan().cluster;
  const bool is_given = cluster.shape && cluster.shape->devices > 0;
  const bool sets_inside =
      find_change(scenario, "cluster", "inside") != nullptr || has_axis(scenario, "cluster.inside");
  if (request.device) {
    scenarios::add_typed_set(scenario, "device.to=" + *request.device);
    const Bandwidth inside = accelerator_named(*request.device).inside_link();
    if (!is_given && !sets_inside) scenarios::add_set(scenario, "cluster.inside=" + to_text(inside));
  }
  const YamlField* const gpus = find_change(scenario, "cluster", "gpus_per_host");
  if (gpus != nullptr) return gpus->count(1, std::uint32_t{1} << 20U);
  if (is_given) return cluster.shape->devices;
  const std::uint32_t most = request.devices.back();
  if (!has_axis(scenario, "cluster.gpus_per_host"))
    scenarios::add_set(scenario, fmt::format("cluster.gpus_per_host={}", std::min(most, kUsualGpus)));
  const bool has_nic = find_change(scenario, "cluster", "nic") != nullptr || has_axis(scenario, "cluster.nic") ||
                       what_if.capture.job.bandwidth.has_value();
  if (most > kUsualGpus && !has_nic) {
    throw UsageError(
        fmt::format("{} devices are on several hosts, and nothing says what connects these; expected the "
                    "rate of a host's NIC as in --set cluster.nic=400Gb/s, or --cluster FILE",
                    most));
  }
  return kUsualGpus;
}

/// Returns the samples of all replicas per step, divided by those of the captured step.
double batches_of(const PlanRequest& request, const scenarios::PlanLimits& limits) {
  if (!request.samples) return request.devices.back();
  std::string_view text = *request.samples;
  const bool is_factor = text.ends_with('x');
  if (is_factor) text.remove_suffix(1);
  const auto number = parse_number<double>(text);
  if (!number || !(*number > 0) || *number > 1e9) {
    throw UsageError(
        fmt::format("--global-batch '{}': expected a number of samples, or a multiple of those of the "
                    "captured step such as 64x",
                    shown(*request.samples)));
  }
  if (is_factor) return *number;
  if (!limits.samples) {
    throw UsageError(
        fmt::format("--global-batch '{}': the samples of the captured step are not known; expected batch_size in "
                    "job.yaml, or a multiple of them such as 64x",
                    shown(*request.samples)));
  }
  return *number / *limits.samples;
}

/// Removes the assumptions that the best plan does not make, and states why its memory is not known.
void describe_best(const scenarios::PlanSearch& search, scenarios::PlanAnswer& answer) {
  const scenarios::Plan best = search.sweep().plan_of(answer.findings.best.front().point);
  answer.why_no_memory = search.sweep().memory_of(best).why_none;
  const Assumptions kept = search.sweep().assumptions_of(best);
  const Assumptions& of_plans = search.sweep().assumptions();
  std::erase_if(answer.head.assumptions, [&](const Assumption& one) {
    return std::find(kept.begin(), kept.end(), one) == kept.end() &&
           std::find(of_plans.begin(), of_plans.end(), one) != of_plans.end();
  });
}

/// The search with its progress and the file of simulated plans.
class SearchAtWork {
 public:
  SearchAtWork(const PlanRequest& request, const scenarios::SweepHead& head, Progress& progress) : progress_(progress) {
    const auto path = plan_journal_path(request);
    if (!path) return;
    journal_ = std::make_unique<SweepJournal>(*path, head, Shard{}, request.resume);
    for (const auto& [point, outcome] : journal_->done()) known_[point] = outcome;
    if (!known_.empty() && !request.common.quiet) {
      write_error(shown(fmt::format("{}: {} were simulated before{}", journal_->path(), counted(known_.size(), "plan"),
                                    journal_->dropped() ? "; 1 was incomplete and is simulated again" : ""),
                        1000) +
                  '\n');
    }
  }

  scenarios::PlanFindings run(scenarios::PlanSearch& search, const scenarios::PlanSearchOptions& options) {
    scenarios::PlanSearchOptions all = options;
    all.done = [this](std::size_t point, const Outcome& outcome) {
      if (journal_) journal_->add(point, outcome);
      ++done_;
      if (left_ > 0) --left_;
      progress_.update(done_, done_ + left_);
    };
    all.left = [this](std::size_t left) { left_ = left; };
    progress_.phase("simulating", Progress::Clock::now(), "plans");
    try {
      return search.run(known_, all);
    } catch (const Interrupted&) {
      if (!journal_) throw;
      throw ExplainedInterrupt(
          fmt::format("interrupted; {} simulated plans are in {}; the same command with --resume "
                      "continues",
                      known_.size() + done_, shown(journal_->path())));
    }
  }

  /// Removes the file of simulated plans, which is not needed once the result is written. Keeps a FILE of --resume.
  void remove_journal(const PlanRequest& request) const {
    if (journal_ == nullptr || request.resume_file) return;
    std::error_code ignored;  // on failure the file remains
    std::filesystem::remove(journal_->path(), ignored);
  }

 private:
  Progress& progress_;
  std::unique_ptr<SweepJournal> journal_;
  std::map<std::size_t, Outcome> known_;
  std::size_t done_ = 0;
  std::size_t left_ = 0;
};

}  // namespace

void run_plan(PlanRequest request, const Session& session) {
  check_files(request);
  CommonOptions& options = request.common;
  const std::shared_ptr<WhatIfSession> what_if = load_for_what_ifs(options, request.scenario, session);
  const std::vector<InputFile> inputs = inputs_of(*what_if, request.scenario, options);
  for (const auto& path : {options.output, plan_journal_path(request)}) {
    if (path) refuse_input_as_output(*path, inputs);
  }
  limit_threads(options, session);
  with_typed_errors([&] {
    Result result;
    Progress progress = progress_of(options, session);
    progress.phase("comparing plans", Progress::Clock::now(), "");
    scenarios::PlanAnswer answer;
    answer.limits = scenarios::plan_limits(*what_if->predictor->plan().divided_step);
    if (!answer.limits.has_replicas && !answer.limits.divides_layers && answer.limits.layers == 1)
      throw CannotAnswer({}, answer.limits.reasons.front());
    answer.space = {.devices = request.devices,
                    .gpus_per_host = complete_hardware(request, *what_if),
                    .batches = batches_of(request, answer.limits)};
    const scenarios::Scenario scenario = scenarios::with_plans(request.scenario, answer.space, answer.limits);
    const scenarios::PlanSearchOptions how{.threads = options.threads, .front = request.front, .stop = &session.stop};
    scenarios::PlanSearch search(*what_if->predictor, scenario, how);
    answer.head = sweep_head(*what_if, scenario, search.sweep(), make_provenance(request.arguments, inputs),
                             {.threads = options.threads, .stop = &session.stop});
    SearchAtWork work(request, answer.head, progress);
    answer.findings = work.run(search, how);
    describe_best(search, answer);
    const scenarios::PlanAnswer& kept = result.keep(std::move(answer));
    result.set(scenarios::plan_document(kept), kept.head.provenance);
    report(std::move(result), options, session);
    work.remove_journal(request);
  });
}

}  // namespace stepsim::cli
