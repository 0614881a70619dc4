#include "tests/sim/sample_capture.h"

#include <algorithm>

namespace stepsim::testing {
namespace {

using std::chrono::microseconds;

class SampleMaker {
 public:
  explicit SampleMaker(Duration late) : late_(late) {
    for (Rank rank = 0; rank < 2; ++rank) {
      streams_.push_back(maker_.builder.add_lane(
          {.name = "stream 7", .host = "node", .rank = rank, .kind = LaneKind::kStream, .device = rank}));
      threads_.push_back(maker_.builder.add_lane({.name = "thread 1", .host = "node", .rank = rank}));
    }
  }

  Capture make() {
    for (int step = 0; step < 2; ++step) add_step(step);
    Capture capture;
    capture.dag = maker_.build();
    fill(capture.recording);
    return capture;
  }

 private:
  struct Times {
    TaskId task;
    Duration start;
    Duration finish;
    std::int32_t step;
  };

  TaskId add(LaneId lane, Duration duration, std::string name, TaskKind kind, Duration start, Duration finish,
             std::int32_t step) {
    const TaskId task = maker_.task(lane, duration.count(), {}, std::move(name), kind);
    times_.push_back({task, start, finish, step});
    return task;
  }

  void add_step(int step) {
    const RendezvousId rendezvous = maker_.builder.add_rendezvous();
    const Duration begin = microseconds{1000} + step * (microseconds{210} + late_);
    for (std::size_t r = 0; r < 2; ++r) {
      const auto index = static_cast<std::int32_t>(2 * r) + step;
      const Duration work = microseconds{100} + static_cast<std::int64_t>(r) * microseconds{50};
      const Duration together = begin + microseconds{150};
      const Duration host = together + microseconds{50};
      const TaskId kernel = add(streams_[r], work, "gemm", TaskKind::kKernel, begin, begin + work, index);
      const TaskId collective = add(streams_[r], microseconds{30}, "ncclAllReduce", TaskKind::kCollective, begin + work,
                                    together + microseconds{30}, index);
      const TaskId call =
          add(threads_[r], microseconds{10}, "optimizer", TaskKind::kHost, host, host + microseconds{10}, index);
      maker_.builder.join(rendezvous, collective);
      maker_.builder.add_edge(kernel, collective, EdgeKind::kStream);
      maker_.builder.add_edge(collective, call, EdgeKind::kSync, microseconds{20});
      if (step > 0) maker_.builder.add_edge(last_call_[r], kernel, EdgeKind::kLaunch);
      last_call_[r] = call;
      first_.push_back(kernel);
      late_calls_.push_back(call);
    }
  }

  void fill(Recording& recording) {
    recording.start.resize(times_.size());
    recording.finish.resize(times_.size());
    recording.step.resize(times_.size());
    for (const Times& times : times_) {
      const std::size_t i = maker_.new_id(times.task).index();
      recording.start[i] = Time{times.start};
      recording.finish[i] = Time{times.finish};
      recording.step[i] = times.step;
    }
    for (std::size_t r = 0; r < 2; ++r) {
      for (std::size_t step = 0; step < 2; ++step) {
        recording.steps.push_back({.rank = static_cast<Rank>(r),
                                   .number = 10 + static_cast<std::int64_t>(step),
                                   .first = maker_.new_id(first_[2 * step + r]),
                                   .next_follows = step == 0});
      }
    }
    recording.ranks = {0, 1};
    for (const TaskId call : late_calls_)
      recording.unexplained.push_back({maker_.new_id(call), microseconds{20}, "host thread"});
    std::sort(recording.unexplained.begin(), recording.unexplained.end(),
              [](const auto& a, const auto& b) { return a.task < b.task; });
  }

  DagMaker maker_;
  Duration late_;
  std::vector<LaneId> streams_;
  std::vector<LaneId> threads_;
  std::vector<Times> times_;
  std::vector<TaskId> first_;
  std::vector<TaskId> late_calls_;
  TaskId last_call_[2];
};

}  // namespace

Capture sample_capture(Duration late) { return SampleMaker{late}.make(); }

}  // namespace stepsim::testing
