#include "scenarios/answer/sweep.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include "model/base/error.h"
#include "model/base/side_by_side.h"
#include "model/job/dag_builder.h"
#include "scenarios/answer/baseline.h"
#include "scenarios/answer/predict.h"
#include "scenarios/change/on_machine.h"

namespace stepsim::scenarios {
namespace {

/// The reason why a point of a sweep cannot be predicted, if there is one.
struct Problem {
  std::string sentence;  ///< why the point is refused; empty if it is not
  Refusal refusal = Refusal::kQuestion;
};

/// Calls `work` for a point of a sweep. Returns why the point cannot be predicted; the sentence is empty if it can.
/// Passes on a ValueError, because a value that is invalid for every capture ends the sweep.
Problem problem_of(const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const ValueError&) {
    throw;
  } catch (const CannotAnswer& error) {
    return {error.what(), Refusal::kCapture};
  } catch (const InputError& error) {
    return {error.what()};
  } catch (const UsageError& error) {
    return {error.what()};
  } catch (const CycleError& error) {
    return {error.what()};
  } catch (const sim::DeadlockError& error) {
    return {error.what()};
  }
}

/// Numbers graphs in order of appearance; equal graphs get the same number.
class NumberedGraphs {
 public:
  std::uint32_t number_of(const GraphKey& key) {
    const auto [known, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
    if (is_new) keys_.push_back(key);
    return known->second;
  }
  std::vector<GraphKey> take() && { return std::move(keys_); }

 private:
  std::map<GraphKey, std::uint32_t> numbers_;
  std::vector<GraphKey> keys_;
};

/// A list of distinct assumptions in order of appearance.
class DistinctAssumptions {
 public:
  void add(const Assumptions& more) {
    for (const Assumption& assumption : more) {
      if (known_.insert(assumption).second) in_order_.push_back(assumption);
    }
  }
  Assumptions take() && { return std::move(in_order_); }

 private:
  std::set<Assumption> known_;
  Assumptions in_order_;
};

/// Counts the unfinished points of each graph.
class GraphUsers {
 public:
  GraphUsers(std::size_t graphs, const std::vector<std::uint32_t>& graph_of, std::span<const std::size_t> which)
      : left_(graphs) {
    for (const std::size_t point : which) ++left_[graph_of[point]];
  }
  /// Counts a point as finished. Returns true if it was the last of its graph.
  bool leave(std::uint32_t graph) { return --left_[graph] == 0; }

 private:
  std::vector<std::size_t> left_;
};

/// Distributes the points of a sweep among threads, until no point is left or a thread has failed.
class WorkList {
 public:
  WorkList(std::vector<std::size_t> order, const std::atomic<bool>* stop) : order_(std::move(order)), stop_(stop) {}

  /// Returns the next point, or nothing if there is none or a thread has failed. Throws Interrupted after Ctrl-C.
  std::optional<std::size_t> next() {
    if (stop_ != nullptr && stop_->load()) throw Interrupted();
    const std::size_t place = failed_.load() ? order_.size() : next_++;
    return place < order_.size() ? std::optional(order_[place]) : std::nullopt;
  }
  /// Makes all other threads end after their current point.
  void fail() { failed_ = true; }

 private:
  const std::vector<std::size_t> order_;
  const std::atomic<bool>* stop_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
};

}  // namespace

Sweep::Sweep(Predictor& predictor, const Scenario& scenario, int threads, const std::atomic<bool>* stop,
             const PlanLook* look)
    : predictor_(predictor),
      changes_(scenario),
      points_(points_of(scenario)),
      common_(predictor.plan()),
      caution_(*common_.captured, predictor.settings().checkup),
      memory_(common_.divided_step) {
  std::vector<const Change*> at_once;
  for (const Change& change : scenario.changes) (changes_.include(change) ? with_points_ : at_once).push_back(&change);
  apply_all(std::move(at_once), common_);
  struct Found {
    GraphKey key;
    Assumptions assumptions;
  };
  std::vector<Found> found(points_.size());
  std::mutex adding;
  const auto prepare = [&](std::size_t point, const PlanLook::Look& look_at) {
    if (stop != nullptr && stop->load()) throw Interrupted();
    return refusal_of([&] {
      const Plan plan = plan_of(point);
      found[point].key = plan.graph_key();
      found[point].assumptions = assumptions_of(plan);
      std::vector<const Change*> changes = changes_.of(points_, point);
      for (const Change& change : scenario.changes) changes.push_back(&change);
      std::unique_lock lock(adding);
      caution_.add(changes, plan);
      lock.unlock();
      if (look_at) look_at(*this, point, plan);
    });
  };
  if (look == nullptr) {
    side_by_side(threads, points_.size(), [&](std::size_t point) { static_cast<void>(prepare(point, {})); });
  } else {
    side_by_side(threads, look->groups.size(), [&](std::size_t group) {
      const PlanLook::Look look_at = look->begin();
      for (const std::size_t point : look->groups[group]) {
        if (std::optional<Outcome> refused = prepare(point, look_at)) look->refuse(point, *std::move(refused));
      }
    });
  }
  graph_of_.reserve(points_.size());
  NumberedGraphs graphs;
  DistinctAssumptions assumptions;
  assumptions.add(common_.assumptions);
  for (const Found& one : found) {
    assumptions.add(one.assumptions);
    graph_of_.push_back(graphs.number_of(one.key));
  }
  graphs_ = std::move(graphs).take();
  assumptions_ = std::move(assumptions).take();
}

Plan Sweep::plan_of(std::size_t point) const {
  Plan plan = common_;
  std::vector<const Change*> changes = with_points_;
  for (const Change* const change : changes_.of(points_, point)) changes.push_back(change);
  apply_all(std::move(changes), plan);
  return plan;
}

Assumptions Sweep::assumptions_of(const Plan& plan) const {
  Assumptions assumptions = plan.assumptions;
  if (auto machine = machine_assumption(plan)) assumptions.push_back(*std::move(machine));
  if (auto memory = memory_.assumption_for(plan)) assumptions.push_back(*std::move(memory));
  return assumptions;
}

/// Returns the points `which` in the order in which they are predicted. This order limits how many graphs exist at a
/// time: the points of as many graphs as there are threads come first, then those of the next graphs. Within such a
/// batch, each thread first builds one graph, and then all threads share these graphs.
std::vector<std::size_t> Sweep::work_order(std::span<const std::size_t> which, std::size_t threads) const {
  std::vector<std::size_t> seen(graphs_.size());
  std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> order;  // batch, number within its graph, point
  for (const std::size_t point : which) {
    const std::uint32_t graph = graph_of_[point];
    order.emplace_back(graph / threads, seen[graph]++, point);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> points;
  points.reserve(order.size());
  for (const auto& [batch, turn, point] : order) points.push_back(point);
  return points;
}

std::optional<Outcome> Sweep::refusal_of(const std::function<void()>& work) {
  Problem problem = problem_of(work);
  if (problem.sentence.empty()) return std::nullopt;
  return Outcome{.iteration = {}, .problem = std::move(problem.sentence), .refusal = problem.refusal};
}

Outcome Sweep::predict(std::size_t point, const IntervalFinder* ranges, const sim::EngineOptions& engine,
                       const SweepOptions& options) const {
  Outcome outcome;
  const std::optional<Outcome> refused = refusal_of([&] {
    const Plan plan = plan_of(point);
    Range<Duration> range;
    if (ranges != nullptr || options.look) {
      const RangedPrediction ranged =
          ranges != nullptr ? ranges->predict(plan) : RangedPrediction{predictor_.predict(plan, engine), {}};
      range = ranged.range;
      if (ranges == nullptr) range.low = range.mid = range.high = ranged.prediction.iteration;
      outcome.note = note_on(ranged.prediction);
      if (options.look) options.look(point, ranged.prediction, range);
    } else {
      PredictedIteration predicted = predictor_.iteration(plan, engine);
      range.low = range.mid = range.high = predicted.length;
      outcome.note = std::move(predicted.note);
    }
    const sim::StepWork work = work_of(plan);
    outcome.workers = work.workers;
    outcome.batches = work.batches;
    outcome.devices = work.devices;
    outcome.memory = memory_of(plan).need;
    if (ranges != nullptr && is_on_machine(plan))
      outcome.by_data_sheet = predictor_.iteration(without_machine(plan), engine).length;
    outcome.iteration = Range<Duration>{range.low, range.mid, range.high};
  });
  return refused ? *refused : outcome;
}

void Sweep::run(std::span<const std::size_t> which, const SweepOptions& options) {
  WorkList work(work_order(which, static_cast<std::size_t>(options.threads)), options.stop);
  GraphUsers users(graphs_.size(), graph_of_, which);
  std::mutex telling;
  const sim::EngineOptions engine{.threads = 1, .stop = options.stop};
  ReplayMeter meter(engine);
  std::optional<Prediction> baseline;
  std::optional<IntervalFinder> own;
  if (options.ranges && options.finder == nullptr) {
    baseline = predictor_.predict(predictor_.plan(), engine);
    own.emplace(predictor_, *baseline, meter);
  }
  const IntervalFinder* const ranges = own ? &*own : options.ranges ? options.finder : nullptr;
  const auto take_points = [&] {
    while (const auto point = work.next()) {
      const Outcome outcome = predict(*point, ranges, engine, options);
      const std::lock_guard lock(telling);
      if (users.leave(graph_of_[*point])) predictor_.forget(graphs_[graph_of_[*point]]);
      options.done(*point, outcome);
    }
  };
  side_by_side(options.threads, static_cast<std::size_t>(options.threads), [&](std::size_t) {
    try {
      take_points();
    } catch (...) {
      work.fail();
      throw;
    }
  });
}

}  // namespace stepsim::scenarios
