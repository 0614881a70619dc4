#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/ingest/read_text.h"

namespace stepsim::ingest::byteps_comm_test {
namespace {

using ::testing::HasSubstr;

Parsed<StageTrace> read(std::string_view text) { return read_text<StageTrace>("byteps_comm", text, "comm.json"); }

/// Returns a stage event in the form that BytePS writes.
std::string event(std::string_view name, std::string_view tid,
                  std::string_view times = R"("ts": 1600000000001200, "dur": 850)") {
  return R"({"ph": "X", "args": {"name": "Comm.t"}, "pid": "Comm.t", "name": ")" + std::string(name) + R"(", )" +
         std::string(times) + R"(, "tid": ")" + std::string(tid) + R"(", "cat": "Comm"})";
}

const std::string kGood = event("Comm.byteps.gradient_7.PUSH", "458752");

std::string object(std::string_view events) {
  return "{\n    \"traceEvents\": [\n" + std::string(events) + "\n\n    ],\n    \"displayTimeUnit\": \"ms\"\n}\n";
}

TEST(BytepsCommTest, AStageEventGivesTensorStageKeyAndTimes) {
  const StageTrace trace = read(object(kGood)).part;
  ASSERT_EQ(trace.events.size(), 1U);
  EXPECT_EQ(trace.tensors[trace.events[0].tensor], "byteps.gradient_7");
  EXPECT_EQ(trace.events[0].stage, Stage::kPush);
  EXPECT_EQ(trace.events[0].key, 458'752);
  EXPECT_EQ(trace.events[0].start.time_since_epoch(), Duration{1'600'000'000'001'200'000});
  EXPECT_EQ(trace.events[0].duration, Duration{850'000});
}

TEST(BytepsCommTest, ABareArrayIsTaken) { EXPECT_EQ(read("[" + kGood + "]").part.events.size(), 1U); }

TEST(BytepsCommTest, CatMayBeMissingAndTidANumber) {
  const StageTrace trace =
      read(R"({"traceEvents":[{"ph":"X","pid":"Comm.t","name":"Comm.t.PULL","ts":1,"dur":0,"tid":65537}]})").part;
  EXPECT_EQ(trace.events[0].key, 65'537);
}

TEST(BytepsCommTest, TheStageIsTheTextBehindTheLastDotAndOnlyIfItIsOne) {
  const StageTrace trace =
      read(object(event("Comm.a.PUSH.layer.1.weight.COPYD2H", "65536") + "," + event("Comm.x.PUSH", "total"))).part;
  EXPECT_EQ(trace.tensors[trace.events[0].tensor], "a.PUSH.layer.1.weight");
  EXPECT_EQ(trace.events[0].stage, Stage::kCopyD2H);
  EXPECT_EQ(trace.tensors[trace.events[1].tensor], "x.PUSH");
  EXPECT_EQ(trace.events[1].stage, Stage::kTotal);
}

TEST(BytepsCommTest, AllTwelveStagesAreKnown) {
  constexpr const char* kNames[] = {"COORDINATE_REDUCE",
                                    "REDUCE",
                                    "COPYD2H",
                                    "PCIE_REDUCE",
                                    "COORDINATE_PUSH",
                                    "COMPRESS",
                                    "PUSH",
                                    "PULL",
                                    "DECOMPRESS",
                                    "COPYH2D",
                                    "COORDINATE_BROADCAST",
                                    "BROADCAST"};
  int expected = 1;
  for (const char* name : kNames) {
    const StageTrace trace = read(object(event(std::string("Comm.t.") + name, "1"))).part;
    EXPECT_EQ(static_cast<int>(trace.events[0].stage), expected++) << name;
  }
}

TEST(BytepsCommTest, AKeyBeyond31BitsIsRecordedAsNegativeAndComesBack) {
  // The key of declared tensor 40000 is 40000 * 65536. As a signed 32-bit number it is 2^32 less: -1673527296.
  const StageTrace trace = read(object(event("Comm.t.PUSH", "-1673527296"))).part;
  EXPECT_EQ(trace.events[0].key, std::int64_t{40'000} << 16);
}

TEST(BytepsCommTest, MergedFilesKeepWhoseEventsTheyAre) {
  const StageTrace trace =
      read(
          R"([{"ph":"X","pid":"0","name":"Comm.t.PUSH","ts":1,"dur":1,"tid":"1"},{"ph":"X","pid":"rank1.Comm.t","name":"rank1.Comm.t.PUSH","ts":1,"dur":1,"tid":"1"}])")
          .part;
  EXPECT_EQ(trace.processes[trace.events[0].process], "0");
  EXPECT_EQ(trace.processes[trace.events[1].process], "rank1");
  EXPECT_EQ(trace.events[0].tensor, trace.events[1].tensor);
}

struct BadRecord {
  std::string record;
  const char* diagnostic;
};

class BytepsCommBadRecordTest : public ::testing::TestWithParam<BadRecord> {};

TEST_P(BytepsCommBadRecordTest, IsSkippedCountedAndNamedAndItsNeighboursAreUsed) {
  const auto parsed = read(object(kGood + "," + GetParam().record + "," + kGood));
  EXPECT_EQ(parsed.part.events.size(), 2U);
  EXPECT_EQ(parsed.sink.diagnostics.count_of(GetParam().diagnostic), 1U) << GetParam().record;
  EXPECT_EQ(parsed.sink.skipped, 1U);
  EXPECT_EQ(parsed.sink.events, 3U);
}

INSTANTIATE_TEST_SUITE_P(
    Malformed, BytepsCommBadRecordTest,
    ::testing::Values(BadRecord{event("Comm.t.PUSH", "1", R"("ts": 5)"), "bad_time"},
                      BadRecord{event("Comm.t.PUSH", "1", R"("dur": 5)"), "bad_time"},
                      BadRecord{event("Comm.t.PUSH", "1", R"("ts": -5, "dur": 5)"), "bad_time"},
                      BadRecord{event("Comm.t.PUSH", "1", R"("ts": 5, "dur": -5)"), "bad_time"},
                      BadRecord{event("Comm.t.PUSH", "1", R"("ts": 9e15, "dur": 5)"), "bad_time"},
                      BadRecord{event("Comm.t.PUSH", "1", R"("ts": 5, "dur": 9e15)"), "bad_time"},
                      BadRecord{event("Comm.t.PUSH", "1", R"("ts": true, "dur": 5)"), "bad_time"},
                      BadRecord{event("Comm.t.PUSH", "1", R"("ts": "soon", "dur": 5)"), "bad_time"},
                      BadRecord{event("Comm.t.PUSHED", "1"), "unknown_stage"},
                      BadRecord{event("Comm.t", "1"), "unknown_stage"},
                      BadRecord{event("Comm.t.PUSH", "one"), "bad_partition_key"},
                      BadRecord{event("Comm.t.PUSH", "1.5"), "bad_partition_key"},
                      BadRecord{event("Comm.t.PUSH", ""), "bad_partition_key"},
                      BadRecord{event("Comm.t.PUSH", "99999999999999999999"), "bad_partition_key"},
                      BadRecord{event("Comm.t.PUSH", "4294967296"), "bad_partition_key"},
                      BadRecord{event("FW.conv", "1"), "not_a_stage"}, BadRecord{event("", "1"), "not_a_stage"},
                      BadRecord{R"({"ph": "B", "name": "Comm.t.PUSH", "ts": 1, "tid": "1"})", "not_a_span"}));

TEST(BytepsCommTest, WhatHoldsNoStageIsRefused) {
  for (const std::string& text :
       {std::string("{\"traceEvents\": []}"), std::string("[]"), object(event("FW.x", "1"))}) {
    EXPECT_THAT(refusal("byteps_comm", text, "comm.json"), HasSubstr("expected")) << text;
  }
}

// BytePS's writer thread may stop anywhere. The complete events before the cut are used.
TEST(BytepsCommTest, EveryCutUsesTheWholeEventsBeforeIt) {
  const std::string text = object(kGood + ",\n" + kGood);
  const std::size_t first = text.find('}', text.find("\"cat\"")) + 1;
  const std::size_t second = text.find('}', text.find("\"cat\"", first)) + 1;
  for (std::size_t cut = first; cut < text.size() - 2; ++cut) {
    const auto parsed = read(text.substr(0, cut));
    EXPECT_EQ(parsed.part.events.size(), cut < second ? 1U : 2U) << cut;
    EXPECT_EQ(parsed.sink.diagnostics.count_of("truncated_file"), 1U) << cut;
  }
}

}  // namespace
}  // namespace stepsim::ingest::byteps_comm_test
