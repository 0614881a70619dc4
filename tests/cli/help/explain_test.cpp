#include "cli/help/topics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/base/error.h"
#include "sim/report/glossary.h"

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
  EXPECT_THAT(explain("cluster", commands()), HasSubstr("does not take a selection of tasks"));
}

TEST(ExplainTest, AKindIsListed) {
  for (const TopicKind& kind : topic_kinds()) {
    const std::string list = explain(kind.plural, commands());
    for (const Topic& topic : kind.topics(commands())) {
      const std::string line = "\n  " + topic.name;  // a long name gets a separate line
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

TEST(ExplainTest, ATermIsFoundByAllItsNamesHoweverTheyAreWritten) {
  for (const char* const name : {"exposed communication", "exposed comm.", "Exposed", "exposed-communication"})
    EXPECT_THAT(explain(name, commands()), StartsWith("exposed communication (term): ")) << name;
  EXPECT_THAT(explain("critical-path", commands()),
              AllOf(HasSubstr("critical path (term): "), HasSubstr("critical-path (command): ")));
}

TEST(ExplainTest, APictureKeepsItsLines) {
  for (const sim::Term& term : sim::glossary()) {
    const std::string text = explain(term.name, commands());
    const std::string_view picture = term.picture;
    for (std::size_t begin = 0; begin < picture.size(); begin = picture.find('\n', begin) + 1)
      EXPECT_THAT(text, HasSubstr("\n  " + std::string(picture.substr(begin, picture.find('\n', begin) - begin))));
  }
}

TEST(ExplainTest, JsonHasTheTopicsThatAreAskedFor) {
  const std::string one = topics_as_json("idle", commands());
  EXPECT_THAT(one, AllOf(HasSubstr(R"("name":"idle")"), Not(HasSubstr(R"("name":"queueing")"))));
  const std::string all = topics_as_json("", commands());
  for (const TopicKind& kind : topic_kinds()) {
    for (const Topic& topic : kind.topics(commands())) EXPECT_THAT(all, HasSubstr("\"name\":\"" + topic.name + '"'));
  }
  EXPECT_THROW(static_cast<void>(topics_as_json("bandwith", commands())), UsageError);
}

TEST(ExplainTest, AnUnknownWordOffersNearOnes) {
  EXPECT_THAT([] { static_cast<void>(explain("bandwith", commands())); },
              ThrowsMessage<UsageError>(
                  "no help topic 'bandwith'; did you mean 'bandwidth'? see 'stepsim help' for the topics"));
  EXPECT_THAT([] { static_cast<void>(explain("hundred_percent_unlike", commands())); },
              ThrowsMessage<UsageError>(AllOf(StartsWith("no help topic "), Not(HasSubstr("did you mean")))));
}

}  // namespace
}  // namespace stepsim::cli
