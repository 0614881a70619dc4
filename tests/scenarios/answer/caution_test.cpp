#include "scenarios/answer/caution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "model/cost/collective/algorithm.h"
#include "scenarios/question/scenario.h"
#include "tests/model/rewrite/data_parallel_job.h"
#include "tests/model/rewrite/parameter_server/workload_maker.h"

namespace stepsim::scenarios {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// One rank of a job of NCCL on two GPUs. `sized` is false if its operators have no shapes.
Capture one_of_two(bool shaped) {
  Capture capture = testing::DeviceDataParallelJob{.ranks = 1, .group = 2}.capture();
  capture.contents.sources.push_back({.file = "rank0.json",
                                      .format = "kineto",
                                      .processes = {{.rank = 0,
                                                     .world_size = 2,
                                                     .device_name = "NVIDIA H100",
                                                     .has_base_time = true,
                                                     .operators = 10,
                                                     .calls = 20,
                                                     .kernels = 20,
                                                     .syncs = 5,
                                                     .collectives = 6,
                                                     .sized_collectives = 6,
                                                     .shaped_operators = shaped ? 10U : 0U}}});
  return capture;
}

std::string caution_of(const Capture& capture, std::initializer_list<std::string> sets, const Cluster& cluster = {}) {
  Scenario scenario;
  for (const std::string& set : sets) add_set(scenario, set);
  std::vector<const Change*> changes;
  for (const Change& change : scenario.changes) changes.push_back(&change);
  const sim::Checkup checkup = sim::checkup_of(capture, nullptr);
  Caution caution(capture, checkup);
  caution.add(changes, cluster);
  return caution.trust().caution;
}

TEST(CautionTest, AnAnswerHasTheDoubtsOfItsQuestionOnly) {
  const Capture capture = one_of_two(false);
  EXPECT_THAT(caution_of(capture, {"straggler.factor=1.5"}),
              AllOf(HasSubstr("Predictions of ranks changes are unreliable: 1 of the job's 2 ranks was captured "
                              "(missing_ranks);"),
                    Not(HasSubstr("no_shapes"))));
  EXPECT_THAT(caution_of(capture, {"device.to=H100"}), AllOf(HasSubstr("no_shapes"), Not(HasSubstr("missing_ranks"))));
  EXPECT_THAT(caution_of(capture, {"device.to=H100", "network.bandwidth=2x"}),
              HasSubstr("Predictions of device and network changes are unreliable"));
  EXPECT_THAT(caution_of(capture, {"compute.scale=0.5"}), IsEmpty());
  EXPECT_THAT(caution_of(one_of_two(true), {"device.to=H100"}), IsEmpty());
}

TEST(CautionTest, WhatWasNeverMeasuredIsSaid) {
  Capture capture = testing::DeviceDataParallelJob{}.capture();
  EXPECT_THAT(caution_of(capture, {"network.bandwidth=2x"}), IsEmpty());
  EXPECT_THAT(caution_of(capture, {"network.bandwidth=2x"}, testing::switch_of(2, 1e9, {})),
              HasSubstr("Never compared with measured runs: steps on several GPU hosts"));

  DagBuilder builder;
  const LaneId lane = builder.add_lane({.name = "stream 7", .kind = LaneKind::kStream, .device = 0});
  builder.join(builder.add_rendezvous({.algorithm = find_collective_model("nccl")}),
               builder.add_task({.kind = TaskKind::kCollective, .name = builder.intern("ncclKernel"), .lane = lane}));
  capture.dag = std::move(builder).build().dag;
  EXPECT_THAT(caution_of(capture, {"network.bandwidth=2x"}), HasSubstr("of whole NCCL jobs"));
  EXPECT_THAT(caution_of(capture, {"comm.start=gradient"}), IsEmpty());
  EXPECT_THAT(caution_of(capture, {"compute.scale=0.5"}), IsEmpty());
}

}  // namespace
}  // namespace stepsim::scenarios
