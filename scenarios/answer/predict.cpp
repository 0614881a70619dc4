#include "scenarios/answer/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/base/units.h"
#include "model/cost/network/maxmin.h"
#include "model/job/group.h"
#include "model/rewrite/buckets.h"
#include "model/rewrite/capture_edit.h"
#include "model/rewrite/data_parallel.h"
#include "model/rewrite/overlap.h"
#include "model/rewrite/parallel/divided_step.h"
#include "model/rewrite/parameter_server/build.h"
#include "model/rewrite/ranks.h"
#include "scenarios/answer/baseline.h"
#include "scenarios/answer/learn_from_capture.h"
#include "scenarios/change/device_rule.h"
#include "scenarios/change/on_machine.h"
#include "sim/analysis/inserted_period.h"
#include "sim/analysis/summary.h"
#include "sim/engine/machine.h"

namespace stepsim::scenarios {
namespace {

/// Maximum number of further replays for one prediction, if the durations of kernels depend on concurrent
/// communication.
constexpr int kMostRounds = 20;

/// Steps of a capture differ a little, and a divided job is made of one of them.
constexpr double kSlackOfThroughput = 0.001;

/// Takes away the time of optimizers: of their device work, and of the CPU from the first to the last call of a step
/// that launches some. Tasks of a lane are numbered in their order.
void drop_optimizer(const Capture& capture, std::vector<Duration>& durations) {
  const Dag& dag = capture.dag;
  const auto step_of = [&](TaskId task) {
    return std::pair(dag.lane_id(task), capture.recording.step.empty() ? 0 : capture.recording.step[task.index()]);
  };
  const std::map<TaskId, TaskId> call_of = calls_by_work(device_launches(capture));
  std::map<std::pair<LaneId, std::int32_t>, std::pair<TaskId, TaskId>> calls;  // the first and the last
  for (const auto& [task, piece] : device_work(capture)) {
    if (!piece.in_optimizer) continue;
    durations[task.index()] = {};
    const auto call = call_of.find(task);
    if (call == call_of.end()) continue;
    auto& [first, last] = calls.try_emplace(step_of(call->second), call->second, call->second).first->second;
    first = std::min(first, call->second);
    last = std::max(last, call->second);
  }
  for (std::size_t i = 0; i < durations.size(); ++i) {
    const auto found = calls.find(step_of(TaskId{i}));
    if (found != calls.end() && found->second.first <= TaskId{i} && TaskId{i} <= found->second.second)
      durations[i] = {};
  }
}

std::uint32_t workers_of(const Capture& capture) { return capture.job.workers.value_or(captured_workers(capture)); }

/// Builds the task graph of a plan for a job with parameter servers.
Capture parameter_server_graph(const Plan& plan, const Sides& sides) {
  PsOptions options = as_captured(*plan.captured->parameter_server);
  options.job = plan.job;
  options.spread = !sides.begins_together;
  return build_parameter_server(*plan.captured, options, plan.cluster);
}

/// Returns the result of `make`. If it throws, puts `key`, the scenario's setting that needs the result, in front of
/// the message.
template <class Make>
Capture asked_by(std::string_view key, Make make) {
  try {
    return make();
  } catch (const CannotAnswer& error) {
    throw CannotAnswer({}, std::string(key) + ": " + error.what());
  } catch (const UsageError& error) {
    throw UsageError(std::string(key) + ": " + error.what());
  }
}

/// Hosts have at most so many GPUs, as far as nothing else is said.
constexpr std::uint32_t kMostOnOneHost = 8;

/// Throws UsageError if the stages of a pipeline cannot have several parts.
void check_parts_of_stages(const Parallelism& parallelism) {
  if (parallelism.interleave == 1) return;
  const auto refuse = [&parallelism](const std::string& why) {
    throw UsageError(fmt::format("stages of {} parts (interleave): {}", parallelism.interleave, why));
  };
  if (parallelism.schedule != PipelineSchedule::kOneForwardOneBackward)
    refuse("found the schedule gpipe; expected 1f1b or interleaved");
  if (parallelism.pipeline == 1) refuse("found one stage; expected parallel.pipeline from 2");
  if (parallelism.microbatches % parallelism.pipeline != 0) {
    refuse(fmt::format("found {} microbatches for {} stages; expected a multiple", parallelism.microbatches,
                       parallelism.pipeline));
  }
}

/// Throws UsageError if parts of a division lack what they divide. This is known only after all changes.
void check_division(const Parallelism& parallelism) {
  check_parts_of_stages(parallelism);
  if (parallelism.sequence && parallelism.tensor == 1)
    throw UsageError("a division by tokens (sequence): found tensor 1; expected parallel.tensor from 2");
  if (parallelism.expert > 1 && parallelism.tensor > 1) {
    throw UsageError(fmt::format("experts among {} replicas: found tensor {}; expected parallel.tensor 1",
                                 parallelism.expert, parallelism.tensor));
  }
  if (parallelism.data % parallelism.expert != 0) {
    throw UsageError(fmt::format("experts among {} replicas: found data {}; expected a multiple", parallelism.expert,
                                 parallelism.data));
  }
  if (!parallelism.split.empty() && parallelism.parts_of_pipeline() == 1)
    throw UsageError("a division of layers among stages (split): found one stage; expected parallel.pipeline from 2");
}

/// Divides the job of one captured device as the plan says.
Capture divided(const Plan& plan) {
  if (plan.on_one_host && ranks_of(plan) > kMostOnOneHost) {
    throw CannotAnswer({}, fmt::format("{} devices are more than a host usually has; expected also "
                                       "cluster.gpus_per_host, and cluster.nic if there are several hosts",
                                       ranks_of(plan)));
  }
  check_division(plan.parallelism);
  return plan.divided_step->job(plan.parallelism, plan.job);
}

/// Builds the task graph of a plan for a job without parameter servers.
Capture rank_graph(const Plan& plan, const RankSet& ungrouped, Capture captured) {
  if (plan.parallelism != Parallelism{}) return asked_by("parallel", [&] { return divided(plan); });
  Capture graph = under_models(std::move(captured));
  if (plan.job.bucket_bytes != plan.captured->job.bucket_bytes)
    graph = asked_by("comm.bucket_bytes", [&] { return with_buckets(graph, *plan.job.bucket_bytes); });
  const std::size_t ranks = std::size_t{plan.job.workers.value()} * plan.job.local_size.value_or(1);
  const bool splits_classes = has_copies(graph.dag) && ungrouped != RankSet();
  if (*plan.job.workers != workers_of(*plan.captured) || splits_classes) {
    const auto differs = [&ungrouped](Rank rank) { return ungrouped.contains(rank); };
    graph = asked_by("cluster.workers", [&] { return with_ranks(graph, ranks, differs); });
  }
  return graph;
}

/// Returns the ranks that may differ from their copies.
RankSet ungrouped_ranks(const Plan& plan, const Sides& sides) {
  RankSet ranks = plan.ungrouped_ranks;
  ranks.add(sides.ungrouped);
  return ranks;
}

/// Returns the cluster of a replay.
std::shared_ptr<const Cluster> cluster_of(const Plan& plan, const Sides& sides) {
  if (!sides.sharing && !sides.senders_keep_turn && !sides.copies_end_together && sides.collectives == 0)
    return cluster_on_machine(plan);
  auto cluster = std::make_shared<Cluster>(*cluster_on_machine(plan));
  if (sides.sharing) cluster->network.set(kSharing, *sides.sharing);
  if (sides.senders_keep_turn) cluster->network.set(kSendersKeepTurn, true);
  if (sides.copies_end_together) cluster->network.set(sim::kCopiesEndTogether, true);
  if (sides.collectives != 0) cluster->network.set(kCollectiveSide, sides.collectives);
  return cluster;
}

/// Throws UsageError if a task ends at the largest possible time: all longer times end there too.
void refuse_the_end_of_time(const sim::Timeline& timeline) {
  if (std::find(timeline.finish.begin(), timeline.finish.end(), kEndOfTime) == timeline.finish.end()) return;
  throw UsageError("the step would take longer than 146 years; expected smaller changes");
}

}  // namespace

Predictor::Predictor(const Capture& captured, Cluster cluster, const NetworkModel& network)
    : captured_(captured),
      divided_step_(std::make_shared<DividedStep>(captured)),
      cluster_(std::move(cluster)),
      network_(network) {}

Plan Predictor::plan() const {
  Plan plan;
  plan.captured = &captured_;
  plan.divided_step = divided_step_;
  if (settings_.reader) plan.read = [this](const std::string& path) { return read(path); };
  plan.job = captured_.parameter_server ? as_captured(*captured_.parameter_server).job : captured_.job;
  plan.job.workers = plan.job.workers.value_or(workers_of(captured_));
  if (captured_.parameter_server && *plan.job.workers > captured_workers(captured_))
    plan.assumptions.push_back(copies_assumption(captured_workers(captured_)));
  plan.workers_before = *plan.job.workers;
  plan.cluster = cluster();
  plan.network = &network_;
  plan.machine = settings_.machine;
  plan.sharing_known = cluster_.network.is_given(kSharing);
  plan.slows_beside_added = settings_.interference && settings_.interference->beside.empty();
  if (settings_.recorded_collectives) {
    plan.recorded_collectives = true;
    plan.assumptions.push_back(*settings_.recorded_collectives);
  } else if (settings_.sharing) {
    plan.assumptions.push_back(settings_.sharing->note);
  }
  append(plan.assumptions, settings_.assumptions);
  if (settings_.profiler) plan.assumptions.push_back(settings_.profiler->note);
  return plan;
}

Cluster Predictor::cluster() const {
  Cluster cluster = cluster_;
  if (settings_.sharing) cluster.network.assume(kSharing, settings_.sharing->factor);
  return cluster;
}

std::shared_ptr<const Capture> Predictor::read(const std::string& path) const {
  const std::lock_guard lock(reading_);
  std::shared_ptr<const Capture>& other = others_[path];
  if (other == nullptr) other = std::make_shared<const Capture>(settings_.reader(path));
  return other;
}

Capture Predictor::make_graph(const Plan& plan, const Sides& sides) const {
  Capture graph;
  if (plan.network->make != nullptr && captured_.parameter_server) {
    graph = parameter_server_graph(plan, sides);
  } else {
    graph = with_origins(captured_);
    if (plan.network->make != nullptr) graph = rank_graph(plan, ungrouped_ranks(plan, sides), std::move(graph));
  }
  graph.job = plan.job;
  graph = plan.edited(std::move(graph));
  return sides.collectives_in_turn ? with_collectives_in_turn(graph) : graph;
}

std::vector<Duration> Predictor::durations_of(const Plan& plan, const Sides& sides, const Capture& graph,
                                              std::vector<DeviceShare>& shares) const {
  const double transfers = sides.transfers_stay ? 1 : plan.recorded_transfers;
  std::vector<Duration> durations(graph.dag.task_count());
  for (std::size_t i = 0; i < durations.size(); ++i) {
    const Duration recorded = graph.dag.duration(TaskId{i});
    const bool scales = transfers != 1 && keeps_recorded_time(graph, TaskId{i}, *plan.network);
    durations[i] = scales ? scaled(recorded, transfers) : recorded;
  }
  if (plan.recorded_collectives) {
    const std::shared_ptr<const RecordedCollectives> recorded = recorded_collectives_.of(
        {}, [this] { return std::make_shared<const RecordedCollectives>(captured_, cluster(), network_); });
    recorded->set_durations(graph, plan.cluster, sides.unexplained_scales, durations);
  }
  if (const auto& costs = settings_.profiler) {
    without_profiler(graph,
                     sides.profiler < 0   ? costs->least
                     : sides.profiler > 0 ? costs->most
                                          : costs->usual,
                     durations);
  }
  std::optional<DevicePieces> pieces;
  for (const Plan::MadeRule& made : plan.rules) {
    if (const auto* const plain = std::get_if<Plan::Rule>(&made.rule)) {
      (*plain)(graph, durations);
      continue;
    }
    const DeviceRule& device = *std::get<std::shared_ptr<const DeviceRule>>(made.rule);
    if (!pieces) pieces = device_work(graph);
    const ScaledShare share = device.apply(graph, *pieces, durations, sides.device);
    if (!device.kept().empty()) shares.push_back({device.change(), device.kept(), share});
  }
  if (sides.durations) sides.durations(graph, durations);
  correct_durations(plan, graph, durations);
  return durations;
}

/// Thread-safe.
class Predictor::Graph {
 public:
  explicit Graph(Capture capture) : capture_(std::move(capture)), machine_(sim::Machine::as_recorded(capture_)) {}

  [[nodiscard]] const Capture& capture() const noexcept { return capture_; }
  /// Returns a graph's capture, which keeps the graph.
  [[nodiscard]] static std::shared_ptr<const Capture> capture_of(const std::shared_ptr<Graph>& graph) {
    return {graph, &graph->capture_};
  }
  [[nodiscard]] const sim::Machine& machine() const noexcept { return machine_; }
  /// Returns the steps as they are repeated, which the first call finds.
  [[nodiscard]] const sim::RepeatedSteps& steps() {
    std::call_once(found_, [this] { steps_.emplace(capture_); });
    return *steps_;
  }

 private:
  const Capture capture_;
  const sim::Machine machine_;  ///< as recorded
  std::once_flag found_;
  std::optional<sim::RepeatedSteps> steps_;
};

std::size_t Predictor::tasks_of(const Plan& plan) { return graph_of(plan, {})->capture().dag.task_count(); }

std::shared_ptr<Predictor::Graph> Predictor::graph_of(const Plan& plan, const Sides& sides) {
  return graphs_.of({plan.graph_key(), sides.begins_together, sides.collectives_in_turn,
                     plan.may_have_copies() ? sides.ungrouped : RankSet()},
                    [&] { return std::make_shared<Graph>(make_graph(plan, sides)); });
}

void Predictor::forget(const GraphKey& key) {
  graphs_.erase_if([&key](const SidedGraph& graph) {
    const std::uint32_t microbatches = graph.plan.parallelism.microbatches;
    if (microbatches > key.parallelism.microbatches) return false;
    GraphKey with_as_many = key;
    with_as_many.parallelism.microbatches = microbatches;
    return graph.plan == with_as_many;
  });
}

struct Predictor::Replayed {
  std::shared_ptr<Graph> graph;
  std::shared_ptr<const Cluster> cluster;
  sim::Machine machine;
  std::vector<Duration> durations;  ///< of tasks, for kernels that communication slows
  bool interferes = false;          ///< true if communication may slow kernels
  std::vector<DeviceShare> shares;
  sim::Timeline timeline;

  [[nodiscard]] const Capture& capture() const noexcept { return graph->capture(); }
  /// Replays the graph with other durations.
  void repeat(const std::vector<Duration>& changed, const sim::EngineOptions& options) {
    machine.set_durations(changed);
    timeline =
        sim::replay(capture().dag, machine, {.threads = options.threads, .grain = options.grain, .stop = options.stop});
    refuse_the_end_of_time(timeline);
  }
};

/// Repeats a replay until the durations of kernels match the communication that they overlap.
void Predictor::slow_kernels(double side, const sim::EngineOptions& options, Replayed& replayed,
                             Prediction& prediction) const {
  SlowedKernels kernels(*settings_.interference, replayed.capture(), replayed.durations, side);
  prediction.unsettled = kernels.follow(replayed.timeline);
  for (int round = 0; round < kMostRounds && prediction.unsettled > 0; ++round) {
    replayed.repeat(kernels.durations(), options);
    prediction.unsettled = kernels.follow(replayed.timeline);
  }
  prediction.slowed = kernels.classes();
}

std::vector<sim::CyclePart> Prediction::limited_by() const {
  return steady ? sim::limits_of(graph->dag, timeline, *steady) : std::vector<sim::CyclePart>{};
}

PlannedWork Predictor::work(const Plan& plan) {
  PlannedWork work{Graph::capture_of(graph_of(plan, {})), {}};
  std::vector<DeviceShare> unused;
  work.durations = durations_of(plan, {}, *work.graph, unused);
  return work;
}

Prediction Predictor::predict(const Plan& plan, const Sides& sides, const sim::EngineOptions& options, Wanted wanted) {
  try {
    return predict_once(plan, sides, options, wanted);
  } catch (const sim::CopiesDiffer& difference) {
    Sides again = sides;
    if (plan.parallelism != Parallelism{}) {  // the copies have no tasks
      again.copies_end_together = true;
      return predict_once(plan, again, options, wanted);
    }
    again.ungrouped = RankSet::all();
    Prediction prediction = predict_once(plan, again, options, wanted);
    prediction.why_each_rank = difference.what();
    return prediction;
  }
}

Prediction Predictor::predict(const Plan& plan, const Sides& sides, const sim::EngineOptions& options) {
  return predict(plan, sides, options, Wanted::kAll);
}

Prediction Predictor::predict(const Plan& plan, const sim::EngineOptions& options) {
  Prediction prediction = predict(plan, Sides{}, options);
  check_throughput(plan, prediction.iteration, options);
  return prediction;
}

Duration Predictor::step_without_optimizer(const Plan& plan, const sim::EngineOptions& options) {
  Plan one = plan;
  one.parallelism = {};
  one.job.bucket_bytes = captured_.job.bucket_bytes;
  std::erase_if(one.rules, [](const Plan::MadeRule& made) { return made.turn == Plan::Turn::kDivision; });
  PlannedWork work_of_one = work(one);
  {
    const std::lock_guard lock(mutex_);
    const auto known = steps_without_optimizer_.find(work_of_one.durations);
    if (known != steps_without_optimizer_.end()) return known->second;
  }
  const sim::EngineOptions quietly{.threads = options.threads, .grain = options.grain, .stop = options.stop};
  const Prediction of_one = predict_once(one, {.durations = drop_optimizer}, quietly, Wanted::kAll);
  // A job that is made of one captured step does not wait for the step before it.
  const Duration step = std::min(of_one.iteration, of_one.of_captured_steps);
  const std::lock_guard lock(mutex_);
  return steps_without_optimizer_.emplace(std::move(work_of_one.durations), step).first->second;
}

void Predictor::check_throughput(const Plan& plan, Duration iteration, const sim::EngineOptions& options) {
  const Parallelism& parallelism = plan.parallelism;
  // Replicas that divide experts do less work on parameters for as many samples.
  if (parallelism == Parallelism{} || parallelism.expert > 1) return;
  double step = 0;
  try {
    step = static_cast<double>(step_without_optimizer(plan, options).count());
  } catch (const CannotAnswer&) {  // an edit of collectives, of which the captured job has none
    return;
  }
  const double stages = static_cast<double>(parallelism.tensor) * parallelism.pipeline;
  const double least = step * parallelism.microbatches / stages;
  if (static_cast<double>(iteration.count()) * (1 + kSlackOfThroughput) >= least) return;
  throw CannotAnswer(
      {},
      fmt::format("{} would take {} for a step that takes them at least {}, because the captured device takes {} for "
                  "{} without its optimizer: something of the step is missing, or done less often; expected a capture "
                  "of steps with shapes of all operators that wait for nothing at their end",
                  counted(parallelism.ranks(), "device"), stepsim::to_text(iteration),
                  stepsim::to_text(Duration{std::llround(least)}), stepsim::to_text(Duration{std::llround(step)}),
                  parallelism.microbatches == 1 ? "it" : "each microbatch"));
}

Predictor::Replayed Predictor::replay(const Plan& plan, const Sides& sides, const sim::EngineOptions& options) {
  const std::shared_ptr<Graph> graph = graph_of(plan, sides);
  const Capture& capture = graph->capture();
  Replayed replayed{.graph = graph,
                    .cluster = cluster_of(plan, sides),
                    .machine = graph->machine(),
                    .interferes = settings_.interference && (frees_kernels() || capture.dag.rendezvous_count() > 0)};
  if (!plan.recorded_collectives) replayed.machine.set_network(*plan.network, *replayed.cluster);
  if (plan.recorded_collectives || !plan.rules.empty() || sides.durations || plan.recorded_transfers != 1 ||
      replayed.interferes || settings_.profiler || is_on_machine(plan)) {
    std::vector<Duration> durations = durations_of(plan, sides, capture, replayed.shares);
    replayed.machine.set_durations(durations);
    if (replayed.interferes) replayed.durations = std::move(durations);
  }
  replayed.timeline = sim::replay(capture.dag, replayed.machine, options);
  refuse_the_end_of_time(replayed.timeline);
  return replayed;
}

Prediction Predictor::predict_once(const Plan& plan, const Sides& sides, const sim::EngineOptions& options,
                                   Wanted wanted) {
  Prediction prediction;
  std::shared_ptr<Graph> planned;
  {
    Replayed replayed = replay(plan, sides, options);
    if (replayed.interferes) slow_kernels(sides.interference, options, replayed, prediction);
    planned = std::move(replayed.graph);
    prediction.timeline = std::move(replayed.timeline);
    prediction.shares = std::move(replayed.shares);
  }
  prediction.graph = Graph::capture_of(planned);
  const Capture& graph = *prediction.graph;
  const bool is_all = wanted == Wanted::kAll;
  auto& steady = prediction.steady;
  if (is_all || settings_.trusts_repetition) steady = planned->steps().iteration(prediction.timeline);
  const bool repeats = steady && steady->follows && settings_.trusts_repetition;
  if (is_all || !repeats) {
    prediction.rank_steps = sim::rank_steps(graph.dag, graph.recording, prediction.timeline);
    prediction.of_captured_steps = sim::replayed_iteration(graph, prediction.timeline, prediction.rank_steps);
  }
  prediction.in_the_long_run = steady ? steady->length : prediction.of_captured_steps;
  prediction.iteration = repeats ? steady->length : prediction.of_captured_steps;
  return prediction;
}

std::optional<PredictedIteration> Predictor::repeated_iteration(const Plan& plan, const Sides& sides,
                                                                const sim::EngineOptions& options,
                                                                std::uint32_t microbatches, std::uint32_t more) {
  const std::uint32_t periods = (plan.parallelism.microbatches - microbatches) / (more - microbatches);
  std::array plans{plan, plan};  // replays refer to their clusters
  plans[0].parallelism.microbatches = microbatches;
  plans[1].parallelism.microbatches = more;
  std::array replayed{replay(plans[0], sides, options), replay(plans[1], sides, options)};
  auto& [before, after] = replayed;
  const auto period = [&before = before, &after = after] {
    return sim::inserted_period(before.capture().dag, before.timeline, after.capture().dag, after.timeline);
  };
  std::optional<Duration> found = period();
  if (found && after.interferes) {
    const auto kernels_of = [&](const Replayed& one) {
      return SlowedKernels(*settings_.interference, one.capture(), one.durations, sides.interference);
    };
    std::array kernels{kernels_of(before), kernels_of(after)};
    for (int round = 0; found; ++round) {
      const SlowedKernels::Difference one = kernels[0].compare(before.timeline);
      const SlowedKernels::Difference next = kernels[1].compare(after.timeline);
      const auto of_all = [periods](double first, double second) { return first + periods * (second - first); };
      if (SlowedKernels::Difference{of_all(one.changed, next.changed), of_all(one.all, next.all)}.share() == 0) break;
      if (round == kMostRounds) return std::nullopt;
      for (std::size_t i = 0; i < replayed.size(); ++i) {
        kernels[i].take();
        replayed[i].repeat(kernels[i].durations(), options);
      }
      found = period();
    }
  }
  if (!found) return std::nullopt;
  const Duration length = sim::replayed_iteration(before.capture(), before.timeline);
  const Duration longer = sim::replayed_iteration(after.capture(), after.timeline);
  if (longer - length != *found || *found > (kEndOfTime - Time{} - longer) / periods) return std::nullopt;
  return PredictedIteration{length + *found * std::int64_t{periods},
                            before.capture().dag.task_count() + after.capture().dag.task_count()};
}

std::optional<PredictedIteration> Predictor::repeated_iteration(const Plan& plan, const Sides& sides,
                                                                const sim::EngineOptions& options) {
  const Parallelism& parallelism = plan.parallelism;
  // All forward passes first: a microbatch more adds work at two places of each lane, not at one.
  if (parallelism.schedule != PipelineSchedule::kOneForwardOneBackward || plan.network->make == nullptr)
    return std::nullopt;
  const std::uint32_t round = parallelism.interleave > 1 ? parallelism.pipeline : 1;
  for (std::uint32_t period = round, fill = 2 * parallelism.pipeline;; period *= 2, fill *= 2) {
    const std::uint32_t least = fill + 4 * period;
    const std::uint32_t first = least + (parallelism.microbatches - least) % period;
    if (parallelism.microbatches < least || 4 * (first + period) > parallelism.microbatches) return std::nullopt;
    if (auto found = repeated_iteration(plan, sides, options, first, first + period)) return found;
  }
}

PredictedIteration Predictor::iteration(const Plan& plan, const Sides& sides, const sim::EngineOptions& options) {
  const auto repeated = [&](const Sides& with) { return repeated_iteration(plan, with, options); };
  std::optional<PredictedIteration> found;
  try {
    found = repeated(sides);
  } catch (const sim::CopiesDiffer&) {
    Sides again = sides;
    again.copies_end_together = true;
    found = repeated(again);
  }
  if (found) return *found;
  const Prediction prediction = predict(plan, sides, options, Wanted::kIteration);
  return {prediction.iteration, prediction.graph->dag.task_count(), note_on(prediction)};
}

PredictedIteration Predictor::iteration(const Plan& plan, const sim::EngineOptions& options) {
  PredictedIteration found = iteration(plan, Sides{}, options);
  check_throughput(plan, found.length, options);
  return found;
}

ReplayMeter::ReplayMeter(sim::EngineOptions options, Progress progress)
    : options_(std::move(options)), progress_(std::move(progress)) {}

void ReplayMeter::expect(std::uint64_t tasks) {
  const std::lock_guard lock(mutex_);
  total_ = done_ + tasks;
}

void ReplayMeter::add(std::uint64_t tasks) {
  const std::lock_guard lock(mutex_);
  done_ += tasks;
  if (progress_) progress_(done_, total_);
}

template <class Predict>
Prediction ReplayMeter::counted(Predict predict) {
  add(0);
  std::size_t counted = 0;
  sim::EngineOptions options = options_;
  options.progress = [this, &counted](std::size_t done) { add(done - std::exchange(counted, done)); };
  Prediction prediction = predict(options);
  add(prediction.graph->dag.task_count() - counted);
  return prediction;
}

Prediction ReplayMeter::predict(Predictor& predictor, const Plan& plan) {
  return counted([&](const sim::EngineOptions& options) { return predictor.predict(plan, options); });
}

Prediction ReplayMeter::predict(Predictor& predictor, const Plan& plan, const Sides& sides) {
  return counted([&](const sim::EngineOptions& options) { return predictor.predict(plan, sides, options); });
}

Duration ReplayMeter::iteration(Predictor& predictor, const Plan& plan, const Sides& sides) {
  add(0);
  const sim::EngineOptions quietly{.threads = options_.threads, .grain = options_.grain, .stop = options_.stop};
  const Duration length = predictor.iteration(plan, sides, quietly).length;
  add(predictor.tasks_of(plan));
  return length;
}

sim::StepWork work_of(const Plan& plan) {
  sim::StepWork work = sim::captured_work(*plan.captured);
  if (*plan.job.workers != plan.workers_before) {
    const std::uint64_t ranks = std::uint64_t{work.workers} * *plan.job.workers / plan.workers_before;
    work.workers = std::max(1U, static_cast<std::uint32_t>(ranks));
  }
  work.workers *= plan.parallelism.data;
  work.devices *= plan.parallelism.tensor * plan.parallelism.pipeline;
  work.batches = plan.batches;
  return work;
}

}  // namespace stepsim::scenarios
