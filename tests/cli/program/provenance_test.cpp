#include "cli/program/provenance.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace stepsim::cli {
namespace {

TEST(ProvenanceTest, ACommandLineCanBePastedIntoAShell) {
  const std::vector<std::string> arguments{"replay", "my traces/a.json", "it's", "--steps=1-2", ""};
  EXPECT_EQ(command_line(arguments), "stepsim replay 'my traces/a.json' 'it'\\''s' --steps=1-2 ''");
}

TEST(ProvenanceTest, WhatChangesNoResultIsLeftOut) {
  const std::vector<std::string> arguments{"replay", "a",           "--threads", "7",        "--quiet",
                                           "--json", "--threads=2", "-v",        "--verbose"};
  EXPECT_EQ(command_line(arguments), "stepsim replay a --json");
}

TEST(ProvenanceTest, AfterTwoDashesAreOnlyPaths) {
  const std::vector<std::string> arguments{"stats", "--quiet", "--", "a", "--threads", "--quiet"};
  EXPECT_EQ(command_line(arguments), "stepsim stats -- a --threads --quiet");
}

TEST(ProvenanceTest, AnInputIsNamedWithSizeAndChecksum) {
  const std::vector<std::string> arguments{"replay", "a.json"};
  const Provenance provenance = make_provenance(arguments, {{"a.json", 9, 0x995DC9BBDF1939FAU}});
  ASSERT_EQ(provenance.inputs.size(), 1U);
  EXPECT_EQ(sim::to_text(provenance.inputs[0]), "a.json (9 bytes, crc64 995dc9bbdf1939fa)");
}

}  // namespace
}  // namespace stepsim::cli
