#include "scenarios/answer/caution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/question/scenario.h"
#include "tests/model/rewrite/data_parallel_job.h"
#include "tests/scenarios/question.h"

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

/// Returns the caution for changes whose answer has a range of a tenth each way, of which one source alone gives a
/// share.
std::string caution_of(const Capture& capture, std::initializer_list<std::string> sets, std::string_view source = "",
                       double share = 0) {
  Scenario scenario;
  for (const std::string& set : sets) add_set(scenario, set);
  std::vector<const Change*> changes;
  for (const Change& change : scenario.changes) changes.push_back(&change);
  const sim::Checkup checkup = sim::checkup_of(capture, nullptr);
  Caution caution(capture, checkup);
  caution.add(changes, testing::Question(capture).predictor().plan());
  const auto step = [](double logarithm) { return Duration{std::llround(1e9 * std::exp(logarithm))}; };
  caution.add(Range<Duration>{
      .low = step(-0.1),
      .mid = step(0),
      .high = step(0.1),
      .sources = {{.name = source, .reason = "", .low = step(-0.1 * share), .high = step(0.1 * share)}}});
  return caution.trust().caution;
}

TEST(CautionTest, AFindingCountsIfItMovesTheAnswer) {
  const Capture capture = one_of_two(false);
  EXPECT_THAT(caution_of(capture, {"straggler.factor=1.5"}, "missing ranks", 0.6),
              AllOf(HasSubstr("Predictions of ranks changes are unreliable: 1 of the job's 2 ranks was captured "
                              "(missing_ranks);"),
                    Not(HasSubstr("no_shapes"))));
  EXPECT_THAT(caution_of(capture, {"straggler.factor=1.5"}, "missing ranks", 0.4), IsEmpty()) << "less than half";
  EXPECT_THAT(caution_of(capture, {"straggler.factor=1.5"}, "steps", 1), IsEmpty()) << "of another source";
  EXPECT_THAT(caution_of(capture, {"device.to=H100"}, "missing ranks", 1), IsEmpty()) << "of another question";
  EXPECT_THAT(caution_of(capture, {"device.to=H100"}, "device", 1), HasSubstr("no_shapes"));
  EXPECT_THAT(caution_of(one_of_two(true), {"device.to=H100"}, "device", 1), IsEmpty());
}

TEST(CautionTest, AFindingThatPreventsAnswersAlwaysCounts) {
  Capture capture = one_of_two(true);
  HostDeviceContents& process = capture.contents.sources.front().processes.front();
  process.operators = process.calls = process.syncs = process.shaped_operators = 0;
  EXPECT_THAT(caution_of(capture, {"host.scale=0.5"}), HasSubstr("no_host_events"));
}

TEST(CautionTest, OnlyRangesTellIfAFindingHasASource) {
  const auto depends = [](const Capture& capture, sim::Questions asked) {
    const sim::Checkup checkup = sim::checkup_of(capture, nullptr);
    Caution caution(capture, checkup);
    if (!asked.empty()) caution.add_all();
    return caution.depends_on_ranges();
  };
  EXPECT_TRUE(depends(one_of_two(false), sim::Questions::all()));
  EXPECT_FALSE(depends(one_of_two(false), {})) << "nothing is asked";
}

TEST(CautionTest, TheEvidenceIsThatOfTheWorstQuestion) {
  const testing::Question question(one_of_two(true));
  const sim::Checkup checkup = sim::checkup_of(question.capture(), nullptr);
  Caution caution(question.capture(), checkup);
  for (const std::string set : {"device.to=H100", "host.scale=0.5", "device.to=A100"}) {
    Scenario scenario;
    add_set(scenario, set);
    Plan plan = question.predictor().plan();
    apply_all(scenario.changes, plan);
    caution.add({&scenario.changes.front()}, plan);
  }
  EXPECT_THAT(caution.trust().evidence, HasSubstr("Nothing of this kind was measured (captured step, "));
}

}  // namespace
}  // namespace stepsim::scenarios
