#include "cli/program/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "cli/program/arguments.h"
#include "model/base/error.h"
#include "tests/thrown_by.h"

namespace stepsim::cli {
namespace {

using stepsim::testing::thrown_by;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

/// Returns the common options after `stepsim replay ARGUMENTS`.
CommonOptions parsed(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "replay");
  CLI::App app{"", "stepsim replay"};
  const auto options = add_common_options(app, {.command = "replay", .contents = {sim::Content::kDocument}});
  EXPECT_EQ(parse(app, arguments), Parsed::kReady);
  return options();
}

std::string usage_error(std::vector<std::string> arguments) {
  return thrown_by<UsageError>([&] { return parsed(std::move(arguments)); }, "no error");
}

TEST(OptionsTest, TracesAloneLeaveTheRestAtItsDefaults) {
  const CommonOptions options = parsed({"a.json", "folder"});
  EXPECT_THAT(options.traces, ElementsAre("a.json", "folder"));
  EXPECT_FALSE(options.job_file || options.steps || options.output || options.json || options.quiet);
  EXPECT_THAT(options.ranks, IsEmpty());
  EXPECT_GE(options.threads, 1);
}

TEST(OptionsTest, OptionsMayStandAnywhere) {
  const CommonOptions options =
      parsed({"--json", "a", "--steps", "4-6", "b", "-o", "out.json", "--threads=3", "--quiet"});
  EXPECT_THAT(options.traces, ElementsAre("a", "b"));
  EXPECT_EQ(options.steps, std::pair(std::int64_t{4}, std::int64_t{6}));
  EXPECT_EQ(options.output, "out.json");
  EXPECT_EQ(options.threads, 3);
  EXPECT_TRUE(options.json && options.quiet);
}

TEST(OptionsTest, NamesThatTheLibraryGivesAMeaningToAreOnlyNames) {
  // CLI11 splits "[a,b]", empties "{}", and drops "%%" if it fills vectors itself.
  EXPECT_THAT(parsed({"[a,b]"}).traces, ElementsAre("./[a,b]"));
  EXPECT_THAT(parsed({"{}"}).traces, ElementsAre("{}"));
  EXPECT_THAT(parsed({"%%", "x"}).traces, ElementsAre("%%", "x"));
  EXPECT_THAT(parsed({"--", "--json"}).traces, ElementsAre("--json"));
}

TEST(OptionsTest, StepsAreARangeOrOneNumber) {
  EXPECT_THAT(parse_steps("4-6"), Pair(4, 6));
  EXPECT_THAT(parse_steps("7"), Pair(7, 7));
  for (const char* wrong : {"", "-", "6-4", "-4", "4-", "a-b", "1-2-3", "1.5", " 4", "99999999999999999999"}) {
    EXPECT_THROW(static_cast<void>(parse_steps(wrong)), UsageError) << wrong;
  }
}

TEST(OptionsTest, RanksAreAListOfNumbersAndRangesInAnyOrder) {
  EXPECT_THAT(parse_ranks("3"), ElementsAre(3));
  EXPECT_THAT(parse_ranks("9,0,2-4,3"), ElementsAre(0, 2, 3, 4, 9));
  for (const char* wrong : {"", ",", "1,", "1,,2", "x", "-1", "4-2", "0-1000000", "0-999999,5", "2147483648"}) {
    EXPECT_THROW(static_cast<void>(parse_ranks(wrong)), UsageError) << wrong;
  }
}

TEST(OptionsTest, ThreadsAreOneToOneThousandAndTwentyFour) {
  EXPECT_EQ(parse_threads("1"), 1);
  EXPECT_EQ(parse_threads("1024"), 1024);
  for (const char* wrong : {"", "0", "-1", "+2", "1025", "two", "2.0", "0x2"}) {
    EXPECT_THROW(static_cast<void>(parse_threads(wrong)), UsageError) << wrong;
  }
}

TEST(OptionsTest, RowsAreANumberOrAll) {
  EXPECT_EQ(parse_rows("0"), 0U);
  EXPECT_EQ(parse_rows("30"), 30U);
  EXPECT_GT(parse_rows("all"), std::size_t{1} << 40U);
  for (const char* wrong : {"", "-1", "many", "3.5"}) {
    EXPECT_THROW(static_cast<void>(parse_rows(wrong)), UsageError) << wrong;
  }
}

TEST(OptionsTest, ANetworkModelIsOneOfTheRegisteredOnes) {
  for (const NetworkModel* const model : network_models()) {
    EXPECT_EQ(&parse_network(model->name), model);
  }
  EXPECT_THAT(usage_error({"a", "--network", "recordd"}), HasSubstr("did you mean 'recorded'?"));
}

TEST(OptionsTest, EveryErrorNamesTheOptionAsTyped) {
  EXPECT_EQ(usage_error({"a", "--job"}), "--job has no value; expected FILE");
  EXPECT_EQ(usage_error({"a", "--job", "x", "--job", "y"}), "--job is given more than once; expected it once");
  EXPECT_EQ(usage_error({"a", "--json=yes"}), "--json takes no value; expected it alone");
  EXPECT_THAT(usage_error({"a", "--thread", "2"}), HasSubstr("unknown option '--thread'; did you mean '--threads'?"));
  EXPECT_THAT(usage_error({"--jsn"}), HasSubstr("did you mean '--json'?"));
  EXPECT_EQ(usage_error({}), "TRACE is required; see 'stepsim replay --help'");
  EXPECT_EQ(usage_error({""}), "TRACE is empty; expected a file or a folder");
}

TEST(OptionsTest, WhatWasTypedIsShownEscaped) {
  EXPECT_THAT(usage_error({"a", "--threads", "\x1b[2J"}), HasSubstr("'\\x1b[2J'"));
  EXPECT_THAT(usage_error({"a", "--\x9b"}), HasSubstr("\\x9b"));
}

}  // namespace
}  // namespace stepsim::cli
