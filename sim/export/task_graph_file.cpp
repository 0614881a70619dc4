#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "sim/engine/machine.h"
#include "sim/export/exporter.h"
#include "sim/export/tracks.h"
#include "sim/output/json_writer.h"
#include "sim/report/field.h"

/// Writes a replay as a task graph that ingest/formats/task_graph.cpp reads. A lane becomes a host, which never runs
/// two tasks at a time. The format has only computes, so everything else becomes a compute too. A replay of the file
/// gives each task the same times as this replay:
///
/// * A lag becomes a compute on a separate host between the two tasks. The same is done for the time before a rank's
///   first task.
/// * A collective becomes a compute of length 0, which starts after everything that the collective's members wait for.
///   After it, each member becomes a compute with the time of its transfer. There is one exception: a member on a FIFO
///   lane occupies the lane while it waits. A collective with such a member has no compute of length 0, and all its
///   members have their whole replayed length.
/// * Overlapping tasks of a lane are placed on several hosts.
///
/// A task of the dag keeps its name; the names of added tasks begin with "stepsim:". A task is written before those
/// that wait for it. Memory: about 24 bytes per task and 12 per edge.
namespace stepsim::sim {
namespace {

/// Assigns hosts to intervals of simulated time ("stretches"). Each stretch has a number.
class Hosts {
 public:
  explicit Hosts(std::size_t stretches) : host_(stretches) {}

  void add(std::size_t stretch, Time begin, Time end) { waiting_.push_back({begin, end, stretch}); }
  void set(std::size_t stretch, std::size_t host) { host_[stretch] = static_cast<std::uint32_t>(host); }

  /// Places the stretches added since the last call on hosts from `first` on, where nothing else runs or begins at the
  /// same time. Returns the number of hosts used.
  std::size_t place_from(std::size_t first) {
    std::sort(waiting_.begin(), waiting_.end(), [](const Waiting& a, const Waiting& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.stretch < b.stretch;
    });
    Rows rows;
    for (const Waiting& waiting : waiting_) {
      // Two stretches that begin at the same time get two hosts even if they take no time: on one host their order
      // would be undefined.
      const Time end = std::max(waiting.end, waiting.begin + Duration{1});
      set(waiting.stretch, first + rows.place(waiting.begin, end));
    }
    waiting_.clear();
    return rows.count();
  }

  [[nodiscard]] std::uint32_t of(std::size_t stretch) const { return host_[stretch]; }

 private:
  struct Waiting {
    Time begin;
    Time end;
    std::size_t stretch;
  };

  std::vector<std::uint32_t> host_;
  std::vector<Waiting> waiting_;
};

/// The incoming edges of each task.
class Predecessors {
 public:
  struct Incoming {
    TaskId from;
    EdgeId edge;
  };

  explicit Predecessors(const Dag& dag) : begin_(dag.task_count() + 1), incoming_(dag.edge_count()) {
    for (std::size_t i = 0; i < dag.task_count(); ++i) begin_[i] = dag.in_degrees()[i];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    std::size_t edge = dag.edge_count();
    for (std::size_t i = dag.task_count(); i-- > 0;) {
      for (const std::size_t first = dag.first_edge(TaskId{i}).index(); edge > first;) {
        --edge;
        incoming_[--begin_[dag.target(EdgeId{edge}).index()]] = {TaskId{i}, EdgeId{edge}};
      }
    }
  }

  [[nodiscard]] std::span<const Incoming> of(TaskId task) const noexcept {
    return {incoming_.data() + begin_[task.index()], begin_[task.index() + 1] - begin_[task.index()]};
  }

 private:
  std::vector<std::uint32_t> begin_;
  std::vector<Incoming> incoming_;
};

class TaskGraphFile {
 public:
  TaskGraphFile(const NamedReplay& replay, const Provenance& provenance, JsonWriter& json)
      : provenance_(provenance),
        dag_(replay.capture.dag),
        timeline_(replay.timeline),
        machine_(Machine::as_recorded(replay.capture)),
        json_(json),
        predecessors_(dag_),
        task_hosts_(dag_.task_count()),
        added_hosts_(dag_.task_count() + dag_.rendezvous_count() + (dag_.has_lags() ? dag_.edge_count() : 0)),
        task_ids_(dag_.task_count()),
        lag_ids_(dag_.has_lags() ? dag_.edge_count() : 0) {}

  void write() {
    find_expanded();
    std::size_t hosts = place_lanes();
    hosts += place_added(hosts);
    json_.begin_object().key("name").value("stepsim replay").key("hosts").value(std::max<std::size_t>(hosts, 1));
    json_.key("links").begin_array().end_array().key("routes").begin_object().end_object();
    json_.key("tasks").begin_array();
    for (const TaskId task : dag_.tasks()) write_in_turn(task);
    json_.end_array().new_line();
    write_provenance(json_, provenance_);
    json_.end_object();
  }

 private:
  using Ids = std::vector<std::uint64_t>;

  // Delays, collectives and lags each take a stretch of time on an added host. These functions number the stretches for
  // added_hosts_: delays come first, in the order of their tasks, then collectives, then lags, in the order of their
  // edges.
  [[nodiscard]] static std::size_t delay_stretch(TaskId task) { return task.index(); }
  [[nodiscard]] std::size_t hub_stretch(RendezvousId id) const { return dag_.task_count() + id.index(); }
  [[nodiscard]] std::size_t lag_stretch(EdgeId edge) const {
    return dag_.task_count() + dag_.rendezvous_count() + edge.index();
  }

  void find_expanded() {
    for (const RendezvousId rendezvous : dag_.all_rendezvous()) {
      const auto members = dag_.members(rendezvous);
      expanded_.push_back(std::none_of(members.begin(), members.end(),
                                       [this](TaskId member) { return dag_.lane(member).order == LaneOrder::kFifo; }));
    }
  }

  /// True if the task is a member of a collective for which a compute of length 0 is written.
  [[nodiscard]] bool is_member(TaskId task) const {
    return dag_.rendezvous(task).valid() && expanded_[dag_.rendezvous(task).index()];
  }

  /// Returns when the written compute of a task begins: for is_member(), when the collective's last member arrives;
  /// otherwise when the task starts.
  [[nodiscard]] Time begin(TaskId task) const {
    if (!is_member(task)) return timeline_.start[task.index()];
    return timeline_.start[timeline_.last_arrival[dag_.rendezvous(task).index()].index()];
  }

  std::size_t place_lanes() {
    const TasksByLane by_lane{dag_};
    std::size_t hosts = 0;
    for (std::size_t i = 0; i < dag_.lanes().size(); ++i) {
      const bool one_host = dag_.lanes()[i].order == LaneOrder::kFifo && !by_lane.of(LaneId{i}).empty();
      for (const TaskId task : by_lane.of(LaneId{i})) {
        if (one_host) {
          task_hosts_.set(task.index(), hosts);
        } else {
          task_hosts_.add(task.index(), begin(task), timeline_.finish[task.index()]);
        }
      }
      hosts += one_host ? 1 : task_hosts_.place_from(hosts);
    }
    return hosts;
  }

  std::size_t place_added(std::size_t first_host) {
    for (std::size_t i = 0; i < dag_.task_count(); ++i) {
      const TaskId task{i};
      if (is_delayed(task)) added_hosts_.add(delay_stretch(task), Time{}, machine_.origin(task));
      for_each_lag(task, [&](EdgeId edge, Duration lag) {
        added_hosts_.add(lag_stretch(edge), timeline_.finish[i], timeline_.finish[i] + lag);
      });
    }
    for (std::size_t i = 0; i < dag_.rendezvous_count(); ++i) {
      if (!expanded_[i] || !timeline_.last_arrival[i].valid()) continue;
      const Time last = timeline_.start[timeline_.last_arrival[i].index()];
      added_hosts_.add(hub_stretch(RendezvousId{i}), last, last);
    }
    return added_hosts_.place_from(first_host);
  }

  [[nodiscard]] bool is_delayed(TaskId task) const {
    return dag_.in_degrees()[task.index()] == 0 && machine_.origin(task) > Time{};
  }

  template <class Use>
  void for_each_lag(TaskId task, Use use) const {
    if (!dag_.has_lags()) return;
    for (const EdgeId edge : dag_.edges_from(task)) {
      if (const Duration lag = dag_.lag(edge); lag > Duration{}) use(edge, lag);
    }
  }

  /// Writes a task. The members of a collective are written together when the last of them is reached. Everything that
  /// they wait for has then been written, and tasks that wait for a member get larger ids than all members.
  void write_in_turn(TaskId task) {
    if (!is_member(task)) {
      Ids after;
      write_arrival(task, after);
      write_task(task, after);
      return;
    }
    const auto members = dag_.members(dag_.rendezvous(task));
    if (task != members.back()) return;
    Ids after;
    for (const TaskId member : members) write_arrival(member, after);
    std::sort(after.begin(), after.end());
    after.erase(std::unique(after.begin(), after.end()), after.end());
    const Ids hub{
        write_compute("stepsim:collective", added_hosts_.of(hub_stretch(dag_.rendezvous(task))), Duration{}, after)};
    for (const TaskId member : members) write_task(member, hub);
  }

  /// Adds the ids of the computes that `task` waits for to `after`. If the task's rank starts late, also writes and
  /// adds a compute for that delay.
  void write_arrival(TaskId task, Ids& after) {
    for (const auto& [from, edge] : predecessors_.of(task)) {
      after.push_back(dag_.lag(edge) > Duration{} ? lag_ids_[edge.index()] : task_ids_[from.index()]);
    }
    if (!is_delayed(task)) return;
    after.push_back(
        write_compute("stepsim:delay", added_hosts_.of(delay_stretch(task)), machine_.origin(task) - Time{}, {}));
  }

  void write_task(TaskId task, const Ids& after) {
    const Duration length = timeline_.finish[task.index()] - begin(task);
    const std::uint64_t id = write_compute(dag_.name(task), task_hosts_.of(task.index()), length, after);
    task_ids_[task.index()] = static_cast<std::uint32_t>(id);
    for_each_lag(task, [&](EdgeId edge, Duration lag) {
      lag_ids_[edge.index()] =
          static_cast<std::uint32_t>(write_compute("stepsim:lag", added_hosts_.of(lag_stretch(edge)), lag, {id}));
    });
  }

  std::uint64_t write_compute(std::string_view name, std::uint32_t host, Duration length, const Ids& after) {
    json_.new_line().begin_object().key("id").value(next_id_).key("name").value(name).key("kind").value("compute");
    json_.key("host").value(host).key("ns").value(length.count()).key("after").begin_array();
    for (const std::uint64_t id : after) json_.value(id);
    json_.end_array().end_object();
    return next_id_++;
  }

  const Provenance& provenance_;
  const Dag& dag_;
  const Timeline& timeline_;
  Machine machine_;
  JsonWriter& json_;
  Predecessors predecessors_;
  std::vector<bool> expanded_;  ///< indexed by rendezvous: true if it has its own compute
  Hosts task_hosts_;
  Hosts added_hosts_;
  std::vector<std::uint32_t> task_ids_;  ///< indexed by task: id in the file
  std::vector<std::uint32_t> lag_ids_;   ///< indexed by edge: id in the file
  std::uint64_t next_id_ = 0;
};

}  // namespace

extern const Exporter task_graph_file_exporter{
    .name = "task-graph",
    .extension = "tasks.json",
    .summary = "task graph of the replay, for replay and other simulators",
    .accepts = Content::kTaskGraph,
    .write =
        [](const Answer& answer, OutputFile& out) {
          JsonWriter json{[&out](std::string_view text) { out.write(text); }};
          TaskGraphFile{answer.replays.back(), answer.provenance, json}.write();
          json.finish();
        },
};

}  // namespace stepsim::sim
