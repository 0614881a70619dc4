#include "cli/help/topics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/base/error.h"

namespace stepsim::cli {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

TEST(ExplainTest, AWordHasAllItsMeanings) {
  const std::string text = explain("overhead", commands());
  EXPECT_THAT(text, HasSubstr("network.overhead (parameter): "));
  EXPECT_THAT(text, HasSubstr("launch.overhead (parameter): "));
  EXPECT_THAT(text, HasSubstr("messages.overhead (key of cluster.yaml): "));
}

TEST(ExplainTest, CaseDoesNotCountAndDevicesHaveAShortName) {
  EXPECT_THAT(explain("h100", commands()), AllOf(HasSubstr("(device): "), HasSubstr("device.to=H100")));
}

TEST(ExplainTest, AWhatIfSaysWhetherItSelects) {
  EXPECT_THAT(explain("compute", commands()), HasSubstr("--set compute{class=gemm,rank=0}.scale="));
  EXPECT_THAT(explain("cluster", commands()), HasSubstr("it takes no selection of tasks"));
}

TEST(ExplainTest, AKindIsListed) {
  for (const TopicKind& kind : topic_kinds()) {
    const std::string list = explain(kind.plural, commands());
    for (const Topic& topic : kind.topics(commands())) {
      const std::string line = "\n  " + topic.name;  // a long name has a line of its own
      EXPECT_THAT(list, AnyOf(HasSubstr(line + " "), HasSubstr(line + "\n")));
    }
  }
}

TEST(ExplainTest, EveryTopicIsExplained) {
  for (const TopicKind& kind : topic_kinds()) {
    for (const Topic& topic : kind.topics(commands())) {
      EXPECT_FALSE(topic.summary.empty()) << topic.name;
      EXPECT_THAT(explain(topic.name, commands()), HasSubstr(topic.name + " (" + std::string(kind.name) + "): "));
    }
  }
}

TEST(ExplainTest, AnUnknownWordOffersNearOnes) {
  EXPECT_THAT([] { static_cast<void>(explain("bandwith", commands())); },
              ThrowsMessage<UsageError>(
                  "nothing is called 'bandwith'; did you mean 'bandwidth'? expected one of the words that 'stepsim "
                  "help' lists"));
  EXPECT_THAT([] { static_cast<void>(explain("hundred_percent_unlike", commands())); },
              ThrowsMessage<UsageError>(AllOf(StartsWith("nothing is called "), Not(HasSubstr("did you mean")))));
}

}  // namespace
}  // namespace stepsim::cli
