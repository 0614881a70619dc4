#include "scenarios/change/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <unordered_set>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/job/task_names.h"
#include "scenarios/change/plan.h"
#include "sim/analysis/intervals.h"

namespace stepsim::scenarios {
namespace {

std::string_view in_words(sim::PathClass part) {
  if (part == sim::PathClass::kLoader) return "waiting for data";
  return part == sim::PathClass::kHost ? "host work" : to_text(part);
}

/// Returns a hint if the selected tasks are only the CPU tasks of operators, because the user may have meant the
/// kernels that the operators launch. Otherwise empty.
std::string kernels_of_operators(const std::vector<TaskId>& tasks, const Capture& capture) {
  const Dag& dag = capture.dag;
  const bool host_only = std::all_of(tasks.begin(), tasks.end(), [&dag](TaskId task) {
    return dag.kind(task) == TaskKind::kHost || dag.kind(task) == TaskKind::kRuntime;
  });
  if (!host_only) return {};
  std::unordered_set<std::string_view> selected;
  for (const TaskId task : tasks) selected.insert(dag.name(task));
  const auto& operators = capture.operators.operators;
  const auto meant = std::find_if(operators.begin(), operators.end(), [&selected](const OperatorTable::Operator& one) {
    return selected.contains(one.name);
  });
  if (meant == operators.end()) return {};
  return fmt::format("these are only its CPU tasks; {{operator={}}} selects the kernels that it launches", meant->name);
}

/// Returns the ranks that have compute tasks: device work or operators, but not the work of CPU threads.
std::set<Rank> ranks_with_compute(const Dag& dag) {
  std::set<Rank> ranks;
  for (const TaskId task : dag.tasks()) {
    if (class_of(dag.kind(task)) == TaskClass::kCompute) ranks.insert(dag.lane(task).rank);
  }
  return ranks;
}

}  // namespace

std::optional<Selection> selection_of(const Change& change, const Capture& capture) {
  std::vector<TaskId> tasks;
  try {
    const auto found = change.selected(capture);
    if (!found || found->empty()) return std::nullopt;
    tasks = *found;
  } catch (const InputError&) {
    return std::nullopt;
  }
  const Dag& dag = capture.dag;
  std::array<Selection::Part, sim::kPathClassCount> parts;
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].of = static_cast<sim::PathClass>(i);
  const auto part_of = [&](TaskId task) -> Selection::Part& {
    return parts[static_cast<std::size_t>(sim::path_class_of(dag, task))];
  };
  for (const TaskId task : dag.tasks()) part_of(task).all += dag.duration(task);
  for (const TaskId task : tasks) {
    ++part_of(task).tasks;
    part_of(task).time += dag.duration(task);
  }
  Selection selection{.change = change.to_text()};
  std::copy_if(parts.begin(), parts.end(), std::back_inserter(selection.parts),
               [](const Selection::Part& part) { return part.tasks > 0; });
  if (!change.selector().is_all()) selection.hint = kernels_of_operators(tasks, capture);
  return selection;
}

std::string text_of(const Selection& selection) {
  std::string text;
  for (const Selection::Part& part : selection.parts) {
    const double share =
        part.all == Duration{} ? 0 : static_cast<double>(part.time.count()) / static_cast<double>(part.all.count());
    text += fmt::format("{}{}, {} of {} of {} ({:.1f} %)", text.empty() ? "" : "; ", counted(part.tasks, "task"),
                        to_text(part.time), to_text(part.all), in_words(part.of), 100 * share);
  }
  if (!selection.hint.empty()) text += "; " + selection.hint;
  return text;
}

std::vector<TaskId> compute_tasks(const Selector& selector, const Capture& capture) {
  const Dag& dag = capture.dag;
  std::vector<TaskId> tasks = selector.select(capture);
  const std::set<Rank> computes = ranks_with_compute(dag);
  std::erase_if(tasks, [&](TaskId task) {
    switch (class_of(dag.kind(task))) {
      case TaskClass::kCompute: return false;
      case TaskClass::kCommunication: return true;
      case TaskClass::kLoader: return !selector.selects_work();
      case TaskClass::kHost: break;
    }
    return !selector.selects_work() && computes.contains(dag.lane(task).rank);
  });
  if (tasks.empty()) selector.fail(capture, "only communication, whose time depends on the network");
  return tasks;
}

bool is_long_call(TaskKind kind, std::string_view name, Duration duration) noexcept {
  constexpr Duration kLongestCall{1'000'000};
  return kind == TaskKind::kRuntime && duration > kLongestCall && !launches_kernel(name) && !launches_graph(name);
}

bool is_host_work(const Dag& dag, TaskId task) noexcept { return class_of(dag.kind(task)) == TaskClass::kHost; }

void scale_host_work(const Dag& dag, double factor, std::vector<Duration>& durations) {
  for (const TaskId task : dag.tasks()) {
    if (is_host_work(dag, task)) durations[task.index()] = scaled(durations[task.index()], factor);
  }
}

void scale_pauses(const Capture& capture, const std::vector<TaskId>* tasks, double factor,
                  std::vector<Duration>& durations) {
  for (const Recording::Pause& pause : capture.recording.pauses) {
    if (tasks != nullptr && !std::binary_search(tasks->begin(), tasks->end(), pause.task)) continue;
    const double share = std::min(sim::ratio(pause.excess, capture.dag.duration(pause.task)), 1.0);
    Duration& duration = durations[pause.task.index()];
    duration = scaled(duration, 1 + (factor - 1) * share);
  }
}

}  // namespace stepsim::scenarios
