#include "model/job/task.h"

#include <gtest/gtest.h>

#include <set>

namespace stepsim {
namespace {

constexpr TaskKind kKinds[] = {TaskKind::kHost,       TaskKind::kRuntime,  TaskKind::kKernel,   TaskKind::kCopy,
                               TaskKind::kMemset,     TaskKind::kTransfer, TaskKind::kOperator, TaskKind::kServer,
                               TaskKind::kCollective, TaskKind::kControl};
constexpr EdgeKind kEdgeKinds[] = {EdgeKind::kProgram, EdgeKind::kStream, EdgeKind::kLaunch, EdgeKind::kSync,
                                   EdgeKind::kHandOff, EdgeKind::kData,   EdgeKind::kStage,  EdgeKind::kCrossRank};

TEST(TaskKindTest, EveryKindHasAWordOfItsOwn) {
  std::set<std::string_view> words{"unknown"};
  for (const TaskKind kind : kKinds) EXPECT_TRUE(words.insert(to_text(kind)).second) << to_text(kind);
}

TEST(EdgeKindTest, EveryKindHasAWordOfItsOwn) {
  std::set<std::string_view> words{"unknown"};
  for (const EdgeKind kind : kEdgeKinds) EXPECT_TRUE(words.insert(to_text(kind)).second) << to_text(kind);
}

TEST(TaskClassTest, MovingBytesIsCommunicationAndCallsAreHost) {
  EXPECT_EQ(class_of(TaskKind::kKernel), TaskClass::kCompute);
  EXPECT_EQ(class_of(TaskKind::kOperator), TaskClass::kCompute);
  EXPECT_EQ(class_of(TaskKind::kCopy), TaskClass::kCommunication);
  EXPECT_EQ(class_of(TaskKind::kCollective), TaskClass::kCommunication);
  EXPECT_EQ(class_of(TaskKind::kServer), TaskClass::kCommunication);
  EXPECT_EQ(class_of(TaskKind::kRuntime), TaskClass::kHost);
}

}  // namespace
}  // namespace stepsim
