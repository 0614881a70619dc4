#include "model/rewrite/overlap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/job/dag_builder.h"
#include "tests/model/rewrite/data_parallel_job.h"

namespace stepsim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

/// Makes captures of one rank and one step by hand. Each task has a name of its own; the hint orders the tasks.
class OverlapCapture {
 public:
  LaneId stream(std::int64_t number) {
    return builder_.add_lane({.name = "stream " + std::to_string(number), .kind = LaneKind::kStream, .device = 0});
  }
  LaneId pool() { return builder_.add_lane({.name = "pool", .order = LaneOrder::kFifo, .capacity = 2}); }

  TaskId add(std::string_view name, LaneId lane, std::int64_t begin, std::int64_t end,
             TaskKind kind = TaskKind::kKernel) {
    times_.emplace_back(begin, end);
    return builder_.add_task({.kind = kind,
                              .name = builder_.intern(name),
                              .lane = lane,
                              .duration = Duration{end - begin},
                              .hint = Time{Duration{begin}}});
  }
  TaskId collective(std::string_view name, LaneId lane, std::int64_t begin, std::int64_t end) {
    const TaskId task = add(name, lane, begin, end, TaskKind::kCollective);
    builder_.join(builder_.add_rendezvous({.op = CollectiveOp::kAllReduce, .bytes = Bytes{1}}), task);
    return task;
  }
  void edge(TaskId from, TaskId to, EdgeKind kind) { builder_.add_edge(from, to, kind); }

  Capture build() {
    Capture capture;
    DagBuilder::Result built = std::move(builder_).build();
    capture.dag = std::move(built.dag);
    Recording& recording = capture.recording;
    recording.start.resize(times_.size());
    recording.finish.resize(times_.size());
    recording.step.assign(times_.size(), -1);
    for (std::size_t i = 0; i < times_.size(); ++i) {
      const std::size_t at = built.new_id[i].index();
      recording.start[at] = Time{Duration{times_[i].first}};
      recording.finish[at] = Time{Duration{times_[i].second}};
    }
    return capture;
  }

 private:
  DagBuilder builder_;
  std::vector<std::pair<std::int64_t, std::int64_t>> times_;
};

/// Returns the names of the tasks that a task waits for.
std::vector<std::string> awaited_by(const Capture& capture, std::string_view name) {
  std::vector<std::string> names;
  for (const TaskId from : capture.dag.tasks()) {
    for (const TaskId to : capture.dag.successors(from)) {
      if (capture.dag.name(to) == name) names.emplace_back(capture.dag.name(from));
    }
  }
  return names;
}

std::vector<TaskId> collectives_of(const Capture& capture) {
  std::vector<TaskId> members;
  for (const TaskId task : capture.dag.tasks()) {
    if (capture.dag.rendezvous(task).valid()) members.push_back(task);
  }
  return members;
}

std::string lane_of(const Capture& capture, std::string_view name) {
  const std::vector<TaskId> tasks = tasks_named(capture.dag, name);
  return tasks.empty() ? "no such task" : capture.dag.lane(tasks.front()).name;
}

/// Three kernels, each followed by a collective on another stream, for which the next kernel waits. The collectives run
/// from 10, 30 and 50 on for `length`.
Capture three_layers(std::int64_t length) {
  OverlapCapture maker;
  const LaneId compute = maker.stream(7);
  const LaneId network = maker.stream(20);
  TaskId before;
  for (std::int64_t i = 0; i < 3; ++i) {
    const TaskId kernel = maker.add("kernel " + std::to_string(i), compute, 20 * i, 20 * i + 10);
    if (before.valid()) maker.edge(before, kernel, EdgeKind::kSync);
    before = maker.collective("reduce " + std::to_string(i), network, 20 * i + 10, 20 * i + 10 + length);
    maker.edge(kernel, before, EdgeKind::kSync);
  }
  const TaskId update = maker.add("update", compute, 100, 110);
  maker.edge(before, update, EdgeKind::kSync);
  return maker.build();
}

TEST(PrefetchTest, ACollectiveWaitsForWhatAnEarlierOneWaitedFor) {
  const Capture capture = three_layers(10);
  const Capture one = with_prefetch(capture, collectives_of(capture), 1);
  EXPECT_THAT(awaited_by(one, "reduce 0"), ElementsAre("kernel 0"));
  EXPECT_THAT(awaited_by(one, "reduce 1"), UnorderedElementsAre("kernel 0", "reduce 0"));
  EXPECT_THAT(awaited_by(one, "reduce 2"), UnorderedElementsAre("kernel 1", "reduce 1"));
  EXPECT_THAT(awaited_by(one, "kernel 2"), ElementsAre("reduce 1"));
  const Capture two = with_prefetch(capture, collectives_of(capture), 2);
  EXPECT_THAT(awaited_by(two, "reduce 2"), UnorderedElementsAre("kernel 0", "reduce 1"));
}

TEST(PrefetchTest, CollectivesThatRanAtTheSameTimeDoNotWaitForEachOther) {
  // Each collective ends 1 ns after the next one has begun.
  const Capture capture = three_layers(21);
  const Capture ahead = with_prefetch(capture, collectives_of(capture), 1);
  EXPECT_THAT(awaited_by(ahead, "reduce 1"), ElementsAre("kernel 0"));
  EXPECT_THAT(awaited_by(ahead, "reduce 2"), ElementsAre("kernel 1"));
}

TEST(LateWaitsTest, WhatWaitedBeforeTheLastCollectiveBeganNoLongerWaits) {
  const Capture capture = three_layers(10);
  EXPECT_EQ(early_waits(capture, collectives_of(capture)), 2U);
  const Capture late = with_late_waits(capture, collectives_of(capture));
  EXPECT_THAT(awaited_by(late, "kernel 1"), ElementsAre());
  EXPECT_THAT(awaited_by(late, "kernel 2"), ElementsAre());
  EXPECT_THAT(awaited_by(late, "update"), UnorderedElementsAre("reduce 0", "reduce 1", "reduce 2"));
  EXPECT_THAT(awaited_by(late, "reduce 1"), ElementsAre("kernel 1"));
  EXPECT_EQ(early_waits(late, collectives_of(late)), 0U);
}

TEST(LateWaitsTest, CollectivesLeaveAStreamThatTheyShareWithKernels) {
  OverlapCapture maker;
  const LaneId stream = maker.stream(7);
  const TaskId first = maker.add("kernel 0", stream, 0, 10);
  const TaskId reduce = maker.collective("reduce 0", stream, 10, 20);
  const TaskId second = maker.add("kernel 1", stream, 20, 30);
  const TaskId last = maker.collective("reduce 1", stream, 30, 40);
  const TaskId update = maker.add("update", stream, 40, 50);
  for (const auto& [from, to] : {std::pair{first, reduce}, {reduce, second}, {second, last}, {last, update}})
    maker.edge(from, to, EdgeKind::kStream);
  const Capture capture = maker.build();
  const Capture late = with_late_waits(capture, collectives_of(capture));
  EXPECT_EQ(lane_of(late, "kernel 1"), "stream 7");
  EXPECT_EQ(lane_of(late, "reduce 0"), "stream 7, collectives");
  EXPECT_EQ(lane_of(late, "reduce 1"), "stream 7, collectives");
  EXPECT_THAT(awaited_by(late, "kernel 1"), ElementsAre("kernel 0"));
  EXPECT_THAT(awaited_by(late, "reduce 1"), UnorderedElementsAre("reduce 0", "kernel 1"));
}

TEST(CollectivesInTurnTest, OnlyLanesWithCollectivesRunOneAtATime) {
  OverlapCapture maker;
  const LaneId pool = maker.pool();
  const LaneId other = maker.pool();
  maker.collective("reduce", pool, 0, 10);
  maker.add("work", other, 0, 10);
  const Capture turn = with_collectives_in_turn(maker.build());
  EXPECT_EQ(turn.dag.lane(tasks_named(turn.dag, "reduce").front()).capacity, 1U);
  EXPECT_EQ(turn.dag.lane(tasks_named(turn.dag, "work").front()).capacity, 2U);
}

TEST(CopyEnginesTest, CopiesWaitForTheKernelsThatTheyNeedAndNoOthers) {
  OverlapCapture maker;
  const LaneId stream = maker.stream(7);
  const TaskId first = maker.add("kernel 0", stream, 0, 10);
  const TaskId input = maker.add("Memcpy HtoD (Pinned -> Device)", stream, 10, 20, TaskKind::kCopy);
  const TaskId second = maker.add("kernel 1", stream, 20, 30);
  const TaskId output = maker.add("Memcpy DtoH (Device -> Pinned)", stream, 30, 40, TaskKind::kCopy);
  const TaskId third = maker.add("kernel 2", stream, 40, 50);
  for (const auto& [from, to] : {std::pair{first, input}, {input, second}, {second, output}, {output, third}})
    maker.edge(from, to, EdgeKind::kStream);
  const Capture capture = maker.build();
  EXPECT_TRUE(has_stream_copies(capture));
  const Capture engines = with_copy_engines(capture);
  EXPECT_FALSE(has_stream_copies(engines));
  EXPECT_EQ(lane_of(engines, "Memcpy HtoD (Pinned -> Device)"), "copies to the device");
  EXPECT_EQ(lane_of(engines, "Memcpy DtoH (Device -> Pinned)"), "copies to the host");
  EXPECT_THAT(awaited_by(engines, "Memcpy HtoD (Pinned -> Device)"), ElementsAre());
  EXPECT_THAT(awaited_by(engines, "kernel 1"), UnorderedElementsAre("kernel 0", "Memcpy HtoD (Pinned -> Device)"));
  EXPECT_THAT(awaited_by(engines, "Memcpy DtoH (Device -> Pinned)"), ElementsAre("kernel 1"));
  EXPECT_THAT(awaited_by(engines, "kernel 2"), ElementsAre("kernel 1"));
}

}  // namespace
}  // namespace stepsim::testing
