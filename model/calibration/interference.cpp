#include "model/calibration/interference.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "model/base/median.h"

namespace stepsim {
namespace {

/// What runs this share of its time beside communication counts as beside it.
constexpr double kBeside = 0.95;

/// Kernels that take less alone are left out: many captures have times in whole microseconds, and launches from
/// the host decide how they lie.
constexpr double kShortestNs = 10'000;

struct Span {
  Time begin;
  Time end;
};

bool on_stream(const Capture& capture, TaskId task, TaskKind kind) {
  return capture.dag.kind(task) == kind && capture.dag.lane(task).kind == LaneKind::kStream;
}

Span span_of(const Capture& capture, TaskId task) {
  return {capture.recording.start[task.index()], capture.recording.finish[task.index()]};
}

using Spans = std::map<Rank, std::vector<Span>>;

/// When each rank's collectives run on its device: in order, and apart from each other.
Spans communication_of(const Capture& capture) {
  Spans spans;
  for (std::size_t t = 0; t < capture.dag.task_count(); ++t) {
    if (on_stream(capture, TaskId{t}, TaskKind::kCollective))
      spans[capture.dag.lane(TaskId{t}).rank].push_back(span_of(capture, TaskId{t}));
  }
  for (auto& [rank, all] : spans) {
    std::sort(all.begin(), all.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
    std::vector<Span> apart;
    for (const Span& span : all) {
      if (apart.empty() || span.begin > apart.back().end) {
        apart.push_back(span);
      } else {
        apart.back().end = std::max(apart.back().end, span.end);
      }
    }
    all = std::move(apart);
  }
  return spans;
}

Duration overlap(const std::vector<Span>& spans, const Span& span) {
  Duration sum{};
  auto next = std::lower_bound(spans.begin(), spans.end(), span.begin,
                               [](const Span& each, Time begin) { return each.end <= begin; });
  for (; next != spans.end() && next->begin < span.end; ++next)
    sum += std::min(next->end, span.end) - std::max(next->begin, span.begin);
  return sum;
}

/// The runs of one name on one stream, by step and in order.
using Runs = std::map<std::int32_t, std::vector<TaskId>>;

std::map<std::pair<LaneId, NameId>, Runs> runs_of(const Capture& capture) {
  std::map<std::pair<LaneId, NameId>, Runs> runs;
  for (std::size_t t = 0; t < capture.dag.task_count(); ++t) {
    const TaskId task{t};
    const std::int32_t step = capture.recording.step[t];
    if (step >= 0 && on_stream(capture, task, TaskKind::kKernel))
      runs[{capture.dag.lane_id(task), capture.dag.name_id(task)}][step].push_back(task);
  }
  const auto starts_first = [&](TaskId a, TaskId b) {
    return std::tuple{capture.recording.start[a.index()], a} < std::tuple{capture.recording.start[b.index()], b};
  };
  for (auto& [name, by_step] : runs) {
    for (auto& [step, tasks] : by_step) std::sort(tasks.begin(), tasks.end(), starts_first);
  }
  return runs;
}

bool as_often_in_each(const Runs& runs) {
  return std::all_of(runs.begin(), runs.end(),
                     [&](const auto& step) { return step.second.size() == runs.begin()->second.size(); });
}

/// Appends beside / alone of each kernel that was seen both ways.
void compare(const Capture& capture, const Runs& runs, const std::vector<Span>& communication,
             std::vector<double>& ratios) {
  for (std::size_t k = 0; k < runs.begin()->second.size(); ++k) {
    std::vector<double> alone;
    std::vector<double> beside;
    for (const auto& [step, tasks] : runs) {
      const Span span = span_of(capture, tasks[k]);
      const Duration shared = overlap(communication, span);
      const auto length = static_cast<double>((span.end - span.begin).count());
      if (length <= 0) continue;
      if (shared == Duration{}) alone.push_back(length);
      if (static_cast<double>(shared.count()) >= kBeside * length) beside.push_back(length);
    }
    if (!alone.empty() && !beside.empty() && median(alone) >= kShortestNs)
      ratios.push_back(median(beside) / median(alone));
  }
}

}  // namespace

std::vector<Interference> interference_in(const Capture& capture) {
  if (capture.recording.start.empty()) return {};
  const Spans communication = communication_of(capture);
  if (communication.empty()) return {};
  std::map<std::pair<Rank, KernelClass>, std::vector<double>> ratios;
  for (const auto& [name, runs] : runs_of(capture)) {
    const Rank rank = capture.dag.lane(name.first).rank;
    const auto spans = communication.find(rank);
    if (spans == communication.end() || !as_often_in_each(runs)) continue;
    const KernelClass kernel_class = classify_kernel(TaskKind::kKernel, capture.dag.name(name.second));
    compare(capture, runs, spans->second, ratios[{rank, kernel_class}]);
  }
  std::vector<Interference> found;
  for (auto& [key, values] : ratios) {
    if (values.empty()) continue;
    std::sort(values.begin(), values.end());
    found.push_back({key.first, key.second, values.size(), median(values), values[values.size() / 10],
                     values[values.size() - 1 - values.size() / 10]});
  }
  return found;
}

}  // namespace stepsim
