#include "sim/analysis/slow_ranks.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "model/base/side_by_side.h"
#include "model/job/group.h"
#include "model/rewrite/capture_edit.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/like_parts.h"
#include "sim/analysis/rank_steps.h"

namespace stepsim::sim {
namespace {

constexpr std::int32_t kNoPart = -1;

/// A way to divide the ranks into parts.
struct Division {
  std::map<Rank, std::int32_t> parts;  ///< by rank
  std::vector<std::int32_t> owner;     ///< the part that a task belongs to, by task; kNoPart if none
  std::vector<SlowPart> SlowRanks::*result;

  [[nodiscard]] std::int32_t part_of(Rank rank) const {
    const auto found = parts.find(rank);
    return found == parts.end() ? kNoPart : found->second;
  }
};

/// Returns the part that all members of a collective belong to, or that of a message's sender.
std::int32_t owner_of(const Dag& dag, RendezvousId rendezvous, const Division& division) {
  const std::vector<TaskId> members = members_by_rank(dag, rendezvous);
  const auto part = [&](TaskId member) { return division.part_of(dag.lane(member).rank); };
  const Collective& collective = dag.collective(rendezvous);
  if (collective.op == CollectiveOp::kSendRecv && members.size() == 2)
    return part(members[collective.root == 0 ? 0 : 1]);
  const bool one =
      std::all_of(members.begin(), members.end(), [&](TaskId member) { return part(member) == part(members.front()); });
  return one ? part(members.front()) : kNoPart;
}

void find_owners(const Dag& dag, Division& division) {
  std::vector<std::int32_t> of_rendezvous;
  for (const RendezvousId id : dag.all_rendezvous()) of_rendezvous.push_back(owner_of(dag, id, division));
  division.owner.reserve(dag.task_count());
  for (const TaskId task : dag.tasks()) {
    const RendezvousId rendezvous = dag.rendezvous(task);
    division.owner.push_back(rendezvous.valid() ? of_rendezvous[rendezvous.index()]
                                                : division.part_of(dag.lane(task).rank));
  }
}

std::vector<Division> divisions_of(const Capture& capture) {
  std::vector<Division> divisions(1);
  divisions[0].result = &SlowRanks::ranks;
  for (const Rank rank : capture.recording.ranks) divisions[0].parts[rank] = rank;
  const auto has_place = [&](Rank rank) { return capture.places.contains(rank); };
  if (!std::all_of(capture.recording.ranks.begin(), capture.recording.ranks.end(), has_place)) return divisions;
  Division data{.parts = {}, .owner = {}, .result = &SlowRanks::data_ranks};
  Division stages{.parts = {}, .owner = {}, .result = &SlowRanks::stages};
  for (const Rank rank : capture.recording.ranks) {
    data.parts[rank] = static_cast<std::int32_t>(capture.places.at(rank).data_rank);
    stages.parts[rank] = static_cast<std::int32_t>(capture.places.at(rank).stage);
  }
  divisions.push_back(std::move(data));
  divisions.push_back(std::move(stages));
  return divisions;
}

std::set<std::int32_t> parts_of(const Division& division) {
  std::set<std::int32_t> parts;
  for (const auto& [rank, part] : division.parts) parts.insert(part);
  return parts;
}

/// Durations of tasks in nanoseconds: their number, sum and sum of squares.
struct Sums {
  double count = 0;
  double time = 0;
  double squares = 0;

  void add(Duration duration) {
    const auto length = static_cast<double>(duration.count());
    ++count;
    time += length;
    squares += length * length;
  }
  [[nodiscard]] double mean() const { return time / count; }
  /// The sum of the squared differences from the mean.
  [[nodiscard]] double spread() const { return std::max(squares - time * time / count, 0.0); }
};

/// Groups tasks that do the same work: tasks of one name, and of one place among the tasks of that name in a step of a
/// rank if the places differ more than the tasks of a place do.
class Equals {
 public:
  Equals(const Dag& dag, const Recording& recording) : dag_(dag), places_(dag.task_count()) {
    std::map<std::pair<NameId, std::int32_t>, std::uint32_t> counts;  // by name and step
    for (const TaskId task : dag.tasks()) {
      const std::int32_t step = recording.step[task.index()];
      if (step < 0) continue;
      places_[task.index()] = counts[{dag.name_id(task), step}]++;
      by_name_[dag.name_id(task)].add(dag.duration(task));
      by_place_[place_of(task)].add(dag.duration(task));
    }
    for (const auto& [place, sums] : by_place_) within_places_[place.first] += sums.spread();
    std::map<NameId, std::uint32_t> count_of;
    for (const auto& [key, count] : counts) {
      const auto [known, is_new] = count_of.try_emplace(key.first, count);
      if (!is_new && known->second != count) uneven_.insert(key.first);
    }
  }

  [[nodiscard]] Duration mean(TaskId task) const {
    const NameId name = dag_.name_id(task);
    const Sums& all = by_name_.at(name);
    const bool places_differ = !uneven_.contains(name) && within_places_.at(name) < all.spread() / 2;
    return Duration{std::llround(places_differ ? by_place_.at(place_of(task)).mean() : all.mean())};
  }

 private:
  [[nodiscard]] std::pair<NameId, std::uint32_t> place_of(TaskId task) const {
    return {dag_.name_id(task), places_[task.index()]};
  }

  const Dag& dag_;
  std::vector<std::uint32_t> places_;  // by task: number of tasks of its name before it in its step
  std::map<NameId, Sums> by_name_;
  std::map<std::pair<NameId, std::uint32_t>, Sums> by_place_;
  std::map<NameId, double> within_places_;  // spread around the mean of each place
  std::set<NameId> uneven_;                 // names of which steps have different numbers of tasks
};

/// Returns the duration of each task in a job without stragglers.
std::vector<Duration> ideal_durations(const Dag& dag, const Recording& recording) {
  const Equals equals(dag, recording);
  std::vector<Duration> ideal;
  ideal.reserve(dag.task_count());
  for (const TaskId task : dag.tasks())
    ideal.push_back(recording.step[task.index()] < 0 ? dag.duration(task) : equals.mean(task));
  return ideal;
}

/// The time of an iteration and of each step, by number: the longest of all ranks.
struct Times {
  Duration iteration{};
  std::map<std::int64_t, Duration> steps;
};

Times times_of(const Capture& capture, const Timeline& timeline) {
  const std::map<Rank, RankSteps> ranks = rank_steps(capture.dag, capture.recording, timeline);
  Times times{.iteration = longest_iteration(ranks).replayed, .steps = {}};
  for (const auto& [rank, steps] : ranks) {
    for (const TimedStep& step : steps.steps) {
      Duration& longest = times.steps[capture.recording.steps[step.step].number];
      longest = std::max(longest, step.time.replayed);
    }
  }
  return times;
}

/// The replays of one job in which some tasks take their recorded time and the others that of a job without stragglers.
class Comparison {
 public:
  Comparison(const Capture& capture, const EngineOptions& options)
      : capture_(capture),
        options_(options),
        recorded_(Machine::as_recorded(capture)),
        ideal_(ideal_durations(capture.dag, capture.recording)) {}

  /// Adds what replays of a task need besides the capture.
  void add_facts(TaskId task, const std::function<void(std::int64_t)>& add) const {
    add(ideal_[task.index()].count());
    add(recorded_.origin(task).time_since_epoch().count());
  }

  /// Replays the tasks for which `is_ideal` is true as in a job without stragglers, where all ranks begin together. The
  /// replay counts as `stands_for` replays in EngineOptions::progress.
  template <class IsIdeal>
  [[nodiscard]] Times replayed(const IsIdeal& is_ideal, std::size_t stands_for = 1) {
    const Dag& dag = capture_.dag;
    std::vector<Duration> durations;
    std::vector<std::pair<TaskId, Time>> origins;
    durations.reserve(dag.task_count());
    for (const TaskId task : dag.tasks()) {
      durations.push_back(is_ideal(task) ? ideal_[task.index()] : dag.duration(task));
      if (recorded_.origin(task) != Time{} && !is_ideal(task)) origins.emplace_back(task, recorded_.origin(task));
    }
    Machine machine(dag);
    machine.set_durations(durations);
    machine.set_origins(std::move(origins));
    Times times = times_of(capture_, replay(dag, machine, {.threads = 1, .stop = options_.stop}));
    const std::lock_guard lock(reporting_);
    done_ += stands_for;
    if (options_.progress) options_.progress(done_);
    return times;
  }

 private:
  const Capture& capture_;
  const EngineOptions& options_;
  Machine recorded_;  // for its origins
  std::vector<Duration> ideal_;
  std::mutex reporting_;
  std::size_t done_ = 0;
};

/// Returns the classes of the parts that differ in nothing that the comparison replays, as indices into `parts`.
std::vector<std::vector<std::size_t>> classes_of(const Capture& capture, const Comparison& comparison,
                                                 const Division& division, const std::vector<std::int32_t>& parts) {
  const auto part_of = [&](Rank rank) {
    const auto found = std::lower_bound(parts.begin(), parts.end(), division.part_of(rank));
    const bool is_part = found != parts.end() && *found == division.part_of(rank);
    return is_part ? static_cast<std::size_t>(found - parts.begin()) : parts.size();
  };
  const auto facts = [&](TaskId task, const std::function<void(std::int64_t)>& add) {
    comparison.add_facts(task, add);
    const std::int32_t owner = division.owner[task.index()];
    add(owner == kNoPart ? 0 : owner == division.part_of(capture.dag.lane(task).rank) ? 1 : 2);
  };
  return like_parts(capture, parts.size(), part_of, facts);
}

/// `only_part` was replayed with only the part as recorded, `without_part` with only the part without stragglers.
SlowPart slow_part(std::int32_t part, const Times& only_part, const Times& without_part, const Times& recorded,
                   const Times& ideal) {
  SlowPart result{.number = part, .place = std::nullopt, .slowdown = ratio(only_part.iteration, ideal.iteration)};
  result.saves = recorded.iteration - without_part.iteration;
  for (const auto& [number, time] : ideal.steps) {
    const auto found = only_part.steps.find(number);
    result.by_step.push_back(found == only_part.steps.end() ? 1 : ratio(found->second, time));
  }
  return result;
}

}  // namespace

std::size_t replays_for_slow_ranks(const Capture& capture) {
  std::size_t replays = 2;
  for (const Division& division : divisions_of(capture)) replays += 2 * parts_of(division).size();
  return replays;
}

std::optional<SlowRanks> slow_ranks(const Capture& capture, const EngineOptions& options) {
  if (capture.recording.ranks.size() < 2 || capture.recording.step.empty()) return std::nullopt;
  const Capture explained = without_unexplained_waits(capture);
  Comparison comparison(explained, options);
  const Times recorded = comparison.replayed([](TaskId) { return false; });
  const Times ideal = comparison.replayed([](TaskId) { return true; });
  if (recorded.steps.empty()) return std::nullopt;
  SlowRanks found{.replayed = recorded.iteration, .ideal = ideal.iteration, .steps = {}};
  for (const auto& [number, time] : recorded.steps) {
    const auto without = ideal.steps.find(number);
    found.steps.push_back({number, time, without == ideal.steps.end() ? Duration{} : without->second});
  }
  for (Division& division : divisions_of(explained)) {
    find_owners(explained.dag, division);
    const std::set<std::int32_t> all = parts_of(division);
    const std::vector<std::int32_t> parts(all.begin(), all.end());
    std::vector<SlowPart>& slow = found.*division.result;
    slow.resize(parts.size());
    const std::vector<std::vector<std::size_t>> classes = classes_of(explained, comparison, division, parts);
    side_by_side(options.threads, classes.size(), [&](std::size_t i) {
      const std::vector<std::size_t>& like = classes[i];
      const auto is_of_part = [&](TaskId task) { return division.owner[task.index()] == parts[like.front()]; };
      const Times only_part = comparison.replayed([&](TaskId task) { return !is_of_part(task); }, like.size());
      const Times without_part = comparison.replayed(is_of_part, like.size());
      for (const std::size_t part : like) slow[part] = slow_part(parts[part], only_part, without_part, recorded, ideal);
    });
    std::stable_sort(slow.begin(), slow.end(),
                     [](const SlowPart& a, const SlowPart& b) { return a.slowdown > b.slowdown; });
  }
  for (SlowPart& rank : found.ranks) {
    const auto place = capture.places.find(rank.number);
    if (place != capture.places.end()) rank.place = place->second;
  }
  return found;
}

}  // namespace stepsim::sim
