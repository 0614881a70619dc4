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
#include "sim/report/class_style.h"
#include "sim/report/field.h"
#include "sim/report/headline.h"

namespace stepsim::sim {
namespace {

/// The classes of a step's time that consist of tasks.
constexpr std::array kParts{PathClass::kCompute, PathClass::kCommunication, PathClass::kCopy, PathClass::kHost,
                            PathClass::kLoader};

constexpr auto kTaskGroup = std::to_array<Field<TaskGroup>>({
    {"name", at<&TaskGroup::name>, {"name"}},
    {"kind", at<&TaskGroup::kind>},
    {"class",
     [](const TaskGroup& group) {
       return is_device_work(group.kind) ? std::optional{group.kernel_class} : std::nullopt;
     },
     {},
     kIfAny},
    {"part", at<&TaskGroup::part>},
    {"tasks", at<&TaskGroup::tasks>, {"tasks"}},
    {"total_ns", at<&TaskGroup::total>, {"total"}},
    {"shortest_ns", at<&TaskGroup::shortest>, {"shortest", Use::kDetail}},
    {"longest_ns", at<&TaskGroup::longest>, {"longest", Use::kDetail}},
    {"share",
     at<&TaskGroup::share>,
     {.title = "share",
      .use = Use::kHelp,
      .cell = [](const TaskGroup& group) -> Cell {
        return fmt::format("{} of {}", percent(group.share), group.part ? work_label(*group.part) : "all");
      }}},
});

/// Returns a section with one row per group. The first cell of a row can be typed in a selection.
Section groups_section(std::string title, std::string_view key, const std::vector<TaskGroup>& groups,
                       std::size_t rows = std::numeric_limits<std::size_t>::max()) {
  return section_of(std::move(title), kTaskGroup, groups, {.most = rows, .name = key});
}

/// Returns the selection keys for ranks, steps, hosts, devices and streams, and the values that each key can have in
/// this capture.
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
  std::vector<std::pair<std::string_view, std::string>> places{{"rank", ranges_of(ranks, ",")},
                                                               {"step", ranges_of(steps, ",")},
                                                               {"host", joined(hosts)},
                                                               {"device", ranges_of(devices, ",")},
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
  const std::string what = fmt::format("{} under {}", counted(list.tasks, "task"), counted(list.names.size(), "name"));
  std::string times;
  std::array<Duration, kPathClassCount> totals{};
  for (const TaskGroup& name : list.names) {
    if (name.part) totals[static_cast<std::size_t>(*name.part)] += name.total;
  }
  for (const PathClass one : kParts) {
    const Duration total = totals[static_cast<std::size_t>(one)];
    if (total > Duration{}) add_item(times, fmt::format("{} of {}", stepsim::to_text(total), work_label(one)));
  }
  times = times.empty() ? "none of them takes any time" : times + ", over the whole capture";
  return selection.empty() ? fmt::format("{} can be selected: {}.", what, times)
                           : fmt::format("{} selects {}: {}.", selection, what, times);
}

struct Listed {
  const TaskList* list;
  const Capture* capture;
  std::string selection;
};
constexpr auto kListed = std::to_array<Field<Listed>>({
    {"selection", at<&Listed::selection>},
    {"tasks", at<&Listed::list, &TaskList::tasks>, {}, kLineAfter},
    {"kinds", at<&Listed::list, &TaskList::kinds>, kTaskGroup, kRowLines},
    {"classes", at<&Listed::list, &TaskList::classes>, kTaskGroup, kRowLines},
    {"operators", at<&Listed::list, &TaskList::operators>, kTaskGroup, kRowLines},
    {"annotations", at<&Listed::list, &TaskList::annotations>, kTaskGroup, kRowLines},
    {"modules", at<&Listed::list, &TaskList::modules>, kTaskGroup, kRowLines},
    {"names", at<&Listed::list, &TaskList::names>, kTaskGroup, kRowLines},
    {"places", [](const Listed& listed) { return places_of(*listed.capture); }, {}, kLineAfter},
});

}  // namespace

Document task_list_document(const TaskList& list, const Capture& capture, std::size_t rows,
                            const std::string& selection, const Provenance& provenance) {
  Document document{.warning = warning_of(capture),
                    .headline = headline(list, selection),
                    .caution = caution_of(capture.diagnostics)};
  document.sections.push_back(groups_section("Kinds", "kind", list.kinds));
  document.sections.push_back(groups_section("Classes of device work", "class", list.classes));
  document.sections.push_back(
      groups_section("Operators, by the device work that they launch", "operator", list.operators, rows));
  document.sections.push_back(
      groups_section("Annotations, by the device work that is launched inside", "annotation", list.annotations, rows));
  document.sections.push_back(
      groups_section("Modules, by the device work of their forward pass", "module", list.modules, rows));
  document.sections.push_back(groups_section("Names", "name", list.names, rows));
  document.sections.push_back(places_section(capture));
  std::erase_if(document.sections, [](const Section& section) { return section.empty(); });
  document.rows = [&list] {
    return table_of(kTaskGroup, list.names, {.without = {"part", "share"}, .for_programs = true});
  };
  document.json = [&list, &capture, selection, &provenance](JsonWriter& json) {
    write_answer(json, "stepsim.tasks/1", kListed, Listed{&list, &capture, selection}, provenance);
  };
  return document;
}

AnswerSchema tasks_schema() { return schema_of("stepsim.tasks/1", kListed); }

}  // namespace stepsim::sim
