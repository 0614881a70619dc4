#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/ingest/read_text.h"

/// Tests how each file of a dPRO trial is read. tests/malformed/trial_cases.py tests malformed files.
namespace stepsim::ingest::dpro_files_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TensorflowProfileTest, OperatorsOfGpusAreTakenAndAllOtherRowsAreNot) {
  const auto found = read_text<TensorflowTrace>("tensorflow_profile", R"({"traceEvents": [
      {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:GPU:0"}},
      {"ph": "M", "pid": 2, "name": "process_name", "args": {"name": "/host:CPU"}},
      {"ph": "X", "pid": 1, "tid": 7, "ts": 1.5, "dur": 2, "name": "MatMul",
       "args": {"group_id": "3", "long_name": "StatefulPartitionedCall/m/a:MatMul"}},
      {"ph": "X", "pid": 1, "tid": 8, "ts": 1.5, "dur": 2, "name": "sgemm"},
      {"ph": "X", "pid": 2, "tid": 7, "ts": 1.5, "dur": 2, "name": "Session"},
      {"ph": "M", "pid": 1, "tid": 7, "name": "thread_name", "args": {"name": "TensorFlow Ops"}},
      {"ph": "M", "pid": 2, "tid": 7, "name": "thread_name", "args": {"name": "TensorFlow Ops"}}]})");
  ASSERT_EQ(found.part.runs.size(), 1U);
  EXPECT_EQ(found.part.runs[0].name, "m/a");
  EXPECT_EQ(found.part.runs[0].type, "MatMul");
  EXPECT_EQ(found.part.runs[0].step, 3);
  EXPECT_EQ(found.part.runs[0].start, Time{Duration{1500}});
  EXPECT_EQ(found.sink.diagnostics.count_of("not used: rows other than operators of GPUs"), 2U);
}

TEST(OperatorMetadataTest, InputsAreOperatorsAndTheFirstOutputHasASize) {
  const auto found = read_text<OperatorMetadata>("operator_metadata", R"({
      "m/a": {"op": "MatMul", "input": [{"name": "x:0"}, {"name": "^init"}, {"name": "s/t:1"}],
              "output": [{"name": "m/a:0", "shape": [8, 4], "dtype": "float32"}, {"shape": [1], "dtype": "float32"}]},
      "m/b": {"op": "Relu", "input": [], "output": [{"shape": [null, 4], "dtype": "float32"}]}})");
  ASSERT_EQ(found.part.operators.size(), 2U);
  EXPECT_EQ(found.part.operators[0].type, "MatMul");
  EXPECT_THAT(found.part.operators[0].inputs, ElementsAre("x", "init", "s/t"));
  EXPECT_EQ(found.part.operators[0].output, Bytes{128});
  EXPECT_FALSE(found.part.operators[1].output.has_value());
}

TEST(NcclChunksTest, AChunkHasItsTensorsItsDirectionAndItsPlace) {
  const auto found = read_text<ChunkTrace>("nccl_chunks", R"([
      {"name": "horovod_allreduce.1+2<<x>>.RECV", "ph": "X", "ts": 6, "dur": 2, "pid": "host0.rank1", "tid": "Comm",
       "args": {"loopId": 1, "channelId": 2, "chunkId": 3, "sliceId": 4}}])");
  ASSERT_EQ(found.part.events.size(), 1U);
  const ChunkEvent& chunk = found.part.events[0];
  EXPECT_EQ(found.part.tensors[chunk.tensor], "1+2");
  EXPECT_FALSE(chunk.send);
  EXPECT_THAT((std::vector{chunk.loop, chunk.channel, chunk.chunk, chunk.slice}), ElementsAre(1, 2, 3, 4));
}

TEST(NcclChunksTest, GpusWithinOneMachineHaveNone) {
  EXPECT_TRUE(read_text<ChunkTrace>("nccl_chunks", R"({"traceEvents": []})").part.events.empty());
}

TEST(NcclRankGraphTest, HopsAreTakenByChannelEachOnce) {
  const auto found = read_text<RankGraph>("nccl_rank_graph", R"({"RealRing": {}, "Ring": {
      "0": "3[3000] -> 0[2000] [receive] via NET/Socket/0,0[2000] -> 1[3000] [send] via NET/Socket/0",
      "1": ["1[0] -> 0[0] via P2P", "1[0] -> 0[0] via P2P"]}, "Tree": {"-1": "[0] 1/-1/-1->0->-1"}})");
  EXPECT_THAT(found.part.ring, ElementsAre(RankGraph::Hop{0, 0, 1}, RankGraph::Hop{0, 3, 0}, RankGraph::Hop{1, 1, 0}));
  EXPECT_TRUE(found.part.tree);
}

TEST(BytepsMessagesTest, WhatAWorkerSendsIsARequestAndWhatAServerSendsAResponse) {
  const auto found = read_text<MessageTrace>("byteps_messages", R"([
      {"name": "process_name", "ph": "M", "pid": 1, "tid": 0, "args": {"name": "worker_0 -> server_1"}},
      {"name": "process_name", "ph": "M", "pid": 2, "tid": 0, "args": {"name": "server_1 -> worker_0"}},
      {"name": "a.b~PART2.PUSH", "ph": "B", "pid": 1, "tid": 0, "ts": 3}, {"name": "a.b~PART2.PUSH", "ph": "E", "pid": 1, "tid": 0, "ts": 5},
      {"name": "c.PULL", "ph": "B", "pid": 2, "tid": 0, "ts": 6}, {"name": "c.PULL", "ph": "E", "pid": 2, "tid": 0, "ts": 9}])");
  ASSERT_EQ(found.part.events.size(), 2U);
  const MessageEvent& push = found.part.events[0];
  EXPECT_EQ(found.part.tensors[push.tensor], "a.b");
  EXPECT_EQ(push.partition, 2);
  EXPECT_EQ(push.kind, MessageEvent::Kind::kPushRequest);
  EXPECT_EQ(push.server, 1);
  EXPECT_EQ(push.duration, Duration{2000});
  const MessageEvent& pull = found.part.events[1];
  EXPECT_EQ(pull.partition, -1);
  EXPECT_EQ(pull.kind, MessageEvent::Kind::kPullResponse);
  EXPECT_EQ(pull.worker, 0);
}

TEST(BytepsMessagesTest, MessagesThatOverlapInARowAreToldByTheirNames) {
  const auto found = read_text<MessageTrace>("byteps_messages", R"([
      {"name": "process_name", "ph": "M", "pid": 1, "tid": 0, "args": {"name": "worker_0 -> server_1"}},
      {"name": "a.PUSH", "ph": "B", "pid": 1, "tid": 0, "ts": 1}, {"name": "b.PUSH", "ph": "B", "pid": 1, "tid": 0, "ts": 2},
      {"name": "a.PUSH", "ph": "E", "pid": 1, "tid": 0, "ts": 5}, {"name": "b.PUSH", "ph": "E", "pid": 1, "tid": 0, "ts": 9}])");
  ASSERT_EQ(found.part.events.size(), 2U);
  EXPECT_EQ(found.part.events[0].duration, Duration{4000});
  EXPECT_EQ(found.part.events[1].duration, Duration{7000});
}

TEST(BytepsServersTest, WorkHasItsServerAndThread) {
  const auto found = read_text<ServerTrace>("byteps_servers", R"([
      {"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "server_3"}},
      {"name": "t~PART0.SUM", "ph": "X", "pid": 1, "tid": 2, "ts": 3, "dur": 4}])");
  ASSERT_EQ(found.part.events.size(), 1U);
  EXPECT_EQ(found.part.events[0].server, 3);
  EXPECT_EQ(found.part.events[0].thread, 2);
  EXPECT_EQ(found.part.events[0].kind, ServerEvent::Kind::kSum);
}

TEST(KeyDictTest, ALineIsATensorWithItsKeys) {
  const auto found = read_text<KeyTable>("key_dict", "byteps.gradient_0: 0 1\r\n\na:b: 65536\n", "key_dict.txt");
  ASSERT_EQ(found.part.tensors.size(), 2U);
  EXPECT_EQ(found.part.tensors[0].name, "byteps.gradient_0");
  EXPECT_THAT(found.part.tensors[0].keys, ElementsAre(0, 1));
  EXPECT_EQ(found.part.tensors[1].name, "a:b");
}

TEST(KeyDictTest, ALineOfMoreThanAMebibyteIsRefusedWithItsPlace) {
  EXPECT_THAT(refusal("key_dict", "t: " + std::string(1'100'000, '1'), "key_dict.txt"),
              HasSubstr("key_dict.txt:1: a line of more than 1 MiB"));
}

}  // namespace
}  // namespace stepsim::ingest::dpro_files_test
