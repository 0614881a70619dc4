#include "sim/export/task_relation.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "sim/analysis/critical_path.h"

namespace stepsim::sim {
namespace {

/// A replay with what its rows need besides.
struct Part {
  explicit Part(const NamedReplay& of, std::size_t first) : replay(of), first_row(first), on_path(count()) {
    const Summary summary = summarize(of.capture, of.timeline);
    const IterationPath path = iteration_path(of.capture, of.timeline, summary);
    for (const PathTask& task : path.path.tasks) on_path[task.task.index()] = true;
    const std::vector<Time>& start = recording().start;
    if (start.size() == count() && count() > 0) measured_zero = *std::min_element(start.begin(), start.end());
  }

  [[nodiscard]] const Dag& dag() const noexcept { return replay.capture.dag; }
  [[nodiscard]] const Recording& recording() const noexcept { return replay.capture.recording; }
  [[nodiscard]] std::size_t count() const noexcept { return dag().task_count(); }

  const NamedReplay& replay;
  std::size_t first_row;
  std::vector<bool> on_path;
  std::optional<Time> measured_zero;  ///< absent where nothing was measured
};

/// The tasks of all replays, one behind the other.
class Tasks {
 public:
  explicit Tasks(const Answer& answer) {
    for (const NamedReplay& replay : answer.replays) rows_ += parts_.emplace_back(replay, rows_).count();
  }

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }

  template <class Get>
  [[nodiscard]] Value at(std::size_t row, Get get) const {
    const Part* part = &parts_.front();
    for (const Part& next : parts_) {
      if (next.first_row <= row) part = &next;
    }
    return get(*part, TaskId{row - part->first_row});
  }

 private:
  std::vector<Part> parts_;
  std::size_t rows_ = 0;
};

Value text(std::string_view value) { return value; }
Value step(const Part& part, TaskId task) {
  const std::vector<std::int32_t>& steps = part.recording().step;
  if (steps.size() != part.count() || steps[task.index()] < 0) return {};
  return part.recording().steps[static_cast<std::size_t>(steps[task.index()])].number;
}
Value measured_start(const Part& part, TaskId task) {
  if (!part.measured_zero) return {};
  return (part.recording().start[task.index()] - *part.measured_zero).count();
}
Value measured_duration(const Part& part, TaskId task) {
  if (!part.measured_zero) return {};
  return (part.recording().finish[task.index()] - part.recording().start[task.index()]).count();
}

}  // namespace

Relation task_relation(const Answer& answer) {
  const auto tasks = std::make_shared<const Tasks>(answer);
  Relation relation{.name = "tasks", .title = "All tasks of the replay", .columns = {}, .rows = tasks->rows()};
  const auto add = [&](const char* name, ValueType type, auto get) {
    relation.columns.push_back({name, name, type, [tasks, get](std::size_t row) { return tasks->at(row, get); }});
  };
  const auto add_text = [&add](const char* name, auto get) { add(name, ValueType::kText, get); };
  const auto add_count = [&add](const char* name, auto get) { add(name, ValueType::kInteger, get); };
  add_text("replay", [](const Part& part, TaskId) { return text(part.replay.name); });
  add_count("task", [](const Part&, TaskId task) -> Value { return std::int64_t{task.value()}; });
  add_text("name", [](const Part& part, TaskId task) { return text(part.dag().name(task)); });
  add_text("kind", [](const Part& part, TaskId task) { return text(to_text(part.dag().kind(task))); });
  add_count("rank", [](const Part& part, TaskId task) -> Value { return std::int64_t{part.dag().lane(task).rank}; });
  add_text("lane", [](const Part& part, TaskId task) { return text(part.dag().lane(task).name); });
  add_text("host", [](const Part& part, TaskId task) { return text(part.dag().lane(task).host); });
  add_count("step", step);
  add_count("start_ns", [](const Part& part, TaskId task) -> Value {
    return part.replay.timeline.start[task.index()].time_since_epoch().count();
  });
  add_count("duration_ns", [](const Part& part, TaskId task) -> Value {
    const Timeline& timeline = part.replay.timeline;
    return (timeline.finish[task.index()] - timeline.start[task.index()]).count();
  });
  add_count("measured_start_ns", measured_start);
  add_count("measured_duration_ns", measured_duration);
  add_count("bytes", [](const Part& part, TaskId task) -> Value { return part.dag().bytes(task).count(); });
  add_count("on_critical_path",
            [](const Part& part, TaskId task) -> Value { return std::int64_t{part.on_path[task.index()]}; });
  return relation;
}

}  // namespace stepsim::sim
