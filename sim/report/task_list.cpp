#include "sim/report/task_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "model/base/text.h"
#include "sim/analysis/task_names.h"
#include "sim/output/json_writer.h"
#include "sim/report/cautions.h"

namespace stepsim::sim {
namespace {

/// The parts of a step's time that are tasks.
constexpr std::array kParts{PathClass::kCompute, PathClass::kCommunication, PathClass::kCopy, PathClass::kHost};

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
  std::array<Duration, kPathClassCount> totals{};
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
