#include "model/rewrite/parallel/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/cost/collective/algorithm.h"
#include "model/job/dag_builder.h"
#include "model/rewrite/buckets.h"
#include "model/rewrite/capture_edit.h"
#include "model/rewrite/parallel/added_collectives.h"
#include "model/rewrite/parallel/layers.h"
#include "model/rewrite/parallel/recompute.h"
#include "model/rewrite/task_copier.h"

namespace stepsim {
namespace {

Duration time_of(const Dag& dag, const OperatorTable& table, const ModelCall& call) {
  Duration sum{};
  for (const std::size_t use : call.uses) sum += dag.duration(table.uses[use].task);
  return sum;
}

/// Stages that differ by less than this are as long: captured times of equal layers differ so much.
constexpr double kSameLength = 0.001;

/// Returns the length of the longest stage if `stages` stages are cut so that it is as short as possible. Layers i to j
/// take until[j] - until[i]. O(stages * layers).
double shortest_longest_stage(const std::vector<double>& until, std::uint32_t stages) {
  const std::size_t layers = until.size() - 1;
  std::vector<double> longest = until;  // of the first j layers in one stage, then in two, ...
  for (std::size_t stage = 2; stage <= stages; ++stage) {
    std::vector<double> next(until.size());
    std::size_t cut = stage - 1;  // the last stage begins with this layer; it moves on with j
    for (std::size_t j = stage; j <= layers; ++j) {
      const auto with_cut = [&](std::size_t at) { return std::max(longest[at], until[j] - until[at]); };
      while (cut + 1 < j && with_cut(cut + 1) <= with_cut(cut)) ++cut;
      next[j] = with_cut(cut);
    }
    longest = std::move(next);
  }
  return longest.back();
}

/// Returns the first layer of each stage, so that the longest stage is as short as possible (shortest_longest_stage()).
/// Of such cuts, each is the first one after an equal division of all that is before it and its stage, or else the last
/// one before it: the longer stages come first, because the first microbatch reaches them earlier.
std::vector<std::size_t> equal_stages(const std::vector<double>& times, std::uint32_t stages) {
  const std::size_t layers = times.size() - 2;
  std::vector<double> until(layers + 1);
  for (std::size_t layer = 1; layer <= layers; ++layer) until[layer] = until[layer - 1] + times[layer];
  for (std::size_t layer = 1; layer <= layers; ++layer) until[layer] += times.front();
  until.back() += times.back();
  const double most = shortest_longest_stage(until, stages) * (1 + kSameLength);
  std::vector<std::size_t> fewest(layers + 1, 1);  // stages that the layers before one need
  for (std::size_t layer = 1, begin = 0; layer <= layers; ++layer) {
    fewest[layer] = fewest[layer - 1];
    if (until[layer] - until[begin] <= most) continue;
    begin = layer - 1;
    ++fewest[layer];
  }
  std::vector<std::size_t> first(stages);
  std::size_t end = layers;
  for (std::size_t stage = stages - 1; stage > 0; --stage) {
    const double wanted = until[end] * static_cast<double>(stage) / static_cast<double>(stage + 1);
    std::optional<std::size_t> best;
    for (std::size_t cut = end - 1; cut >= stage && until[end] - until[cut] <= most; --cut) {
      if (fewest[cut] <= stage && (!best || until[cut] >= wanted)) best = cut;
    }
    STEPSIM_ASSERT(best.has_value(), "a cut with the shortest longest stage exists");
    first[stage] = end = *best;
  }
  return first;
}

/// Returns the first layer of each of more stages than layers: every layer is a stage, and what comes before the layers
/// or after them, or both, is another.
std::vector<std::size_t> one_layer_each(const std::vector<double>& times, std::uint32_t stages) {
  const std::size_t layers = times.size() - 2;
  const bool before_is_longer = times[0] + times[1] > times[layers] + times[layers + 1];
  const bool before_apart = stages == layers + 2 || times.back() == 0 || (times.front() > 0 && before_is_longer);
  std::vector<std::size_t> first(stages);
  for (std::size_t stage = 1; stage < stages; ++stage) first[stage] = before_apart ? stage - 1 : stage;
  return first;
}

/// The parts of a step between the cuts, in the order of the captured step: the forward parts of the stages, their
/// backward parts, and the update.
class Pieces {
 public:
  Pieces(const Capture& capture, const std::vector<ModelCall>& calls, const StageCuts& cuts, std::int32_t step)
      : dag_(capture.dag),
        recording_(capture.recording),
        stages_(cuts.forward.size()),
        of_task_(dag_.task_count(), kNone),
        follows_(dag_.task_count(), false) {
    const std::map<TaskId, TaskId> call_of = calls_by_work(device_launches(capture));
    begins_ = piece_begins(capture, calls, call_of, cuts);
    tasks_.resize(2 * stages_ + 1);
    for (const TaskId task : dag_.tasks()) {
      if (recording_.step[task.index()] != step) continue;
      const Time at = launch_time(recording_, call_of, task);
      const auto piece =
          static_cast<std::size_t>(std::upper_bound(begins_.begin(), begins_.end(), at) - begins_.begin());
      of_task_[task.index()] = static_cast<std::uint32_t>(piece);
      tasks_[piece].push_back(task);
    }
    for (const TaskId task : dag_.tasks()) {
      if (of(task) == kNone) continue;
      for (const TaskId target : dag_.successors(task)) {
        if (of(target) == of(task)) follows_[target.index()] = true;
      }
    }
  }

  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  [[nodiscard]] static std::size_t forward(std::size_t stage) noexcept { return stage; }
  [[nodiscard]] std::size_t backward(std::size_t stage) const noexcept { return 2 * stages_ - 1 - stage; }
  [[nodiscard]] std::size_t update() const noexcept { return 2 * stages_; }
  [[nodiscard]] const std::vector<TaskId>& tasks(std::size_t piece) const noexcept { return tasks_[piece]; }
  [[nodiscard]] std::uint32_t of(TaskId task) const noexcept { return of_task_[task.index()]; }
  /// True if a task waits for another one of its piece.
  [[nodiscard]] bool follows_own(TaskId task) const noexcept { return follows_[task.index()]; }

 private:
  const Dag& dag_;
  const Recording& recording_;
  std::size_t stages_;
  std::vector<Time> begins_;  // of all pieces but the first
  std::vector<std::uint32_t> of_task_;
  std::vector<bool> follows_;  // by task
  std::vector<std::vector<TaskId>> tasks_;
};

bool is_on_device(const Dag& dag, TaskId task) { return is_of_device(dag.lane(task)); }

/// Builds the ranks of the stages from copies of the pieces.
class StagedJob {
 public:
  StagedJob(const Capture& capture, const Parallelism& parallelism)
      : capture_(capture),
        dag_(capture.dag),
        parallelism_(parallelism),
        calls_(calls_of_typical_step(capture)),
        cuts_(stage_cuts(capture, calls_, parallelism.parts_of_pipeline(), parallelism.split)),
        step_(step_of_cuts()),
        pieces_(capture, calls_, cuts_, step_),
        edit_(capture) {
    for (const TaskId task : dag_.tasks()) {
      const RendezvousId rendezvous = dag_.rendezvous(task);
      if (rendezvous.valid() && !dag_.collective(rendezvous).of_activations) of_parameters_.insert(dag_.lane_id(task));
    }
  }

  Capture run() && {
    reserve();
    std::vector<Stage> stages(parallelism_.pipeline);
    for (std::size_t stage = 0; stage < stages.size(); ++stage) build(stage, stages[stage]);
    for (std::size_t part = 0; part + 1 < cuts_.forward.size(); ++part) connect(part, stages);
    edit_.remove_captured();
    return std::move(edit_).finish();
  }

 private:
  /// A copy of a piece.
  struct Copy {
    TaskCopies tasks;
    std::vector<TaskId> before;  ///< the last task that its rank has on each stream of samples before

    [[nodiscard]] TaskId at(TaskId task) const { return tasks.at(task); }
  };
  /// The copies that a stage consists of.
  struct Stage {
    std::vector<std::vector<Copy>> forward;   ///< by part of the stage, then microbatch
    std::vector<std::vector<Copy>> backward;  ///< by part of the stage, then microbatch
    Copy update;
    std::map<LaneId, TaskId> last;  ///< the last task so far on each captured lane
    TaskId last_host;
    std::int32_t step = -1;
    Time now;  ///< recorded time at which the host is after the copies so far
    std::map<GroupId, GroupId> groups;
  };

  [[nodiscard]] Rank rank_of(std::size_t stage) const noexcept {
    return static_cast<Rank>(parallelism_.first_rank(stage));
  }

  /// Returns the index of the step that the cuts divide.
  [[nodiscard]] std::int32_t step_of_cuts() const {
    return capture_.recording.step[calls_[cuts_.backward.back()].first.index()];
  }

  /// Reserves memory for the copies. Throws CannotAnswer if there would be too many.
  void reserve() {
    std::size_t tasks = 0;
    std::size_t edges = 0;
    for (std::size_t piece = 0; piece < pieces_.update(); ++piece) {
      tasks += pieces_.tasks(piece).size();
      for (const TaskId task : pieces_.tasks(piece)) edges += dag_.edges_from(task).size();
    }
    if (tasks <= kMostCopiedTasks / parallelism_.microbatches)
      return edit_.reserve(tasks * parallelism_.microbatches, edges * parallelism_.microbatches);
    throw CannotAnswer({}, fmt::format("{} microbatches of {} tasks each are too many; expected at most {} tasks in "
                                       "all: fewer microbatches, of more samples each",
                                       grouped(parallelism_.microbatches), grouped(tasks), grouped(kMostCopiedTasks)));
  }

  /// Returns the number of a stage's part in the pipeline, where a microbatch passes the parts in order.
  [[nodiscard]] std::size_t in_pipeline(std::size_t stage, std::size_t part) const noexcept {
    return part * parallelism_.pipeline + stage;
  }

  /// A pass of one microbatch through one part of a stage.
  struct Turn {
    bool is_forward = true;
    std::size_t part = 0;  ///< of the stage
  };

  /// Returns the order of a stage's turns (passes_ahead()). Microbatches pass each part in their order.
  [[nodiscard]] std::vector<Turn> order_of(std::size_t stage) const {
    const std::size_t parts = parallelism_.interleave;
    const std::size_t count = parallelism_.microbatches * parts;
    const std::size_t ahead = passes_ahead(parallelism_, stage);
    std::vector<Turn> order;
    const auto forward = [&](std::size_t i) { order.push_back({true, i / parallelism_.pipeline % parts}); };
    const auto backward = [&](std::size_t i) {
      order.push_back({false, parts - 1 - i / parallelism_.pipeline % parts});
    };
    for (std::size_t i = 0; i < ahead; ++i) forward(i);
    for (std::size_t i = ahead; i < count; ++i) {
      backward(i - ahead);
      forward(i);
    }
    for (std::size_t i = count - ahead; i < count; ++i) backward(i);
    return order;
  }

  void build(std::size_t stage, Stage& built) {
    RecordedStep step = capture_.recording.steps[static_cast<std::size_t>(step_)];
    built.now = capture_.recording.start[step.first.index()];
    step.rank = rank_of(stage);
    step.first = {};
    step.next_follows = false;
    built.step = edit_.add_step(step);
    built.forward.resize(parallelism_.interleave);
    built.backward.resize(parallelism_.interleave);
    for (const Turn& turn : order_of(stage)) {
      std::vector<Copy>& copies = (turn.is_forward ? built.forward : built.backward)[turn.part];
      const std::size_t part = in_pipeline(stage, turn.part);
      const std::size_t piece = turn.is_forward ? Pieces::forward(part) : pieces_.backward(part);
      const bool is_last = !turn.is_forward && copies.size() + 1 == parallelism_.microbatches;
      copies.push_back(copy(piece, stage, built, is_last));
    }
    built.update = copy(pieces_.update(), stage, built, false);
    edit_.step(static_cast<std::size_t>(built.step)).first =
        first_of(Pieces::forward(stage), built.forward.front().front());
    for (std::size_t part = 0; part < parallelism_.interleave; ++part) copy_edges_between(stage, part, built);
    copy_edges_to_update(stage, built);
  }

  /// Returns the copy of the host task that begins a piece.
  [[nodiscard]] TaskId first_of(std::size_t piece, const Copy& copy) const {
    TaskId first;
    for (const TaskId task : pieces_.tasks(piece)) {
      if (is_on_device(dag_, task)) continue;
      if (!first.valid() || capture_.recording.start[task.index()] < capture_.recording.start[first.index()])
        first = task;
    }
    return first.valid() ? copy.at(first) : copy.tasks.front();
  }

  /// True for streams but those of collectives of parameters and of their gradients (ZeRO), which no message waits for.
  [[nodiscard]] bool is_of_samples(LaneId lane) const {
    return is_of_device(dag_.lane(lane)) && !of_parameters_.contains(lane);
  }

  /// Adds a copy of a piece after what the stage has so far.
  Copy copy(std::size_t piece, std::size_t stage, Stage& built, bool with_gradients) {
    const std::vector<TaskId>& tasks = pieces_.tasks(piece);
    const Recording& recording = capture_.recording;
    Copy made;
    if (tasks.empty()) return made;
    for (const auto& [lane, task] : built.last) {
      if (is_of_samples(lane)) made.before.push_back(task);
    }
    Time begin = Time::max();
    Time end = Time::min();
    for (const TaskId task : tasks) {
      begin = std::min(begin, recording.start[task.index()]);
      if (!is_on_device(dag_, task)) end = std::max(end, recording.finish[task.index()]);
    }
    const Duration later = built.now - begin;
    made.tasks = copier_.copy(tasks, {.step = built.step,
                                      .rank = rank_of(stage),
                                      .later = later,
                                      .parts = piece == pieces_.update() ? parallelism_.pipeline : 1,
                                      .rendezvous =
                                          [&](RendezvousId captured) {
                                            Collective collective = dag_.collective(captured);
                                            collective.group = group_of(collective.group, stage, built);
                                            return edit_.builder().add_rendezvous(collective);
                                          },
                                      .with_gradients = with_gradients});
    built.now = std::max(built.now, end + later + Duration{1});  // calls that take no time stay in order
    chain(tasks, made, built);
    return made;
  }

  /// Returns the stage's group in place of one of the captured rank.
  GroupId group_of(GroupId captured, std::size_t stage, Stage& built) {
    if (stage == 0 || !captured.valid()) return captured;
    const auto known = built.groups.find(captured);
    if (known != built.groups.end()) return known->second;
    Group group = dag_.group(captured);
    for (Rank& rank : group.ranks) rank += rank_of(stage);
    return built.groups.emplace(captured, edit_.builder().add_group(std::move(group))).first->second;
  }

  /// Makes the copy of a piece follow what its rank does before: each lane goes on where it was, and its threads begin
  /// when the host is done with the part before.
  void chain(const std::vector<TaskId>& tasks, const Copy& made, Stage& built) {
    DagBuilder& builder = edit_.builder();
    std::map<LaneId, TaskId> last = built.last;
    std::set<LaneId> begun;
    TaskId last_host = built.last_host;
    Time host_end = Time::min();
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const TaskId task = tasks[i];
      const TaskId copy = made.tasks[i];
      const LaneId lane = dag_.lane_id(task);
      const bool on_device = is_on_device(dag_, task);
      const auto before = built.last.find(lane);
      if (begun.insert(lane).second && before != built.last.end())
        builder.add_edge(before->second, copy, on_device ? EdgeKind::kStream : EdgeKind::kProgram);
      if (!on_device && !pieces_.follows_own(task) && built.last_host.valid())
        builder.add_edge(built.last_host, copy, EdgeKind::kHandOff);
      last[lane] = copy;
      if (!on_device && capture_.recording.finish[task.index()] > host_end) {
        host_end = capture_.recording.finish[task.index()];
        last_host = copy;
      }
    }
    built.last = std::move(last);
    built.last_host = last_host;
  }

  /// Copies the edges from the forward to the backward pass of a stage's part, other than those of threads and streams,
  /// which chain() made.
  void copy_edges_between(std::size_t stage, std::size_t part, const Stage& built) {
    const std::size_t forward = Pieces::forward(in_pipeline(stage, part));
    const std::size_t backward = pieces_.backward(in_pipeline(stage, part));
    for (const TaskId task : pieces_.tasks(forward)) {
      for (const EdgeId edge : dag_.edges_from(task)) {
        if (pieces_.of(dag_.target(edge)) != backward || !is_data(edge)) continue;
        for (std::size_t m = 0; m < parallelism_.microbatches; ++m) {
          edit_.builder().add_edge(built.forward[part][m].at(task), built.backward[part][m].at(dag_.target(edge)),
                                   dag_.edge_kind(edge), dag_.lag(edge));
        }
      }
    }
  }

  /// Makes work after the backward pass that waits for any device work wait for all that the stage has launched.
  void copy_edges_to_update(std::size_t stage, const Stage& built) {
    const std::map<LaneId, TaskId> last = before_update(stage, built);
    for (const TaskId task : dag_.tasks()) {
      const std::uint32_t piece = pieces_.of(task);
      if (piece == Pieces::kNone || piece == pieces_.update() || !is_on_device(dag_, task)) continue;
      for (const EdgeId edge : dag_.edges_from(task)) {
        const TaskId target = dag_.target(edge);
        if (pieces_.of(target) != pieces_.update() || dag_.edge_kind(edge) != EdgeKind::kSync) continue;
        if (const auto work = last.find(dag_.lane_id(task)); work != last.end())
          edit_.builder().add_edge(work->second, built.update.at(target), EdgeKind::kSync, dag_.lag(edge));
      }
    }
  }

  [[nodiscard]] bool is_data(EdgeId edge) const {
    const EdgeKind kind = dag_.edge_kind(edge);
    return kind == EdgeKind::kSync || kind == EdgeKind::kData || kind == EdgeKind::kLaunch;
  }

  /// Returns the last task of the stage on each stream before the update: of its first part's last microbatch, whose
  /// backward pass is the last turn.
  [[nodiscard]] std::map<LaneId, TaskId> before_update(std::size_t stage, const Stage& built) const {
    std::map<LaneId, TaskId> last;
    for (const std::size_t piece : {Pieces::forward(stage), pieces_.backward(stage)}) {
      const auto& copies = piece == Pieces::forward(stage) ? built.forward : built.backward;
      for (const TaskId task : pieces_.tasks(piece)) {
        if (is_on_device(dag_, task)) last[dag_.lane_id(task)] = copies.front().back().at(task);
      }
    }
    return last;
  }

  /// Sends the activations of a part of the pipeline to the next one, and their gradients back.
  void connect(std::size_t part, std::vector<Stage>& stages) {
    const std::size_t stage = part % stages.size();
    const std::size_t next = (part + 1) % stages.size();
    Stage& from = stages[stage];
    Stage& to = stages[next];
    const Bytes bytes = part_of(cuts_.activations[part], parallelism_.tensor);
    DagBuilder& builder = edit_.builder();
    const auto& [first, second] = std::minmax(stage, next);
    const GroupId group = builder.add_group({.name = fmt::format("stages {} and {}", first, second),
                                             .size = 2,
                                             .ranks = {rank_of(first), rank_of(second)}});
    const Lane& stream = dag_.lane(first_stream());
    const auto lane = [&](std::size_t of, const char* name) {
      Lane made{.name = name, .host = stream.host, .rank = rank_of(of), .kind = LaneKind::kStream};
      made.device = stream.device;
      return builder.add_lane(std::move(made));
    };
    const std::uint32_t sender = stage < next ? 0 : 1;
    StageLink down{group, sender, bytes, lane(stage, "sends activations"), lane(next, "receives activations"), {}, {}};
    StageLink back{group, 1 - sender, bytes, lane(next, "sends gradients"), lane(stage, "receives gradients"), {}, {}};
    if (parallelism_.tensor > 1 && !parallelism_.sequence) {
      down.gathered = back.gathered = cuts_.activations[part];
      down.gathers = builder.add_group(copied_group("tensor parallel", rank_of(next), parallelism_.tensor, 1));
      back.gathers = builder.add_group(copied_group("tensor parallel", rank_of(stage), parallelism_.tensor, 1));
    }
    const std::vector<Copy>& forward = from.forward[part / stages.size()];
    const std::vector<Copy>& backward = from.backward[part / stages.size()];
    const std::vector<Copy>& next_forward = to.forward[(part + 1) / stages.size()];
    const std::vector<Copy>& next_backward = to.backward[(part + 1) / stages.size()];
    for (std::size_t m = 0; m < parallelism_.microbatches; ++m) {
      send(down, forward[m], Pieces::forward(part), from.step, next_forward[m], Pieces::forward(part + 1), to.step);
      send(back, next_backward[m], pieces_.backward(part + 1), to.step, backward[m], pieces_.backward(part), from.step);
    }
  }

  [[nodiscard]] LaneId first_stream() const {
    for (std::size_t i = 0; i < dag_.lanes().size(); ++i) {
      if (dag_.lanes()[i].kind == LaneKind::kStream) return LaneId{i};
    }
    return LaneId{0};
  }

  /// A direction between two stages. Each of several tensor-parallel ranks sends its part, and the receivers gather the
  /// whole, as Megatron-LM 2 and DeepSpeed do it. With `sequence`, a part is all that a rank has.
  struct StageLink {
    GroupId group;
    std::uint32_t root = 0;
    Bytes bytes{};
    LaneId sender;
    LaneId receiver;
    Bytes gathered{};  ///< bytes of the whole; 0 if the receivers gather nothing
    GroupId gathers;   ///< the receivers
  };

  /// Sends a message when all device work of one part is done. It is received when its receiver has done the part
  /// before the other one, whose device work waits for it. So does the host, which Megatron-LM synchronises with the
  /// device after each exchange of stages (batch_p2p_sync).
  void send(const StageLink& link, const Copy& from, std::size_t from_piece, std::int32_t from_step, const Copy& to,
            std::size_t to_piece, std::int32_t to_step) {
    DagBuilder& builder = edit_.builder();
    const auto add = [&](LaneId lane, std::int32_t step, Time hint, std::string_view name, Bytes bytes) {
      const TaskId task = edit_.add_task(
          {.kind = TaskKind::kCollective, .name = builder.intern(name), .lane = lane, .bytes = bytes, .hint = hint},
          step);
      const auto [before, is_first] = last_on_.try_emplace(lane, task);
      if (!is_first) builder.add_edge(std::exchange(before->second, task), task, EdgeKind::kStream);
      return task;
    };
    std::map<LaneId, TaskId> last;
    std::map<LaneId, TaskId> first;
    for (const TaskId task : pieces_.tasks(from_piece)) {
      if (is_of_samples(dag_.lane_id(task))) last[dag_.lane_id(task)] = from.at(task);
    }
    for (const TaskId task : pieces_.tasks(to_piece)) {
      if (is_of_samples(dag_.lane_id(task))) first.try_emplace(dag_.lane_id(task), to.at(task));
    }
    if (last.empty() || first.empty()) return;
    const auto add_message = [&](LaneId lane, std::int32_t step, TaskId beside) {
      return add(lane, step, builder.task(beside).hint, builder.lane(lane).name, link.bytes);
    };
    const TaskId sent = add_message(link.sender, from_step, last.begin()->second);
    const TaskId message = add_message(link.receiver, to_step, first.begin()->second);
    TaskId received = message;
    if (link.gathered > Bytes{}) {
      received = add(link.receiver, to_step, builder.task(message).hint, "all_gather (tensor parallel)", link.gathered);
      builder.join(builder.add_rendezvous({.op = CollectiveOp::kAllGather,
                                           .algorithm = find_collective_model("nccl"),
                                           .bytes = link.gathered,
                                           .group = link.gathers,
                                           .of_activations = true}),
                   received);
    }
    if (const TaskId begins = first_of(to_piece, to); !is_of_device(builder.lane(builder.task(begins).lane)))
      builder.add_edge(received, begins, EdgeKind::kSync);
    const RendezvousId rendezvous = builder.add_rendezvous({.op = CollectiveOp::kSendRecv,
                                                            .algorithm = find_collective_model("nccl"),
                                                            .bytes = link.bytes,
                                                            .root = link.root,
                                                            .group = link.group,
                                                            .of_activations = true});
    builder.join(rendezvous, sent);
    builder.join(rendezvous, message);
    for (const auto& [lane, task] : last) builder.add_edge(task, sent, EdgeKind::kSync);
    for (const auto& [lane, task] : first) builder.add_edge(received, task, EdgeKind::kSync);
    for (const TaskId task : to.before) builder.add_edge(task, message, EdgeKind::kSync);
  }

  const Capture& capture_;
  const Dag& dag_;
  const Parallelism& parallelism_;
  std::vector<ModelCall> calls_;
  StageCuts cuts_;
  std::int32_t step_;
  Pieces pieces_;
  CaptureEdit edit_;
  TaskCopier copier_{capture_, edit_};
  std::set<LaneId> of_parameters_;    // streams of collectives of parameters and gradients
  std::map<LaneId, TaskId> last_on_;  // the last message on each lane of messages
};

}  // namespace

std::vector<double> layer_times(const Capture& capture, const std::vector<ModelCall>& calls, const StepLayers& layers,
                                Recompute recompute) {
  std::vector<double> times(layers.count + 2);
  const auto add = [&](std::size_t from, std::size_t end, std::size_t place) {
    for (std::size_t i = from; i < end; ++i)
      times[place] += static_cast<double>(time_of(capture.dag, capture.operators, calls[i]).count());
  };
  add(layers.passes.forward, layers.forward_of(0), 0);
  for (std::size_t layer = 0; layer < layers.count; ++layer) {
    add(layers.forward_of(layer), layers.forward_of(layer + 1), layer + 1);
    add(layers.backward_of(layer), layers.backward_end_of(layer), layer + 1);
  }
  add(layers.forward_of(layers.count), layers.passes.backward, layers.count + 1);
  add(layers.passes.backward, layers.backward_of(layers.count - 1), layers.count + 1);
  if (recompute == Recompute::kNothing) return times;
  std::size_t layer = layers.count;
  for (const RecomputedPart& again : recomputed_parts(capture, calls, layers, recompute))
    add(again.first, again.last + 1, layer--);
  return times;
}

std::vector<std::size_t> first_layers(const std::vector<double>& times, std::uint32_t stages,
                                      std::span<const std::uint32_t> split) {
  const std::size_t layers = times.size() - 2;
  const std::size_t most = layers + (times.front() > 0 ? 1 : 0) + (times.back() > 0 ? 1 : 0);
  if (most < stages) {
    throw CannotAnswer({}, fmt::format("the captured model has {} repeated layers, and {} stages or parts of stages "
                                       "need one each, or what comes before or after them; expected at most {}",
                                       layers, stages, most));
  }
  if (split.empty()) return layers < stages ? one_layer_each(times, stages) : equal_stages(times, stages);
  const std::size_t sum = std::accumulate(split.begin(), split.end(), std::size_t{0});
  if (split.size() != stages || sum != layers) {
    throw CannotAnswer({}, fmt::format("the split has {} parts with {} layers in all; expected {} parts with the {} "
                                       "repeated layers of the captured model",
                                       split.size(), sum, stages, layers));
  }
  for (std::size_t stage = 0; stage < stages; ++stage) {
    const bool has_more = (stage == 0 && times.front() > 0) || (stage + 1 == stages && times.back() > 0);
    if (split[stage] > 0 || has_more) continue;
    throw CannotAnswer({}, fmt::format("part {} of the split has no layer and nothing else to compute; expected "
                                       "layers in each part, but for the first and the last",
                                       stage + 1));
  }
  std::vector<std::size_t> first{0};
  for (std::uint32_t stage = 0; stage + 1 < stages; ++stage) first.push_back(first.back() + split[stage]);
  return first;
}

std::size_t passes_ahead(const Parallelism& parallelism, std::size_t stage) noexcept {
  const std::size_t parts = parallelism.interleave;
  const std::size_t count = parallelism.microbatches * parts;
  if (parallelism.schedule == PipelineSchedule::kAllForwardFirst) return count;
  const std::size_t later = parallelism.pipeline - stage - 1;  // stages behind this one
  return std::min(count, parts == 1 ? later + 1 : 2 * later + (parts - 1) * parallelism.pipeline + 1);
}

StageCuts stage_cuts(const Capture& capture, const std::vector<ModelCall>& calls, std::uint32_t stages,
                     std::span<const std::uint32_t> split, Recompute recompute) {
  if (stages == 1 && split.empty()) {
    const Passes passes = passes_of(calls);
    return {.forward = {passes.forward}, .backward = {passes.backward}, .update = passes.end};
  }
  const StepLayers layers = layers_of(calls);
  StageCuts cuts{.forward = {layers.passes.forward}, .backward = {}, .update = layers.passes.end};
  const std::vector<std::size_t> first = first_layers(layer_times(capture, calls, layers, recompute), stages, split);
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    const bool is_last = stage + 1 == stages;
    const std::size_t end = is_last ? layers.count : first[stage + 1];
    cuts.layers.push_back(static_cast<std::uint32_t>(end - first[stage]));
    if (end == 0 && layers.backward_end_of(0) == layers.passes.end)
      throw CannotAnswer({}, "what comes before the layers has no backward pass, so it cannot be a stage of its own");
    cuts.backward.push_back(is_last    ? layers.passes.backward
                            : end == 0 ? layers.backward_end_of(0)
                                       : layers.backward_of(end - 1));
    if (stage == 0) continue;
    cuts.forward.push_back(layers.forward_of(first[stage]));
    const std::vector<TensorShape>& inputs = capture.operators.operators[calls[cuts.forward.back()].which].inputs;
    const Bytes bytes{inputs.empty() ? 0 : std::llround(inputs.front().bytes())};
    if (bytes == Bytes{}) {
      throw CannotAnswer({}, fmt::format("the size of what stage {} sends is not known; expected a trace with "
                                         "record_shapes=True",
                                         stage - 1));
    }
    cuts.activations.push_back(bytes);
  }
  return cuts;
}

std::vector<Time> piece_begins(const Capture& capture, const std::vector<ModelCall>& calls,
                               const std::map<TaskId, TaskId>& call_of, const StageCuts& cuts) {
  const Recording& recording = capture.recording;
  const auto launched = [&](std::size_t call) { return launch_time(recording, call_of, calls[call].first); };
  std::vector<Time> begins;
  for (std::size_t stage = 1; stage < cuts.forward.size(); ++stage) begins.push_back(launched(cuts.forward[stage]));
  for (std::size_t stage = cuts.backward.size(); stage-- > 0;) begins.push_back(launched(cuts.backward[stage]));
  if (cuts.update < calls.size()) {
    begins.push_back(launched(cuts.update));
    return begins;
  }
  // No call of an optimizer is known, but the last gradients are ready after the last call of the backward pass.
  const auto launch = call_of.find(calls.back().last);
  const TaskId last = launch == call_of.end() ? calls.back().last : launch->second;
  Time end = std::max(recording.finish[last.index()], recording.start[last.index()] + Duration{1});
  for (const Gradient& gradient : capture.gradients) {
    if (recording.step[gradient.ready.index()] == recording.step[last.index()])
      end = std::max(end, recording.start[gradient.ready.index()] + Duration{1});
  }
  begins.push_back(end);
  return begins;
}

Capture with_stages(const Capture& capture, const Parallelism& parallelism) {
  return StagedJob(capture, parallelism).run();
}

}  // namespace stepsim
