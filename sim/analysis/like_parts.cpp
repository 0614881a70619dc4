#include "sim/analysis/like_parts.h"

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <limits>
#include <map>
#include <unordered_map>

namespace stepsim::sim {
namespace {

/// All that a replay and its steps depend on in a part, with the part's own numbers for its tasks, lanes and steps.
using Description = std::vector<std::int64_t>;
constexpr std::int64_t kNothing = std::numeric_limits<std::int64_t>::max();

class Describer {
 public:
  Describer(const Capture& capture, std::size_t parts, const std::function<std::size_t(Rank)>& part_of_rank,
            const TaskFacts& facts)
      : dag_(capture.dag),
        recording_(capture.recording),
        facts_(facts),
        tasks_(parts + 1),
        steps_(parts + 1),
        joined_(parts + 1, false),
        own_number_(dag_.task_count()),
        own_step_(recording_.steps.size()),
        is_inner_(dag_.rendezvous_count()) {
    for (const Lane& lane : dag_.lanes()) part_of_lane_.push_back(std::min(part_of_rank(lane.rank), parts));
    for (const TaskId task : dag_.tasks()) own_number_[task.index()] = add_to(tasks_[part_of(task)], task);
    for (std::size_t i = 0; i < recording_.steps.size(); ++i)
      own_step_[i] = add_to(steps_[std::min(part_of_rank(recording_.steps[i].rank), parts)], i);
    for (const TaskId task : dag_.tasks()) find_joined(task);
    for (const RendezvousId id : dag_.all_rendezvous()) {
      const auto members = dag_.members(id);
      is_inner_[id.index()] = std::all_of(members.begin(), members.end(),
                                          [&](TaskId member) { return part_of(member) == part_of(members.front()); });
    }
  }

  /// True if the part has edges to or from tasks of others.
  [[nodiscard]] bool is_joined(std::size_t part) const { return joined_[part]; }

  [[nodiscard]] Description describe(std::size_t part) const {
    Description of;
    const auto add = [&of](std::int64_t fact) { of.push_back(fact); };
    std::map<LaneId, std::int64_t> lanes;
    std::map<Rank, std::int64_t> ranks;
    std::map<RendezvousId, std::int64_t> inner;
    const auto number = [](auto& numbers, auto key) {
      return numbers.try_emplace(key, static_cast<std::int64_t>(numbers.size())).first->second;
    };
    for (const TaskId task : tasks_[part]) {
      const Lane& lane = dag_.lane(task);
      add(number(lanes, dag_.lane_id(task)));
      add(number(ranks, lane.rank));
      add(static_cast<std::int64_t>(lane.kind));
      add(static_cast<std::int64_t>(dag_.kind(task)));
      add(dag_.duration(task).count());
      const std::int32_t step = recording_.step[task.index()];
      add(step < 0 ? kNothing : std::int64_t{own_step_[static_cast<std::size_t>(step)]});
      const RendezvousId met = dag_.rendezvous(task);
      add(!met.valid() ? kNothing : is_inner_[met.index()] ? -1 - number(inner, met) : std::int64_t{met.value()});
      facts_(task, add);
      for (const EdgeId edge : dag_.edges_from(task)) {
        add(own_number_[dag_.target(edge).index()]);
        add(static_cast<std::int64_t>(dag_.edge_kind(edge)));
        add(dag_.lag(edge).count());
      }
      add(kNothing);  // where the description of a task ends
    }
    for (const std::size_t i : steps_[part]) {
      const RecordedStep& step = recording_.steps[i];
      add(number(ranks, step.rank));
      add(step.number);
      add(step.first.valid() ? std::int64_t{own_number_[step.first.index()]} : kNothing);
      for (const bool is : {step.next_follows, step.whole, step.marked, step.asked}) add(is ? 1 : 0);
    }
    return of;
  }

 private:
  [[nodiscard]] std::size_t part_of(TaskId task) const { return part_of_lane_[dag_.lane_id(task).index()]; }

  template <class T>
  static std::uint32_t add_to(std::vector<T>& list, T one) {
    list.push_back(one);
    return static_cast<std::uint32_t>(list.size() - 1);
  }

  void find_joined(TaskId task) {
    for (const TaskId next : dag_.successors(task)) {
      if (part_of(task) != part_of(next)) joined_[part_of(task)] = joined_[part_of(next)] = true;
    }
  }

  const Dag& dag_;
  const Recording& recording_;
  const TaskFacts& facts_;
  std::vector<std::size_t> part_of_lane_;
  // By part; the last entry is for ranks that are in none.
  std::vector<std::vector<TaskId>> tasks_;
  std::vector<std::vector<std::size_t>> steps_;  ///< indices into Recording::steps
  std::vector<bool> joined_;
  std::vector<std::uint32_t> own_number_;  ///< indexed by task: its index in tasks_
  std::vector<std::uint32_t> own_step_;    ///< the same for steps
  std::vector<bool> is_inner_;             ///< indexed by rendezvous: true if all members are of one part
};

}  // namespace

std::vector<std::vector<std::size_t>> like_parts(const Capture& capture, std::size_t parts,
                                                 const std::function<std::size_t(Rank)>& part_of_rank,
                                                 const TaskFacts& facts) {
  const Describer describer(capture, parts, part_of_rank, facts);
  const auto& lanes = capture.dag.lanes();
  const bool queues =
      std::any_of(lanes.begin(), lanes.end(), [](const Lane& lane) { return lane.order != LaneOrder::kEdges; });
  std::vector<std::vector<std::size_t>> classes;
  std::unordered_map<std::size_t, std::vector<std::size_t>> by_hash;  // indices of classes; never iterated over
  for (std::size_t part = 0; part < parts; ++part) {
    std::vector<std::size_t>* like = nullptr;
    if (!queues && !describer.is_joined(part)) {
      // Descriptions are as large as their parts, so only hashes of them are kept.
      const Description own = describer.describe(part);
      std::vector<std::size_t>& similar = by_hash[boost::hash_range(own.begin(), own.end())];
      const auto found = std::find_if(similar.begin(), similar.end(),
                                      [&](std::size_t of) { return describer.describe(classes[of].front()) == own; });
      if (found != similar.end()) like = &classes[*found];
      if (like == nullptr) similar.push_back(classes.size());
    }
    if (like == nullptr) like = &classes.emplace_back();
    like->push_back(part);
  }
  return classes;
}

}  // namespace stepsim::sim
