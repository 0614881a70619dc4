#include "tests/model/rewrite/data_parallel_job.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace stepsim::testing {
namespace {

constexpr Duration kCompute{10'000'000};
constexpr Duration kOptimizer{1'000'000};

/// Collects tasks with the times at which they ran, and makes a capture of them.
class TaskRecorder {
 public:
  Capture capture() && {
    DagBuilder::Result built = std::move(builder_).build();
    const std::vector<TaskId>& new_id = built.new_id;
    Recording& recording = capture_.recording;
    recording.start = reordered(start_, new_id);
    recording.finish = reordered(finish_, new_id);
    recording.step = reordered(step_, new_id);
    for (RecordedStep& step : recording.steps) step.first = new_id[step.first.index()];
    for (Gradient& gradient : capture_.gradients) gradient.ready = new_id[gradient.ready.index()];
    for (LaunchTable::Use& use : capture_.launches.uses) use.task = new_id[use.task.index()];
    capture_.dag = std::move(built.dag);
    return std::move(capture_);
  }

 protected:
  TaskId add(TaskKind kind, std::string_view name, LaneId lane, Time begin, Duration duration) {
    start_.push_back(begin);
    finish_.push_back(begin + duration);
    step_.push_back(static_cast<std::int32_t>(capture_.recording.steps.size()) - 1);
    return builder_.add_task(
        {.kind = kind, .name = builder_.intern(name), .lane = lane, .duration = duration, .hint = begin});
  }
  void begin_step(Rank rank, std::size_t number, std::size_t steps) {
    capture_.recording.steps.push_back({rank, static_cast<std::int64_t>(number), {}, number + 1 < steps, true});
  }
  [[nodiscard]] Time end_of(TaskId task) const { return finish_[task.index()]; }
  /// Adds `task` to the all-reduce number `k` of the job. Every rank adds one task to it.
  void join(std::size_t k, TaskId task, Bytes bytes) {
    if (k == reductions_.size())
      reductions_.push_back(builder_.add_rendezvous({.op = CollectiveOp::kAllReduce, .bytes = bytes, .group = group_}));
    builder_.join(reductions_[k], task);
  }

  Capture capture_;
  DagBuilder builder_;
  GroupId group_{};

 private:
  template <class T>
  static std::vector<T> reordered(const std::vector<T>& column, const std::vector<TaskId>& new_id) {
    std::vector<T> out(column.size());
    for (std::size_t i = 0; i < column.size(); ++i) out[new_id[i].index()] = column[i];
    return out;
  }

  std::vector<Time> start_;
  std::vector<Time> finish_;
  std::vector<std::int32_t> step_;
  std::vector<RendezvousId> reductions_;  ///< of all steps, in order
};

/// Returns the time of a ring all-reduce: 1 ns per byte that a rank sends.
Duration ring_time(std::size_t ranks, Bytes bytes) {
  const auto count = static_cast<std::int64_t>(ranks);
  return Duration{2 * (count - 1) * bytes.count() / count};
}

class JobRecorder : public TaskRecorder {
 public:
  explicit JobRecorder(const DataParallelJob& job) : job_(job) {
    for (std::size_t rank = 0; rank < job.ranks; ++rank) record_rank(static_cast<Rank>(rank));
  }

 private:
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
    begin_step(rank, number, job_.steps);
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
    now_ = std::max(now_, end_of(reduction));
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
    const std::size_t carrier = reduced_ % carriers_.size();
    const TaskId task =
        add(TaskKind::kCollective, "gloo:all_reduce", carriers_[carrier], now_, ring_time(job_.ranks, bytes));
    builder_.add_edge(submitted, task, EdgeKind::kHandOff);
    if (carried_[carrier].valid()) builder_.add_edge(carried_[carrier], task, EdgeKind::kProgram);
    carried_[carrier] = task;
    join(reduced_++, task, bytes);
    return task;
  }

  const DataParallelJob& job_;
  LaneId main_;
  std::array<LaneId, 2> carriers_{};
  std::array<TaskId, 2> carried_{};  ///< the last all-reduce, by carrier
  TaskId last_on_main_;
  Time now_;
  std::size_t reduced_ = 0;
};

class DeviceJobRecorder : public TaskRecorder {
 public:
  explicit DeviceJobRecorder(const DeviceDataParallelJob& job) : job_(job) {
    if (job.group > 0) group_ = builder_.add_group({.size = job.group});
    for (std::size_t rank = 0; rank < job.ranks; ++rank) record_rank(static_cast<Rank>(rank));
  }

 private:
  static constexpr Duration kCall{10'000};

  struct Row {
    LaneId lane;
    TaskId last{};
    Time free{};
  };

  void record_rank(Rank rank) {
    capture_.recording.ranks.push_back(rank);
    thread_ = {builder_.add_lane({.name = "main", .rank = rank})};
    compute_ = {builder_.add_lane({.name = "stream 7", .rank = rank, .kind = LaneKind::kStream, .device = 0})};
    network_ = {builder_.add_lane({.name = "stream 20", .rank = rank, .kind = LaneKind::kStream, .device = 0})};
    reduced_ = 0;
    for (std::size_t step = 0; step < job_.steps; ++step) record_step(rank, step);
  }

  void record_step(Rank rank, std::size_t number) {
    begin_step(rank, number, job_.steps);
    std::vector<TaskId> reductions;
    std::vector<Bytes> late;
    TaskId kernel;
    Bytes bucket{};
    std::size_t next = 0;
    wait_ = job_.wait;
    for (std::size_t i = 0; i < job_.gradients.size(); ++i) {
      kernel = launch(TaskKind::kKernel, "gradient", compute_, kCompute);
      if (i == 0) capture_.recording.steps.back().first = first_of_step_;
      if (!job_.shapes) copy_into_bucket(job_.gradients[i]);
      bucket += job_.gradients[i];
      if (next < job_.buckets.size() && job_.buckets[next] == i) {
        if (job_.late) {
          late.push_back(bucket);
        } else {
          reductions.push_back(reduce(kernel, bucket));
        }
        bucket = {};
        ++next;
      }
      capture_.gradients.push_back(
          {on(thread_, TaskKind::kHost, "autograd", kCall), job_.shapes ? job_.gradients[i] : Bytes{}});
    }
    for (; !late.empty(); late.pop_back()) {
      if (job_.packed) kernel = launch(TaskKind::kKernel, "pack", compute_, Duration{});
      reductions.push_back(reduce(kernel, late.back()));
    }
    for (const TaskId reduction : reductions) compute_.free = std::max(compute_.free, end_of(reduction));
    const TaskId optimizer = launch(TaskKind::kKernel, "optimizer", compute_, kOptimizer);
    for (const TaskId reduction : reductions) builder_.add_edge(reduction, optimizer, EdgeKind::kSync);
    first_of_step_ = {};
  }

  void copy_into_bucket(Bytes bytes) {
    const TaskId copy = launch(TaskKind::kKernel, "vectorized_elementwise_kernel", compute_, Duration{});
    const auto blocks = static_cast<std::uint64_t>(bytes.count() / DeviceDataParallelJob::kBlock);
    capture_.launches.uses.push_back({copy, static_cast<std::uint32_t>(capture_.launches.launches.size())});
    capture_.launches.launches.push_back({.blocks = blocks, .threads = 128});
  }

  TaskId reduce(TaskId gradient, Bytes bytes) {
    (void)on(thread_, TaskKind::kHost, "c10d::allreduce_", kCall);
    network_.free = std::max(network_.free, end_of(gradient));
    const Duration time = ring_time(std::max<std::size_t>(job_.ranks, job_.group), bytes) + std::exchange(wait_, {});
    const TaskId task = launch(TaskKind::kCollective, "ncclKernel_AllReduce", network_, time);
    (void)on(thread_, TaskKind::kHost, "c10d::allreduce_", kCall);
    builder_.add_edge(gradient, task, EdgeKind::kSync);
    join(reduced_++, task, bytes);
    return task;
  }

  TaskId launch(TaskKind kind, std::string_view name, Row& stream, Duration duration) {
    const TaskId call = on(thread_, TaskKind::kRuntime, "cudaLaunchKernel", kCall);
    if (!first_of_step_.valid()) first_of_step_ = call;
    stream.free = std::max(stream.free, thread_.free);
    const TaskId work = on(stream, kind, name, duration);
    builder_.add_edge(call, work, EdgeKind::kLaunch);
    return work;
  }

  TaskId on(Row& row, TaskKind kind, std::string_view name, Duration duration) {
    const TaskId task = add(kind, name, row.lane, row.free, duration);
    if (row.last.valid()) builder_.add_edge(row.last, task, &row == &thread_ ? EdgeKind::kProgram : EdgeKind::kStream);
    row.last = task;
    row.free += duration;
    return task;
  }

  const DeviceDataParallelJob& job_;
  Row thread_;
  Row compute_;
  Row network_;
  TaskId first_of_step_;
  std::size_t reduced_ = 0;
  Duration wait_{};  ///< that the next all-reduce includes
};

}  // namespace

Capture DeviceDataParallelJob::capture() const { return DeviceJobRecorder(*this).capture(); }

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
