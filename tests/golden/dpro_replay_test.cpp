#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "model/job/dag_builder.h"
#include "sim/analysis/critical_path.h"
#include "sim/engine/engine.h"

/// Replays three small jobs and compares all times with those that dPRO's replayer (github.com/joapolarbear/dpro)
/// computed for them. dPRO continues with the device that has the smallest clock; we follow the true order of events
/// (ready time, then id). On these jobs the two agree on every task, because dPRO never picks a task that becomes ready
/// later than another one that is waiting. The only tie (job A at 9 ms, below) is decided by the order in which the
/// tasks were created.
namespace stepsim::sim {
namespace {

using ::testing::ElementsAre;

std::string join(std::string_view a, int number) { return std::string(a) + std::to_string(number); }

/// The start and the end of a task in microseconds.
struct Span {
  std::int64_t start;
  std::int64_t end;
  friend bool operator==(const Span& a, const Span& b) { return a.start == b.start && a.end == b.end; }
  friend std::ostream& operator<<(std::ostream& out, const Span& span) {
    return out << span.start << " to " << span.end << " us";
  }
};

/// A job of named tasks on FIFO lanes (resources that run one task at a time). Tasks are named like "w0 FW.a".
class Job {
 public:
  LaneId lane(Rank rank, const std::string& name) {
    const auto [found, is_new] = lanes_.try_emplace({rank, name});
    if (is_new) found->second = builder_.add_lane({.name = name, .rank = rank, .order = LaneOrder::kFifo});
    return found->second;
  }

  void add(const std::string& name, LaneId lane, std::int64_t microseconds, std::initializer_list<std::string> after,
           TaskKind kind) {
    ids_[name] = builder_.add_task({.kind = kind,
                                    .name = builder_.intern(name),
                                    .lane = lane,
                                    .duration = std::chrono::microseconds{microseconds}});
    for (const std::string& before : after) edges_.emplace_back(before, name);
  }

  void edge(const std::string& from, const std::string& to) { edges_.emplace_back(from, to); }

  void replay() {
    for (const auto& [from, to] : edges_) builder_.add_edge(ids_.at(from), ids_.at(to), EdgeKind::kData);
    DagBuilder::Result result = std::move(builder_).build();
    dag = std::move(result.dag);
    for (auto& [name, id] : ids_) id = result.new_id[id.index()];
    timeline = sim::replay(dag, Machine{dag});
  }

  [[nodiscard]] Span span(const std::string& name) const {
    const std::size_t i = ids_.at(name).index();
    return {timeline.start[i].time_since_epoch().count() / 1000, timeline.finish[i].time_since_epoch().count() / 1000};
  }

  [[nodiscard]] TaskId id(const std::string& name) const { return ids_.at(name); }

  Dag dag;
  Timeline timeline;

 private:
  DagBuilder builder_;
  std::map<std::pair<Rank, std::string>, LaneId> lanes_;
  std::map<std::string, TaskId> ids_;
  std::vector<std::pair<std::string, std::string>> edges_;
};

/// Adds one step of job A: two workers in a ring. SEND and RECV of a worker share one device.
void add_ring_step(Job& job, const std::string& prefix) {
  const auto name = [&prefix](int worker, const std::string& task) { return prefix + join("w", worker) + " " + task; };
  for (int w = 0; w < 2; ++w) {
    const LaneId device = job.lane(w, "operators");
    job.add(name(w, "FW.a"), device, 1000, {}, TaskKind::kOperator);
    job.add(name(w, "FW.b"), device, 2000, {name(w, "FW.a")}, TaskKind::kOperator);
    job.add(name(w, "OUTPUT.0"), device, 0, {name(w, "FW.b")}, TaskKind::kOperator);
    job.add(name(w, "BW.b"), device, 3000, {name(w, "OUTPUT.0")}, TaskKind::kOperator);
    job.add(name(w, "BW.a"), device, 2000 + 1000 * w, {name(w, "BW.b")}, TaskKind::kOperator);
    job.add(name(w, "Comm.0.Sync"), job.lane(w, "Sync"), 0, {name(w, "BW.a")}, TaskKind::kControl);
    job.add(name(w, "Comm.1.Sync"), job.lane(w, "Sync"), 0, {name(w, "BW.b")}, TaskKind::kControl);
    job.add(name(w, "UPDATE_.a"), device, 250, {name(w, "0.RECV1")}, TaskKind::kOperator);
    job.add(name(w, "UPDATE_.b"), device, 500, {name(w, "1.RECV1")}, TaskKind::kOperator);
  }
  for (int tensor = 0; tensor < 2; ++tensor) {
    const std::string t = std::to_string(tensor) + ".";
    for (int w = 0; w < 2; ++w) {
      const LaneId comm = job.lane(w, "Comm");
      const std::int64_t length = tensor == 0 ? 1000 : 1500;
      const std::string sync = "Comm." + t + "Sync";
      job.add(name(w, t + "SEND0"), comm, length, {name(0, sync), name(1, sync)}, TaskKind::kTransfer);
      job.add(name(w, t + "RECV0"), comm, length, {name(1 - w, t + "SEND0")}, TaskKind::kTransfer);
      job.add(name(w, t + "SEND1"), comm, length, {name(w, t + "RECV0")}, TaskKind::kTransfer);
      job.add(name(w, t + "RECV1"), comm, length, {name(1 - w, t + "SEND1")}, TaskKind::kTransfer);
    }
  }
}

Job ring_job() {
  Job job;
  add_ring_step(job, "");
  job.replay();
  return job;
}

TEST(DproReplayTest, RingJobGivesEveryTimeOfGoldenA) {
  const Job job = ring_job();
  for (const std::string w : {"w0 ", "w1 "}) {
    EXPECT_EQ(job.span(w + "FW.a"), (Span{0, 1000}));
    EXPECT_EQ(job.span(w + "FW.b"), (Span{1000, 3000}));
    EXPECT_EQ(job.span(w + "BW.b"), (Span{3000, 6000}));
    EXPECT_EQ(job.span(w + "BW.a"), (Span{6000, w == "w0 " ? 8000 : 9000}));
    EXPECT_EQ(job.span(w + "1.SEND0"), (Span{6000, 7500}));
    EXPECT_EQ(job.span(w + "1.RECV0"), (Span{7500, 9000}));
    // 0.SEND0 and 1.SEND1 are both ready at 9 ms. 0.SEND0 goes first, because dPRO inserted it first and here it was
    // created first.
    EXPECT_EQ(job.span(w + "0.SEND0"), (Span{9000, 10000}));
    EXPECT_EQ(job.span(w + "1.SEND1"), (Span{10000, 11500}));
    EXPECT_EQ(job.span(w + "0.RECV0"), (Span{11500, 12500}));
    EXPECT_EQ(job.span(w + "1.RECV1"), (Span{12500, 14000}));
    EXPECT_EQ(job.span(w + "0.SEND1"), (Span{14000, 15000}));
    EXPECT_EQ(job.span(w + "0.RECV1"), (Span{15000, 16000}));
    EXPECT_EQ(job.span(w + "UPDATE_.b"), (Span{14000, 14500}));
    EXPECT_EQ(job.span(w + "UPDATE_.a"), (Span{16000, 16250}));
  }
}

TEST(DproReplayTest, TwoStepsOfGoldenAEndAtTwiceTheTime) {
  Job job;
  for (const std::string step : {"1 ", "2 "}) add_ring_step(job, step);
  for (const std::string w : {"w0 ", "w1 "}) {
    for (const std::string update : {"UPDATE_.a", "UPDATE_.b"}) job.edge("1 " + w + update, "2 " + w + "FW.a");
  }
  job.replay();
  EXPECT_EQ(job.span("2 w0 UPDATE_.a").end, 32'500);
  EXPECT_EQ(job.span("2 w1 UPDATE_.a").end, 32'500);
}

TEST(DproReplayTest, CriticalPathOfGoldenACrossesToTheOtherWorkerAtTheLastMessage) {
  const Job job = ring_job();
  const CriticalPath path = critical_path(job.dag, Machine{job.dag}, job.timeline, job.id("w0 UPDATE_.a"));
  std::vector<std::string> names;
  for (const PathTask& task : path.tasks) names.emplace_back(job.dag.name(task.task));
  EXPECT_THAT(names,
              ElementsAre("w1 FW.a", "w1 FW.b", "w1 OUTPUT.0", "w1 BW.b", "w1 BW.a", "w1 Comm.0.Sync", "w1 0.SEND0",
                          "w1 1.SEND1", "w1 0.RECV0", "w1 1.RECV1", "w1 0.SEND1", "w0 0.RECV1", "w0 UPDATE_.a"));
  // dPRO prints 16.000 ms, because it leaves out the last task's 0.25 ms.
  EXPECT_EQ(path.length, std::chrono::microseconds{16'250});
}

TEST(DproReplayTest, CriticalPathOfGoldenAQueuesForFiveMilliseconds) {
  // 1.SEND1 is ready at 9000 us, 0.RECV0 at 10000 us, 1.RECV1 at 11500 us and 0.SEND1 at 12500 us. Each waits for the
  // whole task before it: the queueing is 1000 + 1500 + 1000 + 1500 us. Compute is 1000 + 2000 + 3000 + 3000 + 250 us.
  // Communication is 0.SEND1 and 0.RECV1, 1000 us each.
  using std::chrono::microseconds;
  const Job job = ring_job();
  const CriticalPath path = critical_path(job.dag, Machine{job.dag}, job.timeline, job.id("w0 UPDATE_.a"));
  EXPECT_EQ(path[PathClass::kQueueing], microseconds{5000});
  EXPECT_EQ(path[PathClass::kCompute], microseconds{9250});
  EXPECT_EQ(path[PathClass::kCommunication], microseconds{2000});
  EXPECT_EQ(path[PathClass::kHost], microseconds{0});
  EXPECT_EQ(path[PathClass::kWait], microseconds{0});
}

/// Builds job B: two workers, one server, and one tensor in two partitions. Each direction of each worker's connection
/// is a separate device. Server thread p sums partition p. In dPRO, the push that arrives first is an input of
/// COPY_FIRST and the other one of SUM. Here edges fix this order, because worker 0 always arrives first.
Job parameter_server_job() {
  constexpr Rank kServer = 2;
  Job job;
  const auto name = [](int worker, const std::string& task) { return join("w", worker) + " " + task; };
  for (int w = 0; w < 2; ++w) {
    const LaneId device = job.lane(w, "operators");
    const LaneId up = job.lane(w, "to server");
    const LaneId down = job.lane(kServer, join("to worker ", w));
    job.add(name(w, "FW.x"), device, 1000, {}, TaskKind::kOperator);
    job.add(name(w, "BW.x"), device, w == 0 ? 2000 : 2400, {name(w, "FW.x")}, TaskKind::kOperator);
    for (int p = 0; p < 2; ++p) {
      const auto part = [p](const std::string& task) { return join(task + " p", p); };
      job.add(name(w, part("PUSH_REQ")), up, 1000, {name(w, "BW.x")}, TaskKind::kTransfer);
      job.add(name(w, part("PUSH_RES")), down, 10, {name(w, part("PUSH_REQ"))}, TaskKind::kControl);
      job.add(name(w, part("PULL_REQ")), up, 10, {name(w, part("PUSH_RES"))}, TaskKind::kControl);
      job.add(name(w, part("PULL_RES")), down, 1000, {name(w, part("PULL_REQ")), part("COPY_MERGED")},
              TaskKind::kTransfer);
    }
    job.add(name(w, "UPDATE_.x"), device, 100, {name(w, "PULL_RES p0"), name(w, "PULL_RES p1")}, TaskKind::kOperator);
  }
  for (int p = 0; p < 2; ++p) {
    const auto part = [p](const std::string& task) { return join(task + " p", p); };
    const LaneId thread = job.lane(kServer, join("thread ", p));
    job.add(part("COPY_FIRST"), thread, 200, {name(0, part("PUSH_REQ"))}, TaskKind::kServer);
    job.add(part("SUM"), thread, 300, {part("COPY_FIRST"), name(1, part("PUSH_REQ"))}, TaskKind::kServer);
    job.add(part("COPY_MERGED"), thread, 50, {part("SUM")}, TaskKind::kServer);
  }
  job.replay();
  return job;
}

TEST(DproReplayTest, ParameterServerJobGivesEveryTimeOfGoldenB) {
  const Job job = parameter_server_job();
  EXPECT_EQ(job.span("w0 PUSH_REQ p0"), (Span{3000, 4000}));
  EXPECT_EQ(job.span("w0 PUSH_REQ p1"), (Span{4000, 5000}));
  EXPECT_EQ(job.span("w1 PUSH_REQ p0"), (Span{3400, 4400}));
  EXPECT_EQ(job.span("w1 PUSH_REQ p1"), (Span{4400, 5400}));
  EXPECT_EQ(job.span("COPY_FIRST p0"), (Span{4000, 4200}));
  EXPECT_EQ(job.span("SUM p0"), (Span{4400, 4700}));
  EXPECT_EQ(job.span("COPY_MERGED p0"), (Span{4700, 4750}));
  EXPECT_EQ(job.span("COPY_FIRST p1"), (Span{5000, 5200}));
  EXPECT_EQ(job.span("SUM p1"), (Span{5400, 5700}));
  EXPECT_EQ(job.span("COPY_MERGED p1"), (Span{5700, 5750}));
  EXPECT_EQ(job.span("w0 PUSH_RES p0"), (Span{4000, 4010}));
  EXPECT_EQ(job.span("w0 PUSH_RES p1"), (Span{5000, 5010}));
  EXPECT_EQ(job.span("w1 PUSH_RES p0"), (Span{4400, 4410}));
  EXPECT_EQ(job.span("w1 PUSH_RES p1"), (Span{5400, 5410}));
  EXPECT_EQ(job.span("w0 PULL_REQ p0"), (Span{5000, 5010}));  // waits for PUSH_REQ p1 on the link
  EXPECT_EQ(job.span("w0 PULL_REQ p1"), (Span{5010, 5020}));
  EXPECT_EQ(job.span("w1 PULL_REQ p0"), (Span{5400, 5410}));
  EXPECT_EQ(job.span("w1 PULL_REQ p1"), (Span{5410, 5420}));
  EXPECT_EQ(job.span("w0 PULL_RES p0"), (Span{5010, 6010}));
  EXPECT_EQ(job.span("w0 PULL_RES p1"), (Span{6010, 7010}));
  EXPECT_EQ(job.span("w1 PULL_RES p0"), (Span{5410, 6410}));
  EXPECT_EQ(job.span("w1 PULL_RES p1"), (Span{6410, 7410}));
  EXPECT_EQ(job.span("w0 UPDATE_.x"), (Span{7010, 7110}));
  EXPECT_EQ(job.span("w1 UPDATE_.x"), (Span{7410, 7510}));
}

}  // namespace
}  // namespace stepsim::sim
