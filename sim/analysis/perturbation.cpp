#include "sim/analysis/perturbation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/analysis/rank_steps.h"

namespace stepsim::sim {
namespace {

/// Assigns to each tested step the other step whose durations it gets in the test.
struct Partners {
  std::vector<std::size_t> of;  ///< indexed by step; the step itself if it is not tested
  /// For each rank, the rank whose start time it gets. Empty unless every tested rank has exactly one step.
  std::map<Rank, Rank> late_start;
};

/// True if a rank's last step is timed in another way than its others, and at least two others remain. No step begins
/// after the last one. If the device was still busy with the previous step when it began, it is timed from the end of
/// that work, and not from its start.
bool differs_in_last(const RankSteps& rank, const Recording& recording, const Timeline& timeline) {
  if (rank.iterations.size() < 2 || rank.pace == Pace::kDevice) return false;
  const TimedStep& last = rank.steps.back();
  return last.begin != timeline.start[recording.steps[last.step].first.index()];
}

/// Returns each step's partner. Returns nothing if there are no two steps to exchange, or if ranks have different
/// numbers of steps.
std::optional<Partners> partners_of(const std::map<Rank, RankSteps>& ranks, const Recording& recording,
                                    const Timeline& timeline) {
  Partners partners{.of = std::vector<std::size_t>(recording.steps.size()), .late_start = {}};
  std::iota(partners.of.begin(), partners.of.end(), std::size_t{0});
  std::vector<std::pair<Rank, const RankSteps*>> tested;
  for (const auto& [rank, times] : ranks) {
    if (times.whole > 0) tested.emplace_back(rank, &times);
  }
  if (tested.empty()) return std::nullopt;
  const bool without_last = std::any_of(tested.begin(), tested.end(), [&](const auto& entry) {
    return differs_in_last(*entry.second, recording, timeline);
  });
  const auto steps_of = [without_last](const RankSteps& rank) -> const std::vector<TimedStep>& {
    return without_last ? rank.iterations : rank.steps;
  };
  const std::size_t count = steps_of(*tested.front().second).size();
  const bool alike = std::all_of(tested.begin(), tested.end(),
                                 [&](const auto& entry) { return steps_of(*entry.second).size() == count; });
  if (!alike || count == 0 || (count == 1 && tested.size() == 1)) return std::nullopt;
  for (std::size_t r = 0; r < tested.size(); ++r) {
    const std::vector<TimedStep>& mine = steps_of(*tested[r].second);
    for (std::size_t i = 0; count > 1 && i < count; ++i) partners.of[mine[i].step] = mine[(i + 1) % count].step;
    if (count > 1) continue;
    const auto& [other, times] = tested[(r + 1) % tested.size()];
    partners.of[mine.front().step] = steps_of(*times).front().step;
    partners.late_start[tested[r].first] = other;
  }
  return partners;
}

/// Returns the names of streams that occur in several ranks.
std::set<std::string> shared_streams(const Dag& dag) {
  std::map<std::string, Rank> first;
  std::set<std::string> shared;
  for (const Lane& lane : dag.lanes()) {
    if (lane.kind != LaneKind::kStream) continue;
    if (first.try_emplace(lane.name, lane.rank).first->second != lane.rank) shared.insert(lane.name);
  }
  return shared;
}

/// Returns a number for each lane. Lanes of different ranks get the same number if they correspond. Streams correspond
/// by name if several ranks have a stream of that name. All other lanes are sorted by the amount of work on them: the
/// busiest thread of one rank corresponds to the busiest thread of another.
std::vector<std::uint32_t> roles_of(const Dag& dag) {
  std::vector<std::int64_t> busy(dag.lanes().size());
  for (const TaskId task : dag.tasks()) busy[dag.lane_id(task).index()] += dag.duration(task).count();
  std::vector<std::size_t> order(dag.lanes().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return busy[a] > busy[b]; });
  const std::set<std::string> by_name = shared_streams(dag);
  std::map<std::pair<Rank, LaneKind>, std::size_t> seen;
  std::map<std::pair<LaneKind, std::string>, std::uint32_t> numbers;
  std::vector<std::uint32_t> roles(order.size());
  for (const std::size_t i : order) {
    const Lane& lane = dag.lanes()[i];
    const bool named = lane.kind == LaneKind::kStream && by_name.contains(lane.name);
    const std::string label = named ? lane.name : std::to_string(seen[{lane.rank, lane.kind}]++);
    roles[i] = numbers.try_emplace({lane.kind, label}, static_cast<std::uint32_t>(numbers.size())).first->second;
  }
  return roles;
}

/// A task of a step. Tasks that do the same work in different steps have the same number `work`.
struct Entry {
  std::uint32_t work = 0;
  TaskId task;
};

/// Returns a number for the work of each task. Tasks have the same number if their lanes have the same role, and if
/// their kinds and names are the same. O(tasks).
std::vector<std::uint32_t> works_of(const Dag& dag, const std::vector<std::uint32_t>& roles) {
  constexpr unsigned kKindBits = 8;
  constexpr unsigned kNameBits = 32;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;  // never iterated
  std::vector<std::uint32_t> works;
  works.reserve(dag.task_count());
  for (const TaskId task : dag.tasks()) {
    const std::uint64_t role = roles[dag.lane_id(task).index()];
    const std::uint64_t where = role << kKindBits | static_cast<std::uint64_t>(dag.kind(task));
    const std::uint64_t key = where << kNameBits | dag.name_id(task).value();
    works.push_back(numbers.try_emplace(key, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  return works;
}

/// Returns the numbers of tasks with the same work one after another, each in ascending order. O(tasks).
std::vector<TaskId> sorted_by_work(const std::vector<std::uint32_t>& works) {
  std::vector<std::uint32_t> ends;
  for (const std::uint32_t work : works) {
    if (work >= ends.size()) ends.resize(work + 1);  // numbers are given in this order
    ++ends[work];
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<TaskId> sorted(works.size());
  for (std::size_t i = works.size(); i-- > 0;) sorted[--ends[works[i]]] = TaskId{i};
  return sorted;
}

/// Returns the entries of each step's tasks, sorted by work and start; no entries for steps that are not tested.
std::vector<std::vector<Entry>> entries_of(const Capture& capture, const Partners& partners,
                                           const std::vector<std::uint32_t>& roles) {
  const Recording& recording = capture.recording;
  const std::vector<std::uint32_t> works = works_of(capture.dag, roles);
  std::vector<std::vector<Entry>> entries(partners.of.size());
  for (const TaskId task : sorted_by_work(works)) {
    if (recording.step[task.index()] < 0) continue;
    const auto step = static_cast<std::size_t>(recording.step[task.index()]);
    if (partners.of[step] != step) entries[step].push_back({works[task.index()], task});
  }
  const auto place_of = [&recording](const Entry& entry) {
    return std::tuple{entry.work, recording.start[entry.task.index()], entry.task};
  };
  const auto is_before = [&place_of](const Entry& a, const Entry& b) { return place_of(a) < place_of(b); };
  for (std::vector<Entry>& of_step : entries) {
    // Tasks of one lane are numbered in the order in which they start, but several streams may have one role.
    if (!std::is_sorted(of_step.begin(), of_step.end(), is_before))
      std::sort(of_step.begin(), of_step.end(), is_before);
  }
  return entries;
}

/// The tasks of one lane that have no counterpart in the other step. `tasks` and their total nanoseconds `here` are
/// from the step whose graph is used; `there` is the total of such tasks in the other step.
struct Rest {
  double here = 0;
  double there = 0;
  std::vector<TaskId> tasks;
};

/// Sets the durations of one step's tasks to the durations of another step.
class Exchange {
 public:
  Exchange(const Dag& dag, const Machine& machine, const std::vector<std::uint32_t>& roles,
           std::vector<Duration>& durations)
      : dag_(dag), machine_(machine), roles_(roles), durations_(durations) {}

  void run(std::span<const Entry> here, std::span<const Entry> there) {
    std::map<std::uint32_t, Rest> rests;  // by role of the lane
    auto a = here.begin();
    auto b = there.begin();
    while (a != here.end() || b != there.end()) {
      if (b == there.end() || (a != here.end() && a->work < b->work)) {
        Rest& rest = rests[role_of(a->task)];
        rest.here += recorded(*a);
        rest.tasks.push_back(a->task);
        ++a;
      } else if (a == here.end() || b->work < a->work) {
        rests[role_of(b->task)].there += recorded(*b);
        ++b;
      } else {
        durations_[a->task.index()] = machine_.duration(b->task);
        ++a;
        ++b;
      }
    }
    for (const auto& [role, rest] : rests) {
      if (rest.here <= 0) continue;
      const double factor = rest.there / rest.here;
      for (const TaskId task : rest.tasks) {
        const double length = factor * static_cast<double>(machine_.duration(task).count());
        durations_[task.index()] = Duration{std::llround(length)};
      }
    }
  }

 private:
  [[nodiscard]] std::uint32_t role_of(TaskId task) const { return roles_[dag_.lane_id(task).index()]; }
  [[nodiscard]] double recorded(const Entry& entry) const {
    return static_cast<double>(machine_.duration(entry.task).count());
  }

  const Dag& dag_;
  const Machine& machine_;
  const std::vector<std::uint32_t>& roles_;
  std::vector<Duration>& durations_;
};

std::vector<Duration> exchanged_durations(const Capture& capture, const Machine& machine, const Partners& partners) {
  std::vector<Duration> durations;
  durations.reserve(capture.dag.task_count());
  for (const TaskId task : capture.dag.tasks()) durations.push_back(machine.duration(task));
  const std::vector<std::uint32_t> roles = roles_of(capture.dag);
  const std::vector<std::vector<Entry>> entries = entries_of(capture, partners, roles);
  Exchange exchange(capture.dag, machine, roles, durations);
  for (std::size_t step = 0; step < partners.of.size(); ++step) {
    if (partners.of[step] != step) exchange.run(entries[step], entries[partners.of[step]]);
  }
  return durations;
}

/// Returns the start times of the tasks without predecessors. A rank's tasks get the start time of its partner rank.
std::vector<std::pair<TaskId, Time>> exchanged_origins(const Dag& dag, const Machine& machine,
                                                       const std::map<Rank, Rank>& partners) {
  std::vector<bool> has_predecessor(dag.task_count(), false);
  for (const TaskId task : dag.tasks()) {
    for (const TaskId after : dag.successors(task)) has_predecessor[after.index()] = true;
  }
  std::map<Rank, Time> start;
  for (std::size_t i = 0; i < dag.task_count(); ++i) {
    if (!has_predecessor[i]) start.try_emplace(dag.lane(TaskId{i}).rank, machine.origin(TaskId{i}));
  }
  std::vector<std::pair<TaskId, Time>> origins;
  for (std::size_t i = 0; i < dag.task_count(); ++i) {
    if (has_predecessor[i]) continue;
    const auto partner = partners.find(dag.lane(TaskId{i}).rank);
    const auto found = partner == partners.end() ? start.end() : start.find(partner->second);
    origins.emplace_back(TaskId{i}, found == start.end() ? machine.origin(TaskId{i}) : found->second);
  }
  return origins;
}

using TimesByStep = std::map<std::size_t, MeasuredAndReplayed>;

void add_times(const std::vector<TimedStep>& steps, TimesByStep& times) {
  for (const TimedStep& step : steps) times.emplace(step.step, step.time);
}

/// True if the rank's steps are timed from one completion of its device's work to the next.
bool by_completions(const RankSteps& rank) { return rank.pace == Pace::kDevice; }

}  // namespace

std::optional<Perturbation> perturbation_test(const Capture& capture, const Machine& machine, const Timeline& timeline,
                                              const EngineOptions& options) {
  const Recording& recording = capture.recording;
  const Dag& dag = capture.dag;
  if (recording.start.size() != timeline.size() || dag.task_count() > kMostPerturbedTasks) return std::nullopt;
  const std::map<Rank, RankSteps> ranks = rank_steps(dag, recording, timeline);
  const std::optional<Partners> partners = partners_of(ranks, recording, timeline);
  if (!partners) return std::nullopt;

  Machine other = machine;
  other.set_durations(exchanged_durations(capture, machine, *partners));
  if (!partners->late_start.empty()) other.set_origins(exchanged_origins(dag, machine, partners->late_start));
  const Timeline predicted = replay(dag, other, options);

  TimesByStep before;
  TimesByStep after;
  const std::map<Rank, RankSteps> predicted_ranks = rank_steps(dag, recording, predicted);
  for (const auto& [rank, steps] : ranks) {
    add_times(steps.steps, before);
    // Both times of a step must be measured at the same pace, from start to start or from completion to completion,
    // even if the other pace limits the prediction.
    const RankSteps& other_steps = predicted_ranks.at(rank);
    add_times(by_completions(steps) == by_completions(other_steps) ? other_steps.steps : other_steps.at_other_pace,
              after);
  }
  Perturbation result{.between_ranks = !partners->late_start.empty()};
  for (const auto& [step, time] : before) {
    const auto found = after.find(step);
    const auto meant = before.find(partners->of[step]);
    const bool tested = partners->of[step] != step && found != after.end() && meant != before.end();
    if (!tested || meant->second.measured == Duration{}) continue;
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
