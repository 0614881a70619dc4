#include "ingest/stitch/parameter_server/recorded_gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace stepsim::ingest {
namespace {

using ::testing::ElementsAre;

/// Returns the ranks of a job in which worker 0 has two GPUs and worker 1 has one.
std::vector<Rank> ranks_of(std::optional<std::uint32_t> local_size) {
  std::vector<RecordedGpu> gpus(3);
  gpus[1].local_rank = 1;
  gpus[2].worker = 1;
  Job job;
  job.local_size = local_size;
  number_ranks(gpus, job);
  return {gpus[0].rank, gpus[1].rank, gpus[2].rank};
}

TEST(NumberRanksTest, EachWorkerGetsAsManyNumbersAsTheLargestOneHasGpus) {
  EXPECT_THAT(ranks_of({}), ElementsAre(0, 1, 2));
  EXPECT_THAT(ranks_of(1), ElementsAre(0, 1, 2));
}

TEST(NumberRanksTest, GpusThatWereNotRecordedKeepTheirNumbers) { EXPECT_THAT(ranks_of(4), ElementsAre(0, 1, 4)); }

}  // namespace
}  // namespace stepsim::ingest
