#include "ingest/combined/combined_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingest/bytes/byte_source.h"
#include "tests/ingest/read_text.h"

namespace stepsim::ingest {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kKineto =
    R"({"distributedInfo":{"rank":1},"secret":{"TOKEN":"x"},"traceEvents":[
{"ph":"M","name":"process_name","pid":77,"args":{"name":"python"}},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":77,"tid":1,"ts":100.250,"dur":3.001,"args":{"External id":5,"x":"a\"b"}},
{"ph":"s","cat":"ac2g","name":"ac2g","id":9,"pid":77,"tid":1,"ts":101}],"baseTimeNanoseconds":1000000})";

ChromeEvent event_of(std::string_view record) {
  ChromeEvent event;
  event.record = record;
  return event;
}

struct Combined {
  Combined() : writer([this](std::string_view piece) { text += piece; }, "") {}

  void add(std::string_view trace, const CombinedFile& file, CombinedTraceWriter::Clock clock = {},
           const CombinedTraceWriter::Keep& keep = {}) {
    const auto source = memory_source(trace, "trace");
    counts = writer.add_trace(*source, file, clock, keep, diagnostics);
  }
  std::vector<SeparatedFile> separated() {
    const auto source = memory_source(text, "combined");
    return separate(*source, diagnostics);
  }

  std::string text;
  CombinedTraceWriter writer;
  CombinedTraceWriter::Counts counts;
  Diagnostics diagnostics;
};

TEST(CombinedTraceTest, IsStrictJson) {
  Combined combined;
  combined.add("{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\x80 \\udc00\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1}]}",
               {"a.json", "kineto", {"", "rank1.", false}});
  combined.writer.finish();
  EXPECT_THAT(combined.text, HasSubstr("\"a\xEF\xBF\xBD \xEF\xBF\xBD\""));
}

TEST(CombinedTraceTest, ProcessesOfFilesAreToldApartAndComeBackAsTheyWere) {
  Combined combined;
  combined.add(kKineto, {"a.json", "kineto", {"", "rank1.", false}});
  combined.writer.add_text("graph [\n\"x\"]", {"0/dag.gml", "gml", {"", "rank1.", true}});
  combined.writer.finish();
  ASSERT_TRUE(is_combined_trace(combined.text));
  EXPECT_THAT(combined.text, HasSubstr(R"("pid":"rank1.77")"));
  EXPECT_THAT(combined.text, HasSubstr(R"("id":"rank1.9")"));
  EXPECT_THAT(combined.text, HasSubstr(R"({"name":"rank1.python"})"));
  EXPECT_EQ(combined.counts.events, 3U);
  const auto files = combined.separated();
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].name, "a.json");
  EXPECT_EQ(files[0].format, "kineto");
  EXPECT_THAT(files[0].text, HasSubstr(R"({"ph":"M","name":"process_name","pid":"77","args":{"name":"python"}})"));
  EXPECT_THAT(files[0].text, HasSubstr(R"("ts":100.250,"dur":3.001,"args":{"External id":5,"x":"a\"b"}})"));
  EXPECT_EQ(files[1].text, "graph [\n\"x\"]");
  EXPECT_TRUE(combined.diagnostics.entries().empty());
}

TEST(CombinedTraceTest, IsToldByItsBeginningHoweverItIsLaidOut) {
  EXPECT_TRUE(is_combined_trace(
      "{\n  \"displayTimeUnit\": \"ns\",\n  \"otherData\": {\"program\": \"stepsim\", \"combined\": 1"));
  EXPECT_FALSE(is_combined_trace(R"({"displayTimeUnit":"ns","otherData":{"program":"stepsim","version":"1"})"));
  EXPECT_FALSE(is_combined_trace(""));
}

TEST(CombinedTraceTest, OnlyMembersThatReadersUseAreCarriedAlong) {
  Combined combined;
  combined.add(kKineto, {"a.json", "kineto", {"", "rank1.", false}});
  combined.writer.finish();
  EXPECT_THAT(combined.text, Not(HasSubstr("TOKEN")));
  EXPECT_THAT(combined.separated().at(0).text,
              HasSubstr(R"("baseTimeNanoseconds":1000000,"distributedInfo":{"rank":1}})"));
}

TEST(CombinedTraceTest, StartsMoveByTheShiftToTheNanosecondAndDurationsStay) {
  // The starts move by 2500 ns: 100.250 us becomes 102.750 us, and 101 us becomes 103.500 us.
  Combined combined;
  combined.add(kKineto, {"a.json", "kineto", {"", "rank1.", false}}, {Duration{2500}, 4000});
  combined.writer.finish();
  EXPECT_THAT(combined.text, HasSubstr(R"("ts":102.750,"dur":3.001)"));
  EXPECT_THAT(combined.text, HasSubstr(R"("ts":103.500)"));
  EXPECT_THAT(combined.text, HasSubstr(R"("baseTimeNanoseconds":4000)"));
}

TEST(CombinedTraceTest, NamesOfBytePsHaveTheRankInFrontAndProcessesTheWorkerToo) {
  const ProcessPrefix prefix{"wk1.", "rank0.", true};
  ChromeEvent event = event_of(R"({"ph":"X","name":"Comm.w.PUSH","pid":"Comm.w","ts":1})");
  const std::string record = combined_record(event, prefix, 3, Duration{});
  EXPECT_EQ(record, R"({"ph":"X","name":"rank0.Comm.w.PUSH","pid":"wk1.rank0.Comm.w","ts":1,"in_file":3})");
  EXPECT_EQ(file_of(record), 3U);
  EXPECT_EQ(separated_record(event_of(record), prefix), event.record);
  // The process is named after the rank ("rank0"), so only the worker's prefix is added to it.
  event = event_of(R"({"ph":"X","name":"FW.x","pid":"rank0","ts":1})");
  EXPECT_EQ(combined_record(event, prefix, 0, Duration{}),
            R"({"ph":"X","name":"rank0.FW.x","pid":"wk1.rank0","ts":1,"in_file":0})");
  EXPECT_EQ(separated_record(event_of(combined_record(event, prefix, 0, Duration{})), prefix), event.record);
}

TEST(CombinedTraceTest, EventsThatAreNotKeptAreCounted) {
  Combined combined;
  combined.add(kKineto, {"a.json", "kineto", {"", "rank1.", false}}, {},
               [](const ChromeEvent& event) { return event.phase != "X"; });
  EXPECT_EQ(combined.counts.events, 2U);
  EXPECT_EQ(combined.counts.left_out, 1U);
}

TEST(CombinedTraceTest, LongTextsComeBackWhole) {
  std::string text;
  for (int i = 0; i < 400'000; ++i) text += "node " + std::to_string(i) + "\n";
  Combined combined;
  combined.writer.add_text(text, {"dag.gml", "gml", {}});
  combined.writer.finish();
  EXPECT_EQ(combined.separated().at(0).text, text);
}

TEST(CombinedTraceTest, RecordsOfNoFileAreCounted) {
  const std::string text =
      R"({"traceEvents":[{"ph":"M","name":"stepsim_file","args":{"name":"a"},"in_file":7},
{"ph":"X","name":"x","in_file":-1},{"ph":"X","name":"x"},{"ph":"M","name":"stepsim_file","in_file":0},
{"ph":"M","name":"stepsim_members","in_file":0},{"ph":"M","name":"stepsim_text","args":{"text":""},"in_file":0},
{"ph":"X","name":"x","in_file":0}]})";
  Diagnostics diagnostics;
  const auto source = memory_source(text, "combined");
  const auto files = separate(*source, diagnostics);
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].text, "");
  ASSERT_EQ(diagnostics.entries().size(), 1U);
  EXPECT_EQ(diagnostics.entries()[0].name, "bad_record");
  EXPECT_EQ(diagnostics.entries()[0].count, 3U);
}

}  // namespace
}  // namespace stepsim::ingest
