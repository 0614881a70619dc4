#include "model/base/diagnostics.h"

#include <gtest/gtest.h>

namespace stepsim {
namespace {

TEST(DiagnosticsTest, FirstOccurrenceFixesPlaceAndWords) {
  Diagnostics diagnostics;
  diagnostics.count("bad_record", Severity::kDataLoss, "capture again", {.file = "a.json", .byte_offset = 10},
                    "no name");
  diagnostics.count("bad_record", Severity::kInfo, "something else", {.file = "b.json", .byte_offset = 20}, "no ts", 5);
  ASSERT_EQ(diagnostics.entries().size(), 1U);
  const Diagnostics::Entry& entry = diagnostics.entries().front();
  EXPECT_EQ(entry.count, 6U);
  EXPECT_EQ(entry.severity, Severity::kDataLoss);
  EXPECT_EQ(entry.remedy, "capture again");
  EXPECT_EQ(entry.detail, "no name");
  EXPECT_EQ(entry.first.to_text(), "a.json@10");
}

TEST(DiagnosticsTest, EntriesKeepTheOrderOfFirstAppearance) {
  Diagnostics diagnostics;
  for (const std::string_view name : {"zebra", "ant", "zebra", "mole"}) diagnostics.count(name, Severity::kInfo, "");
  ASSERT_EQ(diagnostics.entries().size(), 3U);
  EXPECT_EQ(diagnostics.entries()[0].name, "zebra");
  EXPECT_EQ(diagnostics.entries()[1].name, "ant");
  EXPECT_EQ(diagnostics.entries()[2].name, "mole");
}

TEST(DiagnosticsTest, MergedCountsAddUpAndKeepTheFirstPlace) {
  Diagnostics left;
  Diagnostics right;
  left.count("shared", Severity::kNotice, "r", {.file = "left"}, {}, 2);
  right.count("shared", Severity::kNotice, "r", {.file = "right"}, {}, 3);
  right.count("only right", Severity::kInfo, "r", {.file = "right"});
  left.merge(right);
  EXPECT_EQ(left.count_of("shared"), 5U);
  EXPECT_EQ(left.entries()[0].first.file, "left");
  EXPECT_EQ(left.count_of("only right"), 1U);
}

TEST(DiagnosticsTest, WhatNeverHappenedCountsZero) { EXPECT_EQ(Diagnostics{}.count_of("bad_record"), 0U); }

}  // namespace
}  // namespace stepsim
