#include "tests/model/rewrite/data_parallel_job.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace stepsim::testing {
namespace {

constexpr Duration kCompute{10'000'000};
constexpr Duration kOptimizer{1'000'000};

class JobRecorder {
 public:
  explicit JobRecorder(const DataParallelJob& job) : job_(job) {
    for (std::size_t rank = 0; rank < job.ranks; ++rank) record_rank(static_cast<Rank>(rank));
  }

  Capture capture() && {
    DagBuilder::Result built = std::move(builder_).build();
    const std::vector<TaskId>& new_id = built.new_id;
    Recording& recording = capture_.recording;
    recording.start = reordered(start_, new_id);
    recording.finish = reordered(finish_, new_id);
    recording.step = reordered(step_, new_id);
    for (RecordedStep& step : recording.steps) step.first = new_id[step.first.index()];
    for (Gradient& gradient : capture_.gradients) gradient.ready = new_id[gradient.ready.index()];
    capture_.dag = std::move(built.dag);
    return std::move(capture_);
  }

 private:
  template <class T>
  static std::vector<T> reordered(const std::vector<T>& column, const std::vector<TaskId>& new_id) {
    std::vector<T> out(column.size());
    for (std::size_t i = 0; i < column.size(); ++i) out[new_id[i].index()] = column[i];
    return out;
  }

  void record_rank(Rank rank) {
    capture_.recording.ranks.push_back(rank);
    main_ = builder_.add_lane({.name = "main", .rank = rank});
    carriers_ = {builder_.add_lane({.name = "thread 1", .rank = rank}),
                 builder_.add_lane({.name = "thread 2", .rank = rank})};
    carried_ = {};
    last_on_main_ = {};
    now_ = Time{};
    reduced_ = 0;
    for (std::size_t step = 0; step < job_.steps; ++step) record_step(rank, step);
  }

  void record_step(Rank rank, std::size_t number) {
    capture_.recording.steps.push_back({rank, static_cast<std::int64_t>(number), {}, number + 1 < job_.steps, true});
    Bytes bucket{};
    TaskId reduction;
    for (std::size_t i = 0; i < job_.gradients.size(); ++i) {
      const TaskId computed = on_main("backward", kCompute);
      if (i == 0) capture_.recording.steps.back().first = computed;
      capture_.gradients.push_back({computed, job_.gradients[i]});
      bucket += job_.gradients[i];
      if (i % 2 == 0 && i + 1 < job_.gradients.size()) continue;
      reduction = reduce(computed, std::exchange(bucket, Bytes{}));
    }
    now_ = std::max(now_, finish_[reduction.index()]);
    builder_.add_edge(reduction, on_main("optimizer", kOptimizer), EdgeKind::kHandOff);
  }

  TaskId on_main(std::string_view name, Duration duration) {
    const TaskId task = add(TaskKind::kHost, name, main_, now_, duration);
    if (last_on_main_.valid()) builder_.add_edge(last_on_main_, task, EdgeKind::kProgram);
    last_on_main_ = task;
    now_ += duration;
    return task;
  }

  TaskId reduce(TaskId submitted, Bytes bytes) {
    const auto ranks = static_cast<std::int64_t>(job_.ranks);
    const std::size_t carrier = reduced_ % carriers_.size();
    const TaskId task = add(TaskKind::kCollective, "gloo:all_reduce", carriers_[carrier], now_,
                            Duration{2 * (ranks - 1) * bytes.count() / ranks});
    builder_.add_edge(submitted, task, EdgeKind::kHandOff);
    if (carried_[carrier].valid()) builder_.add_edge(carried_[carrier], task, EdgeKind::kProgram);
    carried_[carrier] = task;
    if (reduced_ == reductions_.size())
      reductions_.push_back(builder_.add_rendezvous({.op = CollectiveOp::kAllReduce, .bytes = bytes}));
    builder_.join(reductions_[reduced_++], task);
    return task;
  }

  TaskId add(TaskKind kind, std::string_view name, LaneId lane, Time begin, Duration duration) {
    start_.push_back(begin);
    finish_.push_back(begin + duration);
    step_.push_back(static_cast<std::int32_t>(capture_.recording.steps.size()) - 1);
    return builder_.add_task(
        {.kind = kind, .name = builder_.intern(name), .lane = lane, .duration = duration, .hint = begin});
  }

  const DataParallelJob& job_;
  Capture capture_;
  DagBuilder builder_;
  std::vector<Time> start_;
  std::vector<Time> finish_;
  std::vector<std::int32_t> step_;
  std::vector<RendezvousId> reductions_;  ///< of all steps, in order
  LaneId main_;
  std::array<LaneId, 2> carriers_{};
  std::array<TaskId, 2> carried_{};  ///< last, by carrier
  TaskId last_on_main_;
  Time now_;
  std::size_t reduced_ = 0;
};

}  // namespace

Capture DataParallelJob::capture() const { return JobRecorder(*this).capture(); }

std::vector<TaskId> tasks_named(const Dag& dag, std::string_view name) {
  std::vector<TaskId> tasks;
  for (std::size_t i = 0; i < dag.task_count(); ++i) {
    if (dag.name(TaskId{i}) == name) tasks.emplace_back(i);
  }
  return tasks;
}

bool has_edge(const Dag& dag, TaskId from, TaskId to) {
  const auto targets = dag.successors(from);
  return std::find(targets.begin(), targets.end(), to) != targets.end();
}

}  // namespace stepsim::testing
