#include "sim/analysis/task_list.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "sim/analysis/activity.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/task_names.h"

namespace stepsim::sim {
namespace {

void add(TaskGroup& group, Duration duration) {
  ++group.tasks;
  group.total += duration;
  group.shortest = std::min(group.shortest, duration);
  group.longest = std::max(group.longest, duration);
}

using PartTotals = std::array<Duration, kPathClassCount>;

/// Returns the groups of a map, the largest first; ties are sorted by key.
template <class Key>
std::vector<TaskGroup> by_total(std::map<Key, TaskGroup> groups, const PartTotals& totals) {
  std::vector<TaskGroup> list;
  for (auto& [key, group] : groups) {
    const Duration all = std::accumulate(totals.begin(), totals.end(), Duration{});
    group.share = ratio(group.total, group.part ? totals[static_cast<std::size_t>(*group.part)] : all);
    list.push_back(std::move(group));
  }
  std::stable_sort(list.begin(), list.end(), [](const TaskGroup& a, const TaskGroup& b) { return a.total > b.total; });
  return list;
}

/// Puts tasks into the groups that they belong to.
class Grouping {
 public:
  /// Uses recorded durations if `timeline` is null, otherwise those of the replay.
  explicit Grouping(const Capture& capture, const Timeline* timeline = nullptr)
      : dag_(capture.dag), timeline_(timeline), operators_(capture.operators.operators) {
    for (const TaskId task : dag_.tasks()) {
      totals_[static_cast<std::size_t>(path_class_of(dag_, task))] += duration_of(task);
    }
    annotations_of_.resize(capture.annotations.uses.empty() ? 0 : dag_.task_count());
    for (const AnnotationTable::Use& use : capture.annotations.uses)
      annotations_of_[use.task.index()].push_back(capture.annotations.names[use.which]);
    if (capture.operators.uses.empty()) return;
    operator_of_.assign(dag_.task_count(), -1);
    for (const OperatorTable::Use& use : capture.operators.uses)
      operator_of_[use.task.index()] = static_cast<std::int64_t>(use.which);
  }

  void add_task(TaskId task) {
    ++tasks_;
    const TaskKind kind = dag_.kind(task);
    const Duration duration = duration_of(task);
    TaskGroup& name = group_in(names_, NameAndKind{dag_.name_id(task).index(), kind}, dag_.name(task), task);
    if (name.tasks == 0 && is_device_work(kind)) name.kernel_class = classify_kernel(kind, name.name);
    add(name, duration);
    add(group_in(kinds_, kind, to_text(kind), task), duration);
    if (is_device_work(kind)) {
      TaskGroup& of_class = group_in(classes_, name.kernel_class, to_text(name.kernel_class), task);
      of_class.kernel_class = name.kernel_class;
      add(of_class, duration);
    }
    if (!annotations_of_.empty()) {
      for (const std::string_view around : annotations_of_[task.index()]) add_annotated(around, task, duration);
    }
    if (operator_of_.empty() || operator_of_[task.index()] < 0) return;
    const std::string& of = operators_[static_cast<std::size_t>(operator_of_[task.index()])].name;
    add(group_in(by_operator_, of, of, task), duration);
  }

  void add_tasks(const std::vector<TaskId>& tasks) {
    for (const TaskId task : tasks) add_task(task);
  }

  [[nodiscard]] TaskList finish() && {
    return {.tasks = tasks_,
            .kinds = by_total(std::move(kinds_), totals_),
            .classes = by_total(std::move(classes_), totals_),
            .operators = by_total(std::move(by_operator_), totals_),
            .annotations = by_total(std::move(by_annotation_), totals_),
            .modules = by_total(std::move(by_module_), totals_),
            .names = by_total(std::move(names_), totals_)};
  }

 private:
  void add_annotated(std::string_view around, TaskId task, Duration duration) {
    const bool module = around.starts_with(kModulePrefix);
    const std::string_view name = module ? around.substr(kModulePrefix.size()) : around;
    add(group_in(module ? by_module_ : by_annotation_, std::string(name), name, task), duration);
  }

  [[nodiscard]] Duration duration_of(TaskId task) const {
    return timeline_ == nullptr ? dag_.duration(task) : own_time(dag_, *timeline_, task);
  }

  /// Returns the group at `key` for one more task. A new group gets its name, kind and part from its first task.
  template <class Key>
  TaskGroup& group_in(std::map<Key, TaskGroup>& groups, const Key& key, std::string_view name, TaskId task) const {
    TaskGroup& group = groups[key];
    const PathClass part = path_class_of(dag_, task);
    if (group.tasks == 0) {
      group.name = name;
      group.kind = dag_.kind(task);
      group.part = part;
    } else if (group.part != part) {
      group.part.reset();
    }
    return group;
  }

  const Dag& dag_;
  const Timeline* timeline_;
  const std::vector<OperatorTable::Operator>& operators_;
  std::vector<std::int64_t> operator_of_;  ///< indexed by task, -1 for none; empty if shapes were not recorded
  PartTotals totals_{};
  std::size_t tasks_ = 0;
  using NameAndKind = std::pair<std::size_t, TaskKind>;
  std::map<NameAndKind, TaskGroup> names_;
  std::map<TaskKind, TaskGroup> kinds_;
  std::map<KernelClass, TaskGroup> classes_;
  std::map<std::string, TaskGroup> by_operator_;
  std::vector<std::vector<std::string_view>> annotations_of_;  ///< indexed by task; empty if nothing was annotated
  std::map<std::string, TaskGroup> by_annotation_;
  std::map<std::string, TaskGroup> by_module_;
};

}  // namespace

TaskList list_tasks(const Capture& capture, const std::vector<TaskId>& tasks) {
  Grouping grouping(capture);
  grouping.add_tasks(tasks);
  return std::move(grouping).finish();
}

TaskList list_tasks(const Capture& capture, const std::vector<TaskId>& tasks, const Timeline& timeline) {
  Grouping grouping(capture, &timeline);
  grouping.add_tasks(tasks);
  return std::move(grouping).finish();
}

}  // namespace stepsim::sim
