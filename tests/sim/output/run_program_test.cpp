#include "sim/output/run_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/base/error.h"

namespace stepsim::testing {
namespace {

TEST(RunProgramTest, HandsOverItsInputAndReturnsItsOutput) {
  // More than a pipe holds, both ways.
  const std::string text(1U << 20U, 'x');
  EXPECT_EQ(sim::run_program({"cat"}, text), text);
  EXPECT_EQ(sim::run_program({"echo", "$HOME; a b"}, ""), "$HOME; a b\n") << "no shell takes part";
}

TEST(RunProgramTest, SaysHowAProgramFailed) {
  EXPECT_THAT([] { static_cast<void>(sim::run_program({"false"}, "")); },
              ::testing::ThrowsMessage<OutputError>("false ended with exit code 1; expected it to do its work"));
  EXPECT_THROW(static_cast<void>(sim::run_program({"no-such-program-1"}, "")), OutputError);
}

TEST(RunProgramTest, FindsProgramsAlongThePath) {
  EXPECT_TRUE(sim::has_program("cat"));
  EXPECT_FALSE(sim::has_program("no-such-program-1"));
}

}  // namespace
}  // namespace stepsim::testing
