#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "model/rewrite/parallel/divided_step.h"
#include "model/rewrite/parallel/pipeline.h"
#include "sim/engine/engine.h"
#include "sim/engine/machine.h"
#include "tests/model/rewrite/transformer_job.h"

namespace stepsim {
namespace {

using testing::kBackwardCalls;
using testing::kForwardCalls;
using testing::TransformerJob;

Duration length_of(const Capture& capture, const sim::Machine& machine) {
  const sim::Timeline timeline = sim::replay(capture.dag, machine, {});
  return *std::max_element(timeline.finish.begin(), timeline.finish.end()) -
         *std::min_element(timeline.start.begin(), timeline.start.end());
}

Duration length_of(const Capture& capture) { return length_of(capture, sim::Machine::as_recorded(capture)); }

// With p equal stages, m microbatches that take t on a stage, and messages that take no time, a flush takes
// (m + p - 1) t: Huang et al. 2019 (GPipe), 2.3; Narayanan et al. 2021 (Megatron-LM), 2.2, for both schedules.
TEST(PipelineTheoryTest, TheBubbleIsTheStagesButOne) {
  const TransformerJob job{.layers = 12, .ends = false};
  const Capture capture = job.capture();
  for (const PipelineSchedule schedule :
       {PipelineSchedule::kOneForwardOneBackward, PipelineSchedule::kAllForwardFirst}) {
    for (const std::uint32_t stages : {1U, 2U, 3U, 4U, 6U, 12U}) {
      const Duration each = job.kernel * static_cast<std::int64_t>(12 / stages * (kForwardCalls + kBackwardCalls));
      for (const std::uint32_t microbatches : {1U, 2U, 3U, 8U, 17U}) {
        const Parallelism parallelism{.pipeline = stages, .microbatches = microbatches, .schedule = schedule};
        EXPECT_EQ(length_of(with_stages(capture, parallelism)), each * (microbatches + stages - 1))
            << stages << " stages, " << microbatches << " microbatches";
      }
    }
  }
}

// With v parts in each stage, the bubble is as long as v parts take less: Narayanan et al. 2021, 2.2.
TEST(PipelineTheoryTest, InterleavingDividesTheBubble) {
  const TransformerJob job{.layers = 12, .ends = false};
  const Capture capture = job.capture();
  for (const std::uint32_t stages : {2U, 3U, 4U, 6U}) {
    for (const std::uint32_t parts : {1U, 2U, 3U, 6U}) {
      if (12 % (stages * parts) != 0) continue;
      const Duration part =
          job.kernel * static_cast<std::int64_t>(12 / (stages * parts) * (kForwardCalls + kBackwardCalls));
      for (const std::uint32_t times : {1U, 2U, 5U}) {
        const Parallelism parallelism{.pipeline = stages, .microbatches = times * stages, .interleave = parts};
        EXPECT_EQ(length_of(with_stages(capture, parallelism)), part * (parts * times * stages + stages - 1))
            << stages << " stages of " << parts << " parts, " << times * stages << " microbatches";
      }
    }
  }
}

// Replicas reduce the gradients of a stage as soon as it has them. The first stage has them last, so what is left after
// the flush is what is left of one reduction, with one stage or many: none waits for the reductions of later ones.
TEST(PipelineTheoryTest, OnlyTheReductionOfTheFirstStageIsLeft) {
  const TransformerJob job{.layers = 12, .ends = false};
  Capture capture = job.capture();
  capture.job.bucket_bytes = Bytes{1'000'000'000'000};
  const Duration reduction = job.kernel * static_cast<std::int64_t>(kForwardCalls + kBackwardCalls);
  for (const std::uint32_t zero : {0U, 2U}) {
    const auto left = [&](std::uint32_t stages) {
      const Capture divided =
          with_parallelism(capture, {.data = 2, .pipeline = stages, .microbatches = 8, .zero = zero});
      std::vector<Duration> durations;
      for (const TaskId task : divided.dag.tasks()) {
        const bool reduces =
            divided.dag.rendezvous(task).valid() && divided.dag.name(task).find("reduce") != std::string_view::npos;
        durations.push_back(reduces ? reduction : divided.dag.duration(task));
      }
      sim::Machine machine = sim::Machine::as_recorded(divided);
      machine.set_durations(durations);
      return length_of(divided, machine) - reduction * static_cast<std::int64_t>(12 / stages * (8 + stages - 1));
    };
    EXPECT_GT(left(1), Duration{});
    EXPECT_LE(left(1), reduction);
    for (const std::uint32_t stages : {2U, 3U, 4U, 6U}) EXPECT_EQ(left(stages), left(1)) << stages << ", zero " << zero;
  }
}

// Of a step on one device, nothing changes if it has one stage and one microbatch.
TEST(PipelineTheoryTest, OneStageAndOneMicrobatchChangeNothing) {
  const Capture capture = TransformerJob{.call = Duration{3'000}}.capture();
  EXPECT_EQ(length_of(with_stages(capture, {})), length_of(capture));
}

}  // namespace
}  // namespace stepsim
