#include <gtest/gtest.h>

#include "model/base/error.h"
#include "tests/model/rewrite/parameter_server/workload_maker.h"
#include "tests/scenarios/sample_questions.h"
#include "tests/sim/dag_maker.h"

// A step of streams_question() takes 210 us: rank 0 computes for 100 us and rank 1 for 150 us, followed by a collective
// of 30 us, an unexplained wait of 20 us and 10 us on the host.

namespace stepsim::testing {
namespace {

using std::chrono::microseconds;

Question asked_of(DagMaker& maker) {
  Capture capture;
  capture.dag = maker.build();
  return Question(std::move(capture));
}

/// Returns a job of three tasks, a, b and c. The lag between a and b is 2 ns, that between b and c is 3 ns.
Question chain() {
  DagMaker maker;
  const LaneId lane = maker.lane(0);
  const TaskId a = maker.task(lane, 5, {}, "a");
  const TaskId b = maker.task(lane, 7, {}, "b");
  const TaskId c = maker.task(lane, 11, {}, "c");
  maker.builder.add_edge(a, b, EdgeKind::kData, Duration{2});
  maker.builder.add_edge(b, c, EdgeKind::kData, Duration{3});
  return asked_of(maker);
}

TEST(RemoveWhatIf, SuccessorsWaitForThePredecessors) {
  const Question question = chain();
  EXPECT_EQ(question.iteration(), Duration{5 + 2 + 7 + 3 + 11});
  EXPECT_EQ(question.iteration({"remove{name=b}.share=1"}), Duration{5 + 2 + 3 + 11});
  EXPECT_EQ(question.predicted(std::string_view("changes: [{remove: {select: {name: b}}}]")).graph->dag.task_count(),
            2U);
}

TEST(RemoveWhatIf, RunsOfTasksAreJoinedAcross) {
  EXPECT_EQ(chain().iteration({"remove{name=a|b}.share=1"}), Duration{11});
}

TEST(RemoveWhatIf, ATaskBetweenSeveralStillOrdersThem) {
  DagMaker maker;
  const LaneId lane = maker.lane(0);
  const TaskId a = maker.task(lane, 5, {}, "a");
  const TaskId b = maker.task(lane, 9, {}, "b");
  const TaskId middle = maker.task(lane, 7, {a, b}, "middle");
  (void)maker.task(lane, 1, {middle}, "c");
  (void)maker.task(lane, 4, {middle}, "d");
  const Question question = asked_of(maker);
  EXPECT_EQ(question.iteration(), Duration{9 + 7 + 4});
  EXPECT_EQ(question.iteration({"remove{name=middle}.share=1"}), Duration{9 + 4});
}

TEST(RemoveWhatIf, RemovesTheGivenShareEvenly) {
  DagMaker maker;
  const LaneId lane = maker.lane(0);
  TaskId last = maker.task(lane, 1'000, {}, "op");
  for (int i = 1; i < 10; ++i) last = maker.task(lane, 1'000, {last}, "op");
  const Question question = asked_of(maker);
  EXPECT_EQ(question.iteration({"remove{name=op}.share=0.3"}), Duration{7'000});
  EXPECT_EQ(question.iteration({"remove{name=op}.share=0.5"}), Duration{5'000});
}

TEST(RemoveWhatIf, WithoutCollectivesRanksAreIndependent) {
  EXPECT_EQ(streams_question().iteration({"remove{kind=collective}.share=1"}), microseconds{150 + 20 + 10});
}

TEST(RemoveWhatIf, StepsSurviveTheLossOfTheirFirstTask) {
  const scenarios::Prediction prediction = streams_question().predicted({"remove{name=gemm}.share=1"});
  EXPECT_EQ(prediction.graph->recording.steps.size(), 4U);
  EXPECT_EQ(prediction.iteration, microseconds{30 + 20 + 10});
}

TEST(RemoveWhatIf, CreditReturnsAlthoughItsMessageIsRemoved) {
  const Question question = parameter_server_question();
  const Duration with = question.iteration({"comm.credit_bytes=1000000"});
  EXPECT_LE(question.iteration({"comm.credit_bytes=1000000", "remove{kind=control}.share=1"}), with);
}

TEST(RemoveWhatIf, WithoutTransfersAParameterServersStepIsItsCompute) {
  WorkloadMaker maker;
  const Question question(maker.capture(), switch_of(2, 1e9), "maxmin");
  EXPECT_EQ(question.iteration({"remove{kind=transfer}.share=1", "remove{kind=control}.share=1"}),
            kForward + kBackward + kUpdate);
}

TEST(RemoveWhatIf, RefusesToRemoveEverything) { EXPECT_THROW((void)chain().iteration({"remove.share=1"}), InputError); }

TEST(InsertWhatIf, EachSelectedTaskIsFollowedOrPrecededByOneMore) {
  const Question question = chain();
  EXPECT_EQ(question.iteration({"insert{name=a|b}.duration=100ns"}), Duration{28 + 200});
  EXPECT_EQ(
      question.predicted(std::string_view("changes: [{insert: {select: {name: a|b}, duration: 100ns, place: before}}]"))
          .iteration,
      Duration{28 + 200});
}

TEST(InsertWhatIf, WorkBeforeACollectiveDelaysItOnTheLastRank) {
  const auto iteration = [](const char* rank) {
    return streams_question()
        .predicted(std::string_view(std::string("changes: [{insert: {select: {kind: collective, rank: ") + rank +
                                    "}, duration: 40us, place: before}}]"))
        .iteration;
  };
  EXPECT_EQ(iteration("1"), microseconds{210 + 40});
  EXPECT_EQ(iteration("0"), microseconds{210});  // without the change, rank 0 arrives 50 us before rank 1
}

TEST(InsertWhatIf, WorkAfterACollectiveIsAddedOnEachRank) {
  EXPECT_EQ(streams_question().iteration({"insert{kind=collective}.duration=40us"}), microseconds{210 + 40});
}

TEST(InsertWhatIf, OneMoreOperatorPerLayerLengthensTheForwardPass) {
  WorkloadMaker maker;
  maker.tensors = {Bytes{1000}, Bytes{1000}, Bytes{1000}};
  const Question question(maker.capture(), switch_of(2, 1e9), "maxmin");
  EXPECT_EQ(question.iteration({"insert{name=FW.*}.duration=1ms"}) - question.iteration(), Duration{3'000'000});
}

}  // namespace
}  // namespace stepsim::testing
