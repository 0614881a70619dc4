#include "ingest/cut/event_filter.h"

#include <gtest/gtest.h>

#include <string>

#include "ingest/bytes/memory_source.h"

namespace stepsim::ingest {
namespace {

std::string filtered(std::string_view text, const std::vector<std::uint64_t>& kept) {
  const auto source = memory_source(text, "x.json");
  std::string out;
  filter_events(*source, kept, [&out](std::string_view piece) { out += piece; });
  return out;
}

TEST(EventFilterTest, KeepsTheRecordsAtTheOffsetsAndAllElse) {
  const std::string text =
      R"({"a":[{"b":1}],"traceEvents":[{"n":"x]"},{"n":{"m":[1]}} , {"n":3}],"z":{"traceEvents":[{}]}})";
  const std::uint64_t second = text.find(R"({"n":{"m")");
  const std::uint64_t third = text.find(R"({"n":3)");
  EXPECT_EQ(filtered(text, {second, third}), R"({"a":[{"b":1}],"traceEvents":[)"
                                             "\n"
                                             R"({"n":{"m":[1]}},)"
                                             "\n"
                                             R"({"n":3})"
                                             "\n"
                                             R"(],"z":{"traceEvents":[{}]}})");
}

TEST(EventFilterTest, NothingKeptLeavesAnEmptyList) {
  EXPECT_EQ(filtered(R"({"traceEvents":[{"n":1},{"n":2}],"z":1})", {}), "{\"traceEvents\":[\n],\"z\":1}");
}

TEST(EventFilterTest, ABareListIsATraceToo) { EXPECT_EQ(filtered(R"([{"n":1},{"n":2}])", {1}), "[\n{\"n\":1}\n]"); }

TEST(EventFilterTest, AFileThatIsCutShortGetsItsBrackets) {
  EXPECT_EQ(filtered(R"({"traceEvents":[{"n":1},{"n":)", {16}), "{\"traceEvents\":[\n{\"n\":1}\n]}");
}

}  // namespace
}  // namespace stepsim::ingest
