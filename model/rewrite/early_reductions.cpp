#include "model/rewrite/early_reductions.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "model/job/group.h"
#include "model/rewrite/reduction_edit.h"

namespace stepsim {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// A reduction that was launched after its step's last gradient.
struct LateReduction {
  DeviceLaunch launch;
  bool follows_work = false;       ///< its thread launched other work after the backward pass or the last collective
  bool follows_reduction = false;  ///< the first such work waits for an earlier reduction
  std::size_t gradient = kNone;    ///< the last gradient that it carries

  /// True if its input is not a gradient, but what other work made of gradients.
  [[nodiscard]] bool is_packed() const noexcept { return follows_work && !follows_reduction; }
};

/// The gradients of a rank's step and its reductions.
struct Step {
  LaneId thread;                    ///< thread of the backward pass
  std::vector<Gradient> gradients;  ///< in the order of their computation
  std::size_t during = 0;           ///< reductions launched between the first and the last gradient
  std::vector<LateReduction> late;  ///< in the order of their launches
};

bool is_device_reduction(const Dag& dag, TaskId task) {
  const std::optional<CollectiveOp> op = stream_collective(dag, task);
  return op && is_reduction(*op);
}

/// Finds the reductions of gradients and the gradients that they carry.
class LateReductions {
 public:
  LateReductions(const Capture& capture, const DeviceLaunches& launches)
      : dag_(capture.dag), recording_(capture.recording), launches_(launches) {
    find_gradients(capture);
    find_reductions();
    for (Step& step : steps_) match(step);
  }

  [[nodiscard]] const std::vector<Step>& steps() const noexcept { return steps_; }
  [[nodiscard]] bool by_order() const noexcept { return by_order_; }

 private:
  [[nodiscard]] Time ready(const Gradient& gradient) const { return recording_.finish[gradient.ready.index()]; }

  void find_gradients(const Capture& capture) {
    for (auto& [index, step] : gradients_of_steps(capture)) {
      step_of_.emplace(index, steps_.size());
      steps_.push_back({.thread = step.thread, .gradients = std::move(step.gradients)});
    }
  }

  void find_reductions() {
    for (const auto& [thread, list] : launches_) {
      TaskId first_work;  // first work since the backward pass or the last collective
      for (const DeviceLaunch& launch : list) {
        const auto place = step_of_.find(recording_.step[launch.call.index()]);
        if (place == step_of_.end()) continue;
        Step& step = steps_[place->second];
        if (launch.end <= ready(step.gradients.back())) {
          first_work = {};
          // A hook of the first gradient launches before that gradient counts as ready.
          const bool is_early = thread == step.thread || launch.end > ready(step.gradients.front());
          if (is_early && is_device_reduction(dag_, launch.work)) ++step.during;
        } else if (dag_.kind(launch.work) != TaskKind::kCollective) {
          if (!first_work.valid()) first_work = launch.work;
        } else {
          if (is_device_reduction(dag_, launch.work)) {
            step.late.push_back({launch, first_work.valid(), waiters_.contains(first_work)});
            for (const EdgeId edge : dag_.edges_from(launch.work)) waiters_.insert(dag_.target(edge));
          }
          first_work = {};
        }
      }
    }
    for (Step& step : steps_) {
      std::stable_sort(step.late.begin(), step.late.end(),
                       [](const LateReduction& a, const LateReduction& b) { return a.launch.end < b.launch.end; });
    }
  }

  void match(Step& step) {
    const bool sized = std::all_of(step.gradients.begin(), step.gradients.end(),
                                   [](const Gradient& gradient) { return gradient.bytes > Bytes{}; });
    if (sized) {
      match_sizes(step);
    } else {
      match_in_order(step);
    }
  }

  void match_sizes(Step& step) const {
    std::vector<bool> taken(step.gradients.size(), false);
    for (LateReduction& reduction : step.late) {
      const Bytes payload = dag_.collective(dag_.rendezvous(reduction.launch.work)).bytes;
      if (reduction.is_packed() || payload <= Bytes{}) continue;
      std::size_t first = latest_of_size(step.gradients, taken, payload);
      std::size_t last = first;
      if (first == kNone && !reduction.follows_work)
        std::tie(first, last) = latest_run_of_size(step.gradients, taken, payload);
      if (first == kNone) continue;
      reduction.gradient = last;
      for (std::size_t i = first; i <= last; ++i) taken[i] = true;
    }
    keep_order_of_equals(step);
  }

  /// Exchanges gradients between reductions of equal payloads, so that the one that was launched first has the gradient
  /// that is ready first.
  void keep_order_of_equals(Step& step) const {
    std::map<Bytes, std::vector<LateReduction*>> equals;
    for (LateReduction& reduction : step.late) {
      if (reduction.gradient != kNone)
        equals[dag_.collective(dag_.rendezvous(reduction.launch.work)).bytes].push_back(&reduction);
    }
    for (auto& [payload, reductions] : equals) {
      std::vector<std::size_t> gradients;
      for (const LateReduction* const reduction : reductions) gradients.push_back(reduction->gradient);
      std::sort(gradients.begin(), gradients.end());
      for (std::size_t i = 0; i < gradients.size(); ++i) reductions[i]->gradient = gradients[i];
    }
  }

  static std::size_t latest_of_size(const std::vector<Gradient>& gradients, const std::vector<bool>& taken,
                                    Bytes payload) {
    for (std::size_t i = gradients.size(); i-- > 0;) {
      if (!taken[i] && gradients[i].bytes == payload) return i;
    }
    return kNone;
  }

  /// Returns the first and the last gradient of the run; kNone if there is none.
  static std::pair<std::size_t, std::size_t> latest_run_of_size(const std::vector<Gradient>& gradients,
                                                                const std::vector<bool>& taken, Bytes payload) {
    for (std::size_t last = gradients.size(); last-- > 0;) {
      Bytes sum{};
      for (std::size_t first = last + 1; first-- > 0 && !taken[first] && sum < payload;) {
        sum += gradients[first].bytes;
        if (sum == payload) return {first, last};
      }
    }
    return {kNone, kNone};
  }

  void match_in_order(Step& step) {
    std::vector<LateReduction*> reductions;
    for (LateReduction& reduction : step.late) {
      if (!reduction.follows_work) reductions.push_back(&reduction);
    }
    const std::vector<std::size_t> gradients = launched_gradients(step);
    if (reductions.size() != gradients.size()) return;
    by_order_ = by_order_ || !reductions.empty();
    for (std::size_t i = 0; i < reductions.size(); ++i) reductions[i]->gradient = gradients[i];
  }

  /// Returns the gradients for which the backward thread launched work since the previous one.
  [[nodiscard]] std::vector<std::size_t> launched_gradients(const Step& step) const {
    std::vector<std::size_t> launched;
    const auto launches = launches_.find(step.thread);
    if (launches == launches_.end()) return launched;
    Time from = Time::min();
    for (std::size_t i = 0; i < step.gradients.size(); ++i) {
      const Time to = ready(step.gradients[i]);
      if (last_work(dag_, launched_between(launches->second, from, to)).valid()) launched.push_back(i);
      from = to;
    }
    return launched;
  }

  const Dag& dag_;
  const Recording& recording_;
  const DeviceLaunches& launches_;
  std::map<std::int32_t, std::size_t> step_of_;  ///< place in steps_, by index into Recording::steps
  std::vector<Step> steps_;
  std::set<TaskId> waiters_;  ///< work that waits for a late reduction
  bool by_order_ = false;
};

/// True if most of a collective's recorded time is a wait for ranks that were not captured: a collective of the same
/// operation and group with as many bytes took less than half as long.
bool mostly_waits(const Dag& dag, TaskId task) {
  const RendezvousId rendezvous = dag.rendezvous(task);
  const Collective& collective = dag.collective(rendezvous);
  if (is_whole(dag, rendezvous)) return false;
  const auto all = dag.all_rendezvous();
  return std::any_of(all.begin(), all.end(), [&](RendezvousId other) {
    if (dag.members(other).empty() || group_size(dag, other) != group_size(dag, rendezvous)) return false;
    const Collective& like = dag.collective(other);
    return like.op == collective.op && like.bytes >= collective.bytes &&
           2 * dag.duration(dag.members(other).front()) < dag.duration(task);
  });
}

/// Returns the reductions of known gradients, in the order of these gradients. If other ranks were not captured, the
/// time of the reduction that was launched first includes the wait for them. It then takes the place of the first
/// gradient, because the other ranks do not arrive earlier at another reduction.
std::vector<LateReduction> in_order_of_gradients(const Dag& dag, const Step& step) {
  std::vector<LateReduction> reductions = step.late;
  std::erase_if(reductions, [](const LateReduction& reduction) { return reduction.gradient == kNone; });
  if (reductions.empty()) return reductions;
  const auto by_gradient = [](const LateReduction& a, const LateReduction& b) { return a.gradient < b.gradient; };
  LateReduction& launched_first = reductions.front();
  LateReduction& of_first_gradient = *std::min_element(reductions.begin(), reductions.end(), by_gradient);
  if (mostly_waits(dag, launched_first.launch.work)) std::swap(launched_first.gradient, of_first_gradient.gradient);
  std::stable_sort(reductions.begin(), reductions.end(), by_gradient);
  return reductions;
}

}  // namespace

ReductionStarts reduction_starts(const Capture& capture) {
  const DeviceLaunches launches = device_launches(capture);
  ReductionStarts starts;
  if (launches.empty()) return starts;
  const LateReductions found(capture, launches);
  starts.by_order = found.by_order();
  for (const Step& step : found.steps()) {
    starts.during += step.during;
    for (const LateReduction& reduction : step.late) {
      std::size_t& count = reduction.gradient != kNone ? starts.movable
                           : reduction.is_packed()     ? starts.packed
                                                       : starts.unknown;
      ++count;
    }
  }
  return starts;
}

Capture with_early_reductions(const Capture& capture) {
  const DeviceLaunches launches = device_launches(capture);
  if (launches.empty()) return capture;
  const LateReductions found(capture, launches);
  std::set<TaskId> moved;
  for (const Step& step : found.steps()) {
    for (const LateReduction& reduction : step.late) {
      if (reduction.gradient != kNone) moved.insert(reduction.launch.work);
    }
  }
  ReductionEdit edit(capture, launches);
  edit.forget_waits(std::move(moved));
  for (const Step& step : found.steps()) {
    for (const LateReduction& reduction : in_order_of_gradients(capture.dag, step)) {
      const TaskId ready = step.gradients[reduction.gradient].ready;
      const DeviceLaunch& launch = reduction.launch;
      const TaskId call = edit.add_call(ready, edit.call_times(launch), "launch of a reduction");
      edit.drop_call(launch);
      edit.launch(launch.work, step.thread, {capture.recording.finish[ready.index()], call, launch.work, launch.lag});
    }
  }
  return std::move(edit).finish();
}

}  // namespace stepsim
