// Volumes and times of divided jobs that papers state in closed form.

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/cost/collective/algorithm.h"
#include "model/job/group.h"
#include "model/rewrite/parallel/parallelism.h"
#include "tests/model/rewrite/transformer_job.h"

namespace stepsim {
namespace {

using testing::TransformerJob;

/// Returns the bytes that the first rank of the groups with this name sends if all their collectives are rings.
Bytes sent_in_rings(const Dag& dag, std::string_view name) {
  Bytes sum{};
  for (const RendezvousId rendezvous : dag.all_rendezvous()) {
    const Collective& collective = dag.collective(rendezvous);
    if (dag.members(rendezvous).empty() || dag.group(collective.group).name != name) continue;
    const CollectiveShape shape = shape_of(collective, dag.group(collective.group).size, 1);
    for (std::uint32_t round = 0; round < ring_collective.rounds(shape); ++round) {
      std::vector<Send> sends;
      ring_collective.sends(shape, 0, round, sends);
      for (const Send& send : sends) sum += send.bytes;
    }
  }
  return sum;
}

// An all-reduce sends 2 (t - 1) / t of its payload B, and each layer has four. Divided by tokens, each is a
// reduce-scatter and an all-gather of (t - 1) / t, and the inputs of two layers are gathered once more: Korthikanti et
// al. 2022, 4.2.2 and 4.2.3.
TEST(DivisionTheoryTest, TokensAreExchangedInTheBytesOfAnAllReduce) {
  const TransformerJob job{.layers = 3, .ends = false};
  const Capture capture = job.capture();
  const std::int64_t hidden = job.tokens() * job.hidden * 4;
  for (const std::uint32_t ranks : {2U, 4U, 8U}) {
    const std::int64_t part = hidden / ranks * (ranks - 1);
    const Capture whole = with_parallelism(capture, {.tensor = ranks});
    const Capture by_tokens = with_parallelism(capture, {.tensor = ranks, .sequence = true});
    const auto layers = static_cast<std::int64_t>(job.layers);
    EXPECT_EQ(sent_in_rings(whole.dag, "tensor parallel").count(), layers * 4 * 2 * part);
    EXPECT_EQ(sent_in_rings(by_tokens.dag, "tensor parallel").count(), layers * (4 * 2 + 2) * part);
  }
}

}  // namespace
}  // namespace stepsim
