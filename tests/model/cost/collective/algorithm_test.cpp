#include "model/cost/collective/algorithm.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace stepsim {
namespace {

std::string_view chosen(const CollectiveShape& shape, std::string_view asked = {}) {
  const CollectiveModel* const model = model_for(shape, find_collective_model(asked));
  return model == nullptr ? "none" : model->name;
}

TEST(CollectiveModelsTest, EveryEntryIsCompleteAndFoundByItsName) {
  std::set<std::string_view> names;
  for (const CollectiveModel* const model : collective_models()) {
    EXPECT_TRUE(names.insert(model->name).second) << model->name;
    EXPECT_EQ(find_collective_model(model->name), model);
    for (const std::string_view text : {model->summary, model->formula, model->source, model->ignores}) {
      EXPECT_FALSE(text.empty()) << model->name;
    }
  }
  EXPECT_EQ(find_collective_model("nonesuch"), nullptr);
  EXPECT_EQ(names, (std::set<std::string_view>{"ring", "tree", "halving_doubling", "direct", "hierarchical", "nccl"}));
}

/// Returns the messages that a member sends in a round, as pairs of distance and bytes, and how many it receives.
auto messages_of(const CollectiveModel& model, const CollectiveShape& shape, std::uint32_t member,
                 std::uint32_t round) {
  std::vector<Send> sends;
  model.sends(shape, member, round, sends);
  std::vector<std::pair<std::uint32_t, Bytes>> messages;
  messages.reserve(sends.size());
  for (const Send& one : sends) messages.emplace_back(place(shape.members, one.to, -std::int64_t{member}), one.bytes);
  return std::pair(messages, model.receives(shape, member, round));
}

TEST(CollectiveModelsTest, CyclicAlgorithmsStayTheSameIfTheHostsMove) {
  std::set<std::string_view> cyclic;
  for (const CollectiveModel* const model : collective_models()) {
    if (model->is_cyclic == nullptr || model->whole != nullptr) continue;  // those have one message, to the next member
    for (const CollectiveOp op : {CollectiveOp::kAllReduce, CollectiveOp::kReduceScatter, CollectiveOp::kAllGather,
                                  CollectiveOp::kAllToAll, CollectiveOp::kBroadcast, CollectiveOp::kReduce}) {
      for (const std::uint32_t members : {2U, 3U, 4U, 6U, 8U, 12U}) {
        for (const std::uint32_t per_host : {1U, 2U, 3U}) {
          const CollectiveShape shape{op, members, Bytes{1'000'003}, 1, per_host};
          if (members % per_host != 0 || !model->supports(shape) || !model->is_cyclic(shape)) continue;
          cyclic.insert(model->name);
          for (std::uint32_t round = 0; round < model->rounds(shape); ++round) {
            for (std::uint32_t member = 0; member < members; ++member) {
              EXPECT_EQ(messages_of(*model, shape, member, round),
                        messages_of(*model, shape, place(members, member, per_host), round))
                  << model->name << " " << named_operation(op).name << " of " << members << ", round " << round;
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(cyclic, (std::set<std::string_view>{"ring", "direct", "hierarchical"}));
}

TEST(CollectiveModelsTest, TrafficIsTheSumOfAllRounds) {
  std::set<std::string_view> tested;
  for (const CollectiveModel* const model : collective_models()) {
    for (const CollectiveOp op :
         {CollectiveOp::kAllReduce, CollectiveOp::kReduceScatter, CollectiveOp::kAllGather, CollectiveOp::kAllToAll,
          CollectiveOp::kBroadcast, CollectiveOp::kReduce, CollectiveOp::kSendRecv}) {
      for (const std::uint32_t members : {2U, 3U, 4U, 7U}) {
        const CollectiveShape shape{op, members, Bytes{3'000'001}, 1, 1, Bytes{op == CollectiveOp::kSendRecv ? 5 : 0}};
        if (model->traffic == nullptr || !model->supports(shape)) continue;
        tested.insert(model->name);
        std::vector<MemberTraffic> sums(members);
        for (std::uint32_t round = 0; round < model->rounds(shape); ++round) {
          for (std::uint32_t member = 0; member < members; ++member) {
            std::vector<Send> sends;
            model->sends(shape, member, round, sends);
            for (const Send& send : sends) {
              ++sums[member].sent;
              ++sums[send.to].received;
              sums[member].bytes_sent += send.bytes;
              sums[send.to].bytes_received += send.bytes;
            }
          }
        }
        for (std::uint32_t member = 0; member < members; ++member) {
          EXPECT_EQ(model->traffic(shape, member), sums[member])
              << model->name << " " << named_operation(op).name << ", member " << member << " of " << members;
        }
      }
    }
  }
  EXPECT_EQ(tested, (std::set<std::string_view>{"ring", "direct", "nccl"}));
}

TEST(CollectiveModelsTest, NcclTreatsAllMembersAlikeExceptInAMessage) {
  const CollectiveModel& nccl = *find_collective_model("nccl");
  EXPECT_TRUE(nccl.is_cyclic({CollectiveOp::kAllReduce, 4, Bytes{1'000}}));
  EXPECT_TRUE(nccl.is_cyclic({CollectiveOp::kAllToAll, 4, Bytes{1'000}}));
  EXPECT_FALSE(nccl.is_cyclic({CollectiveOp::kSendRecv, 2, Bytes{1'000}}));
}

TEST(ModelForTest, LibrariesTakeRingsForReductionsAndPairsForExchanges) {
  EXPECT_EQ(chosen({CollectiveOp::kAllReduce, 4, Bytes{1000}}), "ring");
  EXPECT_EQ(chosen({CollectiveOp::kAllGather, 3, Bytes{1000}}), "ring");
  EXPECT_EQ(chosen({CollectiveOp::kReduceScatter, 3, Bytes{1000}}), "ring");
  EXPECT_EQ(chosen({CollectiveOp::kAllToAll, 8, Bytes{1000}}), "direct");
  EXPECT_EQ(chosen({CollectiveOp::kSendRecv, 2, Bytes{1000}}), "direct");
}

TEST(ModelForTest, ShortBroadcastsTakeATreeAndLongOnesAPipeline) {
  EXPECT_EQ(chosen({CollectiveOp::kBroadcast, 8, kPipelineSlice}), "tree");
  EXPECT_EQ(chosen({CollectiveOp::kReduce, 8, kPipelineSlice + Bytes{1}}), "ring");
}

TEST(ModelForTest, WhatIsAskedForIsTakenWhereItSupportsTheShape) {
  const CollectiveShape all_reduce{CollectiveOp::kAllReduce, 6, Bytes{1000}, 0, 2};
  for (const CollectiveModel* const model : collective_models()) {
    EXPECT_EQ(chosen(all_reduce, model->name), model->name);
  }
  EXPECT_EQ(chosen({CollectiveOp::kAllReduce, 6, Bytes{1000}, 0, 4}, "hierarchical"), "ring");
  EXPECT_EQ(chosen({CollectiveOp::kReduceScatter, 6, Bytes{1000}}, "halving_doubling"), "ring");
  EXPECT_EQ(chosen({CollectiveOp::kAllToAll, 6, Bytes{1000}}, "tree"), "direct");
}

TEST(ModelForTest, UnknownOperationsAndSizesHaveNoModel) {
  EXPECT_EQ(chosen({CollectiveOp::kUnknown, 4, Bytes{1000}}), "none");
  EXPECT_EQ(chosen({CollectiveOp::kBarrier, 4, Bytes{1000}}), "none");
  EXPECT_EQ(chosen({CollectiveOp::kAllReduce, 4, Bytes{0}}), "none");
  EXPECT_EQ(chosen({CollectiveOp::kSendRecv, 3, Bytes{1000}}), "none");
}

TEST(RingTest, RoundsOfABroadcastAreFewWhateverSizeATraceNames) {
  const CollectiveShape hostile{CollectiveOp::kBroadcast, 8, Bytes{std::int64_t{1} << 50}};

  EXPECT_LT(find_collective_model("ring")->rounds(hostile), 2'000U);
}

TEST(PartOfTest, PartsAreEqualAndCoverThePayload) {
  EXPECT_EQ(part_of(Bytes{1000}, 8), Bytes{125});
  EXPECT_EQ(part_of(Bytes{1001}, 8), Bytes{126});
  EXPECT_EQ(part_of(Bytes{}, 8), Bytes{});
  for (const std::int64_t bytes : {1L, 10L, 1'000'003L, 1L << 62}) {
    for (const std::uint32_t parts : {1U, 3U, 7U, 4096U}) {
      const Bytes all = parts_of(parts, part_of(Bytes{bytes}, parts));
      EXPECT_GE(all.count(), bytes);
      EXPECT_LT(all.count(), bytes + parts);
    }
  }
}

}  // namespace
}  // namespace stepsim
