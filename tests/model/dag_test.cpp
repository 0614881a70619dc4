#include "model/dag.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepsim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DagTest : public ::testing::Test {
 protected:
  TaskId add(std::string_view name, std::int64_t hint = 0) {
    return builder_.add_task(
        TaskSpec{.name = builder_.intern(name), .lane = lane_, .duration = Duration{1}, .hint = Time{Duration{hint}}});
  }
  void edge(TaskId from, TaskId to, std::int64_t lag = 0, EdgeKind kind = EdgeKind::kProgram) {
    builder_.add_edge(from, to, kind, Duration{lag});
  }
  std::string cycle_message() {
    try {
      static_cast<void>(std::move(builder_).build());
    } catch (const CycleError& error) {
      return error.what();
    }
    return "no cycle";
  }

  DagBuilder builder_;
  LaneId lane_ = builder_.add_lane(Lane{});
};

TEST_F(DagTest, TasksAreNumberedAfterWhatTheyWaitFor) {
  const TaskId last = add("last", 0);
  const TaskId first = add("first", 10);
  edge(first, last);
  const DagBuilder::Result built = std::move(builder_).build();
  EXPECT_EQ(built.new_id[first.index()], TaskId{0});
  EXPECT_EQ(built.new_id[last.index()], TaskId{1});
  EXPECT_THAT(built.dag.successors(TaskId{0}), ElementsAre(TaskId{1}));
}

TEST_F(DagTest, CycleIsNamedInOrder) {
  const TaskId a = add("a");
  const TaskId b = add("b");
  const TaskId c = add("c");
  edge(c, a);
  edge(a, b);
  edge(b, c);
  EXPECT_THAT(cycle_message(), HasSubstr("a -> b -> c -> a"));
}

TEST_F(DagTest, MembersOfOneRendezvousThatWaitForEachOtherAreACycle) {
  const TaskId a = add("a");
  const TaskId b = add("b");
  const RendezvousId all_reduce = builder_.add_rendezvous();
  builder_.join(all_reduce, a);
  builder_.join(all_reduce, b);
  edge(a, b);
  EXPECT_THAT(cycle_message(), HasSubstr("a -> b -> a"));
}

}  // namespace
}  // namespace stepsim
