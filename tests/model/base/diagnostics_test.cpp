#include "model/base/diagnostics.h"

#include <gtest/gtest.h>

#include "model/base/known_diagnostics.h"

namespace stepsim {
namespace {

TEST(DiagnosticsTest, FirstOccurrenceFixesPlaceAndWords) {
  Diagnostics diagnostics;
  diagnostics.count(diagnostic("bad_record"), {.file = "a.json", .byte_offset = 10}, "no name");
  diagnostics.count(diagnostic("bad_record"), {.file = "b.json", .byte_offset = 20}, "no ts", 5);
  ASSERT_EQ(diagnostics.entries().size(), 1U);
  const Diagnostics::Entry& entry = diagnostics.entries().front();
  EXPECT_EQ(entry.count, 6U);
  EXPECT_EQ(entry.severity, Severity::kDataLoss);
  EXPECT_EQ(entry.remedy, diagnostic("bad_record").remedy);
  EXPECT_EQ(entry.detail, "no name");
  EXPECT_EQ(entry.first.to_text(), "a.json@10");
}

TEST(DiagnosticsTest, EntriesKeepTheOrderOfFirstAppearance) {
  Diagnostics diagnostics;
  diagnostics.count(diagnostic("polling"));
  diagnostics.count(diagnostic("bad_record"));
  diagnostics.count(diagnostic("polling"));
  diagnostics.count(diagnostic("odd_json"));
  ASSERT_EQ(diagnostics.entries().size(), 3U);
  EXPECT_EQ(diagnostics.entries()[0].name, "polling");
  EXPECT_EQ(diagnostics.entries()[1].name, "bad_record");
  EXPECT_EQ(diagnostics.entries()[2].name, "odd_json");
}

TEST(DiagnosticsTest, WhatAKindIsAboutIsPartOfTheName) {
  Diagnostics diagnostics;
  diagnostics.count_about(diagnostic("unknown category"), "npu", {}, {}, 2);
  diagnostics.count_about(diagnostic("unknown category"), "tpu", {}, {}, 3);
  EXPECT_EQ(diagnostics.count_of("unknown category npu"), 2U);
  EXPECT_EQ(diagnostics.count_of("unknown category tpu"), 3U);
}

TEST(DiagnosticsTest, MergedCountsAddUpAndKeepTheFirstPlace) {
  Diagnostics left;
  Diagnostics right;
  left.count(diagnostic("polling"), {.file = "left"}, {}, 2);
  right.count(diagnostic("polling"), {.file = "right"}, {}, 3);
  right.count(diagnostic("bad_record"), {.file = "right"});
  left.merge(right);
  EXPECT_EQ(left.count_of("polling"), 5U);
  EXPECT_EQ(left.entries()[0].first.file, "left");
  EXPECT_EQ(left.count_of("bad_record"), 1U);
}

TEST(DiagnosticsTest, WhatNeverHappenedCountsZero) { EXPECT_EQ(Diagnostics{}.count_of("bad_record"), 0U); }

}  // namespace
}  // namespace stepsim
