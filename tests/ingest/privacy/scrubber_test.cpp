#include "ingest/privacy/scrubber.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
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

TEST(ScrubberTest, ANameIsFoundInOtherLettersAndWithItsDomain) {
  const std::string text =
      scrubbed({R"({"traceEvents":[{"name":"x","args":{"a":"Zelda, bo on gpubox7","b":"gpubox7.corp.example.org"}}],)"
                R"("host_name":"gpubox7.corp","username":"zelda","user":"bo"})"})
          .texts[0];
  EXPECT_EQ(text, R"({"traceEvents":[{"name":"x","args":{"a":"user002, user001 on host001","b":"host002"}}],)"
                  R"("host_name":"host002","username":"user002","user":"user001"})");
}

TEST(ScrubberTest, AllNamesAreLookedFor) {
  std::string events;
  for (int i = 0; i < 2000; ++i) {
    if (i > 0) events += ',';
    events += R"({"name":"x","args":{"a":"/home/person)" + std::to_string(i) + R"(/x","b":"by person)" +
              std::to_string(i) + "\"}}";
  }
  const Result result = scrubbed({R"({"traceEvents":[)" + events + "]}"});
  EXPECT_THAT(result.texts[0], Not(HasSubstr("person")));
}

TEST(ScrubberTest, SecretsAreTakenOutWhateverTheirType) {
  const std::string text =
      scrubbed({R"({"traceEvents":[{"name":"x","args":{"password":4815,"token":{"a":"b"},"pwd":["c"],)"
                R"("tokens":12,"secret":null,"Env":"d","api_key":"e"}}],)"
                R"("distributedInfo":{"rank":0,"master":"box"}})"})
          .texts[0];
  EXPECT_EQ(text, R"({"traceEvents":[{"name":"x","args":{"password":"scrubbed","token":"scrubbed","pwd":"scrubbed",)"
                  R"("tokens":12,"secret":null,"Env":"scrubbed","api_key":"e"}}],)"
                  R"("distributedInfo":{"rank":0,"master":"scrubbed"}})");
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

/// Returns how many characters of a trace are searched whose collectives all name the same ranks.
std::uint64_t searched(int ranks, int collectives) {
  std::string list = "[0";
  for (int rank = 1; rank < ranks; ++rank) list += ", " + std::to_string(rank);
  std::string text = R"({"traceEvents":[{"name":"a")";
  for (int i = 0; i < collectives; ++i) text += R"(},{"args":{"Process Group Ranks":")" + list + R"(]"})";
  text += "}]}";
  Scrubber scrubber;
  scrubber.scrub(*memory_source(text, "x.json"), TextForm::kTrace, [](std::string_view) {});
  EXPECT_TRUE(scrubber.found().empty());
  return scrubber.searched();
}

TEST(ScrubberTest, RanksThatEachCollectiveNamesAreSearchedOnce) {
  for (const int ranks : {8, 128, 1024, 8192}) EXPECT_EQ(searched(ranks, 1000), searched(ranks, 1)) << ranks;
}

TEST(ScrubberTest, KeysAreScrubbedAsValuesAre) {
  const Result result = scrubbed({R"({"traceEvents":[{"name":"x","alice":1,"args":{"hf_aB3dE5gH7jK9mN1pQ3sT5vW7":3,)"
                                  R"("/home/alice/x.py":4,"alice":5,"a.b@corp.example":6}}],"of_alice":{"a":1},)"
                                  R"("username":"alice"})"});
  EXPECT_EQ(result.texts[0], R"({"traceEvents":[{"name":"x","alice":1,"args":{"scrubbed":3,)"
                             R"("/file1.py":4,"user001":5,"person1@example.org":6}}],"of_user001":"scrubbed",)"
                             R"("username":"user001"})");
}

TEST(ScrubberTest, APlaceIsToldWithoutPrivateKeys) {
  const Result result =
      scrubbed({R"({"traceEvents":[{"args":{"hf_aB3dE5gH7jK9mN1pQ3sT5vW7":{"/home/bob/x":"10.2.3.4"}}}]})"});
  for (const PrivateContent& content : result.found) {
    EXPECT_THAT(content.first, Not(HasSubstr("hf_"))) << content.kind;
    EXPECT_THAT(content.first, Not(HasSubstr("bob"))) << content.kind;
  }
  EXPECT_THAT(result.found.back().first, HasSubstr("traceEvents.args.scrubbed.scrubbed"));
}

TEST(ScrubberTest, KeysOfOtherJsonKeepPlainWordsThatAreAlsoSomebodysName) {
  EXPECT_EQ(
      scrubbed({R"({"nodes":[{"attr":"/home/nodes/x.py"}],"by-node-7":1,"host_name":"by-node-7"})"}, TextForm::kJson)
          .texts[0],
      R"({"nodes":[{"attr":"/file1.py"}],"host001":1,"host_name":"host001"})");
}

TEST(ScrubberTest, ATextIsLookedAtAgainWhereOtherRulesHold) {
  const std::string text =
      scrubbed({R"x({"username":"relu","traceEvents":[{"name":"f(relu)"},{"args":{"q":"f(relu)"}}]})x"}).texts[0];
  EXPECT_THAT(text, HasSubstr(R"x([{"name":"f(relu)"},{"args":{"q":"f(user001)"}}])x"));
}

TEST(ScrubberTest, ALineIsScrubbedWholeWhereverItIsCutForReading) {
  constexpr std::size_t kOnce = 65536;  // a line must not be cut where a buffer of this size ends
  const std::string token = "hf_aB3dE5gH7jK9mN1pQ3sT5vW7";
  for (const std::string& secret : {token, std::string("mysql -phunter2"), std::string("--token hunter2x"),
                                    std::string("10.20.30.40"), std::string("/home/zelda/secretproj/x.py")}) {
    for (std::size_t before = kOnce - secret.size() - 1; before < kOnce + 2; before += 5) {
      const std::string text =
          scrubbed({std::string(before, '+') + " " + secret + " tail\n"}, TextForm::kLines).texts[0];
      for (const std::string part : {"hf_", "pQ3s", "hunter2", "20.30", "zelda", "secretproj"})
        ASSERT_THAT(text, Not(HasSubstr(part))) << "at " << before;
    }
  }
}

TEST(ScrubberTest, AllLinesOfAPrivateKeyAreTakenOut) {
  EXPECT_EQ(
      scrubbed({"a\n-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----\nb\n"}, TextForm::kLines)
          .texts[0],
      "a\nscrubbed\nscrubbed\nscrubbed\nb\n");
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
