#include "model/rewrite/buckets.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "model/job/kernel_class.h"

namespace stepsim {
namespace {

/// Returns the number of blocks in the grid of each task, if recorded.
std::map<TaskId, std::uint64_t> blocks_of(const LaunchTable& table) {
  std::map<TaskId, std::uint64_t> blocks;
  for (const LaunchTable::Use& use : table.uses) blocks.emplace(use.task, table.launches[use.which].blocks);
  return blocks;
}

/// Finds the gradients that the all-reduces of one rank's step carry.
class Matching {
 public:
  Matching(const Capture& capture, const std::vector<DeviceLaunch>& launches,
           const std::map<TaskId, std::uint64_t>& blocks)
      : capture_(capture), launches_(launches), blocks_(blocks) {}

  StepReductions run(LaneId thread, const std::vector<Gradient>& gradients, std::vector<DeviceLaunch> all_reduces) {
    std::sort(all_reduces.begin(), all_reduces.end(),
              [](const DeviceLaunch& a, const DeviceLaunch& b) { return a.end < b.end; });
    gradients_ = gradients;
    left_.resize(gradients.size());
    std::iota(left_.begin(), left_.end(), std::size_t{0});
    const bool sized = std::all_of(gradients.begin(), gradients.end(),
                                   [](const Gradient& gradient) { return gradient.bytes > Bytes{}; });
    StepReductions found{.thread = thread, .gradients = {}, .reductions = {}};
    for (const DeviceLaunch& launch : all_reduces) {
      std::vector<std::size_t> carried = sized ? run_of_size(launch) : all_since_last_reduction(launch);
      if (carried.empty()) continue;  // this all-reduce carries something else
      found.reductions.push_back({launch, std::move(carried)});
    }
    drop_nested(found.reductions);
    keep_carried(found);
    return found;
  }

 private:
  [[nodiscard]] Time ready(std::size_t gradient) const {
    return capture_.recording.finish[gradients_[gradient].ready.index()];
  }
  [[nodiscard]] Bytes payload(const DeviceLaunch& launch) const {
    return capture_.dag.collective(capture_.dag.rendezvous(launch.work)).bytes;
  }

  /// Returns how many of the remaining gradients had been computed at this launch. This includes the first gradient
  /// that was not ready yet: the hook of a gradient launches the all-reduce before that gradient counts as ready.
  [[nodiscard]] std::size_t computed_by(const DeviceLaunch& launch) const {
    const auto next =
        std::find_if(left_.begin(), left_.end(), [&](std::size_t gradient) { return ready(gradient) >= launch.end; });
    return static_cast<std::size_t>(next - left_.begin()) + (next != left_.end() ? 1 : 0);
  }

  std::vector<std::size_t> take(std::size_t begin, std::size_t end) {
    const auto first = left_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = left_.begin() + static_cast<std::ptrdiff_t>(end);
    std::vector<std::size_t> taken(first, last);
    left_.erase(first, last);
    return taken;
  }

  /// Returns the latest run of computed gradients whose sizes sum to the payload, or nothing.
  std::vector<std::size_t> run_of_size(const DeviceLaunch& launch) {
    std::size_t end = computed_by(launch);
    std::size_t begin = end;
    Bytes sum{};
    while (end > 0) {
      while (sum < payload(launch) && begin > 0) sum += gradients_[left_[--begin]].bytes;
      if (sum == payload(launch) && begin < end) return take(begin, end);
      if (sum < payload(launch)) return {};
      sum = sum - gradients_[left_[--end]].bytes;
    }
    return {};
  }

  /// Returns all gradients computed since the previous all-reduce, and splits the payload among them. Returns nothing
  /// if this is not possible.
  std::vector<std::size_t> all_since_last_reduction(const DeviceLaunch& launch) {
    if (payload(launch) == Bytes{}) return {};
    const std::size_t count = computed_by(launch);
    std::vector<std::uint64_t> grids;
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto grid = grid_of_copy(left_[i]);
      if (!grid) return {};
      grids.push_back(*grid);
      all += *grid;
    }
    if (all == 0) return {};
    const double bytes_a_block = static_cast<double>(payload(launch).count()) / static_cast<double>(all);
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < count; ++i) {  // differences of rounded sums, so that the parts sum to the payload
      const auto from = static_cast<std::int64_t>(static_cast<double>(before) * bytes_a_block);
      before += grids[i];
      const auto to = before == all ? payload(launch).count()
                                    : static_cast<std::int64_t>(static_cast<double>(before) * bytes_a_block);
      gradients_[left_[i]].bytes = Bytes{to - from};
    }
    return take(0, count);
  }

  /// Returns the grid of the kernel that copies a gradient into its bucket. That is the last work other than a
  /// collective that was launched before the gradient was ready.
  [[nodiscard]] std::optional<std::uint64_t> grid_of_copy(std::size_t gradient) const {
    const Time from = gradient == 0 ? Time::min() : ready(gradient - 1);
    const TaskId last = last_work(capture_.dag, launched_between(launches_, from, ready(gradient)));
    if (!last.valid()) return std::nullopt;
    const KernelClass found = classify_kernel(capture_.dag.kind(last), capture_.dag.name(last));
    const auto blocks = blocks_.find(last);
    const bool copies = found == KernelClass::kElementwise || found == KernelClass::kCopy;
    return copies && blocks != blocks_.end() ? std::optional{blocks->second} : std::nullopt;
  }

  /// Drops reductions whose gradients lie between two gradients of another bucket: they belong to another reducer.
  static void drop_nested(std::vector<DeviceReduction>& reductions) {
    const std::vector<DeviceReduction> all = reductions;
    std::erase_if(reductions, [&all](const DeviceReduction& inner) {
      return std::any_of(all.begin(), all.end(), [&inner](const DeviceReduction& outer) {
        return outer.gradients.front() < inner.gradients.front() && inner.gradients.back() < outer.gradients.back();
      });
    });
  }

  /// Drops the gradients that no all-reduce carries.
  void keep_carried(StepReductions& found) const {
    std::vector<std::size_t> place(gradients_.size());
    for (const DeviceReduction& reduction : found.reductions) {
      for (const std::size_t gradient : reduction.gradients) place[gradient] = 1;
    }
    for (std::size_t i = 0; i < place.size(); ++i) {
      if (place[i] == 0) continue;
      place[i] = found.gradients.size();
      found.gradients.push_back(gradients_[i]);
    }
    for (DeviceReduction& reduction : found.reductions) {
      for (std::size_t& gradient : reduction.gradients) gradient = place[gradient];
    }
  }

  const Capture& capture_;
  const std::vector<DeviceLaunch>& launches_;
  const std::map<TaskId, std::uint64_t>& blocks_;
  std::vector<Gradient> gradients_;
  std::vector<std::size_t> left_;  ///< gradients not yet assigned to an all-reduce, in order
};

}  // namespace

DeviceLaunches device_launches(const Capture& capture) {
  const Dag& dag = capture.dag;
  DeviceLaunches launches;
  if (capture.recording.finish.size() != dag.task_count())
    return launches;  // a task graph was never run, so it has no launches
  for (const TaskId call : dag.tasks()) {
    for (const EdgeId edge : dag.edges_from(call)) {
      if (dag.edge_kind(edge) != EdgeKind::kLaunch) continue;
      launches[dag.lane_id(call)].push_back(
          {capture.recording.finish[call.index()], call, dag.target(edge), dag.lag(edge)});
    }
  }
  for (auto& [thread, list] : launches) {
    std::stable_sort(list.begin(), list.end(),
                     [](const DeviceLaunch& a, const DeviceLaunch& b) { return a.end < b.end; });
  }
  return launches;
}

std::span<const DeviceLaunch> launched_between(const std::vector<DeviceLaunch>& launches, Time from, Time to) {
  const auto after = [](Time time, const DeviceLaunch& launch) { return time < launch.end; };
  const auto begin = std::upper_bound(launches.begin(), launches.end(), from, after);
  const auto end = std::upper_bound(begin, launches.end(), to, after);
  return {begin, end};
}

TaskId last_work(const Dag& dag, std::span<const DeviceLaunch> launches) {
  const auto last = std::find_if(launches.rbegin(), launches.rend(), [&dag](const DeviceLaunch& launch) {
    return dag.kind(launch.work) != TaskKind::kCollective;
  });
  return last == launches.rend() ? TaskId{} : last->work;
}

std::optional<CollectiveOp> stream_collective(const Dag& dag, TaskId task) {
  if (dag.kind(task) != TaskKind::kCollective || dag.lane(task).kind != LaneKind::kStream) return std::nullopt;
  const RendezvousId rendezvous = dag.rendezvous(task);
  return rendezvous.valid() ? std::optional(dag.collective(rendezvous).op) : std::nullopt;
}

std::map<TaskId, TaskId> calls_by_work(const DeviceLaunches& launches) {
  std::map<TaskId, TaskId> calls;
  for (const auto& [thread, list] : launches) {
    for (const DeviceLaunch& launch : list) calls[launch.work] = launch.call;
  }
  return calls;
}

Time launch_time(const Recording& recording, const std::map<TaskId, TaskId>& call_of, TaskId work) {
  const auto call = call_of.find(work);
  return recording.start[(call == call_of.end() ? work : call->second).index()];
}

std::map<std::int32_t, StepGradients> gradients_of_steps(const Capture& capture) {
  std::map<std::pair<std::int32_t, LaneId>, std::vector<Gradient>> found;
  for (const Gradient& gradient : capture.gradients) {
    const std::int32_t step = capture.recording.step[gradient.ready.index()];
    if (step >= 0) found[{step, capture.dag.lane_id(gradient.ready)}].push_back(gradient);
  }
  std::map<std::int32_t, StepGradients> steps;
  for (auto& [place, list] : found) {
    StepGradients& step = steps[place.first];
    if (list.size() > step.gradients.size()) step = {place.second, std::move(list)};
  }
  return steps;
}

std::map<std::int32_t, StepReductions> device_reductions(const Capture& capture, const DeviceLaunches& launches) {
  using Place = std::pair<std::int32_t, LaneId>;  // step and thread
  const std::vector<std::int32_t>& step = capture.recording.step;
  std::map<Place, std::vector<Gradient>> gradients;
  for (const Gradient& gradient : capture.gradients)
    gradients[{step[gradient.ready.index()], capture.dag.lane_id(gradient.ready)}].push_back(gradient);
  std::map<Place, std::vector<DeviceLaunch>> all_reduces;
  for (const auto& [thread, list] : launches) {
    for (const DeviceLaunch& launch : list) {
      if (stream_collective(capture.dag, launch.work) == CollectiveOp::kAllReduce)
        all_reduces[{step[launch.call.index()], thread}].push_back(launch);
    }
  }
  const std::map<TaskId, std::uint64_t> blocks = blocks_of(capture.launches);
  std::map<std::int32_t, StepReductions> found;
  for (const auto& [place, of_step] : gradients) {
    const auto reduced = all_reduces.find(place);
    if (place.first < 0 || reduced == all_reduces.end()) continue;
    StepReductions matched =
        Matching(capture, launches.at(place.second), blocks).run(place.second, of_step, reduced->second);
    StepReductions& best = found[place.first];
    if (matched.gradients.size() > best.gradients.size()) best = std::move(matched);
  }
  return found;
}

}  // namespace stepsim
