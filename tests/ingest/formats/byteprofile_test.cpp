#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/ingest/read_text.h"

namespace stepsim::ingest::byteprofile_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Parsed<OperatorTrace> read(std::string_view events) {
  return read_text<OperatorTrace>("byteprofile", R"({"traceEvents": [)" + std::string(events) + "]}",
                                  "bps_trace_final.json");
}

TEST(ByteprofileTest, AnOperatorOfG2HasInputsAndAStep) {
  const auto event =
      read(R"({"name": "BW.a", "cat": "operator", "ph": "X", "ts": 10, "dur": 5, "pid": "rank0", "tid": 1,
                             "args": {"name": "BW.a", "step": 3, "input1": "FW.a", "input0": "BW.b", "input10": "Comm.w"}})")
          .part.events.at(0);
  EXPECT_EQ(event.name, "BW.a");
  EXPECT_EQ(event.process, "rank0");
  EXPECT_EQ(event.thread, "1");
  EXPECT_EQ(event.step, 3);
  EXPECT_EQ(event.start.time_since_epoch(), Duration{10'000});
  EXPECT_EQ(event.duration, Duration{5'000});
  EXPECT_THAT(event.inputs, ElementsAre("BW.b", "FW.a", "Comm.w"));
  EXPECT_FALSE(event.communication);
}

TEST(ByteprofileTest, AnOperatorOfG1HasArgsAndAThreadBeyond63Bits) {
  const auto event =
      read(
          R"({"name": "FW.a", "cat": "operator", "ph": "X", "ts": 1, "dur": 1, "pid": 0, "tid": 18446744073709551615, "args": {"name": "FW.a", "arg0": "FW.z", "arg1": "Comm.w"}})")
          .part.events.at(0);
  EXPECT_THAT(event.inputs, ElementsAre("FW.z", "Comm.w"));
  EXPECT_EQ(event.thread, "18446744073709551615");
  EXPECT_EQ(event.step, -1);
}

TEST(ByteprofileTest, PrefixesOfCombinedFilesBecomeTheProcess) {
  const auto events =
      read(
          R"({"name": "rank0.FW.a", "ph": "X", "ts": 1, "dur": 1, "pid": "wk1.rank0", "tid": 1, "args": {"input0": "rank0.STEP"}},
                              {"name": "host0.rank1->BW.a", "ph": "X", "ts": 1, "dur": 1, "pid": "host0.rank1", "tid": 1},
                              {"name": "rank0.Comm.w.PUSH", "ph": "X", "ts": 1, "dur": 1, "pid": "rank0.Comm.w", "tid": "65536", "args": {"input0": "rank0.BW.a"}})")
          .part.events;
  EXPECT_EQ(events[0].name, "FW.a");
  EXPECT_EQ(events[0].process, "wk1.rank0");
  EXPECT_THAT(events[0].inputs, ElementsAre("STEP"));
  EXPECT_EQ(events[1].name, "BW.a");
  EXPECT_EQ(events[1].process, "host0.rank1");
  EXPECT_EQ(events[2].name, "Comm.w.PUSH");
  EXPECT_EQ(events[2].process, "rank0");
  EXPECT_TRUE(events[2].communication);
  EXPECT_THAT(events[2].inputs, ElementsAre("BW.a"));
}

TEST(ByteprofileTest, BeginAndEndPairsOfARowMatchLastInFirstOut) {
  const auto events =
      read(
          R"({"name": "FW.a", "ph": "B", "ts": 1, "pid": 0, "tid": 1}, {"name": "FW.b", "ph": "B", "ts": 2, "pid": 0, "tid": 1},
                              {"name": "FW.b", "ph": "E", "ts": 5, "pid": 0, "tid": 1}, {"ph": "E", "ts": 9, "pid": 0, "tid": 1})")
          .part.events;
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].name, "FW.b");
  EXPECT_EQ(events[0].duration, Duration{3'000});
  EXPECT_EQ(events[1].name, "FW.a");
  EXPECT_EQ(events[1].duration, Duration{8'000});
}

TEST(ByteprofileTest, StepUpdateOutputAndInputEventsAreOperators) {
  const auto parsed = read(
      R"({"name": "STEP", "ph": "X", "ts": 1, "dur": 1, "pid": "rank0", "tid": 1}, {"name": "UPDATE_.w", "ph": "X", "ts": 1, "dur": 1, "pid": "rank0", "tid": 1},
                              {"name": "OUTPUT0", "ph": "X", "ts": 1, "dur": 1, "pid": "rank0", "tid": 1}, {"name": "I/O", "ph": "X", "ts": 1, "dur": 1, "pid": "rank0", "tid": 1, "cat": "I/O"},
                              {"name": "anything", "ph": "X", "ts": 1, "dur": 1, "pid": "rank0", "tid": 1, "cat": "operator"})");
  EXPECT_EQ(parsed.part.events.size(), 5U);
  EXPECT_EQ(parsed.sink.skipped, 0U);
}

struct BadRecord {
  const char* record;
  const char* diagnostic;
};

class ByteprofileBadRecordTest : public ::testing::TestWithParam<BadRecord> {};

TEST_P(ByteprofileBadRecordTest, IsSkippedCountedAndNamedAndItsNeighboursAreUsed) {
  constexpr const char* kGood = R"({"name": "FW.a", "ph": "X", "ts": 1, "dur": 1, "pid": 0, "tid": 1})";
  const auto parsed = read(std::string(kGood) + "," + GetParam().record + "," + kGood);
  EXPECT_EQ(parsed.part.events.size(), 2U);
  EXPECT_EQ(parsed.sink.diagnostics.count_of(GetParam().diagnostic), 1U) << GetParam().record;
  EXPECT_EQ(parsed.sink.skipped, 1U);
}

INSTANTIATE_TEST_SUITE_P(
    Malformed, ByteprofileBadRecordTest,
    ::testing::Values(
        BadRecord{R"({"name": "FW.a", "ph": "X", "ts": 1, "pid": 0, "tid": 1})", "bad_time"},
        BadRecord{R"({"name": "FW.a", "ph": "X", "dur": 1, "pid": 0, "tid": 1})", "bad_time"},
        BadRecord{R"({"name": "FW.a", "ph": "X", "ts": 1, "dur": -1, "pid": 0, "tid": 1})", "bad_time"},
        BadRecord{R"({"name": "FW.a", "ph": "X", "ts": -1, "dur": 1, "pid": 0, "tid": 1})", "bad_time"},
        BadRecord{R"({"name": "FW.a", "ph": "X", "ts": 1e300, "dur": 1, "pid": 0, "tid": 1})", "bad_time"},
        BadRecord{R"({"name": "FW.a", "ph": "X", "ts": 1, "dur": 9e15, "pid": 0, "tid": 1})", "bad_time"},
        BadRecord{R"({"name": "nothing known", "ph": "X", "ts": 1, "dur": 1, "pid": 0, "tid": 1})", "unknown_operator"},
        BadRecord{R"({"ph": "X", "ts": 1, "dur": 1, "pid": 0, "tid": 1})", "unknown_operator"},
        BadRecord{R"({"name": "FW.a", "ts": 1, "dur": 1, "pid": 0, "tid": 1})", "not_a_span"},
        BadRecord{R"({"name": "FW.a", "ph": "Q", "ts": 1, "dur": 1, "pid": 0, "tid": 1})", "not_a_span"},
        BadRecord{R"({"name": "FW.a", "ph": "B", "ts": 1, "pid": 0, "tid": 1})", "unmatched_begin"},
        BadRecord{R"({"name": "FW.a", "ph": "E", "ts": 1, "pid": 0, "tid": 1})", "unmatched_end"}));

TEST(ByteprofileTest, EndsAtTimesThatCannotBeAreLeftOut) {
  // For some of these ends, the difference to the begin does not fit into 64 bits.
  for (const char* const end : {"-9223372036854775.807", "9223372036854775.807", "-1", "1e300"}) {
    const auto parsed = read(R"({"name": "FW.a", "ph": "B", "ts": 2000000000000000, "pid": 0, "tid": 1},)"
                             R"({"name": "FW.a", "ph": "E", "ts": )" +
                             std::string(end) +
                             R"(, "pid": 0, "tid": 1},)"
                             R"({"name": "FW.b", "ph": "X", "ts": 1, "dur": 1, "pid": 0, "tid": 1})");
    ASSERT_EQ(parsed.part.events.size(), 1U) << end;
    EXPECT_EQ(parsed.sink.diagnostics.count_of("bad_time"), 1U) << end;
    EXPECT_EQ(parsed.sink.diagnostics.count_of("unmatched_begin"), 1U) << end;
    EXPECT_EQ(parsed.sink.skipped, 2U) << end;
  }
}

TEST(ByteprofileTest, ManyOpenPairsAreMatchedInLinearTime) {
  constexpr int kPairs = 50'000;
  std::string events;
  for (int i = 0; i < kPairs; ++i) events += R"({"name": "FW.a", "ph": "B", "ts": 1, "pid": 0, "tid": 1},)";
  for (int i = 0; i < kPairs; ++i)
    events += std::string(R"({"name": "FW.a", "ph": "E", "ts": 2, "pid": 0, "tid": 1})") + (i + 1 < kPairs ? "," : "");
  EXPECT_EQ(read(events).part.events.size(), static_cast<std::size_t>(kPairs));
}

TEST(ByteprofileTest, WhatHoldsNoOperatorIsRefused) {
  EXPECT_THAT(refusal("byteprofile", R"({"traceEvents": []})", "bps_trace.json"), HasSubstr("expected"));
}

}  // namespace
}  // namespace stepsim::ingest::byteprofile_test
