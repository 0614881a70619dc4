#include "sim/report/task_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "model/base/text.h"
#include "sim/analysis/own_work.h"
#include "sim/analysis/task_names.h"
#include "sim/output/json_writer.h"
#include "sim/report/cautions.h"

namespace stepsim::sim {
namespace {

/// The parts of a step's time that are tasks.
constexpr std::array kParts{PathClass::kCompute, PathClass::kCommunication, PathClass::kCopy, PathClass::kHost};

void add(TaskGroup& group, Duration duration) {
  ++group.tasks;
  group.total += duration;
  group.shortest = std::min(group.shortest, duration);
  group.longest = std::max(group.longest, duration);
}

using PartTotals = std::array<Duration, kPathClassCount>;

double share_of(Duration part, Duration all) {
  return all == Duration{} ? 0 : static_cast<double>(part.count()) / static_cast<double>(all.count());
}

/// The groups of a map, the largest first; of equal ones the first by key.
template <class Key>
std::vector<TaskGroup> by_total(std::map<Key, TaskGroup> groups, const PartTotals& totals) {
  std::vector<TaskGroup> list;
  for (auto& [key, group] : groups) {
    group.share = share_of(group.total, totals[static_cast<std::size_t>(group.part)]);
    list.push_back(std::move(group));
  }
  std::stable_sort(list.begin(), list.end(), [](const TaskGroup& a, const TaskGroup& b) { return a.total > b.total; });
  return list;
}

/// Puts tasks into the groups that they belong to.
class Grouping {
 public:
  /// By the recorded durations; by those of a replay if `timeline` is not null.
  explicit Grouping(const Capture& capture, const Timeline* timeline = nullptr)
      : dag_(capture.dag), timeline_(timeline), operators_(capture.operators.operators) {
    for (std::size_t i = 0; i < dag_.task_count(); ++i) {
      const TaskId task{i};
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

  /// The group at `key`; if it is new, it is named and gets its kind and part from its first task.
  template <class Key>
  TaskGroup& group_in(std::map<Key, TaskGroup>& groups, const Key& key, std::string_view name, TaskId first) const {
    TaskGroup& group = groups[key];
    if (group.tasks == 0) {
      group.name = name;
      group.kind = dag_.kind(first);
      group.part = path_class_of(dag_, first);
    }
    return group;
  }

  const Dag& dag_;
  const Timeline* timeline_;
  const std::vector<OperatorTable::Operator>& operators_;
  std::vector<std::int64_t> operator_of_;  ///< by task, -1 for none; empty where shapes were not recorded
  PartTotals totals_{};
  std::size_t tasks_ = 0;
  using NameAndKind = std::pair<std::size_t, TaskKind>;
  std::map<NameAndKind, TaskGroup> names_;
  std::map<TaskKind, TaskGroup> kinds_;
  std::map<KernelClass, TaskGroup> classes_;
  std::map<std::string, TaskGroup> by_operator_;
  std::vector<std::vector<std::string_view>> annotations_of_;  ///< by task; empty where nothing was annotated
  std::map<std::string, TaskGroup> by_annotation_;
  std::map<std::string, TaskGroup> by_module_;
};

std::string share_text(const TaskGroup& group) {
  return fmt::format("{:.1f} % of {}", 100 * group.share, to_text(group.part));
}

/// One row a group; the first cell is what can be typed in a selection.
Section table_of(std::string title, std::string_view key, const std::vector<TaskGroup>& groups, std::size_t rows) {
  Table table({{std::string(key), Align::kLeft},
               {"tasks"},
               {"total"},
               {"shortest", Align::kRight, Use::kDetail},
               {"longest", Align::kRight, Use::kDetail},
               {"share", Align::kRight, Use::kHelp}});
  const std::size_t shown_rows = std::min(rows, groups.size());
  for (std::size_t i = 0; i < shown_rows; ++i) {
    const TaskGroup& group = groups[i];
    table.add_row({group.name, group.tasks, group.total, group.shortest, group.longest, share_text(group)});
  }
  Section section{.title = std::move(title), .table = std::move(table)};
  add_more_sentence(section, groups.size(), rows);
  if (groups.empty()) section.table.reset();
  return section;
}

/// "0-3, 7".
std::string ranges_of(const std::set<std::int64_t>& numbers) {
  std::string text;
  for (auto first = numbers.begin(); first != numbers.end();) {
    auto last = first;
    while (std::next(last) != numbers.end() && *std::next(last) == *last + 1) ++last;
    text += text.empty() ? "" : ",";
    text += *first == *last ? std::to_string(*first) : fmt::format("{}-{}", *first, *last);
    first = std::next(last);
  }
  return text;
}

/// What the keys of a selection that name places and steps can be, as they are typed.
std::vector<std::pair<std::string_view, std::string>> places_of(const Capture& capture) {
  std::set<std::int64_t> ranks;
  std::set<std::int64_t> devices;
  std::set<std::int64_t> steps;
  std::set<std::string> hosts;
  std::set<std::string, decltype(&natural_less)> streams(natural_less);
  for (const Lane& lane : capture.dag.lanes()) {
    ranks.insert(lane.rank);
    if (lane.device >= 0) devices.insert(lane.device);
    if (!lane.host.empty()) hosts.insert(lane.host);
    constexpr std::string_view kStream = "stream ";
    if (lane.kind == LaneKind::kStream && lane.name.starts_with(kStream))
      streams.insert(lane.name.substr(kStream.size()));
  }
  for (const RecordedStep& step : capture.recording.steps) {
    if (step.marked) steps.insert(step.number);
  }
  const auto joined = [](const auto& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
  };
  std::vector<std::pair<std::string_view, std::string>> places{{"rank", ranges_of(ranks)},
                                                               {"step", ranges_of(steps)},
                                                               {"host", joined(hosts)},
                                                               {"device", ranges_of(devices)},
                                                               {"stream", joined(streams)}};
  std::erase_if(places, [](const auto& place) { return place.second.empty(); });
  return places;
}

Section places_section(const Capture& capture) {
  Table table({{"key", Align::kLeft}, {"values", Align::kLeft, Use::kMain, true}});
  for (const auto& [key, values] : places_of(capture)) table.add_row({std::string(key), values});
  return {.title = "Places and steps", .table = std::move(table)};
}

std::string headline(const TaskList& list, const std::string& selection) {
  const std::string what = fmt::format("{} task{} under {} name{}", list.tasks, list.tasks == 1 ? "" : "s",
                                       list.names.size(), list.names.size() == 1 ? "" : "s");
  std::string times;
  PartTotals totals{};
  for (const TaskGroup& name : list.names) totals[static_cast<std::size_t>(name.part)] += name.total;
  for (const PathClass one : kParts) {
    const Duration total = totals[static_cast<std::size_t>(one)];
    if (total > Duration{})
      times += fmt::format("{}{} of {}", times.empty() ? "" : ", ", stepsim::to_text(total), to_text(one));
  }
  times = times.empty() ? "none of them takes any time" : times + ", over the whole capture";
  return selection.empty() ? fmt::format("{} can be selected: {}.", what, times)
                           : fmt::format("{} selects {}: {}.", selection, what, times);
}

void write_groups(JsonWriter& json, std::string_view key, const std::vector<TaskGroup>& groups) {
  json.key(key).begin_array();
  for (const TaskGroup& group : groups) {
    json.new_line().begin_object().key("name").value(group.name).key("kind").value(to_text(group.kind));
    if (is_device_work(group.kind)) json.key("class").value(to_text(group.kernel_class));
    json.key("part").value(to_text(group.part)).key("tasks").value(group.tasks).key("total_ns").value(group.total);
    json.key("shortest_ns").value(group.shortest).key("longest_ns").value(group.longest);
    json.key("share").value(group.share).end_object();
  }
  json.end_array().new_line();
}

Table rows_of(const TaskList& list) {
  Table table({{"name", Align::kLeft},
               {"kind", Align::kLeft},
               {"class", Align::kLeft},
               {"tasks"},
               {"total_ns"},
               {"shortest_ns"},
               {"longest_ns"}});
  for (const TaskGroup& group : list.names) {
    table.add_row({group.name, std::string(to_text(group.kind)),
                   is_device_work(group.kind) ? std::string(to_text(group.kernel_class)) : std::string(), group.tasks,
                   nanoseconds_cell(group.total), nanoseconds_cell(group.shortest), nanoseconds_cell(group.longest)});
  }
  return table;
}

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

Document task_list_document(const TaskList& list, const Capture& capture, std::size_t rows,
                            const std::string& selection, const Provenance& provenance) {
  Document document{.warning = warning_of(capture),
                    .headline = headline(list, selection),
                    .caution = caution_of(capture.diagnostics)};
  document.sections.push_back(table_of("Kinds", "kind", list.kinds, list.kinds.size()));
  document.sections.push_back(table_of("Classes of device work", "class", list.classes, list.classes.size()));
  document.sections.push_back(
      table_of("Operators, by the device work that they launch", "operator", list.operators, rows));
  document.sections.push_back(
      table_of("Annotations, by the device work that is launched inside", "annotation", list.annotations, rows));
  document.sections.push_back(
      table_of("Modules, by the device work of their forward pass", "module", list.modules, rows));
  document.sections.push_back(table_of("Names", "name", list.names, rows));
  document.sections.push_back(places_section(capture));
  std::erase_if(document.sections, [](const Section& section) { return section.empty(); });
  document.rows = [&list] { return rows_of(list); };
  document.json = [&list, &capture, &selection, &provenance](JsonWriter& json) {
    json.begin_object().key("schema").value("stepsim.tasks/1").new_line();
    json.key("selection").value(selection).key("tasks").value(list.tasks).new_line();
    write_groups(json, "kinds", list.kinds);
    write_groups(json, "classes", list.classes);
    write_groups(json, "operators", list.operators);
    write_groups(json, "annotations", list.annotations);
    write_groups(json, "modules", list.modules);
    write_groups(json, "names", list.names);
    json.key("places").begin_object();
    for (const auto& [key, values] : places_of(capture)) json.key(key).value(values);
    json.end_object().new_line();
    write_provenance(json, provenance);
    json.end_object();
  };
  return document;
}

}  // namespace stepsim::sim
