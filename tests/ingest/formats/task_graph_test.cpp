#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/ingest/read_text.h"

namespace stepsim::ingest::task_graph_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Parsed<TaskGraph> read(std::string_view text) { return read_text<TaskGraph>("task_graph", text, "g.json"); }

/// Returns a graph with two hosts, one link and `tasks`.
std::string around(std::string_view tasks) {
  return R"({"hosts":2,"links":[{"bandwidth_Bps":1e9,"latency_s":1e-05}],"routes":{"0-1":[0]},"tasks":[)" +
         std::string(tasks) + "]}";
}

TEST(TaskGraphTest, ReadsComputesAndTransfers) {
  const auto graph =
      read(
          R"({"name":"x","finish_s":[1.5,{"a":[]}],"hosts":2,"links":[{"bandwidth_Bps":3000000000.0,"latency_s":5e-06}],"routes":{"0-1":[0]},
    "tasks":[{"id":7,"kind":"compute","host":1,"ns":375357,"after":[]},{"id":3,"kind":"transfer","src":0,"dst":1,"bytes":4096,"after":[7],"name":"t"}]})")
          .part;
  EXPECT_EQ(graph.hosts, 2U);
  EXPECT_EQ(graph.links[0].bandwidth, 3e9);
  EXPECT_EQ(graph.links[0].latency, Duration{5'000});
  ASSERT_EQ(graph.tasks.size(), 2U);
  EXPECT_EQ(graph.tasks[0].id, 7);
  EXPECT_EQ(graph.tasks[0].host, 1U);
  EXPECT_EQ(graph.tasks[0].duration, Duration{375'357});
  EXPECT_TRUE(graph.tasks[1].transfer);
  EXPECT_EQ(graph.tasks[1].bytes, Bytes{4096});
  EXPECT_TRUE(graph.after_of(0).empty());
  ASSERT_EQ(graph.after_of(1).size(), 1U);
  EXPECT_EQ(graph.after_of(1).front(), 0U);  // the task with id 7
  EXPECT_FALSE(graph.tasks[0].name.valid());
  EXPECT_EQ(graph.texts[graph.tasks[1].name.index()], "t");
}

TEST(TaskGraphTest, TasksMayComeBeforeHostsLinksAndRoutes) {
  EXPECT_EQ(
      read(
          R"({"tasks":[{"kind":"transfer","src":0,"dst":1,"bytes":0,"id":0}],"routes":{"0-1":[0]},"links":[{"bandwidth_Bps":1}],"hosts":2})")
          .part.tasks.size(),
      1U);
}

TEST(TaskGraphTest, TheSpellingOfATaskChangesNothing) {
  const std::string_view usual = R"({"id":4,"kind":"transfer","src":0,"dst":1,"bytes":20,"after":[5],"name":"t"})";
  const std::string other = R"({"id":5,"kind":"compute","host":1,"ns":7,"name":"c"})";
  for (const std::string_view spelling :
       {R"({ "after" : [ 5 ] , "name" : "t" , "id" : 4 , "kind" : "transfer" , "src" : 0 , "dst" : 1 , "bytes" : 20 })",
        R"({"id":4.0,"kind":"transfer","src":0,"dst":1,"bytes":2e1,"after":[0.5e1],"name":"t"})",
        R"({"\u0069d":4,"kind":"tr\u0061nsfer","src":0,"dst":1,"bytes":20,"after":[5],"name":"\u0074"})",
        R"({"id":3,"id":4,"kind":"transfer","src":0,"dst":1,"bytes":20,"after":[4,5],"after":[5],"name":"t"})",
        R"({"name":"s","id":4,"kind":"transfer","src":0,"dst":1,"bytes":20,"after":[5],"n\u0061me":"t","x":[{}]})"}) {
    const TaskGraph expected = read(around(std::string(usual) + "," + other)).part;
    const TaskGraph found = read(around(std::string(spelling) + "," + other)).part;
    EXPECT_EQ(found.tasks[0].id, 4) << spelling;
    EXPECT_EQ(found.tasks[0].bytes, Bytes{20}) << spelling;
    EXPECT_EQ(found.after, expected.after) << spelling;
    EXPECT_EQ(found.texts[found.tasks[0].name.index()], "t") << spelling;
    EXPECT_EQ(found.texts[found.tasks[1].name.index()], "c") << spelling;
  }
}

TEST(TaskGraphTest, IdsMayHaveAnyOrder) {
  const std::string_view rest = R"("kind":"compute","host":0,"ns":1)";
  for (const auto& [first, second, third] : {std::array{"0", "1", "2"}, std::array{"9", "10", "11"},
                                             std::array{"2", "1", "0"}, std::array{"0", "5", "9223372036854775807"}}) {
    const TaskGraph graph = read(around(fmt::format(R"({{"id":{0},{3}}},{{"id":{1},"after":[{2}],{3}}},)"
                                                    R"({{"id":{2},"after":[{0},{0}],{3}}})",
                                                    first, second, third, rest)))
                                .part;
    EXPECT_THAT(graph.after_of(0), IsEmpty()) << first;
    EXPECT_THAT(graph.after_of(1), ElementsAre(2)) << first;
    EXPECT_THAT(graph.after_of(2), ElementsAre(0, 0)) << first;
  }
}

TEST(TaskGraphTest, AChainOfTwoHundredThousandTasksIsRead) {
  std::string tasks = R"({"id":0,"kind":"compute","host":0,"ns":1,"after":[]})";
  constexpr int kTasks = 200'000;
  for (int i = 1; i < kTasks; ++i) {
    tasks += ",{\"id\":" + std::to_string(i) + R"(,"kind":"compute","host":0,"ns":1,"after":[)" +
             std::to_string(i - 1) + "]}";
  }
  EXPECT_EQ(read(around(tasks)).part.tasks.size(), static_cast<std::size_t>(kTasks));
}

TEST(TaskGraphTest, UnknownMembersAreSkippedHoweverDeep) {
  constexpr std::size_t kDepth = 100'000;
  std::string text = "{\"deep\":" + std::string(kDepth, '[') + std::string(kDepth, ']') + "," +
                     around(R"({"id":0,"kind":"compute","host":0,"ns":1})").substr(1);
  EXPECT_EQ(read(text).part.tasks.size(), 1U);
}

TEST(TaskGraphTest, AnErrorNamesTheOffsetOfItsTask) {
  const std::string text =
      around(R"({"id":0,"kind":"compute","host":0,"ns":1},{"id":1,"kind":"compute","host":0,"ns":1,"after":[9]})");
  const std::size_t offset = text.find(R"({"id":1)");
  EXPECT_EQ(
      refusal("task_graph", text, "g.json"),
      "g.json@" + std::to_string(offset) + ": task 1 is after task 9, which does not exist; expected the id of a task");
}

struct BadGraph {
  std::string text;
  const char* message;
};

BadGraph task(std::string_view record, const char* message) { return {around(record), message}; }

class TaskGraphRefusalTest : public ::testing::TestWithParam<BadGraph> {};

TEST_P(TaskGraphRefusalTest, SaysWhatWasFoundAndWhatWasExpected) {
  const std::string message = refusal("task_graph", GetParam().text, "g.json");
  EXPECT_THAT(message, HasSubstr(GetParam().message));
  EXPECT_THAT(message, ::testing::StartsWith("g.json@"));
  EXPECT_THAT(message, HasSubstr("; expected "));
}

INSTANTIATE_TEST_SUITE_P(
    MalformedTasks, TaskGraphRefusalTest,
    ::testing::Values(
        task(R"({"kind":"compute","host":0,"ns":1})", "a task has no 'id'"),
        task(R"({"id":-1,"kind":"compute","host":0,"ns":1})", "'id' is -1"),
        task(R"({"id":1.5,"kind":"compute","host":0,"ns":1})", "'id' is 1.5"),
        task(R"({"id":"0","kind":"compute","host":0,"ns":1})", "expected a number"),
        task(R"({"id":99999999999999999999,"kind":"compute","host":0,"ns":1})", "'id' is 99999999999999999999"),
        task(R"({"id":0,"kind":"compute","host":0,"ns":-5})", "'ns' is -5"),
        task(R"({"id":0,"kind":"compute","host":0,"ns":1e300})", "'ns' is 1e300"),
        task(R"({"id":0,"kind":"compute","host":0,"ns":null})", "expected a number"),
        task(R"({"id":0,"kind":"compute","host":0,"ns":NaN})", "expected a number"),
        task(R"({"id":0,"kind":"compute","host":0})", "has no 'ns'"),
        task(R"({"id":0,"kind":"compute","ns":1})", "has no 'host'"),
        task(R"({"id":0,"kind":"compute","host":2,"ns":1})", "task 0 is on host 2; expected 0 to 1"),
        task(R"({"id":0,"kind":"compute","host":-1,"ns":1})", "'host' is -1"),
        task(R"({"id":0,"kind":"transfer","src":0,"dst":5,"bytes":1})", "task 0 is on host 5"),
        task(R"({"id":0,"kind":"transfer","src":1,"dst":0,"bytes":1})", "needs the route \"1-0\""),
        task(R"({"id":0,"kind":"transfer","src":0,"dst":0,"bytes":1})", "needs the route \"0-0\""),
        task(R"({"id":0,"kind":"transfer","src":0,"dst":1})", "has no 'bytes'"),
        task(R"({"id":0,"kind":"transfer","src":0,"dst":1,"bytes":-1})", "'bytes' is -1"),
        task(R"({"id":0,"kind":"transfer","src":0,"dst":1,"bytes":9e18})", "'bytes' is 9e18"),
        task(R"({"id":0,"kind":"sleep","host":0,"ns":1})", "kind 'sleep'; expected compute or transfer"),
        task(R"({"id":0,"host":0,"ns":1})", "kind ''; expected compute or transfer"),
        task(R"({"id":0,"kind":"compute","host":0,"ns":1,"after":[0]})", "waits for itself"),
        task(
            R"({"id":0,"kind":"compute","host":0,"ns":1,"after":[1]},{"id":1,"kind":"compute","host":0,"ns":1,"after":[0]})",
            "waits for itself"),
        // Task 0 waits for the cycle of 1 and 2, but not for itself.
        task(
            R"({"id":0,"kind":"compute","host":0,"ns":1,"after":[1]},{"id":1,"kind":"compute","host":0,"ns":1,"after":[2]},{"id":2,"kind":"compute","host":0,"ns":1,"after":[1]})",
            "task 1 waits for itself"),
        task(R"({"id":0,"kind":"compute","host":0,"ns":1,"after":["0"]})", "expected a number"),
        task(R"({"id":0,"kind":"compute","host":0,"ns":1,"after":0})", "expected an array"),
        task(R"({"id":0,"kind":"compute","host":0,"ns":1},{"id":0,"kind":"compute","host":0,"ns":1})",
             "two tasks have the id 0"),
        task(
            R"({"id":0,"kind":"compute","host":0,"ns":1e18},{"id":1,"kind":"compute","host":0,"ns":1e18},{"id":2,"kind":"compute","host":0,"ns":1e18},{"id":3,"kind":"compute","host":0,"ns":1e18})",
            "more than 100 years"),
        task(R"(5)", "expected an object"), task("", "'tasks' is empty")));

INSTANTIATE_TEST_SUITE_P(
    MalformedGraphs, TaskGraphRefusalTest,
    ::testing::Values(
        BadGraph{"", "expected an object"}, BadGraph{"[]", "expected an object"}, BadGraph{"{}", "no member 'hosts'"},
        BadGraph{R"({"hosts":1})", "no member 'tasks'"}, BadGraph{R"({"hosts":0,"tasks":[]})", "'hosts' is 0"},
        BadGraph{R"({"hosts":-3,"tasks":[]})", "'hosts' is -3"},
        BadGraph{R"({"hosts":1e30,"tasks":[]})", "'hosts' is 1e30"},
        BadGraph{R"({"hosts":1,"hosts":1})", "'hosts' is given twice"},
        BadGraph{R"({"hosts":1,"tasks":[],"tasks":[]})", "'tasks' is given twice"},
        BadGraph{R"({"links":[{}]})", "a link has no 'bandwidth_Bps'"},
        BadGraph{R"({"links":[{"bandwidth_Bps":0}]})", "'bandwidth_Bps' is 0"},
        BadGraph{R"({"links":[{"bandwidth_Bps":-1}]})", "'bandwidth_Bps' is -1"},
        BadGraph{R"({"links":[{"bandwidth_Bps":1e400}]})", "'bandwidth_Bps' is 1e400"},
        BadGraph{R"({"links":[{"bandwidth_Bps":1e-300}]})", "'bandwidth_Bps' is 1e-300"},
        BadGraph{R"({"links":[{"bandwidth_Bps":1,"latency_s":-1}]})", "'latency_s' is -1"},
        BadGraph{R"({"links":[{"bandwidth_Bps":1,"latency_s":1e30}]})", "'latency_s' is 1e30"},
        BadGraph{R"({"routes":{"0":[0]}})", "route '0'; expected two hosts"},
        BadGraph{R"({"routes":{"a-b":[0]}})", "route 'a-b'; expected two hosts"},
        BadGraph{R"({"routes":{"0-1-2":[0]}})", "route '0-1-2'; expected two hosts"},
        BadGraph{R"({"routes":{"0-99999999999":[0]}})", "route '0-99999999999'; expected two hosts"},
        BadGraph{R"({"routes":{"0-1":[]}})", "crosses no link"},
        BadGraph{R"({"routes":{"0-1":[0],"0-1":[0]}})", "route '0-1' is given twice"},
        BadGraph{R"({"hosts":2,"routes":{"0-1":[0]},"tasks":[{"id":0,"kind":"compute","host":0,"ns":1}]})",
                 "crosses link 0; expected one of the 0 links"},
        BadGraph{
            R"({"hosts":1,"links":[{"bandwidth_Bps":1}],"routes":{"0-7":[0]},"tasks":[{"id":0,"kind":"compute","host":0,"ns":1}]})",
            "names a host that does not exist"},
        BadGraph{R"({"hosts":1 "tasks":[]})", R"(found '"'; expected ',' or '}')"},
        BadGraph{R"({"hosts":1,})", "found '}'; expected a key in double quotes"},
        BadGraph{R"({"hosts" 1})", "found '1'; expected ':'"},
        BadGraph{R"({"hosts":1,"tasks":[{"id":0,"kind":"compute","host":0,"ns":1}]} x)",
                 "found 'x'; expected the end of the file"},
        BadGraph{R"({"hosts":1,"tasks":[{"id":0,"kind":"comp)", "the file ends here; expected the rest of it"},
        BadGraph{R"({"hosts":1,"x":"\q"})", "expected an escape"},
        BadGraph{R"({"x":"\ud800\u0041"})", "expected both halves of a surrogate pair"},
        BadGraph{R"({"x":"\u12g4"})", "expected an escape"},
        BadGraph{"{\"x\":\"a\nb\"}", R"(found '\n'; expected it escaped)"},
        BadGraph{R"({"x":01})", "found '1'; expected ',' or '}'"},
        BadGraph{R"({"x":nul})", "found 'n'; expected a value"}));

// If the text is cut anywhere, it is refused with one line that begins with the file and the offset.
TEST(TaskGraphTest, EveryCutIsRefusedInOneLine) {
  const std::string text = around(R"({"id":0,"kind":"compute","host":0,"ns":1,"after":[]})");
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    const std::string message = refusal("task_graph", text.substr(0, cut), "g.json");
    EXPECT_THAT(message, ::testing::StartsWith("g.json@")) << cut;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace stepsim::ingest::task_graph_test
