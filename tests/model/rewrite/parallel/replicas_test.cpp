#include "model/rewrite/parallel/replicas.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/rewrite/parallel/divided_step.h"
#include "model/rewrite/parallel/layers.h"
#include "tests/model/rewrite/data_parallel_job.h"
#include "tests/model/rewrite/transformer_job.h"

namespace stepsim {
namespace {

using testing::has_edge;
using testing::tasks_named;
using testing::TransformerJob;

/// The collectives with this operation, in the order of their stream.
std::vector<TaskId> collectives(const Capture& capture, const std::string& op) {
  std::vector<TaskId> found;
  for (const TaskId task : tasks_named(capture.dag, op + " (data parallel)")) {
    if (capture.dag.kind(task) == TaskKind::kCollective) found.push_back(task);
  }
  std::stable_sort(found.begin(), found.end(), [&](TaskId a, TaskId b) {
    return capture.recording.start[a.index()] < capture.recording.start[b.index()];
  });
  return found;
}

TEST(ReplicasTest, UpdatedParametersAreGatheredAfterTheOptimizer) {
  const Capture capture = TransformerJob{}.capture();
  const Parallelism parallelism{.data = 2, .zero = 1};
  const Capture job = with_gathered_parameters(capture, parallelism);
  const std::vector<TaskId> gathered = collectives(job, "all_gather");
  ASSERT_EQ(gathered.size(), 1U);
  EXPECT_TRUE(has_edge(job.dag, tasks_named(job.dag, "aten::_foreach_add_").front(), gathered.front()));
}

// FullyShardedDataParallel gathers the parameters of a layer while the one before it computes.
TEST(ReplicasTest, ALayerIsGatheredWhileTheOneBeforeItComputes) {
  const TransformerJob job{.layers = 3, .ends = false};
  const Capture divided = with_divided_parameters(job.capture(), {.data = 2, .zero = 3});
  const std::vector<TaskId> gathered = collectives(divided, "all_gather");
  const std::vector<ModelCall> calls = calls_of_typical_step(divided);
  const StepLayers layers = layers_of(calls);
  ASSERT_EQ(gathered.size(), 6U);
  EXPECT_EQ(collectives(divided, "reduce_scatter").size(), 3U);
  for (std::size_t layer = 0; layer < 3; ++layer) {
    EXPECT_TRUE(has_edge(divided.dag, gathered[layer], calls[layers.forward_of(layer)].first)) << layer;
    EXPECT_TRUE(has_edge(divided.dag, gathered[5 - layer], calls[layers.backward_of(layer)].first)) << layer;
  }
  // It begins when the layer two before it is done.
  EXPECT_TRUE(has_edge(divided.dag, calls[layers.forward_of(1) - 1].last, gathered[2]));
  EXPECT_TRUE(has_edge(divided.dag, calls[layers.backward_of(1) - 1].last, gathered[5]));
}

// Every stage gathers its own layers: the first one of a stage is not gathered by the stage before. With calls of 8 us,
// those of tensor parallelism's collectives end together with others.
TEST(ReplicasTest, StagesGatherTheirOwnLayers) {
  for (const Duration call : {Duration{0}, Duration{7'999}}) {
    const TransformerJob job{.layers = 4, .call = call, .ends = false};
    const Capture divided =
        with_parallelism(job.capture(), {.data = 2, .tensor = 2, .pipeline = 2, .microbatches = 2, .zero = 3});
    for (const Rank stage : {0, 4}) {
      std::int64_t gathered = 0;
      for (const TaskId task : collectives(divided, "all_gather"))
        gathered += divided.dag.lane(task).rank == stage ? 1 : 0;
      EXPECT_EQ(gathered, 2 * 2 * 2) << stage;  // layers, passes, microbatches
    }
  }
}

}  // namespace
}  // namespace stepsim
