#include "sim/report/perturbation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/report/rank_steps.h"

namespace stepsim::sim {
namespace {

/// By step: the one whose durations it gets. Itself where it is no part of the test.
using Partners = std::vector<std::size_t>;

std::optional<Partners> partners_of(const std::map<Rank, RankSteps>& ranks, std::size_t steps) {
  Partners partners(steps);
  for (std::size_t i = 0; i < steps; ++i) partners[i] = i;
  std::size_t most = 0;
  for (const auto& [rank, times] : ranks) {
    if (times.whole == 0) continue;
    const std::size_t count = times.steps.size();
    if (count < 2 || (most != 0 && count != most)) return std::nullopt;
    most = count;
    for (std::size_t i = 0; i < count; ++i) partners[times.steps[i].step] = times.steps[(i + 1) % count].step;
  }
  return most == 0 ? std::nullopt : std::optional{std::move(partners)};
}

/// A task of a step, in an order in which the tasks of two steps that do the same thing meet.
struct Entry {
  std::int32_t step = -1;
  LaneId lane;
  TaskKind kind = TaskKind::kHost;
  NameId name;
  Time start;
  TaskId task;

  [[nodiscard]] auto what() const { return std::tuple{lane, kind, name}; }
};

std::vector<Entry> entries_of(const Capture& capture, const Partners& partners) {
  const Dag& dag = capture.dag;
  std::vector<bool> used(partners.size(), false);
  for (std::size_t i = 0; i < partners.size(); ++i) {
    if (partners[i] != i) used[i] = true;
  }
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < dag.task_count(); ++i) {
    const std::int32_t step = capture.recording.step[i];
    if (step < 0 || !used[static_cast<std::size_t>(step)]) continue;
    const TaskId task{i};
    entries.push_back({step, dag.lane_id(task), dag.kind(task), dag.name_id(task), capture.recording.start[i], task});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tuple{a.step, a.what(), a.start, a.task} < std::tuple{b.step, b.what(), b.start, b.task};
  });
  return entries;
}

/// What tasks without a counterpart take on one lane, in the step whose graph is used and in the other one.
struct Rest {
  double here = 0;
  double there = 0;
  std::vector<TaskId> tasks;
};

/// Sets the durations of one step's tasks to those of another's.
class Exchange {
 public:
  Exchange(const Machine& machine, std::vector<Duration>& durations) : machine_(machine), durations_(durations) {}

  void run(std::span<const Entry> here, std::span<const Entry> there) {
    std::map<LaneId, Rest> rests;
    auto a = here.begin();
    auto b = there.begin();
    while (a != here.end() || b != there.end()) {
      if (b == there.end() || (a != here.end() && a->what() < b->what())) {
        Rest& rest = rests[a->lane];
        rest.here += recorded(*a);
        rest.tasks.push_back(a->task);
        ++a;
      } else if (a == here.end() || b->what() < a->what()) {
        rests[b->lane].there += recorded(*b);
        ++b;
      } else {
        durations_[a->task.index()] = machine_.duration(b->task);
        ++a;
        ++b;
      }
    }
    for (const auto& [lane, rest] : rests) {
      if (rest.here <= 0) continue;
      const double factor = rest.there / rest.here;
      for (const TaskId task : rest.tasks) {
        const double length = factor * static_cast<double>(machine_.duration(task).count());
        durations_[task.index()] = Duration{std::llround(length)};
      }
    }
  }

 private:
  [[nodiscard]] double recorded(const Entry& entry) const {
    return static_cast<double>(machine_.duration(entry.task).count());
  }

  const Machine& machine_;
  std::vector<Duration>& durations_;
};

std::vector<Duration> exchanged_durations(const Capture& capture, const Machine& machine, const Partners& partners) {
  std::vector<Duration> durations;
  durations.reserve(capture.dag.task_count());
  for (std::size_t i = 0; i < capture.dag.task_count(); ++i) durations.push_back(machine.duration(TaskId{i}));
  const std::vector<Entry> entries = entries_of(capture, partners);
  const auto of_step = [&](std::size_t step) {
    const auto number = static_cast<std::int32_t>(step);
    const auto begin =
        std::partition_point(entries.begin(), entries.end(), [&](const Entry& e) { return e.step < number; });
    const auto end = std::partition_point(begin, entries.end(), [&](const Entry& e) { return e.step == number; });
    return std::span<const Entry>(begin, end);
  };
  Exchange exchange(machine, durations);
  for (std::size_t step = 0; step < partners.size(); ++step) {
    if (partners[step] != step) exchange.run(of_step(step), of_step(partners[step]));
  }
  return durations;
}

using TimesByStep = std::map<std::size_t, MeasuredAndReplayed>;

void add_times(const std::vector<TimedStep>& steps, TimesByStep& times) {
  for (const TimedStep& step : steps) times.emplace(step.step, step.time);
}

/// Whether the steps of a rank are timed by its device's completions.
bool by_completions(const RankSteps& rank) { return rank.pace == Pace::kDevice; }

}  // namespace

std::optional<Perturbation> perturbation_test(const Capture& capture, const Machine& machine, const Timeline& timeline,
                                              const EngineOptions& options) {
  const Recording& recording = capture.recording;
  const Dag& dag = capture.dag;
  if (recording.start.size() != timeline.size() || dag.task_count() > kMostPerturbedTasks) return std::nullopt;
  const std::map<Rank, RankSteps> ranks = rank_steps(dag, recording, timeline);
  const std::optional<Partners> partners = partners_of(ranks, recording.steps.size());
  if (!partners) return std::nullopt;

  Machine other = machine;
  other.set_durations(exchanged_durations(capture, machine, *partners));
  const Timeline predicted = replay(dag, other, options);

  TimesByStep before;
  TimesByStep after;
  const std::map<Rank, RankSteps> predicted_ranks = rank_steps(dag, recording, predicted);
  for (const auto& [rank, steps] : ranks) {
    add_times(steps.steps, before);
    const RankSteps& other_steps = predicted_ranks.at(rank);  // at the same pace, whichever binds there
    add_times(by_completions(steps) == by_completions(other_steps) ? other_steps.steps : other_steps.at_other_pace,
              after);
  }
  Perturbation result;
  for (const auto& [step, time] : before) {
    const auto found = after.find(step);
    const auto meant = before.find((*partners)[step]);
    if (found == after.end() || meant == before.end() || meant->second.measured == Duration{}) continue;
    const Duration measured = meant->second.measured;
    const double error = std::abs(ratio(found->second.replayed - measured, measured));
    result.error += error;
    result.worst_error = std::max(result.worst_error, error);
    result.difference += std::abs(ratio(time.measured - measured, measured));
    ++result.steps;
  }
  if (result.steps == 0) return std::nullopt;
  result.error /= static_cast<double>(result.steps);
  result.difference /= static_cast<double>(result.steps);
  return result;
}

}  // namespace stepsim::sim
