#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/export/exporter.h"
#include "sim/export/rows.h"
#include "sim/export/tasks_by_lane.h"
#include "sim/output/json_writer.h"
#include "sim/report/critical_path.h"

/// The Trace Event Format as ui.perfetto.dev and chrome://tracing read it. Each rank has a process
/// for what was measured and, below it, one for the replay; of several replays, one for each and
/// none for what was measured. Each lane is a thread. Both viewers want the complete events ("X")
/// of one thread to nest and show overlapping ones wrongly or not at all, so a lane whose tasks
/// overlap takes several threads.
/// Times are microseconds with three decimals, from the start of the earliest rank.
namespace stepsim::sim {
namespace {

/// Microseconds, exact to the nanosecond.
std::string microseconds(Duration duration) {
  const std::int64_t nanoseconds = duration.count();
  const std::string_view sign = nanoseconds < 0 ? "-" : "";
  const std::uint64_t size =
      nanoseconds < 0 ? 0 - static_cast<std::uint64_t>(nanoseconds) : static_cast<std::uint64_t>(nanoseconds);
  return fmt::format("{}{}.{:03}", sign, size / 1000, size % 1000);
}

/// One of the two times every task has.
struct Side {
  std::string_view name;
  const std::vector<Time>& start;
  const std::vector<Time>& finish;
  Time zero;  ///< shown as 0
  bool replayed = false;
};

class ChromeTrace {
 public:
  ChromeTrace(const NamedReplay& replay, JsonWriter& json, std::size_t& process)
      : replay_(replay), dag_(replay.capture.dag), json_(json), by_lane_(dag_), process_(process) {
    for (std::size_t i = 0; i < dag_.lanes().size(); ++i) lanes_of_[dag_.lanes()[i].rank].emplace_back(i);
  }

  [[nodiscard]] const std::map<Rank, std::vector<LaneId>>& ranks() const noexcept { return lanes_of_; }

  void write_measured(Rank rank) {
    const Recording& recording = replay_.capture.recording;
    if (recording.start.size() != dag_.task_count()) return;
    write_process({"measured", recording.start, recording.finish, earliest(recording.start)}, rank, lanes_of_.at(rank));
  }
  void write_replayed(Rank rank) {
    if (!lanes_of_.contains(rank)) return;
    write_process({replay_.name, replay_.timeline.start, replay_.timeline.finish, Time{}, true}, rank,
                  lanes_of_.at(rank));
  }

 private:
  static Time earliest(const std::vector<Time>& times) {
    return times.empty() ? Time{} : *std::min_element(times.begin(), times.end());
  }

  void write_process(const Side& side, Rank rank, const std::vector<LaneId>& lanes) {
    ++process_;
    next_thread_ = 0;
    write_name("process_name", 0, fmt::format("rank {} {}", rank, side.name));
    write_sort_index("process_sort_index", 0, process_);
    if (const std::string& host = dag_.lane(lanes.front()).host; !host.empty()) write_labels(host);
    for (const LaneId lane : lanes) write_lane(side, lane);
  }

  void write_lane(const Side& side, LaneId lane) {
    const auto unsorted = by_lane_.of(lane);
    std::vector<TaskId> tasks{unsorted.begin(), unsorted.end()};
    std::stable_sort(tasks.begin(), tasks.end(),
                     [&side](TaskId a, TaskId b) { return side.start[a.index()] < side.start[b.index()]; });
    Rows rows;
    const std::size_t first_thread = next_thread_;
    for (const TaskId task : tasks) {
      const std::size_t row = rows.place(side.start[task.index()], side.finish[task.index()]);
      if (first_thread + row == next_thread_) open_thread(dag_.lane(lane).name, row);
      write_task(side, task, first_thread + row);
    }
  }

  void open_thread(const std::string& name, std::size_t row) {
    write_name("thread_name", next_thread_, row == 0 ? name : fmt::format("{} ({})", name, row + 1));
    write_sort_index("thread_sort_index", next_thread_, next_thread_);
    ++next_thread_;
  }

  void write_task(const Side& side, TaskId task, std::size_t thread) {
    begin_event("X", dag_.name(task), thread);
    json_.key("cat").value(to_text(dag_.kind(task)));
    json_.key("ts").raw(microseconds(side.start[task.index()] - side.zero));
    json_.key("dur").raw(microseconds(side.finish[task.index()] - side.start[task.index()]));
    json_.key("args").begin_object().key("task").value(task.value()).key("kind").value(to_text(dag_.kind(task)));
    if (const Bytes bytes = dag_.bytes(task); bytes.count() != 0) json_.key("bytes").value(bytes.count());
    if (side.replayed) json_.key("released_by").value(released_by_text(dag_, replay_.timeline, task));
    json_.end_object().end_object();
  }

  void write_name(std::string_view what, std::size_t thread, std::string_view name) {
    begin_event("M", what, thread);
    json_.key("args").begin_object().key("name").value(name).end_object().end_object();
  }

  void write_sort_index(std::string_view what, std::size_t thread, std::size_t index) {
    begin_event("M", what, thread);
    json_.key("args").begin_object().key("sort_index").value(index).end_object().end_object();
  }

  void write_labels(std::string_view labels) {
    begin_event("M", "process_labels", 0);
    json_.key("args").begin_object().key("labels").value(labels).end_object().end_object();
  }

  void begin_event(std::string_view phase, std::string_view name, std::size_t thread) {
    json_.new_line().begin_object().key("ph").value(phase).key("name").value(name);
    json_.key("pid").value(process_).key("tid").value(thread);
  }

  const NamedReplay& replay_;
  const Dag& dag_;
  JsonWriter& json_;
  TasksByLane by_lane_;
  std::map<Rank, std::vector<LaneId>> lanes_of_;
  std::size_t& process_;  ///< the last one
  std::size_t next_thread_ = 0;
};

std::set<Rank> ranks_of(const std::vector<ChromeTrace>& traces) {
  std::set<Rank> ranks;
  for (const ChromeTrace& trace : traces) {
    for (const auto& [rank, lanes] : trace.ranks()) ranks.insert(rank);
  }
  return ranks;
}

void write(const Answer& answer, OutputFile& out) {
  JsonWriter json{[&out](std::string_view text) { out.write(text); }};
  json.begin_object().key("displayTimeUnit").value("ns").key("otherData");
  json.begin_object().key("program").value("stepsim");
  write_members(json, answer.provenance);
  json.end_object().key("traceEvents").begin_array();
  std::size_t process = 0;
  std::vector<ChromeTrace> traces;
  for (const NamedReplay& replay : answer.replays) traces.emplace_back(replay, json, process);
  for (const Rank rank : ranks_of(traces)) {
    if (traces.size() == 1) traces.front().write_measured(rank);
    for (ChromeTrace& trace : traces) trace.write_replayed(rank);
  }
  json.end_array().end_object();
  json.finish();
}

}  // namespace

extern const Exporter chrome_exporter;
const Exporter chrome_exporter{
    .name = "chrome",
    .extension = "trace.json",
    .summary = "Chrome trace for ui.perfetto.dev: measured beside replayed, or the baseline beside the scenario",
    .accepts = Content::kTimeline,
    .write = write,
};

}  // namespace stepsim::sim
