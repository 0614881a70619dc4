#include "tests/scenarios/interfered_job.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>
#include <string>

#include "model/job/dag_builder.h"

namespace stepsim::testing {
namespace {

constexpr double kOptimizer = 5e6;  // duration of the optimizer, in ns

struct Span {
  double begin = 0;
  double end = 0;
};

struct Step {
  std::vector<Span> kernels;      ///< the optimizer is last
  std::vector<Span> collectives;  ///< by bucket
};

/// Simulates the device, which has one stream for kernels and one for collectives.
class Device {
 public:
  explicit Device(const InterferedJob& job) : job_(job) {}

  Step run_step(double late) {
    Step step;
    submitted_.clear();
    for (std::size_t k = 0; k < job_.kernels; ++k) {
      step.kernels.push_back(run_kernel(3e5 + 2e3 * static_cast<double>(k), step));
      if (std::find(job_.buckets.begin(), job_.buckets.end(), k) != job_.buckets.end())
        submitted_.push_back(now_ + late);
    }
    while (running_ || !submitted_.empty()) pass(std::numeric_limits<double>::infinity(), step);
    step.kernels.push_back(run_kernel(kOptimizer, step));
    return step;
  }

 private:
  Span run_kernel(double work, Step& step) {
    const double begin = now_;
    while (work > 0) work -= pass(work, step);
    return {begin, now_};
  }

  /// Advances the time to the next event: the begin or end of a collective, or the end of the kernel, which needs
  /// `work` more nanoseconds without communication. Returns how much of this work was done.
  double pass(double work, Step& step) {
    if (!running_ && !submitted_.empty() && submitted_.front() <= now_) {
      submitted_.pop_front();
      running_ = Span{now_, now_ + static_cast<double>(job_.collective.count())};
    }
    const double slow = running_ ? job_.factor : 1;
    double next = now_ + work * slow;
    if (running_) next = std::min(next, running_->end);
    if (!running_ && !submitted_.empty()) next = std::min(next, submitted_.front());
    const double done = next == now_ + work * slow ? work : (next - now_) / slow;
    now_ = next;
    if (running_ && running_->end <= now_) {
      step.collectives.push_back(*running_);
      running_.reset();
    }
    return done;
  }

  const InterferedJob& job_;
  double now_ = 0;
  std::deque<double> submitted_;  ///< times of submission
  std::optional<Span> running_;
};

std::vector<Step> steps_of(const InterferedJob& job) {
  Device device(job);
  std::vector<Step> steps;
  for (const Duration late : job.late) steps.push_back(device.run_step(static_cast<double>(late.count())));
  return steps;
}

Time rounded(double time) { return Time{Duration{std::llround(time)}}; }

/// Makes a capture of the simulated steps.
class Recorder {
 public:
  explicit Recorder(const InterferedJob& job) : job_(job) {}

  Capture capture() && {
    const std::vector<Step> steps = steps_of(job_);
    for (std::size_t s = 0; s < steps.size(); ++s) record(s, steps);
    DagBuilder::Result built = std::move(builder_).build();
    Capture capture;
    capture.dag = std::move(built.dag);
    capture.recording.ranks = {0};
    capture.recording.steps = std::move(steps_);
    for (RecordedStep& step : capture.recording.steps) step.first = built.new_id[step.first.index()];
    capture.recording.start.resize(times_.size());
    capture.recording.finish.resize(times_.size());
    capture.recording.step.resize(times_.size());
    for (std::size_t i = 0; i < times_.size(); ++i) {
      const std::size_t id = built.new_id[i].index();
      capture.recording.start[id] = rounded(times_[i].begin);
      capture.recording.finish[id] = rounded(times_[i].end);
      capture.recording.step[id] = step_of_[i];
    }
    return capture;
  }

 private:
  TaskId add(TaskKind kind, const std::string& name, LaneId lane, Span span, std::size_t step, TaskId& last) {
    const TaskId task = builder_.add_task({.kind = kind,
                                           .name = builder_.intern(name),
                                           .lane = lane,
                                           .duration = rounded(span.end) - rounded(span.begin),
                                           .hint = rounded(span.begin)});
    if (last.valid()) builder_.add_edge(last, task, EdgeKind::kStream);
    last = task;
    times_.push_back(span);
    step_of_.push_back(static_cast<std::int32_t>(step));
    return task;
  }

  void record(std::size_t s, const std::vector<Step>& steps) {
    const Step& step = steps[s];
    for (std::size_t k = 0; k < job_.kernels; ++k) {
      const TaskId kernel = add(TaskKind::kKernel, "sgemm", compute_, step.kernels[k], s, last_kernel_);
      if (k == 0) {
        steps_.push_back(
            {.rank = 0, .number = static_cast<std::int64_t>(s), .first = kernel, .next_follows = s + 1 < steps.size()});
      }
      const auto bucket = std::find(job_.buckets.begin(), job_.buckets.end(), k);
      if (bucket == job_.buckets.end()) continue;
      const Span& span = step.collectives[static_cast<std::size_t>(bucket - job_.buckets.begin())];
      const TaskId collective = add(TaskKind::kCollective, "ncclAllReduce", communication_, span, s, last_collective_);
      builder_.add_edge(kernel, collective, EdgeKind::kSync, job_.late[s]);
    }
    const TaskId optimizer =
        add(TaskKind::kKernel, "multi_tensor_apply", compute_, step.kernels.back(), s, last_kernel_);
    builder_.add_edge(last_collective_, optimizer, EdgeKind::kSync);
  }

  const InterferedJob& job_;
  DagBuilder builder_;
  LaneId compute_ = builder_.add_lane({.name = "stream 7", .kind = LaneKind::kStream, .device = 0});
  LaneId communication_ = builder_.add_lane({.name = "stream 9", .kind = LaneKind::kStream, .device = 0});
  TaskId last_kernel_;
  TaskId last_collective_;
  std::vector<Span> times_;
  std::vector<std::int32_t> step_of_;
  std::vector<RecordedStep> steps_;
};

}  // namespace

Capture InterferedJob::capture() const { return Recorder(*this).capture(); }

Duration InterferedJob::length() const { return rounded(steps_of(*this).back().kernels.back().end) - Time{}; }

}  // namespace stepsim::testing
