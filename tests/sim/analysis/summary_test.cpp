#include "sim/analysis/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/analysis/where_to_look.h"
#include "sim/engine/engine.h"
#include "sim/report/capture_documents.h"
#include "sim/report/headline.h"
#include "sim/report/path_sections.h"
#include "sim/report/report.h"
#include "tests/sim/sample_capture.h"
#include "tests/sim/texts.h"

namespace stepsim::sim {
namespace {

using std::chrono::microseconds;
using stepsim::testing::DagMaker;
using stepsim::testing::sample_capture;
using stepsim::testing::texts;
using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

Timeline replayed(const Capture& capture) { return replay(capture.dag, Machine::as_recorded(capture)); }

Summary summary_of(const Capture& capture) { return summarize(capture, replayed(capture)); }

TEST(SummaryTest, StepLastsToTheStartOfTheNextOrToItsLastEnd) {
  // In the recording the second step starts 40 us late, so the first one took 250 us instead of 210 us.
  const Summary summary = summary_of(sample_capture(microseconds{40}));
  ASSERT_THAT(summary.steps, SizeIs(4));
  EXPECT_EQ(summary.steps[0].rank, 0);
  EXPECT_EQ(summary.steps[0].step, 10);
  EXPECT_EQ(summary.steps[0].measured, microseconds{250});
  EXPECT_EQ(summary.steps[0].replayed, microseconds{210});
  EXPECT_EQ(summary.steps[1].measured, microseconds{210});
  EXPECT_EQ(summary.steps[1].replayed, microseconds{210});
}

TEST(SummaryTest, ErrorsAreOfTheReplayAgainstTheMeasurement) {
  const Summary summary = summary_of(sample_capture(microseconds{40}));
  EXPECT_DOUBLE_EQ(summary.steps[0].error, (210.0 - 250.0) / 250.0);
  EXPECT_DOUBLE_EQ(summary.steps[1].error, 0);
  EXPECT_DOUBLE_EQ(summary.iteration.worst_abs_error, 40.0 / 250.0);
  EXPECT_DOUBLE_EQ(summary.iteration.mean_abs_error, 40.0 / 250.0 / 2);
}

TEST(SummaryTest, HeldOutStepIsPredictedFromTheOthersAlone) {
  // The rank's other step replays in 210 us. The measured times are 250 us and 210 us.
  const Summary summary = summary_of(sample_capture(microseconds{40}));
  EXPECT_THAT(summary.steps[0].held_out_error, ::testing::Optional(DoubleNear(-40.0 / 250.0, 1e-12)));
  EXPECT_THAT(summary.steps[1].held_out_error, ::testing::Optional(DoubleNear(0, 1e-12)));
}

TEST(SummaryTest, IterationIsTheDistanceBetweenStartsOfSteps) {
  const Summary summary = summary_of(sample_capture(microseconds{40}));
  EXPECT_EQ(summary.iteration.measured, microseconds{250});
  EXPECT_EQ(summary.iteration.replayed, microseconds{210});
  EXPECT_DOUBLE_EQ(summary.iteration.error, (210.0 - 250.0) / 250.0);
}

TEST(SummaryTest, IterationAloneIsThatOfTheSummary) {
  const auto expect_same = [](const Capture& capture) {
    EXPECT_EQ(replayed_iteration(capture, replayed(capture)), summary_of(capture).iteration.replayed);
  };
  expect_same(sample_capture());
  expect_same(sample_capture(microseconds{40}));
  Capture cut = sample_capture();
  cut.recording.steps[0].whole = false;
  expect_same(cut);
  Capture without_steps = sample_capture();
  without_steps.recording.steps.clear();
  without_steps.recording.step.clear();
  expect_same(without_steps);
  Capture graph = sample_capture();
  graph.recording = {};
  expect_same(graph);
  expect_same({});
}

TEST(SummaryTest, CutStepsAreSetAsideAndNamed) {
  Capture capture = sample_capture();
  for (RecordedStep& step : capture.recording.steps) {
    if (step.number != 11) continue;
    step.whole = false;
  }
  for (RecordedStep& step : capture.recording.steps) step.next_follows = false;
  const Summary summary = summary_of(capture);
  ASSERT_THAT(summary.steps, SizeIs(2));
  EXPECT_EQ(summary.steps[0].step, 10);
  EXPECT_FALSE(summary.steps[0].held_out_error.has_value());
  EXPECT_THAT(summary.set_aside, ::testing::ElementsAre(std::pair{0, 11}, std::pair{1, 11}));
  EXPECT_EQ(summary.iteration.measured, microseconds{210});  // one step: from the first start to the last end
}

TEST(SummaryTest, StepsWithoutATaskAreSetAside) {
  Capture capture = sample_capture();
  capture.recording.steps.push_back({.rank = 1, .number = 12});
  EXPECT_FALSE(capture.recording.steps.back().first.valid());
  capture.recording.steps[3].next_follows = true;
  const Summary summary = summary_of(capture);
  EXPECT_THAT(summary.steps, SizeIs(4));
  EXPECT_THAT(summary.set_aside, ::testing::ElementsAre(std::pair{1, 12}));
  EXPECT_EQ(summary.steps[3].measured, microseconds{210});
}

TEST(SummaryTest, WithoutStepsTheWholeCaptureIsTheIteration) {
  Capture capture = sample_capture();
  capture.recording.steps.clear();
  capture.recording.step.clear();
  const Summary summary = summary_of(capture);
  EXPECT_THAT(summary.steps, SizeIs(0));
  EXPECT_EQ(summary.iteration.measured, microseconds{420});
  EXPECT_EQ(summary.iteration.replayed, microseconds{420});
  EXPECT_DOUBLE_EQ(summary.iteration.worst_abs_error, 0);
}

TEST(SummaryTest, JobsIterationIsThatOfItsSlowestRank) {
  DagMaker maker;
  const TaskId quick = maker.task(maker.lane(0), 100);
  const TaskId slow = maker.task(maker.lane(1), 300);
  Capture capture;
  capture.dag = maker.build();
  capture.recording.start.assign(2, Time{});
  capture.recording.finish.assign(2, Time{});
  capture.recording.finish[maker.new_id(quick).index()] = Time{Duration{110}};
  capture.recording.finish[maker.new_id(slow).index()] = Time{Duration{290}};
  const Summary summary = summary_of(capture);
  EXPECT_EQ(summary.iteration.measured, Duration{290});
  EXPECT_EQ(summary.iteration.replayed, Duration{300});
  EXPECT_DOUBLE_EQ(summary.iteration.worst_abs_error, 10.0 / 110.0);
}

TEST(SummaryTest, SlowestRankIsOneWithSteps) {
  // Rank 1 has no steps, like a worker that was not captured. Its whole recording is longer than a step.
  Capture capture = sample_capture();
  std::erase_if(capture.recording.steps, [](const RecordedStep& step) { return step.rank == 1; });
  for (std::int32_t& step : capture.recording.step) step = std::min(step, 1);
  const RankBreakdown slowest = slowest_rank(summary_of(capture));
  EXPECT_EQ(slowest.rank, 0);
  EXPECT_EQ(slowest.iteration, microseconds{210});
  EXPECT_EQ(slowest_rank(Summary{}).iteration, Duration{});
}

TEST(SummaryTest, TaskGraphWithoutARecordingIsNotMeasured) {
  DagMaker maker;
  maker.task(maker.lane(0), 100);
  Capture capture;
  capture.dag = maker.build();
  const Summary summary = summary_of(capture);
  EXPECT_FALSE(summary.measured);
  EXPECT_EQ(summary.iteration.replayed, Duration{100});
  EXPECT_EQ(summary.iteration.measured, Duration{0});
  EXPECT_THAT(headline(capture, summary, {}), HasSubstr("there is no measured time to compare with"));
}

TEST(SummaryTest, TaskGraphTakesAsLongAsItsHostsTogether) {
  // A task of 100 ns on one host is followed by a task of 30 ns on another. Neither host alone is busy for 130 ns.
  DagMaker maker;
  const TaskId first = maker.task(maker.lane(0), 100);
  maker.task(maker.lane(1), 30, {first});
  Capture capture;
  capture.dag = maker.build();
  EXPECT_EQ(summary_of(capture).iteration.replayed, Duration{130});
}

TEST(SummaryTest, EmptyCaptureHasAnEmptySummary) {
  const Capture capture;
  const Summary summary = summary_of(capture);
  EXPECT_TRUE(summary.ranks.empty());
  EXPECT_FALSE(where_to_look(capture.dag, summary, {}, {}));
}

TEST(SummaryTest, BreakdownCountsEachRanksTimePerIteration) {
  // In an iteration rank 0 computes for 100 us, waits 50 us in the collective until rank 1 arrives, transfers for 30
  // us, works 10 us on the host and is idle for 20 us. Rank 1 computes for 150 us and does not wait.
  const Summary summary = summary_of(sample_capture());
  ASSERT_THAT(summary.ranks, SizeIs(2));
  const RankBreakdown& first = summary.ranks[0];
  EXPECT_EQ(first.iteration, microseconds{210});
  EXPECT_EQ(first.compute, microseconds{100});
  EXPECT_EQ(first.collective_wait, microseconds{50});
  EXPECT_EQ(first.communication, microseconds{30});
  EXPECT_EQ(first.exposed_communication, microseconds{30});
  EXPECT_EQ(first.host, microseconds{10});
  EXPECT_EQ(first.idle, microseconds{20});
  EXPECT_EQ(summary.ranks[1].compute, microseconds{150});
  EXPECT_EQ(summary.ranks[1].collective_wait, microseconds{0});
}

TEST(SummaryTest, CommunicationBesideComputeIsNotExposed) {
  DagMaker maker;
  maker.task(maker.lane(0), 100, {}, "gemm", TaskKind::kKernel);
  maker.task(maker.lane(0), 130, {}, "PUSH", TaskKind::kTransfer);
  Capture capture;
  capture.dag = maker.build();
  EXPECT_EQ(summary_of(capture).ranks[0].exposed_communication, Duration{30});
}

TEST(SummaryTest, UnexplainedWaitIsPerIterationAndThatOfTheWorstRank) {
  const Summary summary = summary_of(sample_capture());
  EXPECT_EQ(summary.unexplained_wait, microseconds{20});
  ASSERT_THAT(summary.unexplained, SizeIs(1));
  EXPECT_EQ(summary.unexplained[0].kind, "host thread");
  EXPECT_EQ(summary.unexplained[0].wait, microseconds{80});
  EXPECT_EQ(summary.unexplained[0].count, 4U);
}

TEST(SummaryTest, WaitsOfSeveralLanesAtOnceCountOnce) {
  // Two lanes (streams or threads) of a rank both wait from 10 to 60 ns, which counts as 50 ns, not 100.
  DagMaker maker;
  const TaskId source = maker.task(maker.lane(0), 10);
  std::vector<TaskId> late;
  for (int i = 0; i < 2; ++i) {
    late.push_back(maker.task(maker.lane(0), 40));
    maker.builder.add_edge(source, late.back(), EdgeKind::kSync, Duration{50});
  }
  Capture capture;
  capture.dag = maker.build();
  capture.recording.start.assign(3, Time{});
  capture.recording.finish.assign(3, Time{Duration{100}});
  for (const TaskId task : late) capture.recording.unexplained.push_back({maker.new_id(task), Duration{50}, "device"});
  EXPECT_EQ(summary_of(capture).unexplained_wait, Duration{50});
}

TEST(HeadlineTest, SaysWhatAndHowMuch) {
  const Capture capture = sample_capture(microseconds{40});
  EXPECT_EQ(headline(capture, summary_of(capture), {}),
            "Step time 250 us, replayed as 210 us (2 steps, 2 ranks, 12 tasks); GPU busy 92.3 % of the capture.")
      << "streams are busy for 180 us of each step: for 360 of the 390 us from their first work to their last";
}

/// Returns the summary of one rank with steps of these times and a typical step of 80 us. `busy` is the time of it in
/// which a stream is busy, `loader` that in which a thread waits for data, also in the mean step.
Summary summary_of_steps(const std::vector<int>& times, microseconds busy, microseconds loader) {
  Summary summary;
  summary.measured = summary.marked = true;
  for (const int time : times) {
    StepReport& step = summary.steps.emplace_back();
    step.step = static_cast<std::int64_t>(summary.steps.size());
    step.measured = step.replayed = microseconds{time};
    summary.iteration.mean += step.measured / static_cast<int>(times.size());
  }
  summary.iteration.measured = summary.iteration.replayed = microseconds{80};
  summary.ranks.push_back({.iteration = microseconds{80},
                           .loader = loader,
                           .device_busy = busy,
                           .device_span = microseconds{80},
                           .busy_of_span = busy,
                           .computes_on_device = busy > microseconds{}});
  summary.iteration.mean_replayed = summary.iteration.mean;
  summary.iteration.mean_loader = summary.parts.loader = loader;
  summary.parts.idle = microseconds{80} - loader;
  return summary;
}

TEST(HeadlineTest, LeadsWithTheMeanWhereStepsDiffer) {
  const Capture capture = sample_capture();
  const Summary alike = summary_of_steps({75, 85}, microseconds{20}, {});
  EXPECT_THAT(headline(capture, alike, {.length = Duration{80}}),
              StartsWith("Step time 80 us (2 steps, 1 rank, 12 tasks); GPU busy 25.0 % of the capture;"));
  const Summary uneven = summary_of_steps({40, 200}, microseconds{20}, microseconds{72});
  EXPECT_THAT(
      headline(capture, uneven, {.length = Duration{80}}),
      StartsWith(
          "Step time 120 us on average, from 40 us to 200 us, typically 80 us (2 steps, 1 rank, 12 tasks); "
          "GPU busy 25.0 % of the capture; limited by waiting for data; 60.0 % of it is spent waiting for data"));
}

TEST(LimitTest, FollowsThePaceOrElseTheLargerHalfOfThePath) {
  CriticalPath path;
  path.length = Duration{100};
  path.classes[static_cast<std::size_t>(PathClass::kHost)] = Duration{60};
  path.classes[static_cast<std::size_t>(PathClass::kCompute)] = Duration{40};
  Summary summary = summary_of_steps({80}, microseconds{20}, {});
  EXPECT_EQ(limit_of(summary, path), "the CPU");
  summary.iteration.pace = Pace::kDevice;
  EXPECT_EQ(limit_of(summary, path), "the GPU");
  summary.iteration.pace = Pace::kBoth;
  path.classes[static_cast<std::size_t>(PathClass::kHost)] = Duration{45};
  path.classes[static_cast<std::size_t>(PathClass::kCommunication)] = Duration{15};
  EXPECT_EQ(limit_of(summary, path), "several things in turn");
  EXPECT_EQ(limit_of(summary_of_steps({80}, {}, {}), path), "") << "no device";
}

TEST(HeadlineTest, SaysIfNoStepsAreMarked) {
  Capture capture = sample_capture();
  for (RecordedStep& step : capture.recording.steps) step.marked = false;
  EXPECT_THAT(headline(capture, summary_of(capture), {}),
              HasSubstr("The capture marks no steps; a typical one of its 2 windows takes"));
  capture.recording.steps.clear();
  std::fill(capture.recording.step.begin(), capture.recording.step.end(), -1);
  EXPECT_THAT(headline(capture, summary_of(capture), {}), HasSubstr("The capture marks no steps; all of it takes"));
}

TEST(TrustLineTest, SaysHowFarTheGraphWasTestedAndOnWhatItRests) {
  const Summary summary = summary_of(sample_capture(microseconds{40}));
  CriticalPath path;
  path.length = Duration{1000};
  EXPECT_EQ(
      trust_line({}, summary, path, std::nullopt),
      "No self-check: one step of one rank cannot be predicted from another; the most unusual step is 16.0 % off the "
      "typical one. Every wait on the critical path is explained.");
  path.unexplained = Duration{120};
  path.silent = Duration{60};
  path.hand_overs = 4;
  path.inferred = 3;
  EXPECT_EQ(
      trust_line({}, summary, path, Perturbation{.steps = 4, .error = 0.021, .worst_error = 0.03, .difference = 0.3}),
      "Self-check: one step's graph predicts the others within 2.1 % on average (the steps differ by 30.0 %); the most "
      "unusual step is 16.0 % off the typical one. On the critical path, unexplained waiting takes 12.0 % and CPU time "
      "without events takes 6.0 %; 1 of the 4 waits on it was recorded, 3 inferred from times.");
}

TEST(TrustLineTest, OnAGivenClusterTheDifferenceIsNoTest) {
  Capture elsewhere;
  elsewhere.assumptions.push_back({std::string(kClusterFile), "star.yaml says how fast links are"});
  EXPECT_EQ(trust_line(elsewhere, summary_of(sample_capture(microseconds{40})), CriticalPath{}, std::nullopt),
            "star.yaml says how fast links are");
}

TEST(TrustLineTest, ATaskGraphHasNoneBecauseNothingWasMeasured) {
  EXPECT_EQ(trust_line({}, Summary{}, CriticalPath{}, std::nullopt), "");
}

TEST(WhereToLookTest, NamesTheLargestClassTheStragglerAndWhatIsNotExplained) {
  const Capture capture = sample_capture();
  const Timeline timeline = replayed(capture);
  const Findings findings{.capture = capture,
                          .timeline = &timeline,
                          .summary = summarize(capture, timeline),
                          .path = {critical_path(capture, timeline), std::nullopt},
                          .stragglers = stragglers(capture.dag, timeline)};
  std::vector<std::string> sentences;
  const std::vector<Section> sections = where_to_look_sections(findings);
  for (const Sentence& sentence : sections.front().sentences) sentences.push_back(sentence.text);
  ASSERT_THAT(sentences, AllOf(SizeIs(::testing::Ge(3U)), SizeIs(::testing::Le(5U))));
  // The path takes 420 us, of which 300 us are gemm on rank 1.
  EXPECT_EQ(sentences[0], "71.4 % of the critical path (420 us) is compute, most of all gemm (300 us in 2 tasks).");
  EXPECT_EQ(
      sentences[1],
      "Rank 1 is a straggler: it arrived last in 2 of its 2 collectives, and each other rank waited 100 us for it "
      "in the whole capture.");
  EXPECT_THAT(sentences.back(), HasSubstr("9.5 % of a step (20 us) is unexplained waiting"));
}

TEST(WhereToLookTest, ARankIsAStragglerIfOthersWaitedClearlyLongerForItThanForAnyOther) {
  const Capture capture = sample_capture();
  const Timeline timeline = replayed(capture);
  const Summary summary = summarize(capture, timeline);
  const CriticalPath path = critical_path(capture, timeline);  // 420 us, of which a fiftieth is 8.4 us
  std::vector<Straggler> late{{.rank = 1, .each = microseconds{100}, .last_in = 2, .collectives = 4},
                              {.rank = 0, .each = microseconds{92}, .last_in = 2, .collectives = 4}};
  EXPECT_EQ(where_to_look(capture.dag, summary, path, late)->straggler, nullptr);
  late[1].each = microseconds{91};
  EXPECT_EQ(where_to_look(capture.dag, summary, path, late)->straggler, &late[0]);
}

TEST(WhereToLookTest, NoCommunicationIsNotHiddenCommunication) {
  const Capture capture = sample_capture();
  const Timeline timeline = replayed(capture);
  Findings findings{.capture = capture,
                    .timeline = &timeline,
                    .summary = summarize(capture, timeline),
                    .path = {critical_path(capture, timeline), std::nullopt}};
  const auto second = [&findings] { return where_to_look_sections(findings).front().sentences[1].text; };
  EXPECT_THAT(second(),
              HasSubstr("(30 us on rank 0): that much is exposed transfer, which moves data while nothing is"));
  for (RankBreakdown& rank : findings.summary.ranks) rank.exposed_communication = {};
  EXPECT_EQ(second(), "No transfer is exposed: wherever communication moves data, the same rank computes.");

  DagMaker maker;
  maker.task(maker.lane(0), 10, {}, "gemm", TaskKind::kKernel);
  Capture alone;
  alone.dag = maker.build();
  alone.recording = {.start = {Time{}}, .finish = {Time{Duration{10}}}, .step = {-1}};
  const Timeline lone = replayed(alone);
  const Findings without{.capture = alone,
                         .timeline = &lone,
                         .summary = summarize(alone, lone),
                         .path = {critical_path(alone, lone), std::nullopt}};
  EXPECT_EQ(where_to_look_sections(without).front().sentences[1].text, "The replay has no communication.");
}

TEST(ReplayDocumentTest, EveryStepAndRankIsARow) {
  const Capture capture = sample_capture(microseconds{40});
  const Timeline timeline = replayed(capture);
  Findings findings{.capture = capture, .timeline = &timeline, .network = find_network_model("recorded")};
  findings.summary = summarize(capture, timeline);
  findings.path = iteration_path(capture, timeline, findings.summary);
  const Provenance provenance;
  const Document document = replay_document(findings, provenance);
  const auto section = [&document](std::string_view title) {
    return *std::find_if(document.sections.begin(), document.sections.end(),
                         [title](const Section& candidate) { return candidate.title.starts_with(title); });
  };
  EXPECT_THAT(section("Steps").table->rows(), SizeIs(4));
  EXPECT_THAT(texts(section("Steps").table->rows()[0]),
              ::testing::ElementsAre("0", "10", "250 us", "210 us", "-16.0 %", "+19.0 %"));
  EXPECT_THAT(section("Where the time of a step goes").table->rows(), SizeIs(2));
  // The rows are: the iteration, four steps, and nine parts for each of two ranks.
  EXPECT_THAT(document.rows().rows(), SizeIs(1 + 4 + 2 * 9));
  EXPECT_THAT(texts(document.rows().rows()[1]), ::testing::ElementsAre("step", "0", "10", "step", "250000", "210000"));
}

TEST(IterationPathTest, IsThatOfTheSlowestRanksTypicalStep) {
  // Both ranks take 210 us per iteration, so the first rank is chosen, and of its two steps the shorter one.
  const Capture capture = sample_capture();
  const Timeline timeline = replayed(capture);
  const IterationPath path = iteration_path(capture, timeline, summarize(capture, timeline));
  EXPECT_EQ(path_subject(path), "rank 0's step 10");
  EXPECT_EQ(path.path.length, microseconds{210});
  IterationPath::Step other;
  other.number = 11;
  EXPECT_EQ(path_subject(iteration_path(capture, timeline, summarize(capture, timeline), other)), "rank 0's step 11");
  other.rank = 1;
  EXPECT_EQ(path_subject(iteration_path(capture, timeline, summarize(capture, timeline), other)), "rank 0's step 10")
      << "rank 1 is not the slowest";
  Summary nearer_to_the_other = summarize(capture, timeline);
  for (StepReport& step : nearer_to_the_other.steps) step.replayed += microseconds{step.step};
  nearer_to_the_other.iteration.replayed = microseconds{225};
  EXPECT_EQ(path_subject(iteration_path(capture, timeline, nearer_to_the_other)), "rank 0's step 11");
}

TEST(IterationPathTest, WithoutStepsIsThatOfTheReplay) {
  DagMaker maker;
  maker.task(maker.lane(0), 100);
  Capture capture;
  capture.dag = maker.build();
  const Timeline timeline = replay(capture.dag, Machine{capture.dag});
  EXPECT_EQ(path_subject(iteration_path(capture, timeline, summarize(capture, timeline))), "the replay");
}

}  // namespace
}  // namespace stepsim::sim
