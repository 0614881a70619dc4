#include "sim/output/run_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "model/base/error.h"

namespace stepsim::testing {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using ::testing::ThrowsMessage;

std::string run(const std::vector<std::string>& command, std::string_view input, milliseconds time = hours{1}) {
  return sim::run_program(command, input, {.time = time, .bytes = 2'000'000, .advice = "less"});
}

/// Whether a process with this number exists and has not ended. waitpid() would work only for our own child processes.
bool is_running(pid_t process) {
  std::string word;
  std::ifstream status("/proc/" + std::to_string(process) + "/stat");
  status >> word >> word >> word;
  return status && word != "Z";
}

TEST(RunProgramTest, HandsOverItsInputAndReturnsItsOutput) {
  // The text of 1 MiB is more than a pipe can buffer, in both directions.
  const std::string text(1U << 20U, 'x');
  EXPECT_EQ(run({"cat"}, text), text);
  EXPECT_EQ(run({"echo", "$HOME; a b"}, ""), "$HOME; a b\n") << "no shell takes part";
}

TEST(RunProgramTest, SaysHowAProgramFailed) {
  EXPECT_THAT([] { static_cast<void>(run({"false"}, "")); },
              ::testing::ThrowsMessage<OutputError>("false ended with exit code 1; expected it to do its work"));
  EXPECT_THROW(static_cast<void>(run({"no-such-program-1"}, "")), OutputError);
}

TEST(RunProgramTest, AFailureHasStandardErrorAndItsLastLine) {
  try {
    static_cast<void>(run({"sh", "-c", "echo first >&2; echo 'error: last' >&2; exit 5"}, ""));
    FAIL() << "it failed";
  } catch (const sim::ProgramFailed& failure) {
    EXPECT_STREQ(failure.what(), "sh ended with exit code 5: error: last");
    EXPECT_EQ(failure.end().code, 5);
    EXPECT_EQ(failure.end().errors, "first\nerror: last");
  }
  try {
    static_cast<void>(run({"/bin/sh", "-c", "kill -9 $$"}, ""));
    FAIL() << "it was killed";
  } catch (const sim::ProgramFailed& failure) {
    EXPECT_STREQ(failure.what(), "/bin/sh ended with signal 9; expected it to do its work");
    EXPECT_EQ(failure.end().signal, 9);
  }
}

TEST(RunProgramTest, AProgramThatDoesNotEndIsKilled) {
  // The second script closes its output first.
  for (const char* const script : {"exec sleep 1000", "exec >&-; exec sleep 1000"}) {
    EXPECT_THAT(
        [&] {
          static_cast<void>(run({"sh", "-c", script}, "", milliseconds{100}));
        },
        ThrowsMessage<OutputError>("sh did not end within 100 ms; expected less"));
  }
}

TEST(RunProgramTest, ProcessorTimeIsLimitedAlsoBelowAShell) {
  // The second script spins in a child, whose signal the shell reports in its exit code.
  for (const char* const script : {"while :; do :; done", "(while :; do :; done); exit $?"}) {
    EXPECT_THAT(
        [&] {
          static_cast<void>(sim::run_program(
              {"sh", "-c", script}, "", {.processor_time = std::chrono::seconds{1}, .bytes = 1, .advice = "less"}));
        },
        ThrowsMessage<OutputError>("sh used more than 1 s of processor time; expected less"));
  }
}

TEST(RunProgramTest, WaitingIsNotProcessorTime) {
  EXPECT_EQ(sim::run_program({"sh", "-c", "sleep 1.5; ulimit -S -t; ulimit -S -c"}, "",
                             {.processor_time = std::chrono::seconds{1}, .bytes = 100, .advice = "less"}),
            "1\n0\n");
}

TEST(RunProgramTest, OutputWithoutEndIsCutOffAndWhatTheProgramStartedIsKilled) {
  const std::string file = ::testing::TempDir() + "run_program_test_sleeper";
  EXPECT_THAT(
      [&] {
        static_cast<void>(run({"sh", "-c", "sleep 1000 & echo $! > " + file + "; yes"}, ""));
      },
      ThrowsMessage<OutputError>("sh wrote more than 2MB; expected less"));
  pid_t sleeper = 0;
  ASSERT_TRUE(std::ifstream(file) >> sleeper);
  for (int i = 0; i < 60'000 && is_running(sleeper); ++i) std::this_thread::sleep_for(milliseconds{1});
  EXPECT_FALSE(is_running(sleeper));
}

TEST(RunProgramTest, StopsWhenItIsAskedTo) {
  const std::atomic<bool> stop{true};
  EXPECT_THROW(static_cast<void>(sim::run_program({"sleep", "1000"}, "",
                                                  {.time = hours{1}, .bytes = 1, .advice = "less", .stop = &stop})),
               Interrupted);
}

TEST(RunProgramTest, FindsProgramsAlongThePath) {
  EXPECT_TRUE(sim::has_program("cat"));
  EXPECT_FALSE(sim::has_program("no-such-program-1"));
}

}  // namespace
}  // namespace stepsim::testing
