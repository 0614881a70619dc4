#include "model/job/dag_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "model/base/error.h"
#include "tests/thrown_by.h"

namespace stepsim {
namespace {

using stepsim::testing::thrown_by;

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DagBuilderTest : public ::testing::Test {
 protected:
  TaskId add(std::string_view name, std::int64_t hint = 0) {
    return builder_.add_task(
        TaskSpec{.name = builder_.intern(name), .lane = lane_, .duration = Duration{1}, .hint = Time{Duration{hint}}});
  }
  void edge(TaskId from, TaskId to, std::int64_t lag = 0, EdgeKind kind = EdgeKind::kProgram) {
    builder_.add_edge(from, to, kind, Duration{lag});
  }
  void join(std::initializer_list<TaskId> members) {
    const RendezvousId rendezvous = builder_.add_rendezvous();
    for (const TaskId member : members) builder_.join(rendezvous, member);
  }
  Dag build() { return std::move(std::move(builder_).build().dag); }
  std::vector<std::string> names_in_order() {
    const Dag dag = build();
    std::vector<std::string> names;
    for (std::size_t i = 0; i < dag.task_count(); ++i) names.emplace_back(dag.name(TaskId{i}));
    return names;
  }
  std::string cycle() {
    return thrown_by<CycleError>([&] { return build(); }, "no cycle");
  }

  DagBuilder builder_;
  LaneId lane_ = builder_.add_lane(Lane{.name = "stream 7", .host = {}, .rank = 3});
};

TEST_F(DagBuilderTest, TasksAreNumberedAfterWhatTheyWaitFor) {
  const TaskId last = add("last", 0);
  const TaskId first = add("first", 10);
  edge(first, last);
  const DagBuilder::Result built = std::move(builder_).build();
  EXPECT_EQ(built.new_id[first.index()], TaskId{0});
  EXPECT_EQ(built.new_id[last.index()], TaskId{1});
  EXPECT_THAT(built.dag.successors(TaskId{0}), ElementsAre(TaskId{1}));
  EXPECT_THAT(built.dag.successors(TaskId{1}), IsEmpty());
  EXPECT_THAT(built.dag.in_degrees(), ElementsAre(0U, 1U));
}

TEST_F(DagBuilderTest, UnorderedTasksAreNumberedByHintThenById) {
  add("late", 20);
  add("early", 10);
  add("late too", 20);
  EXPECT_THAT(names_in_order(), ElementsAre("early", "late", "late too"));
}

TEST_F(DagBuilderTest, WhatIsToldOfATaskIsKept) {
  const TaskId kernel = builder_.add_task(TaskSpec{.kind = TaskKind::kKernel,
                                                   .name = builder_.intern("gemm"),
                                                   .lane = lane_,
                                                   .duration = Duration{42},
                                                   .bytes = Bytes{4096}});
  const auto [dag, new_id] = std::move(builder_).build();
  const TaskId task = new_id[kernel.index()];
  EXPECT_EQ(dag.kind(task), TaskKind::kKernel);
  EXPECT_EQ(dag.name(task), "gemm");
  EXPECT_EQ(dag.name(dag.name_id(task)), "gemm");
  EXPECT_EQ(dag.duration(task), Duration{42});
  EXPECT_EQ(dag.bytes(task), Bytes{4096});
  EXPECT_EQ(dag.lane(task).name, "stream 7");
  EXPECT_EQ(dag.lane(dag.lane_id(task)).rank, 3);
  EXPECT_FALSE(dag.rendezvous(task).valid());
}

TEST_F(DagBuilderTest, WhatNoTaskHasIsZeroEverywhere) {
  edge(add("a"), add("b"));
  const Dag dag = build();
  EXPECT_EQ(dag.bytes(TaskId{0}), Bytes{});
  EXPECT_EQ(dag.lag(EdgeId{0}), Duration{});
  EXPECT_FALSE(dag.has_lags());
  EXPECT_EQ(dag.rendezvous_count(), 0U);
}

TEST_F(DagBuilderTest, EqualNamesShareOneId) {
  const NameId first = builder_.intern("conv");
  for (int i = 0; i < 1'000; ++i) builder_.intern("name " + std::to_string(i));
  EXPECT_EQ(builder_.intern("conv"), first);
  EXPECT_EQ(builder_.name(first), "conv");
}

TEST_F(DagBuilderTest, NamesAddedWithoutALookUpAreFoundLater) {
  const NameId first = builder_.intern("conv");
  const NameId added = builder_.add_name("added");
  EXPECT_EQ(builder_.intern("added"), added);
  for (int i = 0; i < 1'000; ++i) builder_.add_name("name " + std::to_string(i));
  EXPECT_EQ(builder_.intern("conv"), first);
  EXPECT_EQ(builder_.name(builder_.intern("name 999")), "name 999");
  EXPECT_EQ(builder_.intern("new").index(), 1'002U);
}

TEST_F(DagBuilderTest, SuccessorsAscendHoweverTheyWereAdded) {
  const TaskId a = add("a");
  const TaskId b = add("b", 1);
  const TaskId c = add("c", 2);
  const TaskId d = add("d", 3);
  edge(a, d, 30);
  edge(a, b, 10);
  edge(a, c, 20);
  const Dag dag = build();
  EXPECT_THAT(dag.successors(TaskId{0}), ElementsAre(TaskId{1}, TaskId{2}, TaskId{3}));
  EXPECT_EQ(dag.lag(EdgeId{0}), Duration{10});
  EXPECT_EQ(dag.lag(EdgeId{1}), Duration{20});
  EXPECT_EQ(dag.lag(EdgeId{2}), Duration{30});
}

TEST_F(DagBuilderTest, EdgesBetweenTheSameTwoTasksBecomeOneWithTheLongestLagAndTheFirstKind) {
  const TaskId a = add("a");
  const TaskId b = add("b");
  edge(a, b, 5, EdgeKind::kSync);
  edge(a, b, 9, EdgeKind::kData);
  edge(a, b, 7, EdgeKind::kLaunch);
  const Dag dag = build();
  ASSERT_EQ(dag.edge_count(), 1U);
  EXPECT_EQ(dag.lag(EdgeId{0}), Duration{9});
  EXPECT_EQ(dag.edge_kind(EdgeId{0}), EdgeKind::kSync);
  EXPECT_THAT(dag.in_degrees(), ElementsAre(0U, 1U));
}

TEST_F(DagBuilderTest, MembersOfARendezvousAreListedAscending) {
  const TaskId late = add("late", 9);
  const TaskId alone = add("alone", 5);
  const TaskId early = add("early", 1);
  join({late, early});
  const auto [dag, new_id] = std::move(builder_).build();
  ASSERT_EQ(dag.rendezvous_count(), 1U);
  EXPECT_THAT(dag.members(RendezvousId{0}), ElementsAre(TaskId{0}, TaskId{2}));
  EXPECT_EQ(dag.rendezvous(new_id[early.index()]), RendezvousId{0});
  EXPECT_FALSE(dag.rendezvous(new_id[alone.index()]).valid());
}

TEST_F(DagBuilderTest, SuccessorsOfARendezvousAreNumberedAfterAllItsMembers) {
  const TaskId early = add("early member", 1);
  const TaskId after = add("after", 2);
  const TaskId late = add("late member", 9);
  join({early, late});
  edge(early, after);
  EXPECT_THAT(names_in_order(), ElementsAre("early member", "late member", "after"));
}

TEST_F(DagBuilderTest, CycleIsNamedInOrder) {
  const TaskId a = add("a");
  const TaskId b = add("b");
  const TaskId c = add("c");
  add("outside");
  edge(c, a);
  edge(a, b);
  edge(b, c);
  EXPECT_EQ(cycle(), "the dependencies form a cycle: a -> b -> c -> a");
}

TEST_F(DagBuilderTest, OnlyTheTasksOnTheCycleAreNamedNotThoseBehindIt) {
  const TaskId before = add("before");
  const TaskId behind = add("behind");
  const TaskId a = add("a");
  const TaskId b = add("b");
  edge(before, a);
  edge(a, b);
  edge(b, a);
  edge(b, behind);
  try {
    static_cast<void>(build());
    FAIL() << "nothing was thrown";
  } catch (const CycleError& error) {
    EXPECT_THAT(error.tasks(), ElementsAre(a, b));
  }
}

TEST_F(DagBuilderTest, TaskThatWaitsForItselfIsACycle) {
  const TaskId a = add("a");
  edge(a, a);
  EXPECT_THAT(cycle(), EndsWith(": a -> a"));
}

TEST_F(DagBuilderTest, MembersOfOneRendezvousThatWaitForEachOtherAreACycle) {
  const TaskId a = add("a");
  const TaskId b = add("b");
  join({a, b});
  edge(a, b);
  EXPECT_THAT(cycle(), EndsWith(": a -> b -> a"));
}

TEST_F(DagBuilderTest, RanksThatMeetInOppositeOrdersAreACycle) {
  // Rank 0 runs x before y, and rank 1 runs y before x, so each rank waits in its first task for the other rank.
  const TaskId x0 = add("x0");
  const TaskId y0 = add("y0");
  const TaskId x1 = add("x1");
  const TaskId y1 = add("y1");
  edge(x0, y0);
  edge(y1, x1);
  join({x0, x1});
  join({y0, y1});
  EXPECT_THAT(cycle(), EndsWith(": x0 -> y0 -> y1 -> x1 -> x0"));
}

TEST_F(DagBuilderTest, LongCycleIsNamedByItsFirstEightTasks) {
  constexpr std::size_t kTasks = 200'000;
  for (std::size_t i = 0; i < kTasks; ++i) add("t" + std::to_string(i));
  for (std::size_t i = 0; i < kTasks; ++i) edge(TaskId{i}, TaskId{(i + 1) % kTasks});
  EXPECT_THAT(cycle(), EndsWith(": t0 -> t1 -> t2 -> t3 -> t4 -> t5 -> t6 -> t7 -> (199992 more) -> t0"));
}

TEST_F(DagBuilderTest, HostileNamesOnACycleAreEscaped) {
  const TaskId a = add("\x1b[2J\n");
  edge(a, a);
  EXPECT_THAT(cycle(), HasSubstr("\\x1b[2J\\n -> "));
}

TEST_F(DagBuilderTest, BuilderIsUnchangedByACycleAndCanBeMended) {
  const TaskId a = add("a");
  const TaskId b = add("b");
  edge(a, b);
  edge(b, a);
  EXPECT_NE(cycle(), "no cycle");
  builder_.edges().pop_back();
  EXPECT_THAT(names_in_order(), ElementsAre("a", "b"));
}

TEST_F(DagBuilderTest, BuilderIsEmptyAfterBuilding) {
  edge(add("a"), add("b"));
  const Dag dag = build();
  EXPECT_EQ(builder_.task_count(), 0U);
  EXPECT_EQ(builder_.lane_count(), 0U);
  EXPECT_THAT(builder_.edges(), IsEmpty());
}

TEST_F(DagBuilderTest, ChainOfTwoHundredThousandTasksAddedBackwardsIsBuilt) {
  constexpr std::size_t kTasks = 200'000;
  for (std::size_t i = 0; i < kTasks; ++i) add("link of the chain");
  for (std::size_t i = 1; i < kTasks; ++i) edge(TaskId{i}, TaskId{i - 1});
  const auto [dag, new_id] = std::move(builder_).build();
  EXPECT_EQ(new_id[kTasks - 1], TaskId{0});
  EXPECT_EQ(new_id[0], TaskId{kTasks - 1});
}

TEST_F(DagBuilderTest, NoTasksMakeAnEmptyDag) {
  const Dag dag = build();
  EXPECT_EQ(dag.task_count(), 0U);
  EXPECT_EQ(dag.edge_count(), 0U);
}

TEST_F(DagBuilderTest, BrokenPreconditionsAreOurOwnFault) {
  const TaskId a = add("a");
  EXPECT_THROW(edge(a, TaskId{7}), InternalError);
  EXPECT_THROW(edge(a, a, -1), InternalError);
  EXPECT_THROW(builder_.add_task(TaskSpec{.name = NameId{99}, .lane = lane_}), InternalError);
  EXPECT_THROW(builder_.add_task(TaskSpec{.name = builder_.intern("a")}), InternalError) << "no lane";
  join({a});
  EXPECT_THROW(join({a}), InternalError) << "a second rendezvous";
}

TEST_F(DagBuilderTest, EdgesChangedBehindTheBuildersBackAreChecked) {
  const TaskId a = add("a");
  builder_.edges().push_back({a, TaskId{5}, EdgeKind::kData, {}});
  EXPECT_THROW(static_cast<void>(build()), InternalError);
}

TEST(TaskCountTest, MoreThanADagNumbersIsRefusedWithTheLimitAndARemedy) {
  EXPECT_NO_THROW(check_task_count(Dag::kMostTasks));
  EXPECT_EQ(thrown_by<InputError>([] {
              check_task_count(Dag::kMostTasks + 1, {"job.json", {}, {}});
            }),
            "job.json: the job has 2147483648 tasks; expected at most 2147483647: fewer ranks (--ranks), or a "
            "capture of fewer steps");
}

}  // namespace
}  // namespace stepsim
