// Tests the range of an answer: what holds for every question, and what each source of uncertainty is computed from.
#include "scenarios/answer/interval.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "ingest/bytes/input.h"
#include "model/cost/collective/nccl_times.h"
#include "model/cost/network/maxmin.h"
#include "scenarios/answer/baseline.h"
#include "scenarios/answer/effect.h"
#include "scenarios/answer/interval_sources.h"
#include "scenarios/answer/learn_from_capture.h"
#include "scenarios/answer/sweep.h"
#include "sim/analysis/summary.h"
#include "tests/model/rewrite/parameter_server/workload_maker.h"
#include "tests/model/rewrite/transformer_job.h"
#include "tests/scenarios/sample_questions.h"
#include "tests/sim/sample_capture.h"
#include "tests/sim/stepped_job.h"
#include "tests/source_folder.h"

namespace stepsim::scenarios {
namespace {

using std::chrono::microseconds;
using stepsim::testing::Question;

struct Answer {
  Duration iteration{};
  Range<Duration> range;
  [[nodiscard]] const RangeSource<Duration>* source(std::string_view name) const {
    const auto found = std::find_if(range.sources.begin(), range.sources.end(),
                                    [name](const RangeSource<Duration>& source) { return source.name == name; });
    return found == range.sources.end() ? nullptr : &*found;
  }
};

Answer answer(const Question& question, const std::vector<std::string>& sets = {}) {
  Scenario scenario;
  for (const std::string& set : sets) add_set(scenario, set);
  Plan plan = question.predictor().plan();
  apply_all(scenario.changes, plan);
  ReplayMeter meter;
  const Prediction baseline = question.predictor().predict(question.predictor().plan());
  const Prediction predicted = question.predictor().predict(plan);
  return {predicted.iteration, interval_of(question.predictor(), plan, baseline, predicted, meter)};
}

/// Returns streams_question() with `events` recorded events in each task on the host. These tasks take 10 us of a step
/// of 210 us. `measured_step` is the time of a step without a profiler.
Capture recorded_capture(std::uint32_t events) {
  Capture capture = stepsim::testing::sample_capture();
  capture.recording.events.resize(capture.dag.task_count());
  for (std::size_t i = 0; i < capture.dag.task_count(); ++i) {
    if (capture.dag.kind(TaskId{i}) == TaskKind::kHost) capture.recording.events[i] = events;
  }
  return capture;
}

Question recorded_question(std::uint32_t events, std::optional<Duration> measured_step = {}) {
  Capture capture = recorded_capture(events);
  capture.job.measured_step = measured_step;
  return Question(std::move(capture));
}

/// Returns the sample's job, in whose steps of 210 us the threads, which work for 10 us, pause for `pause`.
Question pausing_question(Duration pause) {
  Capture capture = stepsim::testing::sample_capture();
  for (const TaskId task : capture.dag.tasks()) {
    if (capture.dag.kind(task) == TaskKind::kHost) capture.recording.pauses.push_back({task, pause});
  }
  return Question(std::move(capture));
}

/// Expects the range that the sources give together. On each side, the logarithms of their factors add up by their
/// squares. Of the sources that are computed from the captured steps' times (model, steps, transient) only the widest
/// counts. All is then widened by the factor of the answer's kind. The range is at least as wide as the errors of
/// "model", "steps" and "profiler" multiplied. Times are whole nanoseconds.
void expect_sources_together(const Answer& answer, const std::string& what) {
  double below = 0;
  double above = 0;
  double least_of_times = 0;
  double most_of_times = 0;
  double low_of_steps = 0;
  double high_of_steps = 0;
  for (const RangeSource<Duration>& source : answer.range.sources) {
    const double low = std::log(sim::ratio(source.low, answer.iteration));
    const double high = std::log(sim::ratio(source.high, answer.iteration));
    if (source.name == "model" || source.name == "steps" || source.name == "transient") {
      least_of_times = std::min(least_of_times, low);
      most_of_times = std::max(most_of_times, high);
    } else {
      below += low * low;
      above += high * high;
    }
    if (source.name != "model" && source.name != "steps" && source.name != "profiler") continue;
    low_of_steps += low;
    high_of_steps += high;
  }
  const double least = std::min(-std::hypot(std::sqrt(below), least_of_times), low_of_steps);
  const double most = std::max(std::hypot(std::sqrt(above), most_of_times), high_of_steps);
  EXPECT_NEAR(by_sources(answer.range).least, std::exp(least), 2e-5) << what;
  EXPECT_NEAR(by_sources(answer.range).most, std::exp(most), 2e-5) << what;
  const double low = std::exp(std::min(answer.range.factor * least, low_of_steps));
  const double high = std::exp(std::max(answer.range.factor * most, high_of_steps));
  EXPECT_NEAR(sim::ratio(answer.range.low, answer.iteration), low, 2e-5) << what;
  EXPECT_NEAR(sim::ratio(answer.range.high, answer.iteration), high, 2e-5) << what;
}

/// A rank's two steps take 420 us, so two pauses take 5 % of them from 10.5 us each.
TEST(IntervalTest, StepsWithoutPausesAreInTheRangeIfThereAreMany) {
  EXPECT_EQ(answer(pausing_question(Duration{10'400})).source("pauses"), nullptr);
  const Question question = pausing_question(Duration{10'600});
  const Answer with = answer(question);
  ASSERT_NE(with.source("pauses"), nullptr);
  EXPECT_EQ(with.source("pauses")->low, with.iteration - microseconds{10}) << "the whole task, and no more";
  EXPECT_EQ(with.source("pauses")->high, with.iteration);
  EXPECT_EQ(answer(question, {"host.pauses=0.5"}).source("pauses"), nullptr) << "the user says how long they are";
}

TEST(IntervalTest, IsWhatItsSourcesMakeTogether) {
  std::size_t several = 0;
  for (const auto& [name, question] : stepsim::testing::sample_questions()) {
    for (const std::vector<std::string>& sets :
         {std::vector<std::string>{}, {"compute.scale=0.5"}, {"compute.scale=3"}, {"compute.add=7us"}}) {
      const Answer found = answer(question, sets);
      expect_sources_together(found, name);
      several += std::count_if(found.range.sources.begin(), found.range.sources.end(),
                               [](const RangeSource<Duration>& source) { return source.low < source.high; }) > 1;
      for (const RangeSource<Duration>& source : found.range.sources) {
        EXPECT_LE(source.low, found.iteration) << name << ' ' << source.name;
        EXPECT_GE(source.high, found.iteration) << name << ' ' << source.name;
      }
    }
  }
  EXPECT_GE(several, 8U) << "answers with several sources that have a width";
}

TEST(IntervalTest, AChangeWithoutEffectHasTheRangeOfTheCaptureAndNoWidthItself) {
  for (const auto& [name, question] : stepsim::testing::sample_questions()) {
    SCOPED_TRACE(name);
    const Prediction baseline = question.predictor().predict(question.predictor().plan());
    const Answer captured = answer(question);
    for (const std::string set : {"compute.scale=1", "host.scale=1", "batch.scale=1"}) {
      const Answer found = answer(question, {set});
      EXPECT_EQ(found.range, captured.range) << set;
      EXPECT_EQ(found.range.factor, 1) << set;
      const Effect effect = effect_of(baseline, question.predicted({set}), found.range);
      for (const Range<double>& change : {effect.typical, effect.mean}) {
        EXPECT_EQ(change.low, 0) << set;
        EXPECT_EQ(change.high, 0) << set;
      }
    }
  }
}

TEST(IntervalTest, IsWidenedInProportionToASmallChange) {
  const Question question = stepsim::testing::streams_question();
  const double whole = answer(question, {"compute.scale=3"}).range.factor;
  EXPECT_GT(whole, 1) << "no slower GPU was measured";
  double before = 1;
  for (const char* const scale : {"1.001", "1.01", "1.05", "1.2"}) {
    const double found = answer(question, {std::string("compute.scale=") + scale}).range.factor;
    EXPECT_GT(found, before) << scale;
    EXPECT_LE(found, whole) << scale;
    before = found;
  }
}

/// Returns the first cells of the table rows in the section "Ranges" of docs/internals/answers.md.
std::vector<std::string> sources_in_docs() {
  std::istringstream page(
      ingest::read_small_file((source_folder() / "docs/internals/answers.md").string(), 1U << 20U).text);
  std::vector<std::string> names;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) inside = line == "## Ranges";
    const std::size_t end = line.find(" | ");
    if (inside && line.starts_with("| ") && end != std::string::npos) names.push_back(line.substr(2, end - 2));
  }
  return names;
}

TEST(IntervalTest, DocsHaveTheSourcesInTheirOrder) {
  std::vector<std::string> names{"source"};  // the heading of the column
  for (const SourceRule& rule : interval_sources()) names.emplace_back(rule.name);
  std::vector<std::string> docs = sources_in_docs();
  ASSERT_GE(docs.size(), names.size());
  docs.resize(names.size());  // the section has more tables
  EXPECT_EQ(docs, names);
}

TEST(IntervalTest, EverySourceHasOneReason) {
  for (const SourceRule& rule : interval_sources())
    EXPECT_NE(rule.reason.empty(), rule.reason_of == nullptr) << rule.name;
}

/// The step of the sample takes 210 us, of which its threads work for 10 us.
Question question_of(std::string format, std::uint64_t shaped_operators, std::optional<Duration> profiler_cost = {}) {
  Capture capture = recorded_capture(2);
  HostDeviceContents process;
  process.calls = 1;
  process.shaped_operators = shaped_operators;
  capture.contents.sources.push_back({.format = std::move(format), .processes = {process}});
  capture.job.profiler_cost = profiler_cost;
  return Question(std::move(capture));
}

/// Returns the answer without the profiler's cost.
Answer answer_as_it_runs(const Question& question) {
  ReplayMeter meter;
  take_out_profiler(question.builder(), meter);
  return answer(question);
}

void expect_range(const Answer& answer, std::array<double, 3> expected) {
  const RangeSource<Duration>* const source = answer.source("profiler");
  ASSERT_NE(source, nullptr);
  const std::array times{source->low, answer.iteration, source->high};
  for (std::size_t i = 0; i < times.size(); ++i)
    EXPECT_NEAR(static_cast<double>(times[i].count()), 1e3 * expected[i], 2) << i;
}

TEST(ProfilerTest, TorchProfilerAddsWhatItAddedToMeasuredJobs) {
  // An event costs 2.4 us, at most 4.5, but two at most 0.9 of the 10 us.
  expect_range(answer_as_it_runs(question_of("kineto", 1)), {201, 205.2, 210});
  // Without shapes it costs 0.7 of that.
  expect_range(answer_as_it_runs(question_of("kineto", 0)), {201, 210 - 2 * 1.68, 210});
}

TEST(ProfilerTest, OtherProfilersMayAddAsMuch) {
  expect_range(answer_as_it_runs(question_of("nsys", 0)), {201, 210, 210});
}

TEST(ProfilerTest, ProfilerCostOfTheJobFileIsTakenOut) {
  const Question question = question_of("kineto", 1, microseconds{1});
  const Answer found = answer_as_it_runs(question);
  EXPECT_EQ(found.iteration, microseconds{208});
  EXPECT_EQ(found.source("profiler"), nullptr);
  EXPECT_EQ(question.predictor().settings().as_captured, microseconds{210});
  const Answer nothing = answer_as_it_runs(question_of("kineto", 1, Duration{}));
  EXPECT_EQ(nothing.iteration, microseconds{210});
  EXPECT_EQ(nothing.source("profiler"), nullptr);
}

TEST(ProfilerTest, CapturesWithoutCountsOfEventsStayAsTheyAre) {
  EXPECT_EQ(answer_as_it_runs(recorded_question(0)).source("profiler"), nullptr);
  EXPECT_EQ(answer_as_it_runs(stepsim::testing::streams_question()).source("profiler"), nullptr);
}

TEST(ProfilerTest, MeasuredStepIsTakenFromTheHostsRecordedWork) {
  // The recorded step takes 210 us and the measured one 208 us. Two events are on the step's path, so each costs 1 us.
  const Question question = recorded_question(2, microseconds{208});
  ReplayMeter meter;
  take_out_profiler(question.builder(), meter);
  ASSERT_TRUE(question.predictor().settings().profiler.has_value());
  EXPECT_NEAR(static_cast<double>(question.predictor().settings().profiler->usual.per_event.count()), 1000, 20);
  EXPECT_NEAR(static_cast<double>(question.iteration().count()), 208'000, 50);
  const Answer found = answer(question);
  EXPECT_EQ(found.source("profiler"), nullptr);
  EXPECT_LE(found.range.low, microseconds{208});
  EXPECT_GE(found.range.high, microseconds{208});
}

TEST(ProfilerTest, WhatCannotBeTakenOutIsInTheRange) {
  for (const microseconds said :
       // With a measured step of 150 us, the profiler would have added 60 us, but only 10 us of the step are host work.
       // A measured step of 300 us is longer than the captured one of 210 us.
       {microseconds{150}, microseconds{300}}) {
    const Question question = recorded_question(2, said);
    ReplayMeter meter;
    take_out_profiler(question.builder(), meter);
    const Answer found = answer(question);
    EXPECT_LE(found.range.low, said);
    EXPECT_GE(found.range.high, said);
  }
}

TEST(IntervalTest, CollectivesOfNcclMayBeOffByTheErrorOfItsModel) {
  // In a step of data_parallel_question() only the second all-reduce, of 2.6 MB, is exposed.
  const Question question = stepsim::testing::data_parallel_question();
  EXPECT_EQ(answer(question).source("nccl"), nullptr) << "they are gloo's";
  const Answer found = answer(question, {"comm.algorithm=nccl"});
  const RangeSource<Duration>* const source = found.source("nccl");
  ASSERT_NE(source, nullptr);
  const CollectivePlace place{
      .hosts = 2, .between = Bandwidth::from_bytes_per_second(1e9), .latency = microseconds{20}};
  const NcclTime time = nccl_time_and_error({CollectiveOp::kAllReduce, 2, Bytes{2'600'000}}, place);
  EXPECT_NEAR(static_cast<double>((source->high - found.iteration).count()), time.error_us * 1e3, 10);
  EXPECT_NEAR(static_cast<double>((found.iteration - source->low).count()),
              1e3 * time.us * (1 - time.us / (time.us + time.error_us)), 10);
}

TEST(IntervalTest, CallsOfAddedCollectivesMayTakeAsLongAsInOtherCaptures) {
  // The CPU limits this step: each call takes it 100 us, a kernel 100 ns. Every all-reduce that the division adds is
  // called in its way, for 42 to 101 us in place of 80.
  const stepsim::testing::TransformerJob job{.layers = 2, .kernel = Duration{100}, .call = microseconds{100}};
  Cluster cluster;
  cluster.hosts.push_back({"0"});
  cluster.endpoints.push_back({HostId{0}, {}});
  const Question question(job.capture(), cluster, "maxmin");
  const Answer found =
      answer(question, {"parallel.tensor=2", "cluster.nic=1Gb/s", "cluster.gpus_per_host=2", "cluster.inside=NVLink4"});
  const RangeSource<Duration>* const source = found.source("added calls");
  ASSERT_NE(source, nullptr);
  const Duration more = source->high - found.iteration;
  const Duration less = found.iteration - source->low;
  ASSERT_EQ(more % microseconds{101 - 80}, Duration{});
  EXPECT_GE(more / microseconds{101 - 80}, 8) << "two sums of each of two layers in each of two passes";
  EXPECT_EQ(less / microseconds{80 - 42}, more / microseconds{101 - 80});
  EXPECT_EQ(answer(question).source("added calls"), nullptr);
}

/// Returns two workers that push to one server. `steps` are the recorded times of their steps, and `sharing` is the
/// assumed sharing of links.
Question contested_question(const std::vector<Duration>& steps, double sharing) {
  stepsim::testing::WorkloadMaker maker;
  maker.workers = 2;
  maker.tensors.assign(8, Bytes{4'000'000});
  maker.steps = static_cast<std::uint32_t>(steps.size());
  Capture capture = maker.capture();
  PsWorkload workload = *capture.parameter_server;
  for (PsGpu& gpu : workload.gpus) {
    for (PsOperator& op : gpu.operators) {
      Time begin{};
      for (std::size_t step = 0; step < steps.size(); ++step) {
        PsRun& run = op.runs[step];
        const Duration length = run.finish - run.start;
        run.start = op.update ? begin + steps[step] - length : run.start + (begin - Time{});
        run.finish = run.start + length;
        begin += steps[step];
      }
    }
  }
  capture.parameter_server = std::make_shared<const PsWorkload>(std::move(workload));
  Cluster cluster = stepsim::testing::switch_of(3, 1e9, Duration{10'000});
  cluster.network.assume(kSharing, sharing);
  return Question(std::move(capture), std::move(cluster), "maxmin");
}

/// Returns two workers that push to one server, with five recorded steps of `iteration`.
Question contested_question(Duration iteration, double sharing) {
  return contested_question(std::vector<Duration>(5, iteration), sharing);
}

TEST(IntervalTest, OfAnUnchangedJobHoldsWhatWasMeasuredHoweverWrongThePredictionIs) {
  using std::chrono::milliseconds;
  for (const milliseconds measured : {milliseconds{30}, milliseconds{100}, milliseconds{900}}) {
    const Question question = contested_question(measured, 1);
    const Answer found = answer(question);
    ASSERT_GT(std::abs((found.iteration - measured).count()), found.iteration.count() / 10) << "it must be wrong";
    const RangeSource<Duration>* const model = found.source("model");
    ASSERT_NE(model, nullptr);
    EXPECT_NEAR(sim::ratio(measured < found.iteration ? model->low : model->high, measured), 1, 1e-6);
    EXPECT_LE(found.range.low, measured);
    EXPECT_GE(found.range.high, measured);
  }
}

TEST(IntervalTest, SaysThatACaptureWhoseStepsLengthenIsNotSteady) {
  using std::chrono::milliseconds;
  const Answer found = answer(contested_question(
      {milliseconds{80}, milliseconds{90}, milliseconds{100}, milliseconds{110}, milliseconds{120}}, 1));
  const RangeSource<Duration>* const source = found.source("transient");
  ASSERT_NE(source, nullptr);
  EXPECT_THAT(source->reason, ::testing::HasSubstr("get longer from first to last"));
  // The high end is the last step, which is more than a tenth longer than the iteration, the median distance between
  // steps.
  EXPECT_GT(source->high.count(), found.iteration.count() * 11 / 10);
  EXPECT_EQ(answer(contested_question(milliseconds{100}, 1)).source("transient"), nullptr);
}

/// Returns two steps. Each has a call of 10 us and a kernel, which takes 30 us in the first step and 15 us in the
/// second. If the first step is repeated, the ends of steps are 30 us apart. The ends of the two captured steps are 15
/// us apart.
Question uneven_question() {
  stepsim::testing::SteppedJob job;
  for (const auto& [step, kernel] : {std::pair{0, 30'000}, std::pair{1, 15'000}})
    job.kernel(step, kernel, {job.call(step, 10'000)});
  return Question(job.capture());
}

TEST(RepetitionTest, CapturedStepsThatContradictItAreTheAnswerAndItIsInTheRange) {
  const Question question = uneven_question();
  EXPECT_EQ(question.iteration(), microseconds{30});
  ReplayMeter meter;
  test_repetition(question.builder(), meter);
  EXPECT_EQ(question.iteration(), microseconds{15});
  const Answer unchanged = answer(question);
  EXPECT_LE(unchanged.range.low, microseconds{15});
  ASSERT_NE(unchanged.source("repetition"), nullptr);
  EXPECT_EQ(unchanged.source("repetition")->high, microseconds{30});
  EXPECT_NE(find_assumption(question.predictor().plan().assumptions, kRepetitionContradicted), nullptr);
  const Prediction captured = question.predicted(std::initializer_list<std::string>{});
  EXPECT_EQ(baseline_of(question.predictor(), captured).error(), 0);
}

TEST(RepetitionTest, StaysWhereCapturedStepsAgree) {
  const Question question = stepsim::testing::streams_question();
  ReplayMeter meter;
  test_repetition(question.builder(), meter);
  EXPECT_TRUE(question.predictor().settings().trusts_repetition);
}

TEST(RefitSharingTest, KeepsWhatFits) {
  const Question as_it_is = stepsim::testing::byteps_question();
  ReplayMeter meter;
  EXPECT_FALSE(refit_sharing(as_it_is.builder(), meter));
  EXPECT_THAT(as_it_is.predictor().settings().fitting_sharings(), ::testing::IsEmpty());
}

TEST(RefitSharingTest, FindsHowAJobSharesThatContestsMisjudged) {
  const Duration fair = contested_question(Duration{1'000'000'000}, 1).iteration();
  const Question question = contested_question(fair, 0);
  ASSERT_GT(std::abs((question.iteration() - fair).count()), fair.count() / 10) << "sharing decides this job";
  ReplayMeter meter;
  EXPECT_TRUE(refit_sharing(question.builder(), meter));
  EXPECT_EQ(question.iteration(), fair);
  EXPECT_THAT(question.predictor().settings().fitting_sharings(), ::testing::Contains(1.0));
  EXPECT_FALSE(question.predictor().plan().sharing_known);
  const Answer found = answer(question);
  EXPECT_LE(found.range.low, fair);
  EXPECT_GE(found.range.high, fair);
}

TEST(RefitSharingTest, StatesTheErrorsOfTheOldAndTheNewSharing) {
  const auto step_with = [](double sharing) {
    return contested_question(Duration{1'000'000'000}, sharing).iteration();
  };
  // No sharing gives this step, because it is farther from serial sharing than fair sharing is.
  const Duration measured = step_with(1) + (step_with(1) - step_with(0)) / 4;
  const auto error = [&](double sharing) { return std::abs(sim::ratio(step_with(sharing) - measured, measured)); };
  const double least = std::min({error(0), error(0.25), error(0.5), error(0.75), error(1)});
  const Question question = contested_question(measured, 0);
  ReplayMeter meter;
  EXPECT_TRUE(refit_sharing(question.builder(), meter));
  const Assumptions assumptions = question.predictor().plan().assumptions;
  const Assumption* const found = find_assumption(assumptions, "sharing_refitted");
  ASSERT_NE(found, nullptr);
  EXPECT_THAT(found->sentence, ::testing::HasSubstr(fmt::format("within {:.1f} %, the factor 0 only within {:.0f} %",
                                                                100 * least, 100 * error(0))));
}

TEST(RefitSharingTest, SaysSoWhereNoSharingExplainsTheError) {
  const Duration fair = contested_question(Duration{1'000'000'000}, 1).iteration();
  const Question question = contested_question(10 * fair, 1);
  ReplayMeter meter;
  EXPECT_TRUE(refit_sharing(question.builder(), meter));
  EXPECT_EQ(question.iteration(), fair);
  EXPECT_FALSE(question.predictor().plan().sharing_known);
  const Assumptions assumptions = question.predictor().plan().assumptions;
  const Assumption* const found = find_assumption(assumptions, "sharing_unexplained");
  ASSERT_NE(found, nullptr);
  EXPECT_THAT(found->sentence, ::testing::HasSubstr("misses the captured step by 90 %"))
      << "a tenth of it is predicted";
  EXPECT_GE(answer(question).range.high, 10 * fair) << "what was measured is in the range";
}

TEST(SweepRangeTest, APointHasTheRangeOfItsAnswer) {
  const Question question = stepsim::testing::parameter_server_question();
  const Scenario scenario = parse_scenario("sweep: {network.bandwidth: [0.5x, 1x, 3x]}", "s.yaml");
  Sweep sweep(question.predictor(), scenario);
  std::vector<Outcome> outcomes(3);
  const std::vector<std::size_t> all{0, 1, 2};
  sweep.run(all, {.threads = 2, .done = [&](std::size_t point, const Outcome& one) { outcomes[point] = one; }});
  const char* const rates[] = {"0.5x", "1x", "3x"};
  for (std::size_t i = 0; i < 3; ++i) {
    const Answer alone = answer(question, {std::string("network.bandwidth=") + rates[i]});
    EXPECT_EQ(outcomes[i].iteration, alone.range);
  }
}

}  // namespace
}  // namespace stepsim::scenarios
