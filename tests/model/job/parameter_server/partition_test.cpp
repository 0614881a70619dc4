#include "model/job/parameter_server/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include <string>

#include "model/job/parameter_server/server_rules.h"

namespace stepsim {
namespace {

using ::testing::ElementsAre;

Job job_with(std::uint32_t servers, const std::string& hash) {
  Job job;
  job.servers = servers;
  job.key_hash = hash;
  return job;
}

Bytes bound_for(std::int64_t bytes, std::uint32_t local_size, bool exact = false) {
  Job job;
  job.partition_bytes = Bytes{bytes};
  job.local_size = local_size;
  job.exact = exact;
  return partition_bound(job);
}

// The bound on a partition's size is rounded up to a multiple of local_size pages of 4096 bytes.
TEST(PartitionBound, IsRoundedUpToPagesOfAllGpus) {
  EXPECT_EQ(partition_bound(Job{}), Bytes{4'096'000});
  for (const std::uint32_t local_size : {1U, 2U, 4U, 5U, 8U})
    EXPECT_EQ(bound_for(4'096'000, local_size).count(), 4'096'000);
  for (const std::uint32_t local_size : {3U, 6U}) EXPECT_EQ(bound_for(4'096'000, local_size).count(), 4'104'192);
  EXPECT_EQ(bound_for(4'096'000, 7).count(), 4'100'096);
  EXPECT_EQ(bound_for(4'096'000, 16).count(), 4'128'768);
}

TEST(PartitionBound, IsTakenAsItIsWhereTheJobSaysSo) {
  EXPECT_EQ(bound_for(1'000'001, 3, true).count(), 1'000'001);
  EXPECT_EQ(bound_for(0, 1, true).count(), 1);
}

TEST(PartitionBound, NearTheEndOf64BitsIsTheLargestMultipleThere) {
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  for (const std::uint32_t local_size : {1U, 3U, 8U}) {
    const std::int64_t grain = 4096 * std::int64_t{local_size};
    for (const std::int64_t bytes : {kEnd, kEnd - 1, kEnd - grain}) {
      EXPECT_EQ(bound_for(bytes, local_size).count(), kEnd / grain * grain);
    }
  }
  EXPECT_EQ(partition_count(Bytes{kEnd}, Bytes{kEnd}), 1);
  EXPECT_EQ(partition_count(Bytes{kEnd}, Bytes{kEnd - 1}), 2);
  EXPECT_EQ(partition_count(Bytes{kEnd}, Bytes{1}), kEnd);
  EXPECT_EQ(partition_size(Bytes{kEnd}, Bytes{kEnd - 1}, 1), Bytes{1});
}

TEST(Partitions, AreAsLargeAsTheBoundButTheLast) {
  EXPECT_EQ(partition_count(Bytes{2'500'000}, Bytes{1'000'000}), 3);
  EXPECT_EQ(partition_size(Bytes{2'500'000}, Bytes{1'000'000}, 0), Bytes{1'000'000});
  EXPECT_EQ(partition_size(Bytes{2'500'000}, Bytes{1'000'000}, 2), Bytes{500'000});
  EXPECT_EQ(partition_size(Bytes{2'500'000}, Bytes{1'000'000}, 3), std::nullopt);
  EXPECT_EQ(partition_size(Bytes{2'500'000}, Bytes{1'000'000}, -1), std::nullopt);
}

TEST(Partitions, OfATensorThatTheBoundDividesAreAllAlike) {
  EXPECT_EQ(partition_count(Bytes{2'000'000}, Bytes{1'000'000}), 2);
  EXPECT_EQ(partition_size(Bytes{2'000'000}, Bytes{1'000'000}, 1), Bytes{1'000'000});
}

TEST(Partitions, OfAnEmptyTensorAreOneOfNoBytes) {
  EXPECT_EQ(partition_count(Bytes{}, Bytes{1'000'000}), 1);
  EXPECT_EQ(partition_size(Bytes{}, Bytes{1'000'000}, 0), Bytes{});
}

TEST(Partitions, HaveTheTensorsDeclaredKeyInTheUpperBits) {
  EXPECT_EQ(partition_key(399, 0), 26'148'864);
  EXPECT_EQ(partition_key(1, 2), 65'538);
}

// The expected hashes were computed by hand from the definitions of djb2 and sdbm.
TEST(KeyHash, HashesDecimalDigits) {
  EXPECT_EQ(djb2("0"), 177'621U);
  EXPECT_EQ(djb2("65536"), 210'653'553'582U);
  EXPECT_EQ(djb2("65537"), 210'653'553'583U);
  EXPECT_EQ(djb2("131072"), 6'951'369'072'467U);
  // The sdbm hash of "65536" is 3850799628401345593.
  EXPECT_EQ(server_of(65'536, job_with(4'294'967'291, "sdbm")), 3'850'799'628'401'345'593U % 4'294'967'291U);
}

TEST(KeyHash, ChoosesTheServer) {
  EXPECT_EQ(server_of(0, job_with(4, "djb2")), 1U);
  EXPECT_EQ(server_of(65'536, job_with(4, "djb2")), 2U);
  EXPECT_EQ(server_of(65'537, job_with(4, "djb2")), 3U);
  EXPECT_EQ(server_of(131'072, job_with(4, "djb2")), 3U);
  EXPECT_EQ(server_of(65'536, job_with(7, "sdbm")), 3'850'799'628'401'345'593U % 7);
  EXPECT_EQ(server_of(65'538, job_with(5, "naive")), (1U + 2U) * 9'973U % 5);
}

TEST(KeyHash, IsDjb2WhereTheJobDoesNotSay) {
  Job job;
  job.servers = 4;
  EXPECT_EQ(server_of(65'536, job), 2U);
}

TEST(KeyHash, IsNotGuessed) {
  EXPECT_EQ(server_of(0, Job{}), std::nullopt);
  EXPECT_EQ(server_of(0, job_with(2, "built_in")), std::nullopt);
  EXPECT_EQ(server_of(0, job_with(1, "built_in")), 0U);
  EXPECT_EQ(server_of(0, job_with(2, "mixed")), std::nullopt);  // its rule needs the number of workers
}

// BytePS's mixed mode runs a server on the host of each of W workers, and N servers on separate hosts. Keys whose hash
// modulo 101 is below a threshold go to the separate servers.
//
// W = 2, N = 2: the threshold is 101 * 2 * 2 * 1 / (2 * 4 - 4) = 101, so all keys go to the separate servers.
//
// W = 4, N = 1: the threshold is 101 * 2 * 3 / (4 * 5 - 2) = 33.67. Key 0 has djb2("0") mod 101 = 63, so it goes to a
// worker's host: to server 1 + djb2("63") mod 4, where djb2("63") = (5381 * 33 + '6') * 33 + '3' = 5861742, which is 2
// modulo 4.
TEST(KeyHash, MixedGivesServersWithoutAWorkerTheirShare) {
  Job job = job_with(4, "mixed");
  job.workers = 2;
  for (std::int64_t key = 0; key < 200; ++key) EXPECT_LT(server_of(key, job).value(), 2U);
  job = job_with(5, "mixed");
  job.workers = 4;
  ASSERT_EQ(djb2("0") % 101, 63U);
  EXPECT_EQ(server_of(0, job), 1U + 2U);
}

TEST(EngineThreads, TakeAKeyWhereTheyHaveTheFewestBytes) {
  const std::vector<Bytes> pushes{Bytes{10}, Bytes{3}, Bytes{3}, Bytes{5}, Bytes{3}};
  EXPECT_THAT(engine_threads(pushes, 2), ElementsAre(0, 1, 1, 1, 0));
  EXPECT_THAT(engine_threads(pushes, 1), ElementsAre(0, 0, 0, 0, 0));
}

}  // namespace
}  // namespace stepsim
