#include "sim/report/headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "model/base/assumption.h"
#include "model/base/known_diagnostics.h"
#include "model/base/text.h"
#include "model/job/parameter_server/workload.h"
#include "model/job/rank_places.h"
#include "model/rewrite/modelled_times.h"
#include "sim/analysis/job_kind.h"
#include "sim/report/rank_class.h"
#include "sim/report/table.h"

namespace stepsim::sim {
namespace {

std::optional<double> worst_held_out(const Summary& summary) {
  std::optional<double> worst;
  for (const StepReport& step : summary.steps) {
    if (step.held_out_error) worst = std::max(worst.value_or(0), std::abs(*step.held_out_error));
  }
  return worst;
}

/// Returns "8 ranks on 1 host" if hosts stand for ranks, otherwise "8 hosts".
std::string hosts_text(const Cluster& cluster, const Capture& capture) {
  if (!hosts_stand_for_ranks(cluster, capture)) return counted(cluster.hosts.size(), "host");
  return fmt::format("{} on {}", counted(cluster.hosts.size(), "rank"), counted(known_hosts(capture)->size(), "host"));
}

/// Describes a calibrated cluster: "2 hosts and a slowest link of 1.2GB/s (payload)".
std::string cluster_text(const Cluster& cluster, const Capture& capture) {
  const std::vector<Link>& links = cluster.links;
  const auto slowest = std::min_element(links.begin(), links.end(),
                                        [](const Link& a, const Link& b) { return a.goodput() < b.goodput(); });
  if (slowest != links.end()) {
    return fmt::format("{} and a slowest link of {} (payload)", hosts_text(cluster, capture),
                       to_text(slowest->goodput()));
  }
  return hosts_text(cluster, capture) + " without a network";
}

constexpr std::string_view kNoDeviceWork = diagnostic("launches_without_device_work").name;
constexpr std::string_view kLostKernels = diagnostic("lost_kernels").name;
constexpr std::string_view kSample = diagnostic("sampled_operators").name;

std::string launches_text(std::uint64_t launches) {
  return fmt::format("{} {}", grouped(launches), launches == 1 ? "launch" : "launches");
}

const Diagnostics::Entry* find_entry(const Diagnostics& diagnostics, std::string_view name) {
  const auto& entries = diagnostics.entries();
  const auto found =
      std::find_if(entries.begin(), entries.end(), [name](const auto& entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

/// Warns if the capture contains only a part of the operators.
std::string sample_warning(const Diagnostics& diagnostics) {
  const Diagnostics::Entry* const sample = find_entry(diagnostics, kSample);
  if (sample == nullptr) return {};
  return fmt::format(
      "The capture is a sample: {}. Dependencies on the missing operators are lost, so no what-if can be trusted.",
      shown(sample->detail));
}

bool has_whole_step(const Recording& recording) {
  return std::any_of(recording.steps.begin(), recording.steps.end(),
                     [](const RecordedStep& step) { return step.marked && !is_set_aside(step); });
}

/// True if a file ends before the device work that its header announces.
bool is_cut_before_device_work(const Capture& capture) {
  return capture.diagnostics.count_of("truncated_file") > 0 && !capture.devices.empty() &&
         !job_kind(capture).has_device_work;
}

/// Warns if kernels are missing, and names the steps in which they are missing.
std::string lost_kernels_warning(const Capture& capture) {
  if (is_cut_before_device_work(capture))
    return "The file is cut off before its first kernel, so all times are CPU times.";
  const Diagnostics::Entry* const lost = find_entry(capture.diagnostics, kLostKernels);
  if (lost == nullptr) return {};
  return fmt::format("The capture is damaged: it lost at least {}{}{}; steps that lack more than 1 % are set aside.",
                     counted(lost->count, "kernel"), lost->detail.empty() ? "" : ", ", shown(lost->detail));
}

/// Warns if graphs were launched whose kernels are missing.
std::string empty_graphs_warning(const Diagnostics& diagnostics) {
  const Diagnostics::Entry* const empty = find_entry(diagnostics, diagnostic("graphs_without_work").name);
  if (empty == nullptr) return {};
  return fmt::format("The capture lacks kernels: {} have none, so the work of the GPU in them is missing.",
                     shown(empty->detail));
}

bool assumes(const Capture& capture, std::string_view id) {
  return find_assumption(capture.assumptions, id) != nullptr;
}

/// Warns if the properties of a parameter-server job had to be guessed because it has no job.yaml.
std::string guess_warning(const Capture& capture) {
  const bool inferred = assumes(capture, "inferred_servers");
  if (capture.job != Job{} || (!inferred && !assumes(capture, "unknown_servers"))) return {};
  const std::uint32_t servers = inferred ? capture.parameter_server->job.servers.value_or(0) : 0;
  return fmt::format(
      "No job.yaml was found next to the traces: {}, the rule that spreads keys over servers, the order of control "
      "messages and the speed of links are guesses, and predictions can be far off. See docs/reference/job.md.",
      servers == 0   ? std::string("the number of servers")
      : servers == 1 ? std::string("that there is 1 server")
                     : fmt::format("that there are {} servers", servers));
}

/// The shortest and the longest measured time.
struct Spread {
  Duration shortest{};
  Duration longest{};
  [[nodiscard]] bool is_wide() const { return ratio(longest, shortest) > 1.2; }
};

/// Returns the spread of the steps of `rank`, or of all ranks.
Spread spread_of(const Summary& summary, std::optional<Rank> rank) {
  Spread spread;
  for (const StepReport& step : summary.steps) {
    if (rank && step.rank != *rank) continue;
    spread.shortest = spread.longest == Duration{} ? step.measured : std::min(spread.shortest, step.measured);
    spread.longest = std::max(spread.longest, step.measured);
  }
  return spread;
}

/// Returns "; ranks take from 12.5 ms to 19.9 ms" if each rank has one step; empty if they take about equally long.
std::string rank_spread_text(const Summary& summary, std::size_t steps) {
  const Spread spread = spread_of(summary, std::nullopt);
  if (steps != 1 || !spread.is_wide()) return {};
  return fmt::format("; ranks take from {} to {}", to_text(spread.shortest), to_text(spread.longest));
}

/// Returns "258.9 ms"; "339.0 ms on average, from 150.2 ms to 828.9 ms, typically 258.9 ms" if the steps differ much.
std::string times_text(const Summary& summary, std::string typical) {
  const Spread spread = spread_of(summary, slowest_rank(summary).rank);
  if (!spread.is_wide()) return typical;
  return fmt::format("{} on average, from {} to {}, typically {}", to_text(summary.iteration.mean),
                     to_text(spread.shortest), to_text(spread.longest), typical);
}

/// Returns "; 64.0 % of it is spent waiting for data"; empty if it is less than a twentieth.
std::string loader_text(const Summary& summary) {
  constexpr double kLeast = 0.05;
  const double share = waiting_for_data(summary);
  return share < kLeast ? "" : fmt::format("; {} of it is spent waiting for data", percent(share));
}

/// Returns "; GPU busy 23.8 %", the mean over the ranks that have device work; empty without device work.
std::string busy_text(const Summary& summary) {
  double sum = 0;
  std::size_t ranks = 0;
  for (const RankBreakdown& rank : summary.ranks) {
    if (!rank.computes_on_device) continue;
    sum += ratio(rank.device_busy, rank.iteration);
    ++ranks;
  }
  return ranks == 0 ? "" : fmt::format("; GPU busy {}", percent(sum / static_cast<double>(ranks)));
}

/// Returns "; limited by the CPU"; empty without device work.
std::string limit_text(const Summary& summary, const CriticalPath& path) {
  const std::string_view limit = limit_of(summary, path);
  return limit.empty() ? "" : fmt::format("; limited by {}", limit);
}

/// Returns "; 12 % of the device time is outside whole steps"; empty if it is less than 1 %.
std::string outside_text(const Capture& capture) {
  if (capture.recording.step.empty()) return {};
  double outside = 0;
  double all = 0;
  for (const TaskId task : capture.dag.tasks()) {
    if (capture.dag.lane(task).kind != LaneKind::kStream) continue;
    const auto time = static_cast<double>(capture.dag.duration(task).count());
    const std::int32_t step = capture.recording.step[task.index()];
    all += time;
    if (step < 0 || is_set_aside(capture.recording.steps[static_cast<std::size_t>(step)])) outside += time;
  }
  constexpr double kLeast = 0.01;
  return outside < kLeast * all || all == 0
             ? ""
             : fmt::format("; {} of the GPU time is outside whole steps", percent(outside / all));
}

}  // namespace

bool steps_differ(const Summary& summary) { return spread_of(summary, slowest_rank(summary).rank).is_wide(); }

std::string_view limit_of(const Summary& summary, const CriticalPath& path) {
  const RankBreakdown slowest = slowest_rank(summary);
  const bool has_device = std::any_of(summary.ranks.begin(), summary.ranks.end(),
                                      [](const RankBreakdown& rank) { return rank.computes_on_device; });
  if (!has_device || path.length <= Duration{}) return {};
  const Duration mean = summary.iteration.mean_replayed;
  const double device_idle = 1 - ratio(slowest.device_busy, mean > Duration{} ? mean : slowest.iteration);
  if (device_idle > 0.1 && waiting_for_data(summary) > device_idle / 2) return "waiting for data";
  if (summary.iteration.pace == Pace::kHost) return "the CPU";
  if (summary.iteration.pace == Pace::kDevice) return "the GPU";
  const std::array<std::pair<Duration, std::string_view>, 5> parts{
      {{path[PathClass::kHost], "the CPU"},
       {path[PathClass::kCompute] + path[PathClass::kCopy], "the GPU"},
       {path[PathClass::kCommunication], "communication"},
       {path[PathClass::kLoader], "waiting for data"},
       {path[PathClass::kWait] + path[PathClass::kQueueing], "waiting"}}};
  const auto largest =
      *std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return ratio(largest.first, path.length) >= 0.5 ? largest.second : "several things in turn";
}

std::string headline(const Capture& capture, const Summary& summary, const CriticalPath& path) {
  const IterationReport& iteration = summary.iteration;
  const std::string tasks = counted(capture.dag.task_count(), "task");
  const std::string ranks = ranks_text(capture.dag, summary);
  if (!summary.measured && has_modelled_times(capture)) {
    return fmt::format("{} on {} take {} in the replay, by modelled times; there is no measured time to compare with.",
                       tasks, ranks, to_text(iteration.replayed));
  }
  if (!summary.measured) {
    return fmt::format("{} on {} take {} in the replay; there is no measured time to compare with.", tasks, ranks,
                       to_text(iteration.replayed));
  }
  const std::string measured = to_text(iteration.measured);
  const std::string replayed = to_text(iteration.replayed);
  const std::string times = measured == replayed ? measured : fmt::format("{}, replayed as {}", measured, replayed);
  std::set<std::int64_t> numbers;
  for (const StepReport& step : summary.steps) numbers.insert(step.step);
  if (numbers.empty() || !summary.marked) {
    const std::string what =
        numbers.size() < 2 ? "all of it takes" : fmt::format("a typical one of its {} windows takes", numbers.size());
    const bool outside = capture.diagnostics.count_of("device_work_outside_steps") > 0;
    const std::string_view steps = summary.marked ? "has no whole step"
                                   : outside      ? "marks steps that hold less than half of the device's work"
                                                  : "marks no steps";
    return fmt::format("The capture {}; {} {} ({}, {}).", steps, what, times, ranks, tasks);
  }
  const std::size_t all_steps = step_count(capture.recording);
  const std::string steps = numbers.size() < all_steps
                                ? fmt::format("{} of {}", numbers.size(), counted(all_steps, "step"))
                                : counted(all_steps, "step");
  return fmt::format("Step time {} ({}, {}, {}){}.", times_text(summary, times), steps, ranks, tasks,
                     busy_text(summary) + limit_text(summary, path) + loader_text(summary) +
                         rank_spread_text(summary, numbers.size()) + outside_text(capture));
}

std::string untested_reason(const Capture& capture) {
  if (capture.dag.task_count() > kMostPerturbedTasks) {
    return fmt::format("the graph has more than {} tasks (select fewer steps with --steps)",
                       grouped(kMostPerturbedTasks));
  }
  return step_count(capture.recording) > 1 ? "the ranks have different numbers of steps"
                                           : "one step of one rank cannot be predicted from another";
}

std::string trust_line(const Capture& capture, const Summary& summary, const CriticalPath& path,
                       const std::optional<Perturbation>& perturbation) {
  if (!summary.measured) return {};
  if (const Assumption* const given = find_assumption(capture.assumptions, kClusterFile)) return given->sentence;
  std::string tested;
  if (!perturbation) {
    tested = "No self-check: " + untested_reason(capture);
  } else {
    const std::string_view what = perturbation->between_ranks ? "rank" : "step";
    tested =
        fmt::format("Self-check: one {0}'s graph predicts the others within {1} on average (the {0}s differ by {2})",
                    what, percent(perturbation->error), percent(perturbation->difference));
  }
  if (const std::optional<double> held_out = worst_held_out(summary))
    tested += fmt::format("; the most unusual step is {} off the typical one", percent(*held_out));
  std::string waits;
  const auto add = [&waits](double share, std::string_view what) {
    if (share >= kLeastShown) waits += fmt::format("{}{} takes {}", waits.empty() ? "" : " and ", what, percent(share));
  };
  add(ratio(path.unexplained, path.length), "unexplained waiting");
  add(ratio(path.silent, path.length), "CPU time without events");
  add(ratio(path.paused, path.length), "CPU time in pauses");
  waits =
      waits.empty() ? "Every wait on the critical path is explained" : fmt::format("On the critical path, {}", waits);
  if (path.inferred > 0) {
    waits += fmt::format("; {} of the {} on it {} recorded, {} inferred from times",
                         grouped(path.hand_overs - path.inferred), counted(path.hand_overs, "wait"),
                         path.hand_overs - path.inferred == 1 ? "was" : "were", grouped(path.inferred));
  }
  return fmt::format("{}. {}.", tested, waits);
}

bool hosts_stand_for_ranks(const Cluster& cluster, const Capture& capture) {
  const std::optional<std::set<std::string>> hosts = known_hosts(capture);
  const std::size_t ranks = hosts_of_ranks(capture.dag).size();
  return hosts && cluster.hosts.size() == ranks && hosts->size() < ranks;
}

std::string headline(const Calibration& calibration, const Capture& capture) {
  const std::string cluster = cluster_text(calibration.cluster, capture);
  if (calibration.fits.empty())
    return fmt::format("Nothing could be fitted; the cluster is assumed to have {}.", cluster);
  const auto worst = std::max_element(calibration.fits.begin(), calibration.fits.end(),
                                      [](const Fit& a, const Fit& b) { return a.residual < b.residual; });
  if (std::isnan(worst->residual)) return fmt::format("Calibrated a cluster with {}.", cluster);
  return fmt::format("Calibrated a cluster with {}; the worst fit, {}, has a median error of {} over {}.", cluster,
                     shown(worst->what), percent(worst->residual), counted(worst->samples, "sample"));
}

std::string warning_of(const Capture& capture) {
  const std::uint64_t launches = capture.diagnostics.count_of(kNoDeviceWork);
  if (launches > 0) {
    return fmt::format(
        "The capture lacks its device work: {} and not one kernel, so all times are CPU times. Record with "
        "ProfilerActivity.CUDA, and make sure that no other tool uses CUPTI.",
        launches_text(launches));
  }
  if (assumes(capture, "untied_ranks")) {
    return fmt::format("These {} captures have no collective and no message in common: each is replayed on its own.",
                       capture.recording.ranks.size());
  }
  if (std::string lost = lost_kernels_warning(capture); !lost.empty()) return lost;
  if (std::string empty = empty_graphs_warning(capture.diagnostics); !empty.empty()) return empty;
  std::string sample = sample_warning(capture.diagnostics);
  return sample.empty() ? guess_warning(capture) : sample;
}

std::string essential_loss(const Capture& capture) {
  const Diagnostics& diagnostics = capture.diagnostics;
  if (const std::uint64_t launches = diagnostics.count_of(kNoDeviceWork); launches > 0)
    return fmt::format("lacks its device work: {} and not one kernel", launches_text(launches));
  if (diagnostics.count_of("device_not_recorded") > 0)
    return "lacks its device work: operators of CUDA and not one kernel";
  if (is_cut_before_device_work(capture)) return "lacks its device work: the file is cut off before the first kernel";
  if (const Diagnostics::Entry* const sample = find_entry(diagnostics, kSample))
    return fmt::format("is a sample: {}", shown(sample->detail));
  if (has_whole_step(capture.recording)) return {};
  if (diagnostics.count_of("mistimed_device_work") > 0)
    return "has device work at times that cannot be right, and no whole step without it";
  const std::uint64_t lost = diagnostics.count_of(kLostKernels);
  if (lost == 0) return {};
  return fmt::format("lost at least {}, and has no whole step", counted(lost, "kernel"));
}

std::string caution_of(const Diagnostics& diagnostics) {
  std::string names;
  for (const Diagnostics::Entry& entry : diagnostics.entries()) {
    if (entry.severity != Severity::kDataLoss || entry.name == kNoDeviceWork || entry.name == kSample) continue;
    // Diagnostics of unknown event categories state a share of the trace's span.
    const bool has_share = entry.detail.ends_with("of the span");
    add_item(names, fmt::format("{} ({}{})", shown(entry.name), grouped(entry.count),
                                has_share ? ", " + shown(entry.detail) : ""));
  }
  return names.empty()
             ? names
             : fmt::format("Part of the input could not be used: {}; 'stepsim check' explains the consequences.",
                           names);
}

std::vector<Sentence> diagnostic_sentences(const Diagnostics& diagnostics) {
  std::vector<Sentence> sentences;
  for (const Diagnostics::Entry& entry : diagnostics.entries()) {
    if (entry.severity == Severity::kInfo && entry.detail.empty()) continue;
    const bool lost = entry.severity == Severity::kDataLoss && !entry.first.file.empty();
    sentences.emplace_back(fmt::format("{} ({}): {}{}", entry.name, grouped(entry.count), entry.remedy,
                                       lost ? fmt::format(" [first at {}]", entry.first.to_text()) : std::string()),
                           entry.detail);
  }
  if (!sentences.empty()) sentences.emplace_back("'stepsim help NAME' explains each of these");
  return sentences;
}

void add_input_defects(Document& document, const Diagnostics& diagnostics) {
  document.caution = caution_of(diagnostics);
  if (std::vector<Sentence> sentences = diagnostic_sentences(diagnostics); !sentences.empty())
    document.sections.push_back({.title = "Input", .table = {}, .sentences = std::move(sentences)});
}

std::string to_text(const Slowing& slowing) {
  return fmt::format("with the profiler a step takes {}, without it {} (measured_step of job.yaml): {}",
                     stepsim::to_text(slowing.recorded), stepsim::to_text(slowing.free),
                     slowing.is_seen()
                         ? fmt::format("the profiler slows this job by {}", percent(slowing.share()))
                         : fmt::format("{}, which is within the spread of the recorded steps (the shortest takes {})",
                                       signed_percent(slowing.share()), stepsim::to_text(slowing.shortest)));
}

}  // namespace stepsim::sim
