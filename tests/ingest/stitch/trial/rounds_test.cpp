#include "ingest/stitch/trial/rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace stepsim::ingest::rounds_test {
namespace {

using ::testing::ElementsAre;

constexpr std::int64_t kMicrosecond = 1000;

Time at(std::int64_t us) { return Time{Duration{us * kMicrosecond}}; }

/// A timeline in which each phase lasts 1 us.
class Timeline {
 public:
  Timeline& phase(std::uint32_t tensor, const std::string& name, std::int64_t us) {
    trace.names.push_back(name);
    trace.phases.push_back(
        {tensor, static_cast<std::uint32_t>(trace.names.size() - 1), at(us), Duration{kMicrosecond}});
    return *this;
  }

  HorovodTrace trace;
};

std::vector<std::string> groups_of(const GpuRounds& rounds) {
  std::vector<std::string> groups;
  for (const Round& round : rounds.rounds) groups.push_back(round.group);
  return groups;
}

GpuRounds rounds_in(HorovodTrace trace, std::optional<ChunkTrace> chunks = {}) {
  GpuParts parts;
  parts.horovod = std::move(trace);
  parts.chunks = std::move(chunks);
  Diagnostics diagnostics;
  return rounds_of(parts, diagnostics);
}

TEST(RoundsTest, ATensorsNextRoundBeginsWhereThePipelineBeginsAgain) {
  Timeline timeline;
  timeline.trace.tensors = {{"a", {}}};
  timeline.phase(0, "NEGOTIATE_ALLREDUCE", 0).phase(0, "QUEUE", 2).phase(0, "NCCL_ALLREDUCE", 4);
  timeline.phase(0, "QUEUE", 10).phase(0, "NCCL_ALLREDUCE", 12).phase(0, "NCCL_ALLREDUCE", 20);
  const GpuRounds rounds = rounds_in(timeline.trace);
  ASSERT_EQ(rounds.rounds.size(), 3U);
  EXPECT_EQ(rounds.rounds[0].phases.size(), 3U);
  EXPECT_EQ(rounds.rounds[1].begin, at(10));
  EXPECT_EQ(rounds.rounds[2].phases.size(), 1U);
}

TEST(RoundsTest, TensorsWhoseSyncBeganTogetherWereFused) {
  Timeline timeline;
  timeline.trace.tensors = {{"10", {}}, {"2", {}}, {"3", {}}};
  timeline.phase(0, "Sync", 5).phase(1, "Sync", 5).phase(2, "Sync", 6);
  timeline.phase(0, "QUEUE", 8).phase(1, "QUEUE", 9);
  const GpuRounds rounds = rounds_in(timeline.trace);
  EXPECT_THAT(groups_of(rounds), ElementsAre("2+10", "3"));
  ASSERT_EQ(rounds.rounds[0].phases.size(), 2U);  // "Sync" and "QUEUE": each merges the phases of both tensors
  EXPECT_EQ(rounds.rounds[0].phases[1].start, at(8));
  EXPECT_EQ(rounds.rounds[0].phases[1].finish, at(10));
  EXPECT_EQ(rounds.stages.events.size(), 3U);  // one per tensor
}

TEST(RoundsTest, TensorsThatChunksNameTogetherWereFusedInThatRound) {
  Timeline timeline;
  timeline.trace.tensors = {{"1", {}}, {"2", {}}};
  timeline.phase(0, "QUEUE", 0).phase(1, "QUEUE", 1).phase(0, "QUEUE", 100).phase(1, "QUEUE", 101);
  ChunkTrace chunks;
  chunks.tensors = {"1+2", "1"};
  chunks.events = {{0, at(5), Duration{1}, true}, {1, at(110), Duration{1}, true}};
  EXPECT_THAT(groups_of(rounds_in(timeline.trace, chunks)), ElementsAre("1+2", "1", "2"));
}

TEST(RoundsTest, WithoutATimelineARoundBeginsWhereAChunkComesAgain) {
  GpuParts parts;
  parts.chunks.emplace();
  parts.chunks->tensors = {"1"};
  for (const std::int64_t us : {0, 10, 100, 110})
    parts.chunks->events.push_back({0, at(us), Duration{kMicrosecond}, true, 0, 0, us % 100 == 0 ? 0 : 1});
  Diagnostics diagnostics;
  const GpuRounds rounds = rounds_of(parts, diagnostics);
  ASSERT_EQ(rounds.rounds.size(), 2U);
  EXPECT_EQ(rounds.rounds[1].begin, at(100));
  EXPECT_EQ(rounds.rounds[1].end, at(111));
}

}  // namespace
}  // namespace stepsim::ingest::rounds_test
