#include "sim/check/checkup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/base/known_diagnostics.h"
#include "sim/check/check_document.h"
#include "sim/output/json_writer.h"
#include "sim/report/headline.h"
#include "tests/sim/sample_capture.h"

namespace stepsim::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Returns the contents of a complete recording of one process with a GPU.
HostDeviceContents whole_process(std::int64_t rank) {
  HostDeviceContents process{.rank = rank, .world_size = 2, .device_name = "H100", .has_base_time = true};
  process.step_marks = 5;
  process.operators = 100;
  process.calls = process.launches = 50;
  process.kernels = 50;
  process.streams = process.devices = process.host_threads = 1;
  process.syncs = 3;
  process.shaped_operators = 90;
  return process;
}

/// A complete capture of two ranks, for check().
struct Whole {
  CaptureContents contents;
  Capture capture = testing_capture();
  Examined examined{.contents = contents, .diagnostics = capture.diagnostics, .capture = &capture, .problem = {}};

  Whole() {
    SourceContents source{.file = "a.json", .format = "kineto", .problem = {}};
    source.processes = {whole_process(0), whole_process(1)};
    contents.sources.push_back(source);
  }
  static Capture testing_capture() { return stepsim::testing::sample_capture(); }
  HostDeviceContents& process() { return contents.sources[0].processes[0]; }
};

const Finding* finding(const Checkup& checkup, std::string_view name) {
  const auto found = std::find_if(checkup.findings.begin(), checkup.findings.end(),
                                  [name](const Finding& one) { return one.name == name; });
  return found == checkup.findings.end() ? nullptr : &*found;
}

TEST(CheckupTest, AWholeCaptureIsGood) {
  const Whole whole;
  const Checkup checkup = check(whole.examined);
  EXPECT_EQ(checkup.verdict, Verdict::kGood);
  EXPECT_EQ(finding(checkup, "no_shapes"), nullptr);
  EXPECT_EQ(finding(checkup, "no_sync_events"), nullptr);
  EXPECT_EQ(finding(checkup, "missing_ranks"), nullptr);
}

TEST(CheckupTest, WithoutShapesWhatIfsOfTheDeviceAreWeak) {
  Whole whole;
  for (HostDeviceContents& process : whole.contents.sources[0].processes) process.shaped_operators = 0;
  const Checkup checkup = check(whole.examined);
  ASSERT_NE(finding(checkup, "no_shapes"), nullptr);
  EXPECT_THAT(finding(checkup, "no_shapes")->remedy, HasSubstr("record_shapes=True"));
  EXPECT_EQ(checkup.cost_of(Question::kDevice), Cost::kWeakens);
  EXPECT_EQ(checkup.cost_of(Question::kReplay), Cost::kNothing);
  EXPECT_EQ(checkup.verdict, Verdict::kGood);
}

TEST(CheckupTest, TheRemedyIsInTheWordsOfWhoRecordedIt) {
  Whole whole;
  for (HostDeviceContents& process : whole.contents.sources[0].processes) process.syncs = 0;
  EXPECT_THAT(finding(check(whole.examined), "no_sync_events")->remedy, HasSubstr("enable_cuda_sync_events"));
  whole.contents.sources[0].format = "nsys";
  EXPECT_THAT(finding(check(whole.examined), "no_sync_events")->remedy, HasSubstr("--cuda-event-trace=true"));
}

TEST(CheckupTest, RanksThatAreNotThereAreCounted) {
  Whole whole;
  for (HostDeviceContents& process : whole.contents.sources[0].processes) {
    process.world_size = 8;
    process.collectives = process.sized_collectives = 4;
  }
  const Checkup checkup = check(whole.examined);
  ASSERT_NE(finding(checkup, "missing_ranks"), nullptr);
  EXPECT_EQ(finding(checkup, "missing_ranks")->count, 6U);
  EXPECT_DOUBLE_EQ(*finding(checkup, "missing_ranks")->share, 0.75);
  EXPECT_EQ(checkup.cost_of(Question::kNetwork), Cost::kWeakens);
}

std::string caution_of_questions(const Capture& capture, Questions asked) {
  return trust_in(capture, checkup_of(capture, nullptr), asked).caution;
}

TEST(CheckupTest, TheCautionIsThatOfTheQuestionsAsked) {
  Whole whole;
  for (HostDeviceContents& process : whole.contents.sources[0].processes) process.shaped_operators = 0;
  whole.capture.contents = whole.contents;
  EXPECT_EQ(caution_of_questions(whole.capture, {Question::kDevice, Question::kHost}),
            "Predictions of device changes are unreliable: no input shapes of operators (no_shapes); 'stepsim check' "
            "explains the consequences.");
  EXPECT_EQ(caution_of_questions(whole.capture, {Question::kReplay, Question::kHost}), "");
}

TEST(CheckupTest, TheCautionNamesLostDataOnce) {
  Whole whole;
  whole.capture.contents = whole.contents;
  whole.capture.diagnostics.count(diagnostic("no_timestamp"), {});
  EXPECT_EQ(caution_of_questions(whole.capture, {Question::kReplay}),
            "Part of the input could not be used: no_timestamp (1); 'stepsim check' explains the consequences.");
}

TEST(CheckupTest, LaunchesWithoutKernelsCannotBeUsed) {
  Whole whole;
  whole.capture.diagnostics.count(diagnostic("launches_without_device_work"), {}, {}, 260);
  const Checkup checkup = check(whole.examined);
  EXPECT_EQ(checkup.verdict, Verdict::kUnusable);
  EXPECT_EQ(checkup.findings.front().name, "launches_without_device_work");
  EXPECT_EQ(checkup.findings.front().count, 260U);
  EXPECT_THAT(checkup.findings.front().remedy, StartsWith("record with ProfilerActivity.CUDA"));
}

TEST(CheckupTest, WhatCannotBeReadCannotBeUsedAndSaysWhy) {
  CaptureContents contents;
  contents.sources.push_back({.file = "x", .format = {}, .problem = "x@0: this is in no format"});
  const Diagnostics none;
  const Examined examined{
      .contents = contents, .diagnostics = none, .capture = nullptr, .problem = "x@0: this is in no format"};
  const Checkup checkup = check(examined);
  EXPECT_EQ(checkup.verdict, Verdict::kUnusable);
  ASSERT_EQ(checkup.findings.size(), 1U);  // reported once, although both the file and the job report it
  EXPECT_THAT(verdict_sentence(checkup, examined), HasSubstr("x@0: this is in no format"));
}

TEST(CheckupTest, WhatTheProfilerAddsIsSaidBesideTheFreeStep) {
  Whole whole;
  ReplayCheck replay;
  replay.summary.measured = true;
  replay.summary.iteration.measured = std::chrono::milliseconds{110};
  whole.examined.replay = &replay;
  EXPECT_EQ(finding(check(whole.examined), "profiler_slowing"), nullptr);
  whole.capture.job.measured_step = std::chrono::milliseconds{100};
  const Checkup slowed = check(whole.examined);
  ASSERT_NE(finding(slowed, "profiler_slowing"), nullptr);
  EXPECT_NEAR(*finding(slowed, "profiler_slowing")->share, 0.1, 1e-9);
  EXPECT_EQ(finding(slowed, "profiler_slowing")->cost, Cost::kBlurs);
  whole.capture.job.measured_step = std::chrono::milliseconds{109};
  EXPECT_EQ(finding(check(whole.examined), "profiler_slowing")->cost, Cost::kNothing);
}

TEST(CheckupTest, ACaptureIsGoodUpToASelfCheckOfFivePercent) {
  Whole whole;
  ReplayCheck replay;
  replay.summary.measured = true;
  whole.examined.replay = &replay;
  const auto verdict = [&](double error, double difference) {
    replay.perturbation = Perturbation{.steps = 3, .error = error, .worst_error = error, .difference = difference};
    return check(whole.examined).verdict;
  };
  EXPECT_EQ(verdict(0.049, 0.01), Verdict::kGood);
  EXPECT_EQ(verdict(0.058, 0.031), Verdict::kDoubtful);
  EXPECT_EQ(verdict(0.058, 0.2), Verdict::kDoubtful) << "the limit is that of README, whatever the steps differ by";
  EXPECT_EQ(finding(check(whole.examined), "graph_test_off")->cost, Cost::kWeakens);
  EXPECT_EQ(verdict(0.001, 0.9), Verdict::kGood) << "the steps differ, and predict each other";
  EXPECT_EQ(verdict(0.001, 8.24), Verdict::kDoubtful) << "no step is typical";
  EXPECT_EQ(*finding(check(whole.examined), "steps_apart")->share, 8.24);
}

TEST(CheckupTest, AStepThatBeginsWithTheWaitForARankIsDoubtful) {
  Whole whole;
  ReplayCheck replay;
  replay.summary.measured = true;
  whole.examined.replay = &replay;
  replay.path.path.length = std::chrono::milliseconds{20};
  const auto verdict = [&](Duration wait) {
    replay.path.path.tasks = {{.wait = wait}};
    return check(whole.examined).verdict;
  };
  EXPECT_EQ(verdict(std::chrono::microseconds{7500}), Verdict::kDoubtful);
  EXPECT_THAT(finding(check(whole.examined), "late_start")->sentence,
              HasSubstr("ranks start 7.5 ms apart, which is 37.5 % of the critical path"));
  EXPECT_EQ(verdict(std::chrono::microseconds{1500}), Verdict::kGood);
  EXPECT_EQ(finding(check(whole.examined), "late_start")->cost, Cost::kBlurs);
  EXPECT_EQ(verdict({}), Verdict::kGood);
  EXPECT_EQ(finding(check(whole.examined), "late_start"), nullptr);
}

/// A rank's recorded steps take 420 us.
TEST(CheckupTest, PausesAreADoubtFromAFifthOfTheSteps) {
  Whole whole;
  ReplayCheck replay;
  replay.summary.measured = true;
  whole.examined.replay = &replay;
  const auto cost = [&](Duration pause) {
    whole.capture.recording.pauses.clear();
    for (const TaskId task : whole.capture.dag.tasks()) {
      if (whole.capture.dag.name(task) == "optimizer" && whole.capture.dag.lane(task).rank == 1)
        whole.capture.recording.pauses.push_back({task, pause});
    }
    return finding(check(whole.examined), "pauses")->cost;
  };
  EXPECT_EQ(finding(check(whole.examined), "pauses"), nullptr);
  EXPECT_EQ(cost(std::chrono::microseconds{10}), Cost::kNothing) << "20 of 420 us";
  EXPECT_EQ(check(whole.examined).verdict, Verdict::kGood);
  EXPECT_EQ(cost(std::chrono::microseconds{11}), Cost::kBlurs) << "22 of 420 us";
  EXPECT_EQ(cost(std::chrono::microseconds{41}), Cost::kBlurs) << "82 of 420 us";
  EXPECT_EQ(cost(std::chrono::microseconds{42}), Cost::kWeakens) << "84 of 420 us";
  EXPECT_EQ(check(whole.examined).verdict, Verdict::kDoubtful);
  const Checkup found = check(whole.examined);
  EXPECT_EQ(finding(found, "pauses")->count, 2U);
  EXPECT_NEAR(*finding(found, "pauses")->share, 0.2, 1e-9);
  EXPECT_THAT(finding(found, "pauses")->sentence, HasSubstr("rank 1 did not run in 2 pauses, 84 us of its 420 us"));
}

/// Returns a capture of two ranks that has the first `steps` steps of each rank. `marked` says whether the trace marks
/// the steps.
Capture capture_of_steps(std::size_t steps, bool marked) {
  Capture capture = stepsim::testing::sample_capture();
  std::vector<RecordedStep> kept;
  std::map<Rank, std::size_t> of_rank;
  for (const RecordedStep& step : capture.recording.steps) {
    if (of_rank[step.rank]++ < steps) kept.push_back(step);
  }
  for (RecordedStep& step : kept) step.marked = marked;
  capture.recording.steps = std::move(kept);
  return capture;
}

TEST(CheckupTest, StepsAreOnlyCalledUntestedWhereTheReplayTestedNothing) {
  for (const auto& [steps, marked, name] :
       {std::tuple{1U, false, "no_steps"}, {1U, true, "one_step"}, {2U, true, "two_steps"}}) {
    Whole whole;
    whole.capture = capture_of_steps(steps, marked);
    ASSERT_NE(finding(check(whole.examined), name), nullptr) << name;
    EXPECT_THAT(finding(check(whole.examined), name)->effect, Not(HasSubstr("tested"))) << "no replay, no word of it";
    ReplayCheck replay;
    replay.summary.measured = true;
    whole.examined.replay = &replay;
    const std::string reason = untested_reason(whole.capture);
    EXPECT_THAT(finding(check(whole.examined), name)->effect, HasSubstr("The graph is not tested: " + reason + "."));
    EXPECT_THAT(trust_line(whole.capture, replay.summary, {}, {}), StartsWith("No self-check: " + reason + "."));
    replay.perturbation =
        Perturbation{.between_ranks = steps == 1, .steps = 2, .error = 0.01, .worst_error = 0.02, .difference = 0.1};
    EXPECT_THAT(finding(check(whole.examined), name)->effect, Not(HasSubstr("not tested"))) << name;
    EXPECT_THAT(finding(check(whole.examined), name)->effect, Not(HasSubstr("from another"))) << name;
  }
}

TEST(CheckupTest, TheDearestFindingsComeFirst) {
  Whole whole;
  for (HostDeviceContents& process : whole.contents.sources[0].processes) {
    process.shaped_operators = 0;
    process.syncs = 0;
  }
  whole.contents.private_parts = {{"GitHub token", true, 2, "a.json@7"}, {"path", false, 3, "a.json@9"}};
  const Checkup checkup = check(whole.examined);
  const auto by_cost = [](const Finding& a, const Finding& b) { return a.cost < b.cost; };
  EXPECT_TRUE(std::is_sorted(checkup.findings.begin(), checkup.findings.end(), by_cost));
  EXPECT_EQ(checkup.findings.front().name, "secret");
  EXPECT_EQ(checkup.verdict, Verdict::kGood) << "a secret makes no answer worse";
}

TEST(CheckupTest, ScrubbingIsAdvisedForTextAndNotForDatabases) {
  Whole whole;
  whole.contents.private_parts = {{"GitHub token", true, 2, "a.json@7"}, {"path", false, 3, "a.json@9"}};
  for (const char* const name : {"secret", "private_content"}) {
    whole.contents.sources[0].format = "kineto";
    EXPECT_THAT(finding(check(whole.examined), name)->remedy, HasSubstr("--scrub IN -o OUT' writes a copy"));
    whole.contents.sources[0].format = "nsys";
    EXPECT_THAT(finding(check(whole.examined), name)->remedy, HasSubstr("--scrub' rewrites only text"));
  }
}

TEST(CheckupTest, TheJsonObjectHasTheSameFindings) {
  Whole whole;
  whole.process().shaped_operators = 0;
  const Checkup checkup = check(whole.examined);
  const Provenance provenance;
  const Document document = check_document(checkup, whole.examined, provenance);
  JsonWriter json;
  document.json(json);
  EXPECT_THAT(json.text(), StartsWith(R"({"schema":"stepsim.check/1")"));
  for (const Finding& one : checkup.findings) EXPECT_THAT(json.text(), HasSubstr("\"name\":\"" + one.name + "\""));
  EXPECT_EQ(document.rows().rows().size(),
            checkup.findings.size() + static_cast<std::size_t>(checkup.applicable.count()));
}

}  // namespace
}  // namespace stepsim::sim
