#include "sim/export/page/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "sim/analysis/critical_path.h"
#include "sim/analysis/summary.h"
#include "sim/export/tracks.h"
#include "sim/output/json_writer.h"
#include "sim/report/path_sections.h"

// The columns that describe graph number G. S is the name of a side: one set of times of the graph's tasks, measured or
// replayed. A span is a box on the page. Distances are differences of span numbers. Columns marked "zigzag" may be
// negative, the others not.
//
//   G.name    by span: index into the graph's names
//   G.bytes   by span
//   G.S.start     by span: nanoseconds from the end of the span before it to its start; zigzag
//   G.S.duration  by span: nanoseconds from its start to its end
//   G.S.row       by span: its row within the lane; spans of a row do not overlap
//   G.S.waited    by span of a collective: time until its last member arrived
//   G.S.last      by span of a collective: 0, or 1 + the distance to that member; zigzag
//   G.S.release   by span: 0, or 1 + 2 * the distance to the span that released it (zigzag) + 1 if its lane did
//   G.S.slack     by span: 0, or 1 + how much later it could end without delaying a span that waits for it
//   G.S.path      by task of the critical path: the distance from the span before it; zigzag
//   G.S.path_start, path_duration, path_wait, path_queueing   by task of the critical path
//
// waited, last, release, slack and the path columns exist only if the side is a replay.

namespace stepsim::sim {
namespace {

/// One set of times of all tasks: measured or replayed.
struct Side {
  std::string_view name;
  const std::vector<Time>& start;
  const std::vector<Time>& finish;
  Time zero;   ///< the time shown as 0
  Time align;  ///< the time that is aligned with that of other sides
  const Timeline* replay = nullptr;
};

std::uint64_t count(Duration duration) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(duration.count(), 0));
}

std::int64_t distance(std::size_t from, std::size_t to) {
  return static_cast<std::int64_t>(to) - static_cast<std::int64_t>(from);
}

std::uint64_t zigzag(std::int64_t number) {
  return (static_cast<std::uint64_t>(number) << 1U) ^ (number < 0 ? ~std::uint64_t{0} : 0);
}

class GraphWriter {
 public:
  GraphWriter(const NamedReplay& replay, std::size_t number, bool with_measured)
      : replay_(replay),
        dag_(replay.capture.dag),
        number_(number),
        path_(iteration_path(replay.capture, replay.timeline, summarize(replay.capture, replay.timeline))),
        spans_(replay, path_.path) {
    const Recording& recording = replay.capture.recording;
    const Time begin = path_.path.begin;
    if (with_measured && !recording.start.empty() && recording.start.size() == dag_.task_count()) {
      const Time zero = *std::min_element(recording.start.begin(), recording.start.end());
      const Time align = path_.step ? measured_begin(path_.step->timed) : zero;
      sides_.push_back({"measured", recording.start, recording.finish, zero, align});
    }
    sides_.push_back({replay.name, replay.timeline.start, replay.timeline.finish, Time{}, begin, &replay.timeline});
    find_names();
  }

  void describe(JsonWriter& json) const {
    json.new_line().begin_object().key("tasks").value(dag_.task_count()).key("spans").value(spans_.size());
    json.key("merged_tasks").value(spans_.merged_tasks()).key("merged_below_ns").value(spans_.merged_below());
    json.new_line().key("names").begin_array();
    for (const auto& [name, kind] : names_) json.value(dag_.name(name));
    json.end_array().new_line().key("kinds").begin_array();
    for (const auto& [name, kind] : names_) json.value(to_text(kind));
    json.end_array().new_line().key("lanes").begin_array();
    for (std::size_t i = 0; i < dag_.lanes().size(); ++i) describe_lane(json, LaneId{i});
    json.end_array().new_line().key("sides").begin_array();
    for (const Side& side : sides_) describe_side(json, side);
    json.end_array();
    describe_steps(json);
    json.end_object();
  }

  void write_columns(OutputFile& out) const {
    column(out, "name", [this](PackedColumn& packed) {
      for (std::size_t span = 0; span < spans_.size(); ++span) packed.add(name_of(first_task(span)));
    });
    column(out, "bytes", [this](PackedColumn& packed) {
      for (std::size_t span = 0; span < spans_.size(); ++span) {
        Bytes bytes{};
        for (const TaskId task : spans_.tasks(span)) bytes += dag_.bytes(task);
        packed.add(static_cast<std::uint64_t>(std::max<std::int64_t>(bytes.count(), 0)));
      }
    });
    for (std::size_t i = 0; i < sides_.size(); ++i) write_side(out, sides_[i], fmt::format("{}.", i));
  }

 private:
  using NameAndKind = std::pair<NameId, TaskKind>;
  static constexpr std::size_t kKinds = kTaskKindCount;

  [[nodiscard]] TaskId first_task(std::size_t span) const { return spans_.tasks(span).front(); }
  [[nodiscard]] std::size_t slot_of(TaskId task) const {
    return dag_.name_id(task).index() * kKinds + static_cast<std::size_t>(dag_.kind(task));
  }
  [[nodiscard]] std::uint32_t name_of(TaskId task) const { return name_number_[slot_of(task)]; }

  void find_names() {
    constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    name_number_.assign(dag_.name_count() * kKinds, kNone);
    for (std::size_t span = 0; span < spans_.size(); ++span) {
      const TaskId task = first_task(span);
      std::uint32_t& number = name_number_[slot_of(task)];
      if (number != kNone) continue;
      number = static_cast<std::uint32_t>(names_.size());
      names_.emplace_back(dag_.name_id(task), dag_.kind(task));
    }
  }

  /// Returns the measured begin of a step. A step that begins when the previous one is complete has no task that starts
  /// at its begin, so its begin is computed from its end.
  [[nodiscard]] Time measured_begin(const TimedStep& step) const {
    const Recording& recording = replay_.capture.recording;
    const std::size_t first = recording.steps[step.step].first.index();
    if (replay_.timeline.start[first] == step.begin) return recording.start[first];
    const std::size_t last = step.last.index();
    const bool ends_at_start = replay_.timeline.start[last] == step.replayed().end;
    return (ends_at_start ? recording.start[last] : recording.finish[last]) - step.time.measured;
  }

  void describe_lane(JsonWriter& json, LaneId id) const {
    const Lane& lane = dag_.lane(id);
    json.new_line().begin_object().key("name").value(lane.name).key("host").value(lane.host);
    json.key("rank").value(lane.rank).key("device").value(lane.device);
    json.key("spans").value(spans_.first_of(LaneId{id.index() + 1}) - spans_.first_of(id)).end_object();
  }

  void describe_side(JsonWriter& json, const Side& side) const {
    json.new_line().begin_object().key("name").value(side.name).key("replayed").value(side.replay != nullptr);
    json.key("align_ns").value(side.align - side.zero);
    if (side.replay != nullptr) {
      json.key("path")
          .begin_object()
          .key("of")
          .value(path_subject(path_))
          .key("begin_ns")
          .value(path_.path.begin - side.zero);
      json.key("length_ns").value(path_.path.length).key("tasks").value(path_.path.tasks.size()).end_object();
    }
    json.end_object();
  }

  /// Writes the begin and end of each step, by side.
  void describe_steps(JsonWriter& json) const {
    const Recording& recording = replay_.capture.recording;
    json.new_line().key("steps").begin_array();
    std::vector<std::vector<Time>> ends;
    for (const Side& side : sides_) ends.push_back(ends_of_steps(side));
    for (std::size_t i = 0; i < recording.steps.size(); ++i) {
      const RecordedStep& step = recording.steps[i];
      if (!step.first.valid()) continue;
      json.new_line().begin_object().key("rank").value(step.rank).key("step").value(step.number);
      json.key("whole").value(step.whole).key("begin_ns").begin_array();
      for (const Side& side : sides_) json.value(side.start[step.first.index()] - side.zero);
      json.end_array().key("end_ns").begin_array();
      for (std::size_t s = 0; s < sides_.size(); ++s) json.value(ends[s][i] - sides_[s].zero);
      json.end_array().end_object();
    }
    json.end_array();
  }

  [[nodiscard]] std::vector<Time> ends_of_steps(const Side& side) const {
    const Recording& recording = replay_.capture.recording;
    std::vector<Time> ends(recording.steps.size(), side.zero);
    for (std::size_t i = 0; i < recording.step.size() && i < side.finish.size(); ++i) {
      if (recording.step[i] < 0) continue;
      Time& end = ends[static_cast<std::size_t>(recording.step[i])];
      end = std::max(end, side.finish[i]);
    }
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      const RecordedStep& step = recording.steps[i];
      const TaskId next = recording.steps[i + 1].first;
      if (step.next_follows && recording.steps[i + 1].rank == step.rank && next.valid())
        ends[i] = side.start[next.index()];
    }
    return ends;
  }

  template <class Fill>
  void column(OutputFile& out, std::string_view name, Fill fill) const {
    out.write(fmt::format(R"(<script type="text/plain" id="{}.{}">)", number_, name));
    PackedColumn packed{out};
    fill(packed);
    packed.finish();
    out.write("</script>\n");
  }

  void write_side(OutputFile& out, const Side& side, const std::string& prefix) const {
    std::vector<Time> start(spans_.size());
    std::vector<Time> finish(spans_.size());
    for (std::size_t span = 0; span < spans_.size(); ++span) {
      const auto tasks = spans_.tasks(span);
      start[span] = side.start[tasks.front().index()];
      finish[span] = side.finish[tasks.front().index()];
      for (const TaskId task : tasks) {
        start[span] = std::min(start[span], side.start[task.index()]);
        finish[span] = std::max(finish[span], side.finish[task.index()]);
      }
    }
    column(out, prefix + "start", [&](PackedColumn& packed) {
      Time before = side.zero;
      for (std::size_t span = 0; span < spans_.size(); ++span) {
        packed.add_signed((start[span] - before).count());
        before = finish[span];
      }
    });
    column(out, prefix + "duration", [&](PackedColumn& packed) {
      for (std::size_t span = 0; span < spans_.size(); ++span) packed.add(count(finish[span] - start[span]));
    });
    column(out, prefix + "row", [&](PackedColumn& packed) {
      for (const std::uint32_t row : rows_of(start, finish)) packed.add(row);
    });
    if (side.replay != nullptr) write_replay(out, *side.replay, prefix);
  }

  [[nodiscard]] std::vector<std::uint32_t> rows_of(const std::vector<Time>& start,
                                                   const std::vector<Time>& finish) const {
    std::vector<std::uint32_t> row(spans_.size());
    for (std::size_t lane = 0; lane < dag_.lanes().size(); ++lane) {
      const std::size_t first = spans_.first_of(LaneId{lane});
      std::vector<std::size_t> order(spans_.first_of(LaneId{lane + 1}) - first);
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = first + i;
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return start[a] < start[b]; });
      Rows rows;
      for (const std::size_t span : order)
        row[span] = static_cast<std::uint32_t>(rows.place(start[span], finish[span]));
    }
    return row;
  }

  void write_replay(OutputFile& out, const Timeline& timeline, const std::string& prefix) const {
    column(out, prefix + "waited", [&](PackedColumn& packed) {
      for (std::size_t span = 0; span < spans_.size(); ++span) packed.add(count(waited(timeline, first_task(span))));
    });
    column(out, prefix + "last", [&](PackedColumn& packed) {
      for (std::size_t span = 0; span < spans_.size(); ++span) {
        const TaskId last = last_arrival(timeline, first_task(span));
        packed.add(last.valid() ? 1 + zigzag(distance(span, spans_.of(last))) : 0);
      }
    });
    column(out, prefix + "release", [&](PackedColumn& packed) {
      for (std::size_t span = 0; span < spans_.size(); ++span) {
        const Release release = timeline.released_by[first_task(span).index()];
        const bool by_lane = release.by() == Release::By::kLane;
        packed.add(release.by() == Release::By::kNothing
                       ? 0
                       : 1 + 2 * zigzag(distance(span, spans_.of(release.task()))) + (by_lane ? 1 : 0));
      }
    });
    const std::vector<Duration> slack = slacks(timeline);
    column(out, prefix + "slack", [&](PackedColumn& packed) {
      for (std::size_t span = 0; span < spans_.size(); ++span) {
        const Duration least = slack[spans_.tasks(span).back().index()];
        packed.add(least == Duration::max() ? 0 : 1 + count(least));
      }
    });
    write_path(out, prefix);
  }

  /// Returns the member of the task's collective that arrived last; invalid if there is none.
  [[nodiscard]] TaskId last_arrival(const Timeline& timeline, TaskId task) const {
    const RendezvousId id = dag_.rendezvous(task);
    return id.valid() ? timeline.last_arrival[id.index()] : TaskId{};
  }

  [[nodiscard]] Duration waited(const Timeline& timeline, TaskId task) const {
    const TaskId last = last_arrival(timeline, task);
    return last.valid() ? timeline.start[last.index()] - timeline.start[task.index()] : Duration{};
  }

  /// Returns, for each task, how much later the task could end without delaying a task that waits for it, or the begin
  /// of a collective.
  [[nodiscard]] std::vector<Duration> slacks(const Timeline& timeline) const {
    std::vector<Duration> slack(dag_.task_count(), Duration::max());
    for (std::size_t i = 0; i < slack.size(); ++i) {
      const TaskId task{i};
      for (const EdgeId edge : dag_.edges_from(task)) {
        const TaskId next = dag_.target(edge);
        const Duration left = timeline.start[next.index()] - dag_.lag(edge) - timeline.finish[i];
        slack[i] = std::min(slack[i], left + waited(timeline, next));
      }
      const Release release = timeline.released_by[i];
      if (release.by() == Release::By::kLane) slack[release.task().index()] = Duration{};
    }
    return slack;
  }

  void write_path(OutputFile& out, const std::string& prefix) const {
    const std::vector<PathTask>& tasks = path_.path.tasks;
    column(out, prefix + "path", [&](PackedColumn& packed) {
      std::size_t before = 0;
      for (const PathTask& task : tasks) {
        packed.add_signed(distance(before, spans_.of(task.task)));
        before = spans_.of(task.task);
      }
    });
    column(out, prefix + "path_start", [&](PackedColumn& packed) {
      for (const PathTask& task : tasks) packed.add(count(task.start - path_.path.begin));
    });
    const auto durations = [&](std::string_view name, Duration PathTask::*which) {
      column(out, prefix + std::string(name), [&](PackedColumn& packed) {
        for (const PathTask& task : tasks) packed.add(count(task.*which));
      });
    };
    durations("path_duration", &PathTask::duration);
    durations("path_wait", &PathTask::wait);
    durations("path_queueing", &PathTask::queueing);
  }

  const NamedReplay& replay_;
  const Dag& dag_;
  std::size_t number_;
  IterationPath path_;
  TimelineSpans spans_;
  std::vector<Side> sides_;
  std::vector<NameAndKind> names_;
  std::vector<std::uint32_t> name_number_;  ///< indexed by name and kind
};

}  // namespace

void write_page_timelines(const Answer& answer, OutputFile& out) {
  std::vector<GraphWriter> graphs;
  graphs.reserve(answer.replays.size());
  for (std::size_t i = 0; i < answer.replays.size(); ++i)
    graphs.emplace_back(answer.replays[i], i, answer.replays.size() == 1);
  out.write(R"(<script type="application/json" id="data-timelines">)");
  JsonWriter json{[&out](std::string_view text) { out.write(text); }};
  json.begin_array();
  for (const GraphWriter& graph : graphs) graph.describe(json);
  json.end_array();
  json.finish();
  out.write("</script>\n");
  for (const GraphWriter& graph : graphs) graph.write_columns(out);
}

}  // namespace stepsim::sim
