#include "ingest/stitch/trial/trial.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/ingest/stitched.h"

namespace stepsim::ingest::trial_test {
namespace {

using testing::edge;
using testing::task_of;
using testing::us;

Time at(std::int64_t microseconds) { return Time{us(microseconds)}; }

Capture stitched(TrialParts parts) {
  Assembly assembly;
  stitch_trial(std::move(parts), {}, assembly);
  return finish(std::move(assembly));
}

/// Returns a GPU of worker 0 on which Horovod reduces the tensors "0" and "1", one after the other.
GpuParts horovod_gpu(std::uint32_t local_rank) {
  GpuParts gpu;
  gpu.local_rank = local_rank;
  gpu.host = "host";
  HorovodTrace trace;
  trace.tensors = {{"0", {}}, {"1", {}}};
  trace.names = {"NEGOTIATE_ALLREDUCE", "QUEUE", "MEMCPY_IN_FUSION_BUFFER", "NCCL_ALLREDUCE"};
  for (std::uint32_t tensor = 0; tensor < 2; ++tensor) {
    for (std::uint32_t name = 0; name < trace.names.size(); ++name)
      trace.phases.push_back({tensor, name, at(100 * tensor + 10 * name), us(10)});
  }
  gpu.horovod = std::move(trace);
  return gpu;
}

TEST(TrialTest, ATensorWithoutASizeHasThatOfItsNumberInTheListOfGradients) {
  TrialParts parts;
  parts.gpus.push_back(horovod_gpu(0));
  parts.gpus[0].tensors = TensorTable{{{"weight", Bytes{4000}}, {"bias", Bytes{80}}}};
  const Capture capture = stitched(std::move(parts));
  EXPECT_EQ(capture.dag.bytes(task_of(capture, 0, "Comm.0.NCCL_ALLREDUCE")), Bytes{4000});
  EXPECT_EQ(capture.dag.bytes(task_of(capture, 0, "Comm.1.NCCL_ALLREDUCE")), Bytes{80});
}

TEST(TrialTest, OnlyReductionsRunOnTheGpu) {
  TrialParts parts;
  for (const std::uint32_t local_rank : {0U, 1U}) parts.gpus.push_back(horovod_gpu(local_rank));
  const Capture capture = stitched(std::move(parts));
  for (const std::int32_t rank : {0, 1}) {
    const auto device_of = [&](const char* name) { return capture.dag.lane(task_of(capture, rank, name)).device; };
    EXPECT_EQ(device_of("Comm.0.NCCL_ALLREDUCE"), rank);
    EXPECT_EQ(device_of("Comm.0.MEMCPY_IN_FUSION_BUFFER"), -1);
    EXPECT_EQ(device_of("Comm.0.QUEUE"), -1);
  }
}

/// Returns two workers that exchange the tensor "t" with a server. Worker 1 pushes 50 us later than worker 0.
TrialParts byteps_workers() {
  using Message = MessageEvent::Kind;
  TrialParts parts;
  parts.messages.emplace();
  parts.messages->tensors = {"t"};
  for (const std::int32_t worker : {0, 1}) {
    GpuParts& gpu = parts.gpus.emplace_back();
    gpu.worker = static_cast<std::uint32_t>(worker);
    gpu.host = "worker_" + std::to_string(worker);
    const auto add = [&](Message kind, std::int64_t microseconds) {
      parts.messages->events.push_back({0, at(microseconds), us(10), -1, kind, worker, 0});
    };
    add(Message::kPushRequest, 100 + 50 * worker);
    add(Message::kPushResponse, 120 + 50 * worker);
    add(Message::kPullRequest, 140 + 50 * worker);
    add(Message::kPullResponse, 220);
  }
  return parts;
}

TEST(TrialTest, AServerAnswersWhenEachWorkerHasPushed) {
  const Capture capture = stitched(byteps_workers());
  ASSERT_EQ(capture.diagnostics.count_of("message_outside_steps"), 0U);
  for (const Rank pushes : {0, 1}) {
    for (const Rank pulls : {0, 1}) {
      const auto found =
          edge(capture, task_of(capture, pushes, "Comm.t.PUSH_REQ"), task_of(capture, pulls, "Comm.t.PULL_RES"));
      ASSERT_TRUE(found) << "from rank " << pushes << " to rank " << pulls;
      EXPECT_EQ(found->kind, EdgeKind::kCrossRank);
    }
  }
}

}  // namespace
}  // namespace stepsim::ingest::trial_test
