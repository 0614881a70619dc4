#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "model/rewrite/buckets.h"
#include "model/rewrite/overlap.h"
#include "scenarios/change/graph_edits.h"
#include "scenarios/change/plan.h"
#include "scenarios/change/what_if.h"

// What-if `overlap`: lets more work run at the same time. It removes barriers at which ranks wait for each other, moves
// copies away from the streams of kernels, waits for reduced gradients later, and gathers parameters earlier.

namespace stepsim::scenarios {
namespace {

constexpr std::array kOverlapParameters{
    Parameter{"barriers", value::one_of("on", "off"),
              "off = no step waits for all tensors, and no rank waits at a barrier without payload", "on"},
    Parameter{"copies", value::one_of("recorded", "apart"),
              "run copies between host and device on their streams (recorded) or on separate copy engines (apart)",
              "recorded"},
    Parameter{"collectives", value::one_of("recorded", "asynchronous"),
              "asynchronous = wait for all gradient reductions of a step together, after the last has started",
              "recorded"},
    Parameter{"prefetch", value::count_from(0, 1000),
              "start each all-gather when the one this many places before it started", "0"},
};

/// Returns the tasks of barrier collectives, which have no payload.
std::vector<TaskId> barriers_of(const Dag& dag) {
  std::vector<TaskId> members;
  for (const TaskId task : dag.tasks()) {
    const RendezvousId rendezvous = dag.rendezvous(task);
    if (rendezvous.valid() && dag.collective(rendezvous).op == CollectiveOp::kBarrier) members.push_back(task);
  }
  return members;
}

void remove_barriers(const Change& change, const YamlField& value, Plan& plan) {
  if (plan.captured->parameter_server != nullptr) {
    if (plan.network->make == nullptr)
      refuse_as_recorded(value, plan, "--network recorded keeps the recorded order; expected another network model");
    plan.job.barrier = Barrier::kCross;
    return;
  }
  if (barriers_of(plan.captured->dag).empty())
    cannot_answer(value, "the capture has no barriers; expected parameter servers, or collectives without payload");
  plan.add_edit(change, [](const Capture& capture) { return without(capture, barriers_of(capture.dag)); });
}

void set_copies_apart(const Change& change, const YamlField& value, Plan& plan) {
  if (!has_stream_copies(*plan.captured)) {
    cannot_answer(value, "the capture has no copies between host and device on streams; expected a trace of a GPU");
  }
  plan.add_edit(change, with_copy_engines);
  plan.assumptions.push_back(
      {"copies_apart", "Copies to the device do not depend on earlier kernels on their stream."});
}

bool is_gather(CollectiveOp op) { return op == CollectiveOp::kAllGather; }

std::vector<TaskId> collectives_among(std::vector<TaskId> tasks, const Dag& dag, bool (*wanted)(CollectiveOp)) {
  std::erase_if(tasks, [&](TaskId task) {
    const RendezvousId rendezvous = dag.rendezvous(task);
    return !rendezvous.valid() || !wanted(dag.collective(rendezvous).op);
  });
  return tasks;
}

/// Finds the reductions that carry gradients; the capture does not mark them. In each step of a rank, these are the
/// reductions that start after the first gradient is ready, until they have carried as many bytes as all gradients of
/// the step have.
class Reductions {
 public:
  explicit Reductions(const Capture& capture) : capture_(capture) {
    for (const Gradient& gradient : capture.gradients) {
      const auto [step, is_new] = steps_.try_emplace(place_of(gradient.ready));
      const Time ready = capture.recording.finish[gradient.ready.index()];
      step->second.first = is_new ? ready : std::min(step->second.first, ready);
      step->second.left += gradient.bytes;
      if (gradient.bytes == Bytes{}) step->second.sizes_known = false;
    }
  }

  /// True if the reduction `task` carries gradients. Call it for all reductions in ascending order, because it counts
  /// their bytes.
  bool carries_gradients(TaskId task) {
    if (steps_.empty()) return false;
    const auto step = steps_.find(place_of(task));
    if (step == steps_.end() || capture_.recording.start[task.index()] < step->second.first) return false;
    if (step->second.sizes_known && step->second.left <= Bytes{}) return false;
    step->second.left = step->second.left - capture_.dag.collective(capture_.dag.rendezvous(task)).bytes;
    return true;
  }

 private:
  struct Step {
    Time first{};  ///< time of the step's first gradient
    Bytes left{};  ///< bytes of gradients that are not yet reduced
    bool sizes_known = true;
  };

  [[nodiscard]] std::pair<Rank, std::int32_t> place_of(TaskId task) const {
    return {capture_.dag.lane(task).rank, capture_.recording.step[task.index()]};
  }

  const Capture& capture_;
  std::map<std::pair<Rank, std::int32_t>, Step> steps_;
};

/// Returns all selected reductions if there is a selection, otherwise the reductions that carry gradients.
std::vector<TaskId> gradient_reductions(const Selector& selector, const Capture& capture) {
  std::vector<TaskId> tasks = collectives_among(selector.select(capture), capture.dag, is_reduction);
  if (!selector.is_all()) return tasks;
  Reductions reductions(capture);
  std::erase_if(tasks, [&reductions](TaskId task) { return !reductions.carries_gradients(task); });
  return tasks;
}

std::vector<TaskId> gathers(const Selector& selector, const Capture& capture) {
  return collectives_among(selector.select(capture), capture.dag, is_gather);
}

bool is_asynchronous(const Change& change) { return change.has_word("collectives", "asynchronous"); }

std::uint32_t places_ahead(const Change& change) {
  std::uint32_t places = 0;
  change.read("prefetch", places);
  return places;
}

std::vector<TaskId> selected_collectives(const Change& change, const Capture& capture) {
  std::vector<TaskId> tasks;
  if (is_asynchronous(change)) tasks = gradient_reductions(change.selector(), capture);
  if (places_ahead(change) > 0) {
    const std::vector<TaskId> more = gathers(change.selector(), capture);
    tasks.insert(tasks.end(), more.begin(), more.end());
  }
  std::sort(tasks.begin(), tasks.end());
  return tasks;
}

void set_asynchronous(const Change& change, Plan& plan) {
  const Selector& selector = change.selector();
  const std::vector<TaskId> reductions = gradient_reductions(selector, *plan.captured);
  if (reductions.empty()) {
    if (!selector.is_all()) selector.fail(*plan.captured, "no reduction");
    cannot_answer(*change.find("collectives"),
                  plan.captured->gradients.empty()
                      ? "it is unknown which reductions carry gradients; expected a selection, for example "
                        "overlap{name=ReduceScatter}, or a trace with AccumulateGrad (PyTorch, record_shapes=True)"
                      : "the capture has no reduction after its first gradient; expected a job that reduces gradients");
  }
  plan.add_edit(change, [selector](const Capture& capture) {
    return with_late_waits(capture, gradient_reductions(selector, capture));
  });
  plan.assumptions.push_back(
      {"asynchronous_collectives",
       fmt::format("{} of {} reductions were waited for before the last one of their step had started; nothing needs "
                   "them before that one, which is true for gradients but not for activations (tensor parallel).",
                   early_waits(*plan.captured, reductions), reductions.size())});
}

void set_prefetch(const Change& change, std::uint32_t ahead, Plan& plan) {
  const Selector& selector = change.selector();
  const std::vector<TaskId> gathered = gathers(selector, *plan.captured);
  if (gathered.empty()) {
    if (!selector.is_all()) selector.fail(*plan.captured, "no all-gather");
    cannot_answer(*change.find("prefetch"), "the capture has no all-gather; expected a job with sharded parameters");
  }
  plan.add_edit(change, [selector, ahead](const Capture& capture) {
    return with_prefetch(capture, gathers(selector, capture), ahead);
  });
  plan.assumptions.push_back(
      {"prefetched_collectives",
       fmt::format("{} all-gathers do not depend on the compute of their step, which is true for parameters (FSDP, "
                   "ZeRO) but not "
                   "for activations (tensor parallel); memory is sufficient for what is gathered ahead.",
                   gathered.size())});
}

/// Throws InputError if the change has a selection and a parameter that applies to the whole job.
void refuse_selection(const Change& change) {
  if (change.selector().is_all()) return;
  for (const std::string_view name : {"barriers", "copies"}) {
    if (const YamlField* const value = change.find(name))
      value->fail(fmt::format("'{}' applies to the whole job; expected no selection", name));
  }
}

void apply_overlap(const Change& change, Plan& plan) {
  refuse_selection(change);
  const bool off = change.has_word("barriers", "off");
  const bool apart = change.has_word("copies", "apart");
  if (off) remove_barriers(change, *change.find("barriers"), plan);
  if (apart) set_copies_apart(change, *change.find("copies"), plan);
  if (is_asynchronous(change)) set_asynchronous(change, plan);
  if (const std::uint32_t ahead = places_ahead(change); ahead > 0) set_prefetch(change, ahead, plan);
}

}  // namespace

extern const WhatIf overlap_what_if{
    .name = "overlap",
    .summary = "Increase overlap: no barriers; copies and collectives in parallel with kernels",
    .ignores = "contention of overlapping work for memory bandwidth and multiprocessors",
    .parameters = kOverlapParameters,
    .asks = {sim::Question::kNetwork},
    .kind = kind_is<AnswerKind::kOther>,
    .selected = selected_collectives,
    .apply = apply_overlap,
};

}  // namespace stepsim::scenarios
