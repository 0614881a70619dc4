#include "ingest/privacy/scrubber.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ingest/bytes/byte_source.h"

namespace stepsim::ingest {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Result {
  std::vector<std::string> texts;
  std::vector<PrivateContent> found;
};

Result scrubbed(const std::vector<std::string>& files, TextForm form = TextForm::kTrace) {
  Scrubber scrubber;
  for (const std::string& file : files) {
    const auto source = memory_source(file, "x.json");
    scrubber.learn(*source, form);
  }
  Result result;
  for (const std::string& file : files) {
    const auto source = memory_source(file, "x.json");
    scrubber.scrub(*source, form, [&text = result.texts.emplace_back()](std::string_view piece) { text += piece; });
  }
  result.found = scrubber.found();
  return result;
}

TEST(ScrubberTest, TheEnvironmentIsTakenOutAndSettingsStay) {
  const std::string text = scrubbed({R"({"schemaVersion":1,"with_stack":1,"JOB":{"a":"secretive"},"ID":12345,)"
                                     R"("traceEvents":[{"ph":"X","name":"aten::mm","ts":1.500,"dur":2}]})"})
                               .texts[0];
  EXPECT_EQ(text, R"({"schemaVersion":1,"with_stack":1,"JOB":"scrubbed","ID":"scrubbed",)"
                  R"("traceEvents":[{"ph":"X","name":"aten::mm","ts":1.500,"dur":2}]})");
}

TEST(ScrubberTest, ANameThatAMemberTellsIsReplacedWhereverItOccurs) {
  const std::string text =
      scrubbed({R"({"traceEvents":[{"name":"on node17-a by alice","args":{"x":"alice/node17-a"}}],)"
                R"("host_name":"node17-a","username":"alice"})"})
          .texts[0];
  EXPECT_EQ(text, R"({"traceEvents":[{"name":"on host001 by user001","args":{"x":"user001/host001"}}],)"
                  R"("host_name":"host001","username":"user001"})");
}

TEST(ScrubberTest, NamesOfOperatorsKeepWordsThatAreAlsoSomebodysName) {
  const std::string text =
      scrubbed({R"x({"username":"relu","traceEvents":[{"name":"aten::relu"},{"name":"void relu<float>(int)"}]})x"})
          .texts[0];
  EXPECT_THAT(text, HasSubstr(R"("aten::relu")"));
  EXPECT_THAT(text, HasSubstr("void relu<float>(int)"));
}

TEST(ScrubberTest, TheSameTextHasTheSameSubstituteInEveryFileAndHostsKeepTheirOrder) {
  const Result result = scrubbed({R"({"host_name":"node10","traceName":"/home/al/x.json"})",
                                  R"({"host_name":"node9","traceName":"/home/al/x.json"})"});
  EXPECT_EQ(result.texts[0], R"({"host_name":"host002","traceName":"/file1.json"})");
  EXPECT_EQ(result.texts[1], R"({"host_name":"host001","traceName":"/file1.json"})");
}

TEST(ScrubberTest, OfWhatIsFoundOnlyKindCountAndPlaceAreTold) {
  const Result result = scrubbed({R"({"traceEvents":[{"args":{"cmd":"--token=ghp_0123456789abcdefghijklmnop"}}]})"});
  ASSERT_EQ(result.found.size(), 1U);
  EXPECT_TRUE(result.found[0].secret);
  EXPECT_EQ(result.found[0].count, 1U);
  EXPECT_EQ(result.found[0].first, "x.json@31, member traceEvents.args.cmd");
  EXPECT_THAT(result.texts[0], Not(HasSubstr("ghp_")));
  EXPECT_THAT(result.found[0].kind + result.found[0].first, Not(HasSubstr("ghp_")));
}

TEST(ScrubberTest, OtherJsonKeepsItsMembers) {
  const std::string graph = R"({"hosts":2,"links":[],"tasks":[{"id":0,"name":"a"}]})";
  EXPECT_EQ(scrubbed({graph}, TextForm::kJson).texts[0], graph);
}

TEST(ScrubberTest, PlainTextIsRewrittenLineByLine) {
  EXPECT_EQ(scrubbed({"a 1\n/home/alice/x.py\tb\n"}, TextForm::kLines).texts[0], "a 1\n/file1.py\tb\n");
}

}  // namespace
}  // namespace stepsim::ingest
