#include "model/cost/device/slowdown.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/base/units.h"

namespace stepsim {
namespace {

constexpr double kUsualSlowdown = 1.2;
constexpr double kLeastSlowdown = 1.0;
constexpr double kMostSlowdown = 1.45;

double nanoseconds(Duration duration) { return static_cast<double>(duration.count()); }

bool on_stream(const Dag& dag, TaskId task, TaskKind kind) {
  return dag.kind(task) == kind && dag.lane(task).kind == LaneKind::kStream;
}

}  // namespace

std::vector<Slowdown> usual_slowdowns() {
  std::vector<Slowdown> slowdowns;
  for (std::size_t i = 0; i < kKernelClassCount; ++i)
    slowdowns.push_back({static_cast<KernelClass>(i), 0, kUsualSlowdown, kLeastSlowdown, kMostSlowdown});
  return slowdowns;
}

BusyTimes::BusyTimes(std::vector<Stretch> stretches) {
  std::sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  for (const Stretch& stretch : stretches) {
    if (stretch.end <= stretch.begin) continue;
    if (stretches_.empty() || stretch.begin > stretches_.back().end) {
      stretches_.push_back(stretch);
    } else {
      stretches_.back().end = std::max(stretches_.back().end, stretch.end);
    }
  }
}

std::vector<Stretch>::const_iterator BusyTimes::first_after(Time time) const {
  return std::lower_bound(stretches_.begin(), stretches_.end(), time,
                          [](const Stretch& stretch, Time from) { return stretch.end <= from; });
}

Duration BusyTimes::within(Stretch stretch) const {
  Duration sum{};
  for (auto next = first_after(stretch.begin); next != stretches_.end() && next->begin < stretch.end; ++next)
    sum += std::min(next->end, stretch.end) - std::max(next->begin, stretch.begin);
  return sum;
}

Duration BusyTimes::duration_of(Time begin, double alone, double factor) const {
  Time now = begin;
  double left = alone;
  for (auto next = first_after(begin); next != stretches_.end(); ++next) {
    const double before = nanoseconds(std::max(next->begin, now) - now);
    if (left <= before) break;
    left -= before;
    now = std::max(next->begin, now);
    const double beside = nanoseconds(next->end - now);
    if (left * factor <= beside) {
      left *= factor;
      break;
    }
    left -= beside / factor;
    now = next->end;
  }
  const Duration most = kEndOfTime - Time{};
  return std::min(most, (now - begin) + Duration{std::llround(std::min(left, nanoseconds(most)))});
}

double alone_in(double duration, double busy, double factor) noexcept { return duration - busy + busy / factor; }

std::map<Rank, BusyTimes> device_communication(const Dag& dag, std::span<const Time> start,
                                               std::span<const Time> finish) {
  std::map<Rank, std::vector<Stretch>> stretches;
  for (const TaskId task : dag.tasks()) {
    const RendezvousId rendezvous = dag.rendezvous(task);
    const bool is_message = rendezvous.valid() && dag.collective(rendezvous).op == CollectiveOp::kSendRecv;
    if (!is_message && on_stream(dag, task, TaskKind::kCollective))
      stretches[dag.lane(task).rank].push_back({start[task.index()], finish[task.index()]});
  }
  std::map<Rank, BusyTimes> busy;
  for (auto& [rank, all] : stretches) busy.emplace(rank, std::move(all));
  return busy;
}

bool is_stream_kernel(const Dag& dag, TaskId task) noexcept { return on_stream(dag, task, TaskKind::kKernel); }

}  // namespace stepsim
