#include "capture/session/settings.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace stepsim::capture {
namespace {

using Values = std::map<std::string, std::string>;

Variables variables(const Values& values) {
  return [values](const char* name) -> const char* {
    const auto value = values.find(name);
    return value == values.end() ? nullptr : value->second.c_str();
  };
}

TEST(IdentityTest, IsThatOfTheLauncher) {
  const Identity torchrun = identity_from(variables({{"RANK", "5"}, {"LOCAL_RANK", "1"}, {"WORLD_SIZE", "8"}}));
  EXPECT_EQ(torchrun.rank, 5U);
  EXPECT_EQ(torchrun.local_rank, 1U);
  EXPECT_EQ(torchrun.world, 8U);
  EXPECT_EQ(identity_from(variables({{"OMPI_COMM_WORLD_RANK", "3"}})).rank, 3U);
  EXPECT_EQ(identity_from(variables({{"SLURM_PROCID", "2"}, {"SLURM_NTASKS", "4"}})).world, 4U);
}

/// If Slurm starts torchrun, both set their variables. Only torchrun's variables describe the process.
TEST(IdentityTest, TorchrunIsBelievedBeforeSlurm) {
  EXPECT_EQ(identity_from(variables({{"SLURM_PROCID", "0"}, {"RANK", "7"}})).rank, 7U);
}

/// In BytePS, rank = worker x local size + local rank, here 2 x 4 + 3.
TEST(IdentityTest, OfBytepsIsMadeOfWorkerAndLocalRank) {
  const Identity byteps = identity_from(variables(
      {{"DMLC_WORKER_ID", "2"}, {"BYTEPS_LOCAL_RANK", "3"}, {"BYTEPS_LOCAL_SIZE", "4"}, {"DMLC_NUM_WORKER", "5"}}));
  EXPECT_EQ(byteps.rank, 11U);
  EXPECT_EQ(byteps.world, 20U);
}

TEST(IdentityTest, WithoutALauncherThereIsNone) {
  EXPECT_EQ(identity_from(variables({})).rank, std::nullopt);
  EXPECT_EQ(identity_from(variables({{"RANK", "first"}})).rank, std::nullopt);
}

TEST(SettingsTest, WithoutAFolderNothingIsRecorded) {
  EXPECT_EQ(settings_from(variables({}), std::nullopt).directory, "");
}

TEST(SettingsTest, AreThoseOfTheVariables) {
  const Settings settings = settings_from(variables({{"STEPSIM_CAPTURE_DIR", "/d"},
                                                     {"STEPSIM_CAPTURE_SKIP_FIRST", "1"},
                                                     {"STEPSIM_CAPTURE_WAIT", "2"},
                                                     {"STEPSIM_CAPTURE_WARMUP", "3"},
                                                     {"STEPSIM_CAPTURE_ACTIVE", "4"},
                                                     {"STEPSIM_CAPTURE_REPEAT", "5"},
                                                     {"STEPSIM_CAPTURE_BUFFER_MB", "16"},
                                                     {"STEPSIM_CAPTURE_STEP_RANGE", "step"},
                                                     {"STEPSIM_CAPTURE_SYNC", "0"}}),
                                          std::nullopt);
  EXPECT_EQ(settings.directory, "/d");
  EXPECT_EQ(settings.schedule.skip_first, 1U);
  EXPECT_EQ(settings.schedule.wait, 2U);
  EXPECT_EQ(settings.schedule.warm_up, 3U);
  EXPECT_EQ(settings.schedule.active, 4U);
  EXPECT_EQ(settings.schedule.repeat, 5U);
  EXPECT_EQ(settings.buffer_bytes, std::size_t{16} << 20U);
  EXPECT_EQ(settings.step_range, "step");
  EXPECT_FALSE(settings.sync);
  EXPECT_TRUE(settings.nvtx);
}

TEST(SettingsTest, OnlyListedRanksRecord) {
  const auto records = [](const char* list, std::optional<std::uint64_t> rank) {
    return !settings_from(variables({{"STEPSIM_CAPTURE_DIR", "/d"}, {"STEPSIM_CAPTURE_RANKS", list}}), rank)
                .directory.empty();
  };
  EXPECT_TRUE(records("0,4-6", 0));
  EXPECT_FALSE(records("0,4-6", 3));
  EXPECT_TRUE(records("0,4-6", 4));
  EXPECT_TRUE(records("0,4-6", 6));
  EXPECT_FALSE(records("0,4-6", 7));
  EXPECT_TRUE(records("", 7));
  EXPECT_TRUE(records("0", std::nullopt)) << "a program without ranks is the only one";
}

constexpr std::chrono::milliseconds kTick{1};

std::string why_over(const Settings& settings, bool marked, std::chrono::nanoseconds recorded, std::uint64_t bytes) {
  return settings.why_over(marked, recorded, bytes).value_or("goes on");
}

/// As docs/guides/record.md states: 60 s or 2 GiB.
TEST(BoundsTest, WithoutMarksARecordingEndsAfterAMinuteOrTwoGibibytes) {
  constexpr std::chrono::seconds kMinute{60};
  constexpr std::uint64_t kTwoGib = 2'147'483'648;
  EXPECT_EQ(why_over({}, false, kMinute - kTick, kTwoGib - 1), "goes on");
  EXPECT_EQ(why_over({}, false, kMinute, 0),
            "recording ended after 60 s, because no step was marked; give --duration for another time");
  EXPECT_EQ(why_over({}, false, kTick, kTwoGib),
            "recording ended at 2048 MiB, because no step was marked; give --max-size for more");
}

TEST(BoundsTest, WithMarksThereIsNone) {
  EXPECT_EQ(why_over({}, true, std::chrono::hours{1'000}, UINT64_MAX), "goes on");
}

/// The user knows the bound that he set, so nothing is said.
TEST(BoundsTest, BoundsThatAreSetHoldWithAndWithoutMarks) {
  const Settings timed = settings_from(variables({{"STEPSIM_CAPTURE_DURATION", "100"}}), std::nullopt);
  const Settings sized = settings_from(variables({{"STEPSIM_CAPTURE_MAX_MB", "3"}}), std::nullopt);
  for (const bool marked : {false, true}) {
    EXPECT_EQ(why_over(timed, marked, std::chrono::seconds{100} - kTick, 0), "goes on");
    EXPECT_EQ(why_over(timed, marked, std::chrono::seconds{100}, 0), "");
    EXPECT_EQ(why_over(sized, marked, kTick, 3'145'727), "goes on");
    EXPECT_EQ(why_over(sized, marked, kTick, 3'145'728), "");
  }
  EXPECT_EQ(why_over(sized, false, std::chrono::seconds{60}, 0).substr(0, 15), "recording ended") << "of the time";
}

TEST(BoundsTest, ZeroIsWithoutEnd) {
  const Settings endless =
      settings_from(variables({{"STEPSIM_CAPTURE_DURATION", "0"}, {"STEPSIM_CAPTURE_MAX_MB", "0"}}), std::nullopt);
  EXPECT_EQ(why_over(endless, false, std::chrono::hours{1'000}, UINT64_MAX), "goes on");
}

}  // namespace
}  // namespace stepsim::capture
