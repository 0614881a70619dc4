#include "ingest/stitch/trial/rounds.h"

#include <gtest/gtest.h>

namespace stepsim::ingest {
namespace {

/// Returns the rings of a job of three GPUs. The first GPU's file contains these hops from rank to rank.
Rings rings_of(std::vector<RankGraph::Hop> hops, Diagnostics& diagnostics, bool tree = false) {
  std::vector<GpuParts> gpus(3);
  gpus[0].rank_graph = RankGraph{std::move(hops), tree};
  Assumptions assumptions;
  return Rings(gpus, diagnostics, assumptions);
}

TEST(RingTest, TheSenderIsTheOneThatTheHopsName) {
  Diagnostics diagnostics;
  const Rings rings = rings_of({{0, 0, 2}, {0, 2, 1}, {0, 1, 0}}, diagnostics);
  EXPECT_EQ(rings.sender_to(2, 0), 0U);
  EXPECT_EQ(rings.sender_to(1, 0), 2U);
  EXPECT_EQ(rings.sender_to(0, 0), 1U);
  EXPECT_EQ(rings.sender_to(1, 7), 0U);  // no file describes this channel, so the ring follows the ranks' order
  EXPECT_TRUE(diagnostics.entries().empty());
}

TEST(RingTest, HopsThatDoNotLeadAroundAllRanksAreNoRing) {
  for (const auto& hops : std::vector<std::vector<RankGraph::Hop>>{{{0, 0, 1}, {0, 1, 0}, {0, 2, 2}},
                                                                   {{0, 0, 1}, {0, 1, 2}},
                                                                   {{0, 0, 1}, {0, 1, 2}, {0, 2, 1}},
                                                                   {{0, 0, 1}, {0, 1, 2}, {0, 2, 9}}}) {
    Diagnostics diagnostics;
    EXPECT_EQ(rings_of(hops, diagnostics).sender_to(0, 0), 2U);
    EXPECT_EQ(diagnostics.count_of("broken_ring"), 1U);
  }
}

TEST(RingTest, TreesAloneLeaveOpenWhoSendsToWhom) {
  Diagnostics diagnostics;
  EXPECT_TRUE(rings_of({}, diagnostics, true).unknown());
  EXPECT_EQ(diagnostics.count_of("tree_not_modelled"), 1U);
}

}  // namespace
}  // namespace stepsim::ingest
