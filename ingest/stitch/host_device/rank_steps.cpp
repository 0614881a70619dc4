#include "ingest/stitch/host_device/rank_steps.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "model/base/median.h"

namespace stepsim::ingest {
namespace {

/// True if `other` is `number` + 1. That sum may overflow, because step numbers come from names.
bool is_next(std::int64_t number, std::int64_t other) noexcept { return other > number && other - 1 == number; }

/// By step: false for the first or last one if it has less than a quarter of the tasks of the others' median.
std::vector<bool> whole_steps(const std::vector<std::size_t>& tasks) {
  std::vector<bool> whole(tasks.size(), true);
  if (tasks.size() < 2) return whole;
  for (const std::size_t edge : {std::size_t{0}, tasks.size() - 1}) {
    std::vector<std::size_t> others = tasks;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(edge));
    whole[edge] = 4 * tasks[edge] >= upper_median(std::move(others));
  }
  return whole;
}

}  // namespace

void add_steps(RankEvents& events, const std::vector<HostThread>& threads, Rank rank, std::size_t first_task,
               Assembly& assembly) {
  const auto base = static_cast<std::int32_t>(assembly.steps.size());
  if (events.steps.empty()) events.steps.push_back({0, Time::min(), Time::max()});
  std::vector<TaskId> earliest(events.steps.size());
  std::vector<std::size_t> tasks(events.steps.size(), 0);
  const bool windows = events.steps.front().begin != Time::min();  // of steps, or of the profiler
  for (std::size_t i = first_task; i < assembly.start.size(); ++i) {
    std::int32_t& step = assembly.step[i];
    if (!windows) step = 0;
    if (step < 0) continue;
    ++tasks[static_cast<std::size_t>(step)];
    TaskId& first = earliest[static_cast<std::size_t>(step)];
    if (!first.valid() || assembly.start[i] < assembly.start[first.index()]) first = TaskId{i};
    step += base;
  }
  const std::vector<bool> whole = whole_steps(tasks);
  for (std::size_t s = 0; s < events.steps.size(); ++s) {
    const RankEvents::StepWindow& window = events.steps[s];
    TaskId first =
        windows && !threads.empty() ? threads[events.main_thread].task_starting_from(window.begin) : TaskId{};
    if (!first.valid() || assembly.start[first.index()] >= window.end) first = earliest[s];
    const bool next_follows =
        events.marked && s + 1 < events.steps.size() && is_next(window.number, events.steps[s + 1].number);
    assembly.steps.push_back({.rank = rank,
                              .number = window.number,
                              .first = first,
                              .next_follows = next_follows,
                              .whole = first.valid() && (whole[s] || !events.marked),
                              .marked = events.marked});
  }
}

}  // namespace stepsim::ingest
