#include "model/job/collective.h"

#include <gtest/gtest.h>

#include <string_view>

namespace stepsim {
namespace {

std::string_view word_in(std::string_view name) {
  const NamedOperation* const operation = find_operation(name);
  return operation == nullptr ? std::string_view{} : operation->word;
}

TEST(OperationNamesTest, LibrariesNameOneOperationDifferently) {
  for (const char* const name : {"all_gather", "_allgather_base_", "AllGather", "allgather_into_tensor_coalesced"}) {
    EXPECT_EQ(word_in(name), "allgather") << name;
  }
  for (const char* const name : {"reduce_scatter_tensor_coalesced", "_reduce_scatter_base", "ReduceScatter"}) {
    EXPECT_EQ(word_in(name), "reducescatter") << name;
  }
  EXPECT_EQ(word_in("all-reduce.3"), "allreduce");
  EXPECT_EQ(word_in("reduce_"), "reduce");
  EXPECT_EQ(word_in("recv_"), "recv");
  EXPECT_EQ(word_in("SendRecv"), "sendrecv");
  EXPECT_EQ(word_in("Broadcast"), "broadcast");
  EXPECT_EQ(word_in("wait"), "");
}

TEST(OperationNamesTest, NoWordHidesALongerOne) {
  for (const NamedOperation& operation : kOperations) EXPECT_EQ(word_in(operation.name), operation.word);
}

TEST(OperationNamesTest, EveryOperationHasANameButTheUnknownOne) {
  using enum CollectiveOp;
  for (const CollectiveOp op :
       {kAllReduce, kReduceScatter, kAllGather, kAllToAll, kBroadcast, kReduce, kSendRecv, kBarrier})
    EXPECT_EQ(find_operation(named_operation(op).name)->op, op);
  EXPECT_EQ(named_operation(kReduceScatter).name, "reduce_scatter");
  EXPECT_EQ(named_operation(kSendRecv).word, "sendrecv");
  EXPECT_EQ(named_operation(kUnknown).name, "");
}

// sendcount and recvcount of NCCL's API reference
TEST(OperationNamesTest, NcclCountsOneRanksPartOfWhatIsGatheredOrScattered) {
  for (const char* const function : {"AllGather", "ncclReduceScatter", "AlltoAll", "Gather", "Scatter"})
    EXPECT_TRUE(nccl_counts_one_part(function)) << function;
  for (const char* const function : {"AllReduce", "ncclBroadcast", "Reduce", "Send", "Recv", "unheardOf"})
    EXPECT_FALSE(nccl_counts_one_part(function)) << function;
}

}  // namespace
}  // namespace stepsim
