// Tests the what-if `parallel` on a transformer that was captured on one GPU.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "model/cost/collective/algorithm.h"
#include "scenarios/answer/predict.h"
#include "scenarios/answer/sweep.h"
#include "tests/model/rewrite/transformer_job.h"
#include "tests/scenarios/sample_questions.h"

namespace stepsim::testing {
namespace {

using ::testing::HasSubstr;

/// The GPU limits the step, and its products are large enough that dividing them matters.
constexpr TransformerJob kJob{
    .batch = 4, .sequence = 512, .hidden = 1024, .heads = 16, .vocabulary = 32'000, .kernel = Duration{400'000}};

/// A cluster without links, as calibration returns it for a capture of one rank.
Cluster one_host() {
  Cluster cluster;
  cluster.hosts.push_back({"0"});
  cluster.endpoints.push_back({HostId{0}, {}});
  return cluster;
}

Question question() { return Question(kJob.capture(), one_host(), "maxmin"); }

TEST(ParallelTest, ParametersCanBeGivenOneByOne) {
  const Question asked = question();
  const Duration together = asked.predicted("changes: [parallel: {tensor: 2, data: 2, pipeline: 2}]").iteration;
  EXPECT_EQ(asked.iteration({"parallel.tensor=2", "parallel.data=2", "parallel.pipeline=2"}), together);
  EXPECT_EQ(asked.iteration({"parallel.pipeline=2", "parallel.data=2", "parallel.tensor=2"}), together);
}

// A program may change a key again; a user's file or --set may not (SetTest).
TEST(ParallelTest, TheLastValueOfAKeyCounts) {
  const Question asked = question();
  for (const std::string key : {"parallel.tensor=", "parallel.data=", "parallel.pipeline=", "parallel.microbatches="})
    EXPECT_EQ(asked.iteration({key + "2", key + "4"}), asked.iteration({key + "4"})) << key;
  EXPECT_EQ(asked.iteration({"parallel.tensor=4", "parallel.tensor=1"}), asked.iteration());
}

TEST(ParallelTest, AddedCollectivesTakeTheAlgorithmThatIsAskedFor) {
  const Question asked = question();
  for (const std::string division : {"parallel.data=4", "parallel.tensor=4"}) {
    const scenarios::Prediction found = asked.predicted({division, "comm.algorithm=ring"});
    EXPECT_EQ(asked.iteration({"comm.algorithm=ring", division}), found.iteration);
    const Dag& dag = found.graph->dag;
    for (const RendezvousId rendezvous : dag.all_rendezvous())
      EXPECT_EQ(dag.collective(rendezvous).algorithm, find_collective_model("ring")) << division;
  }
  for (const std::string division : {"parallel.pipeline=2", "parallel.microbatches=2"})
    EXPECT_GT(asked.iteration({division, "parallel.data=2", "comm.algorithm=ring"}), Duration{});
  EXPECT_THAT(problem_of(asked, {"comm.algorithm=ring"}), HasSubstr("no collective connects the captured ranks"));
  EXPECT_THAT(problem_of(asked, {"comm.algorithm=ring", "parallel.microbatches=2"}),
              HasSubstr("no collective connects the captured ranks"));
}

// The links of a ring over two hosts differ, so that its members end at different times. Copies end with the last one.
TEST(ParallelTest, RingsOverHostsEndTogether) {
  const Question asked = question();
  const std::string data = "parallel.data=16";
  const std::string gpus = "cluster.gpus_per_host=8";
  const auto step = [&](const std::string& nic) {
    return asked.iteration({data, gpus, "comm.algorithm=ring", "cluster.nic=" + nic});
  };
  EXPECT_GT(step("10Gb/s"), step("20Gb/s"));
  EXPECT_GT(step("20Gb/s"), step("100Gb/s"));
}

/// The bytes of all collectives of activations.
Bytes activations(const scenarios::Prediction& prediction) {
  const Dag& dag = prediction.graph->dag;
  Bytes bytes{};
  for (const RendezvousId rendezvous : dag.all_rendezvous()) {
    if (dag.collective(rendezvous).of_activations && !dag.members(rendezvous).empty())
      bytes += dag.collective(rendezvous).bytes;
  }
  return bytes;
}

TEST(ParallelTest, ActivationsGrowWithTheBatchWhicheverIsGivenFirst) {
  const Question asked = question();
  for (const std::string division : {"parallel.tensor=4", "parallel.pipeline=4"}) {
    const Bytes captured = activations(asked.predicted({division}));
    EXPECT_EQ(activations(asked.predicted({"batch.scale=2", division})), captured + captured);
    EXPECT_EQ(activations(asked.predicted({division, "batch.scale=2"})), captured + captured);
  }
}

// The captured activations have 32 bits. Gradients keep their precision (precision.gradients).
TEST(ParallelTest, DevicesExchangeActivationsInTheirPrecision) {
  const Question asked = question();
  for (const std::string division : {"parallel.tensor=4", "parallel.pipeline=4"}) {
    const Bytes captured = activations(asked.predicted({division}));
    for (const auto& [precision, share] : {std::pair{"tf32", 1}, std::pair{"bf16", 2}, std::pair{"fp8", 2}}) {
      const std::string to = std::string("precision.to=") + precision;
      EXPECT_EQ(activations(asked.predicted({division, to})).count() * share, captured.count()) << to;
      EXPECT_EQ(activations(asked.predicted({to, division})).count() * share, captured.count()) << to;
    }
    EXPECT_EQ(activations(asked.predicted({"batch.scale=2", "precision.to=bf16", division})), captured);
    EXPECT_EQ(activations(asked.predicted({"precision.to=bf16", division, "precision.to=fp32"})), captured);
  }
}

// Of a step in four microbatches, four times as many messages carry as many bytes.
TEST(ParallelTest, MicrobatchesShareTheActivations) {
  const Question asked = question();
  EXPECT_EQ(activations(asked.predicted({"parallel.pipeline=2", "parallel.tensor=2"})),
            activations(asked.predicted({"parallel.microbatches=4", "parallel.tensor=2", "parallel.pipeline=2"})));
}

// Norms and residual connections then take less time, and the all-gathers that are added run beside products.
TEST(ParallelTest, TokensCanBeDividedInAnyOrder) {
  const Question asked = question();
  const Duration whole = asked.iteration({"parallel.tensor=4"});
  const Duration by_tokens = asked.iteration({"parallel.tensor=4", "parallel.sequence=true"});
  EXPECT_LT(by_tokens, whole);
  EXPECT_EQ(asked.iteration({"parallel.sequence=true", "parallel.tensor=4"}), by_tokens);
  EXPECT_EQ(asked.iteration({"parallel.sequence=true", "parallel.tensor=4", "parallel.sequence=false"}), whole);
  EXPECT_THAT(problem_of(asked, {"parallel.sequence=true"}), HasSubstr("found tensor 1"));
  EXPECT_EQ(activations(asked.predicted(
                {"parallel.tensor=4", "parallel.sequence=true", "parallel.pipeline=2", "parallel.microbatches=4"})),
            activations(asked.predicted(
                {"parallel.microbatches=4", "parallel.pipeline=2", "parallel.sequence=true", "parallel.tensor=4"})));
}

TEST(ParallelTest, ReplicasThatDivideMoreExchangeMore) {
  const Question asked = question();
  const std::string slow = "cluster.inside=10GB/s";  // the links limit the step
  const auto divided = [&](const std::string& zero) {
    return asked.iteration({"parallel.data=4", "parallel.zero=" + zero, slow});
  };
  EXPECT_EQ(divided("0"), asked.iteration({"parallel.data=4", slow}));
  EXPECT_GT(divided("3"), divided("2"));
  EXPECT_EQ(asked.iteration({slow, "parallel.zero=3", "parallel.data=4"}), divided("3"));
  EXPECT_EQ(divided("FULL_SHARD"), divided("3"));
  EXPECT_EQ(divided("SHARD_GRAD_OP"), divided("2"));
  for (const std::string zero : {"1", "2", "3"})
    EXPECT_EQ(asked.iteration({"parallel.zero=" + zero}), asked.iteration({})) << "one replica divides nothing";
  EXPECT_THAT(problem_of(asked, {"parallel.data=2", "parallel.zero=4"}), HasSubstr("from 0 to 3"));
}

// The optimizer is one of the job's kernels. On fast links, what replicas save of it is more than what they exchange.
TEST(ParallelTest, ReplicasDivideTheOptimizer) {
  const Question asked = question();
  const auto optimizer = [&asked](std::initializer_list<std::string> sets) {
    const scenarios::Prediction prediction = asked.predicted(sets);
    const Dag& dag = prediction.graph->dag;
    for (const TaskId task : dag.tasks()) {
      if (dag.name(task) == "aten::_foreach_add_")
        return prediction.timeline.finish[task.index()] - prediction.timeline.start[task.index()];
    }
    return Duration{};
  };
  EXPECT_EQ(optimizer({"parallel.data=4"}), kJob.kernel);
  for (const std::string zero : {"1", "2", "3"}) {
    const Duration part = optimizer({"parallel.data=4", "parallel.zero=" + zero});
    EXPECT_LT(part, kJob.kernel) << zero;
    EXPECT_EQ(optimizer({"parallel.zero=" + zero, "parallel.data=2", "parallel.data=4"}), part) << zero;
  }
}

TEST(ParallelTest, ComputingAgainTakesLongerOnAnyNumberOfDevices) {
  const Question asked = question();
  for (const std::string division :
       {"parallel.tensor=1", "parallel.tensor=4", "parallel.pipeline=4", "parallel.data=4"}) {
    const Duration kept = asked.iteration({division});
    const Duration attention = asked.iteration({division, "parallel.recompute=selective"});
    const Duration all = asked.iteration({"parallel.recompute=all", division});
    EXPECT_GT(attention, kept) << division;
    EXPECT_GT(all, attention) << division;
    EXPECT_EQ(asked.iteration({division, "parallel.recompute=none"}), kept) << division;
  }
  const Duration forward = 4 * 12 * kJob.kernel;  // four layers of twelve kernels
  EXPECT_EQ(asked.iteration({"parallel.recompute=all"}), asked.iteration() + forward);
}

TEST(ParallelTest, TheSplitGivesTheLayersOfEachPart) {
  const Question asked = question();
  const auto problem = [&asked](std::initializer_list<std::string> sets) { return problem_of(asked, sets); };
  EXPECT_EQ(problem({"parallel.pipeline=2", "parallel.split=1+3"}), "taken");
  const Duration given = asked.iteration({"parallel.split=1+3", "parallel.pipeline=2", "parallel.microbatches=4"});
  EXPECT_GT(given, asked.iteration({"parallel.pipeline=2", "parallel.microbatches=4"}));
  EXPECT_EQ(asked.predicted("changes: [parallel: {pipeline: 2, microbatches: 4, split: '1,3'}]").iteration, given);
  EXPECT_THAT(problem({"parallel.split=1+3"}), HasSubstr("found one stage"));
  EXPECT_THAT(problem({"parallel.pipeline=2", "parallel.split=1+2"}),
              HasSubstr("2 parts with 3 layers in all; expected 2 parts with the 4 repeated layers"));
  EXPECT_THAT(problem({"parallel.pipeline=2", "parallel.split=2+x"}), HasSubstr("such as 6+6+7+5"));
  EXPECT_EQ(problem({"parallel.pipeline=3", "parallel.split=0+4+0"}), "taken");
  EXPECT_THAT(problem({"parallel.pipeline=3", "parallel.split=2+0+2"}), HasSubstr("part 2 of the split has no layer"));
}

// Every division composes with every other, and the answer does not depend on their order.
TEST(ParallelTest, DivisionsComposeInAnyOrder) {
  const Question asked = question();
  for (const std::string schedule : {"1f1b", "gpipe", "interleaved"}) {
    const Duration all = asked.iteration({"parallel.data=2", "parallel.tensor=2", "parallel.pipeline=2",
                                          "parallel.microbatches=4", "parallel.schedule=" + schedule,
                                          "parallel.sequence=true", "parallel.zero=3", "parallel.recompute=all"});
    EXPECT_EQ(asked.iteration({"parallel.recompute=all", "parallel.zero=3", "parallel.sequence=true",
                               "parallel.schedule=" + schedule, "parallel.pipeline=2", "parallel.data=2",
                               "parallel.tensor=2", "parallel.microbatches=4"}),
              all)
        << schedule;
  }
}

TEST(ParallelTest, TheOrderOfRanksMattersOnlyBetweenHosts) {
  const Question asked = question();
  const auto iteration = [&](const std::string& division, const std::string& order) {
    return asked
        .predicted("changes: [parallel: {" + division + ", microbatches: 2, order: " + order +
                   "}, cluster: {gpus_per_host: 2, nic: 1GB/s}]")
        .iteration;
  };
  for (const std::string one : {"pipeline: 2", "data: 4", "tensor: 4", "tensor: 2, pipeline: 2"})
    EXPECT_EQ(iteration(one, "tp-pp-dp"), iteration(one, "tp-dp-pp")) << one;
  // Gradients are larger than activations, so that replicas should share a host.
  EXPECT_GT(iteration("data: 2, pipeline: 2", "tp-pp-dp"), iteration("data: 2, pipeline: 2", "tp-dp-pp"));
}

/// As kJob, with 16 experts in place of the linear layers.
Question question_with_experts() {
  TransformerJob job = kJob;
  job.experts = 16;
  return Question(job.capture(), one_host(), "maxmin");
}

TEST(ParallelTest, ExpertsAreDividedAmongReplicas) {
  const Question asked = question_with_experts();
  const auto problem = [&asked](std::initializer_list<std::string> sets) { return problem_of(asked, sets); };
  EXPECT_EQ(asked.iteration({"parallel.data=4", "parallel.expert=1"}), asked.iteration({"parallel.data=4"}));
  EXPECT_EQ(asked.iteration({"parallel.expert=4", "parallel.data=4"}),
            asked.iteration({"parallel.data=4", "parallel.expert=4"}));
  EXPECT_NE(asked.iteration({"parallel.data=4", "parallel.expert=4"}), asked.iteration({"parallel.data=4"}));
  EXPECT_EQ(problem({"parallel.data=4", "parallel.expert=4", "parallel.zero=3", "parallel.recompute=all",
                     "parallel.pipeline=2", "parallel.microbatches=4"}),
            "taken");
  EXPECT_THAT(problem({"parallel.data=4", "parallel.expert=8"}), HasSubstr("found data 4; expected a multiple"));
  EXPECT_THAT(problem({"parallel.data=4", "parallel.expert=4", "parallel.tensor=2"}), HasSubstr("found tensor 2"));
}

TEST(ParallelTest, ExpertsAreNotRecomputedWithAttention) {
  const Question asked = question_with_experts();
  const Duration attention = 4 * 3 * kJob.kernel;  // four layers of two products and a softmax
  EXPECT_EQ(asked.iteration({"parallel.recompute=selective"}), asked.iteration() + attention);
}

TEST(ParallelTest, SlowerLinksNeverMakeAStepWithExpertsFaster) {
  const Question asked = question_with_experts();
  Duration before{};
  for (const std::string rate : {"NVLink5", "NVLink4", "NVLink2", "32GB/s", "1GB/s", "1MB/s"}) {
    const Duration iteration =
        asked.predicted("changes: [parallel: {data: 4, expert: 4}, cluster: {inside: " + rate + "}]").iteration;
    EXPECT_GE(iteration, before) << rate;
    before = iteration;
  }
}

TEST(ParallelTest, LinksCanBeGivenFirst) {
  const Question asked = question();
  EXPECT_EQ(asked.iteration({"cluster.inside=100GB/s", "parallel.tensor=4"}),
            asked.iteration({"parallel.tensor=4", "cluster.inside=100GB/s"}));
}

TEST(ParallelTest, SlowerLinksNeverMakeAStepFaster) {
  const Question asked = question();
  for (const std::string division :
       {"parallel: {tensor: 4}", "parallel: {data: 4}", "parallel: {pipeline: 4}",
        "parallel: {tensor: 4, sequence: true}", "parallel: {data: 4, zero: 1}", "parallel: {data: 4, zero: 3}"}) {
    Duration before{};
    for (const std::string rate : {"NVLink5", "NVLink4", "NVLink3", "NVLink2", "32GB/s", "1GB/s", "1MB/s"}) {
      const Duration iteration =
          asked.predicted("changes: [" + division + ", cluster: {inside: " + rate + "}]").iteration;
      EXPECT_GE(iteration, before) << division << " with " << rate;
      before = iteration;
    }
    EXPECT_GT(before, asked.iteration()) << division;  // the links limit the step
  }
}

TEST(ParallelTest, DividedLayersTakeLessTimeAndReplicasDoNot) {
  const Question asked = question();
  EXPECT_LT(asked.iteration({"parallel.tensor=2"}), asked.iteration());
  EXPECT_LT(asked.iteration({"parallel.tensor=4"}), asked.iteration({"parallel.tensor=2"}));
  EXPECT_GE(asked.iteration({"parallel.data=4"}), asked.iteration());
}

TEST(ParallelTest, MoreMicrobatchesMakeABubbleShorter) {
  const Question asked = question();
  EXPECT_LT(asked.iteration({"parallel.pipeline=4", "parallel.microbatches=4"}),
            asked.iteration({"parallel.pipeline=4"}));
}

TEST(ParallelTest, InterleavedStagesHaveAShorterBubble) {
  const Question asked = question();
  const Duration whole = asked.iteration({"parallel.pipeline=2", "parallel.microbatches=4"});
  const Duration parts = asked.iteration({"parallel.interleave=2", "parallel.pipeline=2", "parallel.microbatches=4"});
  EXPECT_LT(parts, whole);
  EXPECT_EQ(asked.iteration({"parallel.pipeline=2", "parallel.microbatches=4", "parallel.schedule=interleaved"}),
            parts);
  EXPECT_EQ(asked.iteration({"parallel.pipeline=2", "parallel.microbatches=4", "parallel.interleave=1"}), whole);
}

TEST(ParallelTest, PartsOfStagesNeedStagesAndEnoughMicrobatches) {
  const Question asked = question();
  const auto problem = [&asked](std::initializer_list<std::string> sets) { return problem_of(asked, sets); };
  EXPECT_THAT(problem({"parallel.interleave=2"}), HasSubstr("found one stage"));
  EXPECT_THAT(problem({"parallel.interleave=2", "parallel.pipeline=2", "parallel.microbatches=3"}),
              HasSubstr("found 3 microbatches for 2 stages"));
  EXPECT_THAT(
      problem({"parallel.interleave=2", "parallel.pipeline=2", "parallel.microbatches=4", "parallel.schedule=gpipe"}),
      HasSubstr("found the schedule gpipe"));
}

TEST(ParallelTest, EveryReplicaHasItsOwnSamples) {
  const Question asked = question();
  scenarios::Scenario scenario;
  for (const std::string set : {"parallel.tensor=2", "parallel.data=3", "parallel.pipeline=4"})
    scenarios::add_set(scenario, set);
  scenarios::Plan plan = asked.predictor().plan();
  scenarios::apply_all(scenario.changes, plan);
  const sim::StepWork work = scenarios::work_of(plan);
  EXPECT_EQ(work.workers, 3U);
  EXPECT_EQ(work.devices, 8U);
  EXPECT_EQ(work.batches, 1);
}

/// A question about the job with `samples` samples in its captured step.
Question question_with_samples(std::uint32_t samples, const TransformerJob& job = kJob) {
  Capture capture = job.capture();
  capture.job.batch_size = samples;
  return Question(std::move(capture), one_host(), "maxmin");
}

// With as many samples as the captured step has, a microbatch is that step without its optimizer.
TEST(ParallelTest, NumbersOfSamplesGiveTheMicrobatches) {
  const Question asked = question_with_samples(4);
  const auto with = [&asked](const std::string& global) {
    return asked.iteration({"parallel.data=2", "parallel.micro_batch=4", "parallel.global_batch=" + global});
  };
  EXPECT_EQ(with("8"), asked.iteration({"parallel.data=2"}));
  EXPECT_EQ(with("24") - with("16"), with("16") - with("8"));
  EXPECT_EQ(asked.iteration({"parallel.global_batch=24", "parallel.micro_batch=4", "parallel.data=2"}), with("24"));
  EXPECT_EQ(asked.iteration(
                {"parallel.micro_batch=2", "parallel.data=2", "parallel.global_batch=16", "parallel.micro_batch=4"}),
            with("16"));
}

TEST(ParallelTest, NumbersOfSamplesAreThoseOfALargerBatch) {
  const Question asked = question_with_samples(4);
  const auto near = [](Duration a, Duration b) {
    return static_cast<double>(std::abs((a - b).count())) / static_cast<double>(b.count());
  };
  EXPECT_LT(near(asked.iteration({"parallel.global_batch=16"}), asked.iteration({"batch.scale=4"})), 1e-6);
  EXPECT_EQ(asked.iteration({"parallel.micro_batch=2", "parallel.global_batch=8"}),
            asked.iteration({"batch.scale=2", "parallel.microbatches=4"}));
  EXPECT_EQ(asked.iteration({"parallel.micro_batch=2", "parallel.microbatches=4"}),
            asked.iteration({"parallel.micro_batch=2", "parallel.global_batch=8"}));
}

// Four times the samples in four microbatches are as many samples at once as were captured.
TEST(ParallelTest, SamplesAndMicrobatchesCanCancelOut) {
  const Question asked = question_with_samples(4);
  const scenarios::Prediction captured = asked.predicted({"parallel.micro_batch=4", "parallel.global_batch=16"});
  for (const scenarios::Prediction& other :
       {asked.predicted({"batch.scale=4", "parallel.microbatches=4"}),
        asked.predicted({"parallel.microbatches=4", "batch.scale=4"}),
        asked.predicted({"batch.scale=2", "parallel.microbatches=4", "batch.scale=2"})}) {
    EXPECT_EQ(other.iteration, captured.iteration);
  }
}

// What all points of a sweep share is not applied twice, and each point is what it is alone.
TEST(ParallelTest, SamplesOfAScenarioAndOfItsPointsAreSettledTogether) {
  const Question asked = question_with_samples(4);
  using Sets = std::vector<std::string>;
  for (const auto& [shared, swept] :
       {std::pair{Sets{"parallel.micro_batch=2", "parallel.global_batch=16"}, "parallel.data"},
        std::pair{Sets{"batch.scale=4", "parallel.data=2"}, "parallel.microbatches"},
        std::pair{Sets{"parallel.microbatches=4"}, "batch.scale"},
        std::pair{Sets{"parallel.data=2"}, "parallel.tensor"}}) {
    scenarios::Scenario scenario;
    for (const std::string& set : shared) scenarios::add_set(scenario, set);
    scenarios::add_set(scenario, std::string(swept) + "=2,4");
    scenarios::Sweep sweep(asked.predictor(), scenario);
    const std::vector<std::size_t> both{0, 1};
    std::array<scenarios::Outcome, 2> outcomes;
    sweep.run(both, {.done = [&](std::size_t point, const scenarios::Outcome& one) { outcomes.at(point) = one; }});
    for (std::size_t point = 0; point < 2; ++point) {
      scenarios::Scenario alone;
      for (const std::string& set : shared) scenarios::add_set(alone, set);
      scenarios::add_set(alone, std::string(swept) + (point == 0 ? "=2" : "=4"));
      scenarios::Plan plan = asked.predictor().plan();
      scenarios::apply_all(alone.changes, plan);
      EXPECT_EQ(outcomes[point].iteration.value().mid, asked.predicted(alone).iteration) << swept << ", " << point;
      EXPECT_EQ(outcomes[point].batches, plan.batches) << swept << ", " << point;
      EXPECT_EQ(outcomes[point].devices, plan.parallelism.tensor) << swept << ", " << point;
    }
  }
}

TEST(ParallelTest, NumbersOfSamplesMustFit) {
  EXPECT_THAT(problem_of(question(), {"parallel.micro_batch=2"}), HasSubstr("expected batch_size in job.yaml"));
  EXPECT_THAT(
      problem_of(question_with_samples(4), {"parallel.data=2", "parallel.micro_batch=4", "parallel.global_batch=12"}),
      HasSubstr("12 samples are not a multiple of 4 samples in each of 2 replicas"));
}

TEST(ParallelTest, AMicrobatchHasAtLeastOneSample) {
  const Question asked = question_with_samples(4);
  EXPECT_EQ(problem_of(asked, {"parallel.microbatches=4"}), "taken");
  EXPECT_THAT(problem_of(asked, {"parallel.microbatches=8"}), HasSubstr("0.5 samples would be computed at once"));
  EXPECT_THAT(problem_of(asked, {"batch.scale=0.1"}), HasSubstr("0.4 samples would be computed at once"));
  EXPECT_EQ(problem_of(asked, {"parallel.microbatches=8", "batch.scale=2"}), "taken");
  EXPECT_EQ(problem_of(question(), {"parallel.microbatches=8"}), "taken") << "the number of samples is not known";
}

TEST(ParallelTest, SumsThatProductsWaitForTakeLonger) {
  const Question asked = question();
  const std::string slow = "cluster.inside=10GB/s";  // the links limit the step
  const scenarios::Prediction beside = asked.predicted({"parallel.tensor=4", slow});
  const scenarios::Prediction waited = asked.predicted({"parallel.tensor=4", "parallel.tensor_overlap=false", slow});
  EXPECT_GT(waited.iteration, beside.iteration);
  EXPECT_EQ(activations(waited), activations(beside));
}

// The CPU limits each of m microbatches in p stages, and waits for what it receives: (m + p - 1) / p steps of it.
TEST(ParallelTest, TheCpuOfAStageWaitsForWhatItReceives) {
  constexpr TransformerJob kLaunching{
      .layers = 8, .batch = 4, .kernel = Duration{1'000}, .call = Duration{50'000}, .ends = false};
  const Question asked = question_with_samples(4, kLaunching);
  const auto step = [&asked](const std::string& stages) {
    return static_cast<double>(
        asked.iteration({"parallel.pipeline=" + stages, "parallel.micro_batch=4", "parallel.global_batch=32"}).count());
  };
  EXPECT_NEAR(step("2") / step("1"), 9.0 / 16, 0.02);
  EXPECT_NEAR(step("4") / step("1"), 11.0 / 32, 0.02);
}

TEST(ParallelTest, WhatIsNotKnownIsRefused) {
  const Question asked = question();
  EXPECT_THAT(problem_of(asked, {"parallel.data=16"}), HasSubstr("expected also cluster.gpus_per_host"));
  EXPECT_THAT(problem_of(asked, {"parallel.data=16", "cluster.gpus_per_host=8"}),
              HasSubstr("expected also cluster.nic"));
  EXPECT_EQ(problem_of(asked, {"parallel.data=16", "cluster.gpus_per_host=8", "cluster.nic=400Gb/s"}), "taken");
  EXPECT_THAT(problem_of(asked, {"parallel.data=2", "cluster.workers=2"}), HasSubstr("in place of workers"));
  EXPECT_THAT(problem_of(asked, {"parallel.pipeline=8"}), HasSubstr("4 repeated layers"));
  EXPECT_THAT(problem_of(asked, {"parallel.data=1000", "parallel.tensor=1000"}), HasSubstr("too many"));
  Capture unnamed = kJob.capture();
  unnamed.devices.clear();
  EXPECT_THAT(problem_of(Question(std::move(unnamed), one_host(), "maxmin"), {"parallel.data=2"}),
              HasSubstr("does not name a known device"));
  EXPECT_THAT(problem_of(Question(kJob.capture()), {"parallel.data=2"}), HasSubstr("expected"));
  EXPECT_THAT(problem_of(parameter_server_question(), {"parallel.data=2"}), HasSubstr("parameter servers"));
}

}  // namespace
}  // namespace stepsim::testing
