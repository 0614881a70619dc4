#include "sim/check/replay_findings.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/analysis/intervals.h"
#include "sim/report/slowing.h"
#include "sim/report/table.h"

namespace stepsim::sim {
namespace {

using enum Question;

// A replay of what was recorded keeps every wait, so that it is off at all says that the graph is wrong.
constexpr double kReplayOff = 0.02;
constexpr double kReplayUseless = 0.2;
// Predictions of what was measured elsewhere are off by about this (docs/fidelity.md), whatever the capture.
constexpr double kTestOff = 0.1;
constexpr double kUnexplained = 0.05;
// As little as steps of one job differ anyhow.
constexpr double kSlowed = 0.02;

void add_error(const ReplayCheck& replay, std::vector<Finding>& findings) {
  const double error = std::abs(replay.summary.iteration.error);
  if (error < kReplayOff) return;
  findings.push_back({.name = "replay_off",
                      .cost = error < kReplayUseless ? Cost::kWeakens : Cost::kPrevents,
                      .weakens = Questions::all(),
                      .share = error,
                      .sentence =
                          "the replay of the captured iteration is off, so its graph lacks dependencies or has too "
                          "many",
                      .effect = "A what-if is wrong by as much at least.",
                      .remedy = "mend what is listed here, the dearest first, and record again"});
}

void add_test(const ReplayCheck& replay, std::vector<Finding>& findings) {
  if (!replay.perturbation) return;
  const Perturbation& test = *replay.perturbation;
  if (test.error < kTestOff) return;
  const std::string_view what = test.between_ranks ? "rank" : "step";
  findings.push_back(
      {.name = "graph_test_off",
       .cost = Cost::kWeakens,
       .weakens = Questions::all(),
       .count = test.steps,
       .share = test.error,
       .sentence = fmt::format("by another {0}'s graph and its own durations, a {0} is predicted this much off "
                               "({0}s differ by {1})",
                               what, percent(test.difference)),
       .effect = "Waits that stand for unknown dependencies do not follow when durations change.",
       .remedy = "record more steps, and the waits (see no_sync_events); leave warm-up steps out by --steps"});
}

void add_unexplained(const ReplayCheck& replay, std::vector<Finding>& findings) {
  const CriticalPath& path = replay.path.path;
  const double share = ratio(path.unexplained, path.length);
  if (share < kUnexplained) return;
  findings.push_back({.name = "unexplained_wait",
                      .cost = share < 0.5 ? Cost::kBlurs : Cost::kWeakens,
                      .weakens = {kHost, kDevice, kNetwork, kRanks},
                      .share = share,
                      .sentence = "of the critical path is waiting that nothing in the capture explains",
                      .effect = "No what-if can shorten it, so the most that any change can save is the rest.",
                      .remedy = "see what is listed here: waits, ranks and threads that were not recorded"});
}

void add_silence(const ReplayCheck& replay, std::vector<Finding>& findings) {
  const CriticalPath& path = replay.path.path;
  const double share = ratio(path.silent, path.length);
  if (share < kUnexplained) return;
  const bool mostly = share > 0.5;
  findings.push_back(
      {.name = "silent_host",
       .cost = mostly ? Cost::kWeakens : Cost::kBlurs,
       .weakens = mostly ? Questions{kReplay, kHost, kDevice} : Questions{kHost},
       .share = share,
       .sentence = "of the critical path is time of host threads in which no event tells what they do",
       .effect = "It may be work, which a faster host shortens, or waiting for something that was not recorded "
                 "(data, files, other processes), which it does not.",
       .remedy = "mark what the job does there with torch.profiler.record_function"});
}

void add_slowing(const Capture& capture, const ReplayCheck& replay, std::vector<Finding>& findings) {
  const std::optional<Slowing> slowing = slowing_of(capture, replay.summary);
  if (!slowing) return;
  const bool slowed = slowing->is_seen() && slowing->share() >= kSlowed;
  findings.push_back(
      {.name = "profiler_slowing",
       .cost = slowed ? Cost::kBlurs : Cost::kNothing,
       .weakens = slowed ? Questions{kReplay, kHost} : Questions{},
       .share = std::max(0.0, slowing->share()),
       .sentence = to_text(*slowing),
       .effect = slowed ? "The replay is of the slowed steps; what-ifs and sweeps take it out of the host's "
                          "work as far as events were counted."
                        : "None.",
       .remedy = slowed ? "record less: without stacks, modules and memory" : ""});
}

}  // namespace

std::vector<Finding> replay_findings(const Examined& examined) {
  std::vector<Finding> findings;
  if (examined.replay == nullptr || !examined.replay->summary.measured) return findings;
  add_error(*examined.replay, findings);
  add_test(*examined.replay, findings);
  add_unexplained(*examined.replay, findings);
  add_silence(*examined.replay, findings);
  if (examined.capture != nullptr) add_slowing(*examined.capture, *examined.replay, findings);
  return findings;
}

}  // namespace stepsim::sim
