#include "cli/program/provenance.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "model/base/error.h"

namespace stepsim::cli {
namespace {

TEST(ProvenanceTest, ACommandLineCanBePastedIntoAShell) {
  const std::vector<std::string> arguments{"replay", "my traces/a.json", "it's", "--steps=1-2", ""};
  EXPECT_EQ(command_line(arguments), "stepsim replay 'my traces/a.json' 'it'\\''s' --steps=1-2 ''");
}

TEST(ProvenanceTest, WhatChangesNoResultIsLeftOut) {
  const std::vector<std::string> arguments{"replay", "a", "--threads", "7", "--quiet", "--json", "--threads=2"};
  EXPECT_EQ(command_line(arguments), "stepsim replay a --json");
}

TEST(ProvenanceTest, AnInputIsNamedBySizeAndChecksum) {
  const std::string path = ::testing::TempDir() + "provenance_test_input";
  std::ofstream(path) << "123456789";
  const std::vector<std::string> arguments{"replay"};
  const std::vector<std::string> inputs{path};
  const Provenance provenance = make_provenance(arguments, inputs);
  ASSERT_EQ(provenance.inputs.size(), 1U);
  EXPECT_EQ(provenance.inputs[0].bytes, 9U);
  // The check value of CRC-64/XZ in the catalogue of parametrised CRC algorithms (Cook).
  EXPECT_EQ(provenance.inputs[0].crc64, 0x995DC9BBDF1939FAU);
  std::filesystem::remove(path);
}

TEST(ProvenanceTest, AnInputThatIsGoneIsAnInputError) {
  const std::vector<std::string> arguments{"replay"};
  const std::vector<std::string> inputs{"/no/such/file"};
  EXPECT_THROW(static_cast<void>(make_provenance(arguments, inputs)), InputError);
}

}  // namespace
}  // namespace stepsim::cli
