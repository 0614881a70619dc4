#include "sim/export/synthetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/analysis/activity.h"
#include "sim/analysis/task_names.h"
#include "sim/export/tracks.h"
#include "sim/output/json_writer.h"
#include "sim/report/field.h"

namespace stepsim::sim {
namespace {

/// An event that has not been placed on a row yet.
struct SyntheticEvent {
  std::string name;
  std::string_view category;
  std::int64_t step = -1;
  Time start;
  Time finish;
};

/// The events of each row in a viewer, by process and lane name.
using Lanes = std::map<std::pair<Rank, std::string>, std::vector<SyntheticEvent>>;

class Synthetic {
 public:
  Synthetic(const Capture& capture, const Timeline& timeline, CommEvents communication)
      : dag_(capture.dag), recording_(capture.recording), timeline_(timeline), communication_(communication) {
    for (const Lane& lane : dag_.lanes()) {
      if (lane.kind != LaneKind::kServerThread) hosts_.try_emplace(lane.rank, lane.host);
    }
  }

  void write(JsonWriter& json) {
    for (const TaskId task : dag_.tasks()) add(task);
    for (auto& [key, event] : operations_) lanes_[{std::get<Rank>(key), "Comm"}].push_back(std::move(event));
    for (auto& [lane, events] : lanes_) {
      std::stable_sort(events.begin(), events.end(),
                       [](const SyntheticEvent& a, const SyntheticEvent& b) { return a.start < b.start; });
      Rows rows;
      for (const SyntheticEvent& event : events) {
        const std::size_t row = rows.place(event.start, event.finish);
        put(json, lane.first, row == 0 ? lane.second : fmt::format("{} ({})", lane.second, row + 1), event);
      }
    }
  }

 private:
  void add(TaskId task) {
    const Interval work = own_work(dag_, timeline_, task);
    if (work.end <= work.begin) return;
    const std::string_view name = dag_.name(task);
    const StagedTask staged = staged_task(name);
    const Rank rank = dag_.lane(task).rank;
    const bool detail = dag_.kind(task) == TaskKind::kServer || dag_.kind(task) == TaskKind::kControl;
    if (communication_ == CommEvents::kOperations && detail) return;
    if (communication_ == CommEvents::kOperations && !staged.tensor.empty()) {
      const SyntheticEvent event{fmt::format("{}{}", kComm, staged.tensor), "Comm", step_of(task), work.begin,
                                 work.end};
      const auto [slot, added] = operations_.try_emplace({rank, staged.tensor, event.step}, event);
      slot->second.start = std::min(slot->second.start, work.begin);
      slot->second.finish = std::max(slot->second.finish, work.end);
      return;
    }
    lanes_[{rank, dag_.lane(task).name}].push_back(
        {std::string(name), category_of(task), step_of(task), work.begin, work.end});
  }

  [[nodiscard]] std::int64_t step_of(TaskId task) const {
    const std::int32_t step = recording_.step.empty() ? -1 : recording_.step[task.index()];
    return step < 0 ? -1 : recording_.steps[static_cast<std::size_t>(step)].number;
  }

  [[nodiscard]] std::string_view category_of(TaskId task) const {
    if (dag_.kind(task) == TaskKind::kServer) return "ServerOp";
    return class_of(dag_.kind(task)) == TaskClass::kCommunication ? "Comm" : "operator";
  }

  void put(JsonWriter& json, Rank rank, const std::string& row, const SyntheticEvent& event) {
    const std::string& host = hosts_[rank];
    const std::string process = fmt::format("{}{}rank{}", host, host.empty() ? "" : ".", rank);
    json.new_line().begin_object().key("ph").value("X").key("name").value(event.name).key("cat").value(event.category);
    json.key("pid").value(process).key("tid").value(row);
    json.key("ts").raw(microseconds(event.start - Time{})).key("dur").raw(microseconds(event.finish - event.start));
    json.key("args").begin_object().key("name").value(event.name).key("step").value(event.step);
    json.key("cnt").value(count_[{rank, event.name}]++).end_object().end_object();
  }

  const Dag& dag_;
  const Recording& recording_;
  const Timeline& timeline_;
  CommEvents communication_;
  std::map<Rank, std::string> hosts_;
  /// Indexed by rank, tensor and step.
  std::map<std::tuple<Rank, std::string_view, std::int64_t>, SyntheticEvent> operations_;
  Lanes lanes_;
  std::map<std::pair<Rank, std::string>, std::int64_t> count_;
};

}  // namespace

void write_synthetic(const Capture& capture, const Timeline& timeline, CommEvents communication,
                     const Provenance& provenance, OutputFile& out) {
  JsonWriter json{[&out](std::string_view text) { out.write(text); }};
  json.begin_object().key("displayTimeUnit").value("ns").key("otherData");
  json.begin_object().key("program").value("stepsim");
  write_members(json, kProvenanceFields, provenance);
  json.end_object().key("traceEvents").begin_array();
  Synthetic(capture, timeline, communication).write(json);
  json.end_array().end_object();
  json.finish();
}

}  // namespace stepsim::sim
