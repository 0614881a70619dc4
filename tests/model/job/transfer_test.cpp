#include "model/job/transfer.h"

#include <gtest/gtest.h>

#include <array>

#include "model/job/dag_builder.h"

namespace stepsim {
namespace {

TEST(TransferTest, BytesMoveFromTheLastArrivalToTheLastEnd) {
  DagBuilder builder;
  const RendezvousId rendezvous = builder.add_rendezvous();
  for (Rank rank = 0; rank < 3; ++rank) {
    builder.join(rendezvous,
                 builder.add_task({.name = builder.intern("all-reduce"), .lane = builder.add_lane({.rank = rank})}));
  }
  const Dag dag = std::move(builder).build().dag;
  Recording recording;
  for (const std::int64_t start : {5, 20, 10}) recording.start.emplace_back(Duration{start});
  for (const std::int64_t finish : {50, 48, 49}) recording.finish.emplace_back(Duration{finish});
  const Transfer transfer = transfer_of(dag, recording, rendezvous);
  EXPECT_EQ(transfer.first, Time{Duration{5}});
  EXPECT_EQ(transfer.last, Time{Duration{20}});
  EXPECT_EQ(transfer.end, Time{Duration{50}});
  EXPECT_EQ(transfer.last_one, TaskId{1});
}

TEST(TransferTest, TransfersOfOneRankAtTheSameTimeOverlap) {
  DagBuilder builder;
  std::vector<Transfer> transfers;
  // The rank, the last arrival and the end of each transfer. One contains two others; the fifth begins as it ends.
  for (const auto& [rank, last, end] :
       std::vector<std::array<std::int32_t, 3>>{{0, 0, 10}, {0, 2, 3}, {0, 9, 12}, {1, 0, 10}, {0, 12, 13}}) {
    const RendezvousId rendezvous = builder.add_rendezvous();
    builder.join(rendezvous,
                 builder.add_task({.name = builder.intern("all-reduce"), .lane = builder.add_lane({.rank = rank})}));
    transfers.push_back({rendezvous, Time{Duration{last}}, Time{Duration{last}}, Time{Duration{end}}, {}});
  }
  const Dag dag = std::move(builder).build().dag;
  mark_overlaps(dag, transfers);
  std::vector<bool> alone;
  alone.reserve(transfers.size());
  for (const Transfer& transfer : transfers) alone.push_back(transfer.alone);
  EXPECT_EQ(alone, (std::vector<bool>{false, false, false, true, true}));
}

}  // namespace
}  // namespace stepsim
