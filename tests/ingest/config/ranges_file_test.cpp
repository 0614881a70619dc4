#include "ingest/config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/base/error.h"
#include "tests/thrown_by.h"

namespace stepsim::ingest {
namespace {

using stepsim::testing::thrown_by;

using ::testing::HasSubstr;

std::string problem_of(const std::string& text) {
  return thrown_by<InputError>([&] { return parse_ranges(text, "r.yaml"); }, "");
}

TEST(RangesFileTest, EverythingThatItMaySayIsRead) {
  const RangeSchedule schedule = parse_ranges(
      "warmup: 3\nrepeat: 7\nlayers:\n  fc1: {forward: [a, {name: b, occurrence: 4}], backward: [c]}\n"
      "  fc2:\n    forward_events: [a]\n    backward_events: [c]\n",
      "r.yaml");
  EXPECT_EQ(schedule.warmup, 3U);
  EXPECT_EQ(schedule.repeat, 7U);
  ASSERT_EQ(schedule.layers.size(), 2U);
  EXPECT_EQ(schedule.layers[0].name, "fc1");
  EXPECT_EQ(schedule.layers[0].forward.at(1).name, "b");
  EXPECT_EQ(schedule.layers[0].forward.at(1).occurrence, 4U);
  EXPECT_EQ(schedule.layers[1].backward.at(0).name, "c");
}

/// Empty lines and repeated names are ignored. Only the first occurrence of each name is measured.
TEST(RangesFileTest, EventsAreNamesOneALine) {
  const RangeSchedule schedule = parse_events("fprop\nbprop\r\n\nfprop\nl.c", "prof.events");
  ASSERT_EQ(schedule.layers.size(), 1U);
  EXPECT_EQ(schedule.layers[0].name, "High_Level");
  EXPECT_EQ(to_events(schedule), "fprop\nbprop\nl.c");
  for (const RangePlace& place : places_of(schedule)) EXPECT_EQ(place.occurrence, 0U);
  EXPECT_TRUE(to_text(schedule).starts_with("10\nfprop 11 High_Level 0\nfprop 12 High_Level 0\n"));
  const auto problem = [](const std::string& text) -> std::string {
    return thrown_by<InputError>([&] { return parse_events(text, "prof.events"); }, "");
  };
  EXPECT_THAT(problem("\n\n"), HasSubstr("the file has no name"));
  EXPECT_THAT(problem("a\nb c\n"), HasSubstr("prof.events:2: 'b c' is not a name of a range"));
  // NOLINTNEXTLINE(misc-misleading-bidirectional)
  for (const std::string name : {"\x1b[2J", "a\u009b2J", "\xe2\x80\xae", "\t", "\xff"})
    EXPECT_THAT(problem("a\n" + name), HasSubstr("prof.events:2: '"));
}

TEST(RangesFileTest, DefaultsAreThoseOfHugeCtr) {
  const RangeSchedule schedule = parse_ranges("layers: {fc1: {forward: [a]}}", "r.yaml");
  EXPECT_EQ(schedule.warmup, 10U);
  EXPECT_EQ(schedule.repeat, 50U);
}

TEST(RangesFileTest, MistakesNamePlaceFoundAndExpected) {
  EXPECT_THAT(problem_of(""), HasSubstr("r.yaml:1: the file has no layer; expected 'layers'"));
  EXPECT_THAT(problem_of("layers: [a]"), HasSubstr("expected a map of layers"));
  EXPECT_THAT(problem_of("layers:\n  fc1: [a]"), HasSubstr("r.yaml:2: 'fc1' is"));
  EXPECT_THAT(problem_of("layers:\n  fc1: {forwards: [a]}"), HasSubstr("did you mean 'forward'?"));
  EXPECT_THAT(problem_of("layers:\n  fc1: {forward: a}"), HasSubstr("expected a list of the names of ranges"));
  EXPECT_THAT(problem_of("layers:\n  fc1: {}"), HasSubstr("has no ranges"));
  EXPECT_THAT(problem_of("layers:\n  fc1: {forward: [a b]}"), HasSubstr("without blanks"));
  EXPECT_THAT(problem_of("layers:\n  f c: {forward: [a]}"), HasSubstr("without blanks"));
  for (const std::string name : {"\\e[2J", "a\\u009b2J", "\\u202eb", "\\t", "\\r"}) {
    EXPECT_THAT(problem_of("layers:\n  fc1: {forward: [\"" + name + "\"]}"), HasSubstr("control characters"));
    EXPECT_THAT(problem_of("layers:\n  \"" + name + "\": {forward: [a]}"), HasSubstr("control characters"));
  }
  EXPECT_THAT(problem_of("layers:\n  fc1: {forward: [{occurrence: 1}]}"), HasSubstr("a range has no 'name'"));
  EXPECT_THAT(problem_of("layers:\n  fc1: {forward: [{name: a, occurrence: -1}]}"), HasSubstr("r.yaml:2: "));
  EXPECT_THAT(problem_of("layers:\n  fc1: {forward: [a]}\n  fc1: {forward: [a]}"),
              HasSubstr("r.yaml:3: the layer 'fc1' is given twice, first in line 2"));
  EXPECT_THAT(problem_of("layers:\n  fc1: {forward: [a], forward_events: [b]}"),
              HasSubstr("is given twice for this layer"));
  EXPECT_THAT(problem_of("warmup: 0\nlayers: {fc1: {forward: [a]}}"), HasSubstr("'warmup' is '0'"));
  EXPECT_THAT(problem_of("repeat: many\nlayers: {fc1: {forward: [a]}}"), HasSubstr("'repeat' is 'many'"));
  EXPECT_THAT(problem_of("repeat: 10000000\nlayers: {fc1: {forward: [a]}}"), HasSubstr("takes 10000010 iterations"));
  EXPECT_THAT(problem_of("layers: {fc1: {forward: [a, {name: a, occurrence: 0}]}}"),
              HasSubstr("'a' with occurrence 0 is in the layers 'fc1' and 'fc1'"));
}

}  // namespace
}  // namespace stepsim::ingest
