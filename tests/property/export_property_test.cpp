#include <gtest/gtest.h>
#include <simdjson.h>

#include <map>
#include <optional>

#include "model/job/dag_builder.h"
#include "sim/engine/engine.h"
#include "sim/export/exporter.h"
#include "tests/nightly.h"
#include "tests/property/random_dag.h"
#include "tests/sim/temporary_folder.h"

namespace stepsim::sim {
namespace {

using stepsim::testing::random_dag;
using stepsim::testing::RandomDagShape;
using stepsim::testing::TemporaryFolder;
using stepsim::testing::test_seed;

const unsigned kGraphs = stepsim::testing::seeds(60, 300);
const Provenance kProvenance{"0", "0", "test", {}};

/// A random job that does not deadlock, and its replay.
struct ReplayedJob {
  Capture capture;
  Timeline timeline;
};

/// Returns the next random job that does not deadlock. Its ranks 1 and 2 start late: their recording has a later start.
ReplayedJob next_job(std::mt19937& generator, const RandomDagShape& shape) {
  while (true) {
    ReplayedJob job;
    job.capture.dag = random_dag(generator, shape);
    const std::size_t tasks = job.capture.dag.task_count();
    job.capture.recording.start.assign(tasks, Time{});
    job.capture.recording.finish.assign(tasks, Time{});
    for (std::size_t i = 0; i < tasks; ++i) {
      const Rank rank = job.capture.dag.lane(TaskId{i}).rank;
      job.capture.recording.start[i] = Time{Duration{rank == 1 ? 7 : rank == 2 ? 3 : 0}};
    }
    try {
      job.timeline = replay(job.capture.dag, Machine::as_recorded(job.capture));
      return job;
    } catch (const DeadlockError&) {
      continue;
    }
  }
}

void write(const std::string& path, const ReplayedJob& job) {
  export_to_file(path, *find_exporter(path),
                 {.provenance = kProvenance, .replays = {{"replayed", job.capture, job.timeline}}});
}

/// Reads a task graph, using only the fields that its documentation describes: hosts, and each task's host, duration
/// and predecessors.
Dag read_back(simdjson::dom::element graph) {
  DagBuilder builder;
  std::vector<LaneId> hosts;
  for (std::int64_t i = 0; i < graph["hosts"].get_int64(); ++i)
    hosts.push_back(builder.add_lane({.order = LaneOrder::kFifo}));
  std::map<std::int64_t, TaskId> ids;
  for (const simdjson::dom::element task : graph["tasks"]) {
    const auto host = static_cast<std::size_t>(task["host"].get_int64().value());
    ids[task["id"].get_int64()] = builder.add_task({.name = builder.intern(task["name"].get_string().value()),
                                                    .lane = hosts.at(host),
                                                    .duration = Duration{task["ns"].get_int64().value()}});
  }
  for (const simdjson::dom::element task : graph["tasks"]) {
    for (const simdjson::dom::element before : task["after"]) {
      builder.add_edge(ids.at(before.get_int64()), ids.at(task["id"].get_int64()), EdgeKind::kData);
    }
  }
  return std::move(builder).build().dag;
}

/// Returns when each task starts and ends, by name. A start is the end minus the task's duration, so the wait of a
/// collective for its other members does not count.
std::multimap<std::string, std::pair<Time, Time>> times_by_name(const Dag& dag, const Timeline& timeline) {
  std::multimap<std::string, std::pair<Time, Time>> times;
  for (std::size_t i = 0; i < dag.task_count(); ++i) {
    const std::string name{dag.name(TaskId{i})};
    if (name.rfind("stepsim:", 0) == 0) continue;
    times.emplace(name, std::pair{timeline.finish[i] - dag.duration(TaskId{i}), timeline.finish[i]});
  }
  return times;
}

TEST(TaskGraphExportPropertyTest, ReadingItBackGivesTheSameReplay) {
  // Collectives are written as tasks that take no time. A task on a FIFO lane could swap places with them if it took no
  // time either, so all tasks of these graphs take at least 1 ns.
  std::mt19937 generator{test_seed()};
  const TemporaryFolder folder;
  simdjson::dom::parser parser;
  for (unsigned i = 0; i < kGraphs; ++i) {
    SCOPED_TRACE("graph " + std::to_string(i) + ", STEPSIM_TEST_SEED=" + std::to_string(test_seed()));
    const ReplayedJob job = next_job(generator, {.rendezvous_on_fifo_lanes = false, .shortest = 1});
    write(folder.file("job.tasks.json"), job);
    const Dag dag = read_back(parser.load(folder.file("job.tasks.json")));
    EXPECT_EQ(times_by_name(dag, replay(dag, Machine{dag})), times_by_name(job.capture.dag, job.timeline));
    if (HasFailure()) return;
  }
}

TEST(ChromeExportPropertyTest, TasksOfOneThreadNeverOverlap) {
  std::mt19937 generator{test_seed()};
  const TemporaryFolder folder;
  simdjson::dom::parser parser;
  for (unsigned i = 0; i < kGraphs; ++i) {
    SCOPED_TRACE("graph " + std::to_string(i) + ", STEPSIM_TEST_SEED=" + std::to_string(test_seed()));
    const ReplayedJob job = next_job(generator, {});
    write(folder.file("job.trace.json"), job);
    std::map<std::pair<std::int64_t, std::int64_t>, double> last_end;
    std::size_t tasks = 0;
    for (const simdjson::dom::element event : parser.load(folder.file("job.trace.json"))["traceEvents"]) {
      if (event["ph"].get_string().value() != "X") continue;
      ++tasks;
      double& end = last_end[{event["pid"].get_int64(), event["tid"].get_int64()}];
      EXPECT_GE(event["ts"].get_double().value() + 1e-4, end);
      end = event["ts"].get_double().value() + event["dur"].get_double().value();
    }
    EXPECT_EQ(tasks, 2 * job.capture.dag.task_count());
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace stepsim::sim
