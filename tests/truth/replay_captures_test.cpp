// Replays captures that are not in this repository (docs/internals/test-data.md) and checks how accurate each replay
// is. The tests are skipped if the captures are absent.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "ingest/load/load.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/perturbation.h"
#include "sim/analysis/steady.h"
#include "sim/analysis/summary.h"
#include "sim/analysis/where_to_look.h"
#include "sim/engine/engine.h"
#include "sim/engine/machine.h"
#include "sim/report/headline.h"
#include "tests/source_folder.h"

namespace stepsim::replay_captures_test {
namespace {

const std::filesystem::path kShared = shared_folder();

struct Replayed {
  Capture capture;
  sim::Timeline timeline;
  sim::Summary summary;
};

Replayed replayed(const std::vector<std::string>& traces, const ingest::LoadOptions& options = {}) {
  Replayed out;
  out.capture = ingest::load(traces, options);
  out.timeline = sim::replay(out.capture.dag, sim::Machine::as_recorded(out.capture));
  out.summary = sim::summarize(out.capture, out.timeline);
  return out;
}

class CaptureTest : public ::testing::Test {
 protected:
  static std::string shared(const std::string& path) { return (kShared / path).string(); }
  void SetUp() override {
    if (!std::filesystem::exists(kShared)) GTEST_SKIP() << kShared << " is absent: there are no captures to replay";
  }
};

double unexplained_share(const sim::Summary& summary) {
  return static_cast<double>(summary.unexplained_wait.count()) /
         static_cast<double>(summary.iteration.measured.count());
}

TEST_F(CaptureTest, StepsOfEveryKinetoCaptureReplayWithinTwoPercent) {
  std::size_t captures = 0;
  for (const auto& file : std::filesystem::directory_iterator(kShared / "traces/kineto")) {
    if (!file.is_regular_file()) continue;
    const Replayed job = replayed({file.path().string()});
    EXPECT_LE(job.summary.iteration.worst_abs_error, 0.02) << file.path();
    ++captures;
  }
  EXPECT_GE(captures, 15U);
}

/// Nothing in the loops of these jobs waits for the device, and the captures end before a full launch queue stops the
/// host. So a step takes as long as the device needs: the distance between the ends of the last kernels of two steps.
TEST_F(CaptureTest, AStepTakesWhatItsDeviceTakesWhereTheHostRunsAhead) {
  struct Known {
    const char* capture;
    double milliseconds;
    double within;
  };
  for (const Known& known : {Known{"gpt2-compile-no-sync", 22.9, 0.02}, Known{"gpt2-cuda-graphs-no-sync", 22.9, 0.02},
                             Known{"ns-resolution-5steps", 95.6, 0.01}}) {
    const Replayed job = replayed({shared(std::string("traces/kineto/") + known.capture + ".json.gz")});
    const sim::IterationReport& iteration = job.summary.iteration;
    for (const Duration time : {iteration.measured, iteration.replayed})
      EXPECT_NEAR(static_cast<double>(time.count()) / 1e6, known.milliseconds, known.within * known.milliseconds);
    EXPECT_EQ(iteration.pace, sim::Pace::kDevice) << known.capture;
    for (const sim::StepReport& step : job.summary.steps)
      EXPECT_LE(std::abs(step.held_out_error.value_or(1)), 0.03) << known.capture << ", step " << step.step;
  }
}

TEST_F(CaptureTest, AnIterationHoldsNoMoreThanItsLengthAndItsPathIsAsLongAsItsStep) {
  std::size_t captures = 0;
  for (const auto& file : std::filesystem::directory_iterator(kShared / "traces/kineto")) {
    if (!file.is_regular_file()) continue;
    const Replayed job = replayed({file.path().string()});
    for (const sim::RankBreakdown& rank : job.summary.ranks) {
      for (const Duration part : {rank.compute, rank.communication, rank.host, rank.idle})
        EXPECT_LE(part, rank.iteration) << file.path();
    }
    const sim::IterationPath path = sim::iteration_path(job.capture, job.timeline, job.summary);
    const bool is_a_step = std::any_of(job.summary.steps.begin(), job.summary.steps.end(), [&path](const auto& step) {
      return path.path.length == step.replayed && path.path.begin == step.timed.begin;
    });
    EXPECT_TRUE(is_a_step || job.summary.steps.empty()) << file.path();
    ++captures;
  }
  EXPECT_GE(captures, 15U);
}

/// The capture has 260 launches and no kernel, because CUPTI was not available.
TEST_F(CaptureTest, ACaptureWithoutItsDeviceWorkSaysSo) {
  const Replayed job = replayed({shared("traces/kineto/launches-no-kernels-a100.json.gz")});
  EXPECT_EQ(job.capture.diagnostics.count_of("launches_without_device_work"), 260U);
  EXPECT_FALSE(job.summary.marked);
}

/// The ids of the 2,329 recorded operators span 170,159 numbers. The profiler left out the other operators, or someone
/// removed them from the file.
TEST_F(CaptureTest, ASampledCaptureSaysSo) {
  const Replayed job = replayed({shared("traces/kineto/sampled-rank0-mismatched.json.gz")});
  EXPECT_EQ(job.capture.diagnostics.count_of("sampled_operators"), 2329U);
  EXPECT_NE(sim::warning_of(job.capture).find("one operator in 73 is recorded"), std::string::npos);
  const Replayed whole = replayed({shared("traces/kineto/gpt2-cuda-graphs-no-sync.json.gz")});
  EXPECT_EQ(sim::warning_of(whole.capture), "");
}

/// The capture has calls and kernels only. The thread of the backward pass begins 80 us after the last event of the
/// main thread and launches work for 2.5 ms. The main thread continues 0.1 ms later, so its wait can be explained.
TEST_F(CaptureTest, AThreadThatLaunchesWorksForTheSilentMainThread) {
  const Replayed job = replayed({shared("traces/kineto/rocm-mi210-gpu-only.json.gz")});
  EXPECT_LT(job.summary.ranks.front().unexplained, Duration{100'000});
}

double milliseconds(Duration time) { return static_cast<double>(time.count()) / 1e6; }

/// Returns the breakdown of the job's first rank.
const sim::RankBreakdown& breakdown_of(const Replayed& job) { return job.summary.ranks.front(); }

/// torch_npu records the work of the NPU and of HCCL in separate processes, without a category. Its own figure for the
/// compute ("Overlap Analysis": Computing) is 8,874 us on rank 0. The four all-reduces took 73.475, 2.280, 2.396 and
/// 22.219 ms on the rank that arrived last at each.
TEST_F(CaptureTest, AscendsWorkAndItsCollectivesAreRead) {
  const Replayed job = replayed({shared("traces/kineto/ascend-ddp-2ranks")});
  EXPECT_EQ(job.capture.recording.ranks.size(), 2U);
  EXPECT_EQ(job.capture.dag.rendezvous_count(), 4U);
  EXPECT_NEAR(milliseconds(breakdown_of(job).compute), 8.874, 0.01 * 8.874);
  EXPECT_NEAR(milliseconds(breakdown_of(job).communication), 100.37, 0.01 * 100.37);
  EXPECT_LE(std::abs(job.summary.iteration.error), 0.001);
}

/// One process wrote two files, one after the other. They are one rank, which waits for no other rank.
TEST_F(CaptureTest, WindowsOfOneProcessAreOneRank) {
  const Replayed job = replayed({shared("traces/kineto/two-windows-one-process")});
  EXPECT_EQ(job.capture.recording.ranks.size(), 1U);
  EXPECT_FALSE(job.summary.marked);
  ASSERT_EQ(job.summary.steps.size(), 2U);
  EXPECT_NEAR(milliseconds(job.summary.steps[0].measured), 983.9, 0.5);
  EXPECT_NEAR(milliseconds(job.summary.steps[1].measured), 346.2, 0.5);
}

/// Kernels of DeepEP are communication. They take 113.4 ms in total, on a separate stream.
TEST_F(CaptureTest, KernelsOfDeepEpAreCommunicationAndItsPollingIsWaiting) {
  const Replayed job = replayed({shared("traces/expert-parallel/deepseek-train-1of64-h800.json.gz")});
  EXPECT_NEAR(milliseconds(breakdown_of(job).communication), 113.4, 0.05 * 113.4);
  EXPECT_EQ(job.capture.diagnostics.count_of("polling"), 4U) << "notify_dispatch is launched four times";
  // Without its polling, the host works for less than half of the step.
  EXPECT_LE(breakdown_of(job).host, job.summary.iteration.measured / 2);
}

/// Step 4 waits for data during 84 % of its time.
TEST_F(CaptureTest, FreeDataLoadingSavesItsShareOfAStep) {
  const Replayed job =
      replayed({shared("traces/kineto/t4-dataloader-fp32.pt.trace.json.gz")}, {.steps = std::pair{4, 4}});
  std::vector<Duration> durations;
  for (std::size_t i = 0; i < job.capture.dag.task_count(); ++i) {
    const bool loads = job.capture.dag.name(TaskId{i}).find("DataLoader") != std::string_view::npos;
    durations.push_back(loads ? Duration{} : job.capture.dag.duration(TaskId{i}));
  }
  sim::Machine machine = sim::Machine::as_recorded(job.capture);
  machine.set_durations(durations);
  const Duration without = sim::replayed_iteration(job.capture, sim::replay(job.capture.dag, machine));
  EXPECT_LE(milliseconds(without), 0.3 * milliseconds(job.summary.iteration.replayed));
}

/// If steps follow each other and nothing is changed, a repeated step takes as long as the captured steps.
TEST_F(CaptureTest, StepsThatAreRepeatedTakeWhatCapturedOnesTook) {
  for (const char* const name : {"diff-control-a100-rank3of8", "ddp-a100-rank0of2", "v100-rank1of2-5steps",
                                 "gpt2-compile-no-sync", "gpt2-cuda-graphs-no-sync", "ns-resolution-5steps"}) {
    const Replayed job = replayed({shared(std::string("traces/kineto/") + name + ".json.gz")});
    const double steady = milliseconds(sim::steady_iteration(job.capture, job.timeline).value().length);
    const double captured = milliseconds(job.summary.iteration.replayed);
    EXPECT_NEAR(steady, captured, 0.005 * captured) << name;
  }
}

/// The length of a repeated step must not grow if the host takes less time. An earlier method took the distances
/// between the six captured steps, and predicted longer steps for a tenth of the host's time than for half of it.
TEST_F(CaptureTest, LessHostTimeTakesNoLongerWhereStepsAreRepeated) {
  const Replayed job = replayed({shared("traces/kineto/diff-control-a100-rank3of8.json.gz")});
  Duration before = Duration::max();
  for (const std::int64_t percent : {400, 100, 50, 25, 10, 5, 0}) {
    std::vector<Duration> durations;
    for (std::size_t i = 0; i < job.capture.dag.task_count(); ++i) {
      const Duration recorded = job.capture.dag.duration(TaskId{i});
      durations.push_back(job.capture.dag.kind(TaskId{i}) == TaskKind::kHost ? recorded * percent / 100 : recorded);
    }
    sim::Machine machine = sim::Machine::as_recorded(job.capture);
    machine.set_durations(durations);
    const sim::Timeline timeline = sim::replay(job.capture.dag, machine);
    const Duration after = sim::steady_iteration(job.capture, timeline).value().length;
    EXPECT_LE(after, before) << percent << " %";
    before = after;
  }
}

/// The steps ran the same operators and differ in length, so the graph of one step must predict another one.
TEST_F(CaptureTest, StepsPredictEachOther) {
  struct Known {
    const char* capture;
    double within;
  };
  for (const Known& known :
       {Known{"gpt2-compile-no-sync.json.gz", 0.01}, Known{"ns-resolution-5steps.json.gz", 0.01},
        Known{"ddp-a100-rank0of2.json.gz", 0.01}, Known{"v100-rank1of2-5steps.json.gz", 0.01},
        Known{"two-windows-one-process", 0.05}, Known{"t4-dataloader-fp32.pt.trace.json.gz", 0.05}}) {
    const Replayed job = replayed({shared(std::string("traces/kineto/") + known.capture)});
    const auto test = sim::perturbation_test(job.capture, sim::Machine::as_recorded(job.capture), job.timeline, {});
    ASSERT_TRUE(test) << known.capture;
    EXPECT_LE(test->error, known.within) << known.capture << ", whose steps differ by " << test->difference;
  }
}

TEST_F(CaptureTest, WaitsForTheStepsBeforeStayExplained) {
  const std::string trace = shared("traces/kineto/ns-resolution-5steps.json.gz");
  EXPECT_LE(unexplained_share(replayed({trace}, {.steps = std::pair{103, 105}}).summary), 0.05);
}

TEST_F(CaptureTest, WaitsOfCompleteCapturesAreExplained) {
  for (const char* const name : {"ddp-a100-rank0of2", "v100-rank1of2-5steps", "ns-resolution-5steps",
                                 "diff-control-a100-rank3of8", "diff-test-v100-rank1of2"}) {
    const Replayed job = replayed({shared(std::string("traces/kineto/") + name + ".json.gz")});
    EXPECT_LE(unexplained_share(job.summary), 0.05) << name;
  }
}

TEST_F(CaptureTest, AllCollectivesOfEightRanksEndWhereTheyWereRecordedToEnd) {
  const Replayed job = replayed({shared("traces/kineto/dlrm-8ranks")});
  const Recording& recording = job.capture.recording;
  const Time zero = *std::min_element(recording.start.begin(), recording.start.end());

  // The job has eight collectives on each of eight ranks. In the replay, the transfer of a collective begins when the
  // last rank arrives, and lasts as long as the shortest of the eight recorded kernels.
  std::size_t kernels = 0;
  for (std::size_t i = 0; i < job.capture.dag.task_count(); ++i) {
    const TaskId task{i};
    if (job.capture.dag.kind(task) != TaskKind::kCollective) continue;
    ++kernels;
    const Duration off = job.timeline.finish[i].time_since_epoch() - (recording.finish[i] - zero);
    EXPECT_LE(std::abs(off.count()), 20'000)
        << job.capture.dag.name(task) << " of rank " << job.capture.dag.lane(task).rank;
  }
  EXPECT_EQ(kernels, 64U);
  EXPECT_EQ(job.capture.dag.rendezvous_count(), 8U);
}

TEST_F(CaptureTest, ReplayNamesTheRankThatKeepsTheOthersWaiting) {
  const Replayed job = replayed({shared("traces/kineto/dlrm-8ranks")});

  // By the recorded starts, rank 7 begins last and is the straggler of collectives 0 to 3, where the ranks' arrivals
  // differ most (by 7.6, 1.1, 0.2 and 0.1 ms).
  EXPECT_EQ(sim::stragglers(job.capture.dag, job.timeline).front().rank, 7);
}

TEST_F(CaptureTest, CollectivesOfTwoSampledRanksAreFlaggedNotMerged) {
  const Replayed job = replayed({shared("traces/kineto/sampled-rank0-mismatched.json.gz"),
                                 shared("traces/kineto/sampled-rank1-mismatched.json.gz")});

  EXPECT_GE(job.capture.diagnostics.count_of("collective_ends_disagree"), 1U);
  EXPECT_EQ(job.capture.dag.rendezvous_count(), 0U);
}

/// Returns the folder with the captured run of `group`, a group of our own measured runs.
std::string measured(const std::string& group) { return (measured_folder() / group / "base/traces").string(); }

TEST(MeasuredJobTest, HostCollectivesOfDataParallelJobsAreEdgesNotLags) {
  for (const char* const name : {"ddp/ddp-even", "ddp/ddp-skewed", "ddp/pipe-2", "fsdp/fsdp-even"}) {
    const Replayed job = replayed({measured(name)});
    EXPECT_LE(job.summary.iteration.worst_abs_error, 0.01) << name;
    EXPECT_LE(unexplained_share(job.summary), 0.03) << name;
    EXPECT_GT(job.capture.dag.rendezvous_count(), 0U) << name;
  }
}

TEST(MeasuredJobTest, ParameterServerJobsReplayWithinOnePercent) {
  for (const char* const name :
       {"even-first", "even-inline", "even-offset", "even-straggler", "vgg-first", "vgg-cross"}) {
    const Replayed job = replayed({measured(std::string("ps/") + name)});
    EXPECT_LE(job.summary.iteration.worst_abs_error, 0.01) << name;
  }
}

TEST(MeasuredJobTest, BytePsJobsReplayWithinOneAndAHalfPercent) {
  for (const char* const name : {"byteps-even", "byteps-vgg", "byteps-2gpu", "byteps-straggler"}) {
    const Replayed job = replayed({measured(std::string("byteps/") + name)});
    EXPECT_LE(job.summary.iteration.worst_abs_error, 0.015) << name;
  }
}

TEST(MeasuredJobTest, ClockOfAWorkerThatRunsAheadLiesWithinItsBoundsAndChangesNoReplay) {
  const Replayed ahead = replayed({measured("ps/even-offset")});
  const Replayed even = replayed({measured("ps/even-first")});

  // Worker 1's clock is 7.3 ms ahead (docs/internals/test-data.md). docs/internals/answers.md, "Clocks",
  // explains how much of that the traces can show.
  ASSERT_EQ(ahead.capture.recording.clocks.size(), 2U);
  const HostClock& clock = ahead.capture.recording.clocks[1];
  EXPECT_LE(std::abs((clock.offset - Duration{7'300'000}).count()), clock.residual.count());
  const double ratio = static_cast<double>(ahead.summary.iteration.replayed.count()) /
                       static_cast<double>(even.summary.iteration.replayed.count());
  EXPECT_NEAR(ratio, 1.0, 0.01);
}

}  // namespace
}  // namespace stepsim::replay_captures_test
