#include "model/rewrite/parallel/divided_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"
#include "model/job/group.h"
#include "model/rewrite/buckets.h"
#include "model/rewrite/parallel/model_calls.h"
#include "model/rewrite/parallel/tensor_division.h"
#include "tests/model/rewrite/data_parallel_job.h"
#include "tests/model/rewrite/transformer_job.h"

namespace stepsim {
namespace {

using testing::DeviceDataParallelJob;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::has_edge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Property;
using ::testing::SizeIs;
using testing::tasks_named;
using ::testing::Throws;
using testing::TransformerJob;

/// The payloads of the collectives of groups with this name.
std::vector<Bytes> payloads(const Dag& dag, std::string_view group) {
  std::vector<Bytes> bytes;
  for (const RendezvousId rendezvous : dag.all_rendezvous()) {
    const Collective& collective = dag.collective(rendezvous);
    if (!dag.members(rendezvous).empty() && dag.group(collective.group).name == group)
      bytes.push_back(collective.bytes);
  }
  return bytes;
}

Bytes sum(const std::vector<Bytes>& all) { return std::accumulate(all.begin(), all.end(), Bytes{}); }

Bytes gradients_of(const Capture& capture) { return sum(sizes_of(capture.gradients)); }

TEST(DividedStepTest, ReplicasReduceEveryGradientOnceInBuckets) {
  Capture capture = TransformerJob{}.capture();
  for (const std::int64_t bound : {1'000, 5'000, 1'000'000}) {
    capture.job.bucket_bytes = Bytes{bound};
    const Capture replicas = with_parallelism(capture, {.data = 4});
    const std::vector<Bytes> reduced = payloads(replicas.dag, "data parallel");
    EXPECT_EQ(sum(reduced), gradients_of(capture));
    EXPECT_THAT(reduced, SizeIs(buckets_of(sizes_of(capture.gradients), Bytes{bound}).size()));
  }
}

TEST(DividedStepTest, TheOptimizerWaitsForAllReductions) {
  const Capture replicas = with_parallelism(TransformerJob{}.capture(), {.data = 2});
  TaskId last;
  for (const TaskId task : tasks_named(replicas.dag, "all_reduce (data parallel)")) {
    if (replicas.dag.kind(task) == TaskKind::kCollective) last = task;
  }
  EXPECT_TRUE(has_edge(replicas.dag, last, tasks_named(replicas.dag, "aten::_foreach_add_").front()));
}

TEST(DividedStepTest, RanksAreCopiesOfTheFirstOfTheirStage) {
  const Capture job =
      with_parallelism(TransformerJob{}.capture(), {.data = 3, .tensor = 2, .pipeline = 4, .microbatches = 2});
  const std::map<Rank, std::uint32_t> classes = rank_classes(job.dag);
  const std::map<Rank, std::uint32_t> expected{{0, 6}, {6, 6}, {12, 6}, {18, 6}};
  EXPECT_EQ(classes, expected);
  for (const Group& group : job.dag.groups()) {
    if (group.name == "tensor parallel") {
      EXPECT_EQ(group.ranks[1], group.ranks[0] + 1);
    } else if (group.name == "data parallel") {
      EXPECT_EQ(group.ranks[1], group.ranks[0] + 2);
    }
  }
}

TEST(DividedStepTest, SuccessiveRanksAreReplicasOrStages) {
  const auto groups_of = [](RankOrder order) {
    std::map<std::string, std::vector<Rank>> groups;
    const Capture divided = with_parallelism(
        TransformerJob{}.capture(), {.data = 3, .tensor = 2, .pipeline = 2, .microbatches = 2, .order = order});
    for (const Group& group : divided.dag.groups()) {
      if (!group.ranks.empty() && group.ranks.front() != 0) groups[group.name] = group.ranks;
      if (group.name == "all ranks") {
        for (const std::uint32_t original : group.copy_of) groups[group.name].push_back(group.ranks[original]);
      }
    }
    return groups;
  };
  auto replicas = groups_of(RankOrder::kReplicas);  // stage 1 has the ranks 6 to 11
  EXPECT_EQ(replicas["tensor parallel"], (std::vector<Rank>{6, 7}));
  EXPECT_EQ(replicas["data parallel"], (std::vector<Rank>{6, 8, 10}));
  EXPECT_EQ(replicas["all ranks"], (std::vector<Rank>{0, 0, 0, 0, 0, 0, 6, 6, 6, 6, 6, 6}));
  auto stages = groups_of(RankOrder::kStages);  // stage 1 has the ranks 2, 3, 6, 7, 10, 11
  EXPECT_EQ(stages["tensor parallel"], (std::vector<Rank>{2, 3}));
  EXPECT_EQ(stages["data parallel"], (std::vector<Rank>{2, 6, 10}));
  EXPECT_EQ(stages["all ranks"], (std::vector<Rank>{0, 0, 2, 2, 0, 0, 2, 2, 0, 0, 2, 2}));
}

TEST(DividedStepTest, TheWorkOfDividedCallsIsMarked) {
  const Capture capture = TransformerJob{}.capture();
  const std::vector<ModelCall> calls = model_calls(capture);
  const TensorDivision division = divide_calls(capture.operators, calls, false);
  std::map<Divided, std::size_t> expected;
  for (std::size_t i = 0; i < calls.size(); ++i) expected[division.divided[i]] += calls[i].uses.size();
  std::map<Divided, std::size_t> marked;
  for (const OperatorTable::Use& use : with_parallelism(capture, {.tensor = 2}).operators.uses) ++marked[use.divided];
  for (const Divided divided : {Divided::kColumns, Divided::kInner, Divided::kCount, Divided::kElements}) {
    EXPECT_GT(expected[divided], 0U);
    EXPECT_EQ(marked[divided], expected[divided]);
  }
}

TEST(DividedStepTest, GradientsOfDividedLayersAreSmaller) {
  const Capture capture = TransformerJob{}.capture();
  const Capture job = with_parallelism(capture, {.data = 2, .tensor = 4});
  EXPECT_EQ(sum(payloads(job.dag, "data parallel")).count() * 4, gradients_of(capture).count());
}

TEST(DividedStepTest, HeadsAreDividedEqually) {
  TransformerJob job;
  job.hidden = 24;
  job.heads = 6;
  for (const std::uint32_t tensor : {2U, 3U, 6U})
    EXPECT_NO_THROW(static_cast<void>(DividedStep(job.capture()).work({.tensor = tensor})));
  EXPECT_THAT([&] { static_cast<void>(DividedStep(job.capture()).work({.tensor = 4})); },
              Throws<CannotAnswer>(Property(&CannotAnswer::what, HasSubstr("6 heads, which 4 devices"))));
}

// Megatron-LM: num_query_groups must be a multiple of the tensor-parallel ranks.
TEST(DividedStepTest, HeadsOfKeysAndValuesAreDividedEqually) {
  const TransformerJob job{.hidden = 64, .heads = 8, .key_heads = 2};
  EXPECT_EQ(DividedStep(job.capture()).work({.tensor = 2}).key_heads, 2);
  EXPECT_THAT([&] { static_cast<void>(DividedStep(job.capture()).work({.tensor = 4})); },
              Throws<CannotAnswer>(
                  Property(&CannotAnswer::what, HasSubstr("2 heads of keys and values, which 4 devices cannot divide "
                                                          "equally; expected a divisor of 2"))));
  EXPECT_EQ(DividedStep(TransformerJob{.hidden = 64, .heads = 8}.capture()).work({.tensor = 8}).key_heads, 8);
}

// torch.compile fuses what is between the products of some layers in another way.
TEST(DividedStepTest, LayersThatAreNotRecognisedAreRefused) {
  Capture capture = TransformerJob{.layers = 4}.capture();
  std::vector<OperatorTable::Operator>& operators = capture.operators.operators;
  const auto other = static_cast<std::uint32_t>(operators.size());
  operators.push_back(operators[capture.operators.uses.front().which]);
  operators.back().work = {};
  std::size_t norms = 0;
  for (OperatorTable::Use& use : capture.operators.uses) {
    if (operators[use.which].name == "aten::native_layer_norm" && ++norms == 2) use.which = other;
  }
  for (const Parallelism& parallelism :
       {Parallelism{.pipeline = 2}, Parallelism{.data = 2, .zero = 3}, Parallelism{.recompute = Recompute::kLayers}}) {
    EXPECT_THAT(
        [&] { static_cast<void>(with_parallelism(capture, parallelism)); },
        Throws<CannotAnswer>(Property(&CannotAnswer::what,
                                      HasSubstr("the products of 4 layers, but only 3 of them have the same calls"))));
  }
  EXPECT_NO_THROW(static_cast<void>(with_parallelism(capture, {.data = 2})));
}

// Of a compiled model, autograd evaluates one function, and accumulates all gradients after it.
TEST(DividedStepTest, GradientsThatBelongToNoLayerAreRefused) {
  Capture capture = TransformerJob{.layers = 4}.capture();
  for (Gradient& gradient : capture.gradients) gradient.ready = capture.gradients.back().ready;
  for (const Parallelism& parallelism :
       {Parallelism{.data = 2, .zero = 3}, Parallelism{.data = 2, .pipeline = 2, .microbatches = 2}}) {
    EXPECT_THAT([&] { static_cast<void>(with_parallelism(capture, parallelism)); },
                Throws<CannotAnswer>(Property(&CannotAnswer::what, HasSubstr("4 of the 4 repeated layers have no"))));
  }
  const Capture replicas = with_parallelism(capture, {.data = 2});
  EXPECT_EQ(sum(payloads(replicas.dag, "data parallel")), gradients_of(capture));
}

// If no operator of the optimizer has shapes, nothing shows where the backward pass ends but its last gradient.
TEST(DividedStepTest, TheLastGradientIsReadyBeforeTheUpdate) {
  Capture capture = TransformerJob{.layers = 4, .call = Duration{100}}.capture();
  std::vector<OperatorTable::Use>& uses = capture.operators.uses;
  const DeviceLaunches launches = device_launches(capture);
  capture.gradients.back().ready = launches.begin()->second.back().call;  // after the last call with shapes
  std::erase_if(uses, [](const OperatorTable::Use& use) { return use.in_optimizer; });
  const Bytes all = gradients_of(capture);
  for (const Parallelism& parallelism :
       {Parallelism{.data = 4, .microbatches = 2}, Parallelism{.data = 4, .recompute = Recompute::kLayers},
        Parallelism{.data = 4, .pipeline = 2, .microbatches = 2}})
    EXPECT_EQ(sum(payloads(with_parallelism(capture, parallelism).dag, "data parallel")), all);
  // Each layer is gathered before both passes, and its gradients are reduced once.
  EXPECT_EQ(sum(payloads(with_parallelism(capture, {.data = 4, .zero = 3}).dag, "data parallel")), all + all + all);
}

TEST(DividedStepTest, CapturesOfSeveralRanksAreRefused) {
  const auto refused = [](const Capture& capture, Parallelism parallelism, const std::string& why) {
    EXPECT_THAT([&] { (void)with_parallelism(capture, parallelism); },
                Throws<CannotAnswer>(Property(&CannotAnswer::what, HasSubstr(why))));
  };
  refused(DeviceDataParallelJob{}.capture(), {.data = 2}, "several ranks");
  refused(DeviceDataParallelJob{.ranks = 1, .group = 2}.capture(), {.data = 2}, "communicates with others");
  Capture without = TransformerJob{}.capture();
  without.gradients.clear();
  refused(without, {.data = 2}, "no gradients");
  without.operators = {};
  refused(without, {.tensor = 2}, "0 % of the kernels' time");
  refused(without, {.pipeline = 2}, "0 % of the kernels' time");
  Capture forward = TransformerJob{}.capture();
  for (OperatorTable::Use& use : forward.operators.uses) use.in_backward = false;
  refused(forward, {.pipeline = 2}, "forward and a backward pass");
}

TEST(DividedStepTest, ACutHasTheLayersOfEachPart) {
  const Capture capture = TransformerJob{.layers = 8}.capture();
  DividedStep step(capture);
  EXPECT_THAT(step.cut({.data = 2, .microbatches = 4}).split, IsEmpty());
  EXPECT_THAT(step.cut({.pipeline = 4}).split, ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(step.cut({.pipeline = 2, .microbatches = 2, .interleave = 4}).split, Each(1));
  const Parallelism given{.pipeline = 2, .split = {3, 5}};
  EXPECT_EQ(step.cut(given), given);
  for (const std::vector<std::uint32_t>& split : {std::vector<std::uint32_t>{3, 4}, {2, 2, 4}, {8}})
    EXPECT_THROW(static_cast<void>(step.cut({.pipeline = 2, .split = split})), CannotAnswer);
}

TEST(DividedStepTest, ARankDoesItsPartOfDividedWorkAndOfTheUpdate) {
  const Capture capture = TransformerJob{}.capture();
  DividedStep step(capture);
  const DeviceWork whole{.kind = KernelClass::kElementwise, .amount = 48};
  DeviceWork divided = whole;
  divided.divided = Divided::kElements;
  DeviceWork update = whole;
  update.in_optimizer = true;
  const auto amount = [&step](const DeviceWork& piece, const Parallelism& parallelism) {
    return step.part_of_rank(piece, parallelism).amount;
  };
  EXPECT_EQ(amount(divided, {.tensor = 4}), 12);
  EXPECT_EQ(amount(whole, {.tensor = 4}), 48);
  EXPECT_EQ(amount(update, {.tensor = 4}), 12);
  EXPECT_EQ(amount(update, {.data = 3, .tensor = 4, .zero = 1}), 4);
  EXPECT_EQ(amount(update, {.data = 3, .tensor = 4}), 12) << "each replica updates all of its parameters";
  EXPECT_EQ(amount(update, {.zero = 1}), 48) << "one replica divides nothing";
  EXPECT_EQ(amount(whole, {.data = 3, .zero = 3}), 48);
}

TEST(DividedStepTest, RemembersWhatIsDivided) {
  const Capture capture = TransformerJob{.layers = 4}.capture();
  DividedStep step(capture);
  for (int time = 0; time < 2; ++time) {
    for (const Parallelism& parallelism :
         {Parallelism{}, Parallelism{.data = 2}, Parallelism{.data = 4, .micro_batch = 1}, Parallelism{.tensor = 2},
          Parallelism{.data = 8, .tensor = 2, .zero = 3}, Parallelism{.pipeline = 2}, Parallelism{.microbatches = 5},
          Parallelism{.pipeline = 2, .microbatches = 4, .interleave = 2}, Parallelism{.recompute = Recompute::kNeeded},
          Parallelism{.data = 2, .zero = 1, .recompute = Recompute::kAttention}}) {
      const DividedWork found = step.work(parallelism);
      const DividedWork expected = DividedStep(capture).work(parallelism);
      EXPECT_EQ(found.layers, expected.layers);
      EXPECT_EQ(found.whole_layers, expected.whole_layers);
      EXPECT_EQ(step.cut(parallelism), DividedStep(capture).cut(parallelism));
      EXPECT_EQ(found.repeated_layers, expected.repeated_layers);
      EXPECT_EQ(found.gradients, expected.gradients);
    }
    EXPECT_THROW((void)step.work({.tensor = 3}), CannotAnswer);
  }
}

}  // namespace
}  // namespace stepsim
