#include "cli/program/terminal.h"

#include <gtest/gtest.h>

namespace stepsim::cli {
namespace {

using namespace std::chrono_literals;

std::string written;
void collect(std::string_view text) noexcept { written += text; }

class ProgressTest : public ::testing::Test {
 protected:
  void SetUp() override { written.clear(); }
  const Progress::Clock::time_point start_{};
};

TEST_F(ProgressTest, WorkUnderASecondShowsNothing) {
  {
    Progress progress(Progress::Where::kTerminal, collect, start_);
    progress.phase("reading", start_);
    progress.update(1, 2, start_ + 999ms);
  }
  EXPECT_EQ(written, "");
}

TEST_F(ProgressTest, ATerminalLineIsRewrittenAndWipedAtTheEnd) {
  {
    Progress progress(Progress::Where::kTerminal, collect, start_);
    progress.phase("reading", start_);
    progress.update(1, 4, start_ + 2s);         // a quarter in 2 s, so 6 s are left
    progress.update(2, 4, start_ + 2s + 99ms);  // too soon after the previous update
    progress.update(2, 4, start_ + 4s);
  }
  EXPECT_EQ(written, "\r\x1b[Kreading 25 %, 6 s left\r\x1b[Kreading 50 %, 4 s left\r\x1b[K");
}

TEST_F(ProgressTest, UnitsAreCountedWithTheirRate) {
  {
    Progress progress(Progress::Where::kTerminal, collect, start_);
    progress.phase("sweeping", start_, "points");
    progress.update(9, 36, start_ + 2s);
  }
  EXPECT_EQ(written, "\r\x1b[Ksweeping 9 of 36 points, 4.5 points/s, 6 s left\r\x1b[K");
}

TEST_F(ProgressTest, ALogGetsALineEveryThirtySeconds) {
  {
    Progress progress(Progress::Where::kLog, collect, start_);
    progress.phase("replaying", start_);
    progress.update(1, 10, start_ + 29s);
    progress.update(2, 10, start_ + 30s);
    progress.update(3, 10, start_ + 59s);
    progress.update(4, 10, start_ + 60s);
  }
  EXPECT_EQ(written, "replaying 20 %, 120 s left\nreplaying 40 %, 90 s left\n");
}

TEST_F(ProgressTest, QuietMeansNothingAtAll) {
  Progress progress(Progress::Where::kNowhere, collect, start_);
  progress.update(1, 10, start_ + 1h);
  EXPECT_EQ(written, "");
}

TEST_F(ProgressTest, AnUnknownTotalIsNoDivisionByZero) {
  Progress progress(Progress::Where::kLog, collect, start_);
  progress.phase("reading", start_);
  progress.update(5, 0, start_ + 31s);
  EXPECT_EQ(written, "reading ...\n");
}

}  // namespace
}  // namespace stepsim::cli
