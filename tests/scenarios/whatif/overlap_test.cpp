// Tests the what-if `overlap` on a few tasks whose times can be computed by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/base/error.h"
#include "sim/analysis/summary.h"
#include "tests/scenarios/gpu_job.h"
#include "tests/scenarios/sample_questions.h"
#include "tests/sim/dag_maker.h"

namespace stepsim::testing {
namespace {

using std::chrono::microseconds;

TEST(OverlapWhatIf, ACopyToTheDeviceRunsBesideTheKernelsBeforeIt) {
  GpuJob job;
  (void)job.launch("before", TaskKind::kKernel, {}, microseconds{10});
  (void)job.launch("Memcpy HtoD (Pinned -> Device)", TaskKind::kCopy, {}, microseconds{6});
  (void)job.launch("after", TaskKind::kKernel, {}, microseconds{4});
  const Question question = std::move(job).question();
  EXPECT_EQ(question.iteration(), microseconds{10 + 6 + 4});
  EXPECT_EQ(question.iteration({"overlap.copies=apart"}), microseconds{10 + 4});
}

TEST(OverlapWhatIf, ACopyToTheHostRunsBesideTheKernelsAfterIt) {
  GpuJob job;
  (void)job.launch("before", TaskKind::kKernel, {}, microseconds{10});
  (void)job.launch("Memcpy DtoH (Device -> Pinned)", TaskKind::kCopy, {}, microseconds{6});
  (void)job.launch("after", TaskKind::kKernel, {}, microseconds{4});
  EXPECT_EQ(std::move(job).question().iteration({"overlap.copies=apart"}), microseconds{10 + 6});
}

TEST(OverlapWhatIf, CopiesOfOneDirectionTakeTurns) {
  GpuJob job;
  (void)job.launch("before", TaskKind::kKernel, {}, microseconds{10});
  for (int i = 0; i < 3; ++i) (void)job.launch("Memcpy HtoD", TaskKind::kCopy, {}, microseconds{6});
  (void)job.launch("after", TaskKind::kKernel, {}, microseconds{4});
  EXPECT_EQ(std::move(job).question().iteration({"overlap.copies=apart"}), microseconds{3 * 6 + 4});
}

TEST(OverlapWhatIf, CopiesApartAreCopiesStill) {
  for (const char* const name :
       {"Memcpy HtoD (Pinned -> Device)", "Memcpy DtoH (Device -> Pageable)", "CopyHostToDevice"}) {
    GpuJob job;
    (void)job.launch("before", TaskKind::kKernel, {}, microseconds{10});
    (void)job.launch(name, TaskKind::kCopy, {}, microseconds{30});
    const scenarios::Prediction prediction = std::move(job).question().predicted({"overlap.copies=apart"});
    const sim::Summary summary = sim::summarize(*prediction.graph, prediction.timeline);
    ASSERT_EQ(summary.ranks.size(), 1U);
    EXPECT_EQ(summary.ranks[0].copies, microseconds{30}) << name;
    EXPECT_EQ(summary.ranks[0].communication, Duration{}) << name;
  }
}

TEST(OverlapWhatIf, WithoutBarriersEachRankRunsAtItsOwnPace) {
  DagMaker maker;
  const RendezvousId barrier = maker.builder.add_rendezvous({.op = CollectiveOp::kBarrier});
  const auto add_rank = [&](Rank rank, std::int64_t before, std::int64_t after) {
    const LaneId lane = maker.lane(rank);
    const TaskId first = maker.task(lane, before, {}, "before", TaskKind::kOperator);
    const TaskId held = maker.task(lane, 0, {first}, "barrier", TaskKind::kCollective);
    (void)maker.task(lane, after, {held}, "after", TaskKind::kOperator);
    maker.builder.join(barrier, held);
  };
  add_rank(0, 3'000, 2'000);
  add_rank(1, 5'000, 1'000);
  Capture capture;
  capture.dag = maker.build();
  const Question question(std::move(capture));
  EXPECT_EQ(question.iteration(), Duration{5'000 + 2'000});
  EXPECT_EQ(question.iteration({"overlap.barriers=off"}), Duration{5'000 + 1'000});
}

TEST(OverlapWhatIf, WithoutBarriersAParameterServersStepWaitsForEachLayerSeparately) {
  const Question question = parameter_server_question();
  EXPECT_EQ(question.iteration({"overlap.barriers=off"}), question.iteration({"comm.barrier=cross"}));
  EXPECT_LT(question.iteration({"overlap.barriers=off"}), question.iteration());
}

/// Makes jobs of one rank. A kernel takes 10 us and a collective 6 us.
class RankWork {
 public:
  /// If `own_stream` is true, collectives run one after another on a separate stream. Otherwise they run on the stream
  /// of the kernels.
  explicit RankWork(bool own_stream = true) : own_stream_(own_stream) {}

  TaskId kernel(const std::string& name, const std::vector<TaskId>& after = {}) {
    return add(TaskKind::kKernel, name, microseconds{10}, kernels_, last_kernel_, after);
  }
  TaskId collective(const std::string& name, CollectiveOp op, const std::vector<TaskId>& after) {
    const TaskId task = add(TaskKind::kCollective, name, microseconds{6}, own_stream_ ? collectives_ : kernels_,
                            own_stream_ ? last_collective_ : last_kernel_, after);
    maker_.builder.join(maker_.builder.add_rendezvous({.op = op, .bytes = Bytes{1'000}}), task);
    return task;
  }
  /// Returns the job. Each task is recorded at the start that add() computed for it. The end of each task of
  /// `gradients` completes a gradient, which has as many bytes as a collective.
  [[nodiscard]] Question question(const std::vector<TaskId>& gradients = {}) {
    const std::vector<TaskSpec> tasks = specs();
    DagBuilder::Result built = std::move(maker_.builder).build();
    Capture capture;
    Recording& recording = capture.recording;
    recording.start.resize(tasks.size());
    recording.finish.resize(tasks.size());
    recording.step.assign(tasks.size(), 0);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      recording.start[built.new_id[i].index()] = tasks[i].hint;
      recording.finish[built.new_id[i].index()] = tasks[i].hint + tasks[i].duration;
    }
    recording.ranks = {0};
    recording.steps = {{.rank = 0, .number = 0, .first = built.new_id[0], .marked = false}};
    for (const TaskId ready : gradients) capture.gradients.push_back({built.new_id[ready.index()], Bytes{1'000}});
    capture.dag = std::move(built.dag);
    return Question(std::move(capture));
  }

 private:
  [[nodiscard]] std::vector<TaskSpec> specs() const {
    std::vector<TaskSpec> tasks;
    for (std::size_t i = 0; i < maker_.builder.task_count(); ++i) tasks.push_back(maker_.builder.task(TaskId{i}));
    return tasks;
  }

  /// Adds a task that is recorded at its earliest possible start.
  TaskId add(TaskKind kind, const std::string& name, Duration duration, LaneId lane, TaskId& last,
             const std::vector<TaskId>& after) {
    Time start{};
    const auto wait_for = [&](TaskId task) {
      start = std::max(start, maker_.builder.task(task).hint + maker_.builder.task(task).duration);
    };
    for (const TaskId task : after) wait_for(task);
    if (last.valid()) wait_for(last);
    const TaskId task = maker_.builder.add_task(
        {.kind = kind, .name = maker_.builder.intern(name), .lane = lane, .duration = duration, .hint = start});
    for (const TaskId before : after) maker_.builder.add_edge(before, task, EdgeKind::kSync);
    if (last.valid()) maker_.builder.add_edge(last, task, EdgeKind::kStream);
    last = task;
    return task;
  }

  bool own_stream_;
  DagMaker maker_;
  LaneId kernels_ = maker_.builder.add_lane({.name = "stream 7", .kind = LaneKind::kStream, .device = 0});
  LaneId collectives_ = maker_.builder.add_lane({.name = "stream 20", .kind = LaneKind::kStream, .device = 0});
  TaskId last_kernel_;
  TaskId last_collective_;
};

/// Returns a job with two layers, whose gradients are each reduced before the next layer, and an optimizer. It takes 10
/// + 6 + 10 + 6 + 10 us.
Question synchronous_reductions(bool own_stream) {
  RankWork work(own_stream);
  const TaskId second = work.kernel("backward 1");
  const TaskId reduced = work.collective("AllReduce", CollectiveOp::kAllReduce, {second});
  const TaskId first = work.kernel("backward 0", {reduced});
  const TaskId last = work.collective("AllReduce", CollectiveOp::kAllReduce, {first});
  (void)work.kernel("optimizer", {last});
  return work.question({second, first});
}

TEST(OverlapWhatIf, AsynchronousReductionsAreWaitedForAfterTheLast) {
  for (const bool own_stream : {true, false}) {
    const Question question = synchronous_reductions(own_stream);
    EXPECT_EQ(question.iteration(), microseconds{42});
    // The first reduction overlaps the kernel of the second layer.
    EXPECT_EQ(question.iteration({"overlap.collectives=asynchronous"}), microseconds{10 + 10 + 6 + 10}) << own_stream;
    EXPECT_EQ(question.iteration({"overlap{name=AllReduce}.collectives=asynchronous"}), microseconds{36});
  }
}

TEST(OverlapWhatIf, ReductionsThatWereAsynchronousStay) {
  RankWork work;
  const TaskId second = work.kernel("backward 1");
  const TaskId reduced = work.collective("AllReduce", CollectiveOp::kAllReduce, {second});
  const TaskId first = work.kernel("backward 0");
  const TaskId last = work.collective("AllReduce", CollectiveOp::kAllReduce, {first});
  // The first reduction's result is copied while the second reduction still runs.
  const TaskId copied = work.kernel("copy", {reduced});
  (void)work.kernel("optimizer", {last, copied});
  const Question question = work.question({second, first});
  EXPECT_EQ(question.iteration(), microseconds{10 + 10 + 10 + 10});
  EXPECT_EQ(question.iteration({"overlap.collectives=asynchronous"}), question.iteration());
}

/// An average of the loss before the backward pass, and a norm after the gradients, are not reductions of gradients.
/// They stay where they are.
TEST(OverlapWhatIf, OnlyReductionsOfGradientsBecomeAsynchronous) {
  RankWork work;
  const TaskId loss = work.collective("AllReduce", CollectiveOp::kAllReduce, {work.kernel("forward")});
  const TaskId second = work.kernel("backward 1", {loss});
  const TaskId reduced = work.collective("AllReduce", CollectiveOp::kAllReduce, {second});
  const TaskId first = work.kernel("backward 0", {reduced});
  const TaskId last = work.collective("AllReduce", CollectiveOp::kAllReduce, {first});
  const TaskId clip = work.kernel("clip", {last});
  (void)work.kernel("optimizer", {work.collective("AllReduce", CollectiveOp::kAllReduce, {clip})});
  const Question question = work.question({second, first});
  EXPECT_EQ(question.iteration(), microseconds{5 * 10 + 4 * 6});
  EXPECT_EQ(question.iteration({"overlap.collectives=asynchronous"}), microseconds{5 * 10 + 3 * 6});
}

/// Returns a job with three layers, whose parameters are gathered right before their forward pass. After a first kernel
/// it takes 3 * (6 + 10) us.
Question gathered_layers(bool own_stream) {
  RankWork work(own_stream);
  TaskId before = work.kernel("begin");
  for (const char* const layer : {"forward 0", "forward 1", "forward 2"}) {
    const TaskId gathered = work.collective("AllGather", CollectiveOp::kAllGather, {before});
    before = work.kernel(layer, {gathered});
  }
  return work.question();
}

TEST(OverlapWhatIf, PrefetchGathersBesideTheLayerBefore) {
  for (const bool own_stream : {true, false}) {
    const Question question = gathered_layers(own_stream);
    EXPECT_EQ(question.iteration(), microseconds{10 + 3 * (6 + 10)});
    EXPECT_EQ(question.iteration({"overlap.prefetch=1"}), microseconds{10 + 6 + 3 * 10}) << own_stream;
    EXPECT_EQ(question.iteration({"overlap.prefetch=2"}), microseconds{10 + 6 + 3 * 10});
  }
}

TEST(OverlapWhatIf, PrefetchedGathersTakeTurns) {
  RankWork work;
  TaskId before = work.kernel("begin");
  TaskId gathered;
  for (int part = 0; part < 4; ++part) {
    gathered = work.collective("AllGather", CollectiveOp::kAllGather, {before});
    before = gathered;
  }
  (void)work.kernel("forward", {gathered});
  EXPECT_EQ(work.question().iteration({"overlap.prefetch=3"}), microseconds{10 + 4 * 6 + 10});
}

TEST(OverlapWhatIf, RefusesWhatTheCaptureDoesNotShow) {
  EXPECT_THAT([] { (void)streams_question().iteration({"overlap.barriers=off"}); },
              ::testing::ThrowsMessage<InputError>(::testing::HasSubstr("has no barriers")));
  EXPECT_THAT([] { (void)streams_question().iteration({"overlap.copies=apart"}); },
              ::testing::ThrowsMessage<InputError>(::testing::HasSubstr("has no copies")));
  EXPECT_THAT(problem_of(gathered_layers(true), {"overlap.collectives=asynchronous"}),
              ::testing::HasSubstr("it is unknown which reductions carry gradients"));
  EXPECT_THAT(problem_of(gathered_layers(true), {"overlap{name=AllGather}.collectives=asynchronous"}),
              ::testing::HasSubstr("matches no reduction"));
  EXPECT_THAT(problem_of(synchronous_reductions(true), {"overlap.prefetch=1"}),
              ::testing::HasSubstr("has no all-gather"));
  EXPECT_THAT(problem_of(synchronous_reductions(true), {"overlap{name=AllReduce}.barriers=off"}),
              ::testing::HasSubstr("'barriers' applies to the whole job; expected no selection"));
}

}  // namespace
}  // namespace stepsim::testing
