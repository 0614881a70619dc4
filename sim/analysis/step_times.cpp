#include "sim/analysis/step_times.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "model/base/median.h"
#include "sim/analysis/rank_steps.h"
#include "sim/analysis/task_names.h"

namespace stepsim::sim {
namespace {

/// The first forward operator's start and the last backward operator's end in a step.
struct Passes {
  Time begin = Time::max();
  Time end = Time::min();
};

std::vector<Passes> passes_of_steps(const Capture& capture) {
  const Recording& recording = capture.recording;
  std::vector<Passes> passes(recording.steps.size());
  for (std::size_t i = 0; i < recording.step.size(); ++i) {
    if (recording.step[i] < 0) continue;
    Passes& of = passes[static_cast<std::size_t>(recording.step[i])];
    const std::string_view name = capture.dag.name(TaskId{i});
    if (name.starts_with(kForward)) of.begin = std::min(of.begin, recording.start[i]);
    if (name.starts_with(kBackward)) of.end = std::max(of.end, recording.finish[i]);
  }
  return passes;
}

}  // namespace

std::vector<PassTimes> pass_times(const Capture& capture, const Timeline& timeline) {
  const std::vector<Passes> passes = passes_of_steps(capture);
  std::map<Rank, std::string> hosts = hosts_of_ranks(capture.dag);
  std::vector<PassTimes> times;
  for (const auto& [rank, steps] : rank_steps(capture.dag, capture.recording, timeline)) {
    PassTimes one{.rank = rank, .host = hosts[rank], .steps = steps.whole, .iteration = steps.iteration.measured};
    std::vector<Duration> lengths;
    for (const TimedStep& step : steps.steps) {
      const Passes& of = passes[step.step];
      if (of.begin < of.end) lengths.push_back(of.end - of.begin);
    }
    if (!lengths.empty() && lengths.size() == steps.steps.size()) one.passes = median(std::move(lengths));
    times.push_back(std::move(one));
  }
  return times;
}

std::int64_t typical_step(const Summary& summary, const std::vector<std::int64_t>& among) {
  std::map<std::int64_t, Duration> times;
  for (const StepReport& step : summary.steps) {
    if (std::find(among.begin(), among.end(), step.step) == among.end()) continue;
    Duration& longest = times[step.step];
    longest = std::max(longest, step.replayed);
  }
  std::vector<std::pair<Duration, std::int64_t>> ordered;
  ordered.reserve(times.size());
  for (const auto& [number, time] : times) ordered.emplace_back(time, number);
  std::sort(ordered.begin(), ordered.end());
  return ordered.empty() ? among.front() : ordered[(ordered.size() - 1) / 2].second;
}

SimulatedSteps simulated_steps(const Capture& capture, const Timeline& timeline, std::int64_t repeated) {
  const auto ranks = rank_steps(capture.dag, capture.recording, timeline);
  SimulatedSteps result{.repeated = repeated};
  for (const auto& [rank, steps] : ranks) {
    for (const TimedStep& step : steps.steps)
      result.steps.push_back({rank, capture.recording.steps[step.step].number, step.begin, step.time.replayed});
    result.iterations = std::max(result.iterations, steps.whole);
  }
  result.iteration = longest_iteration(ranks).replayed;
  for (const Time finish : timeline.finish) result.span = std::max(result.span, finish - Time{});
  return result;
}

}  // namespace stepsim::sim
