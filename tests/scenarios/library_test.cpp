// Applies every file of scenarios/library to a capture that it fits.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "ingest/bytes/input.h"
#include "scenarios/answer/sweep.h"
#include "tests/scenarios/gpu_job.h"
#include "tests/scenarios/sample_questions.h"
#include "tests/source_folder.h"

namespace stepsim::testing {
namespace {

using std::chrono::microseconds;

const std::filesystem::path kLibrary = source_folder() / "scenarios/library";

/// Returns a copy of 6 us to the device between two kernels of 10 us. Each launch takes 5 us, and device work starts at
/// least 1 us after the previous work. So the step takes 5 + 10 + 1 + 6 + 1 + 10 us.
Question kernels_and_a_copy() {
  GpuJob job;
  (void)job.launch("before", TaskKind::kKernel, microseconds{5}, microseconds{10}, microseconds{1});
  (void)job.launch("Memcpy HtoD", TaskKind::kCopy, microseconds{5}, microseconds{6}, microseconds{1});
  (void)job.launch("after", TaskKind::kKernel, microseconds{5}, microseconds{10}, microseconds{1});
  return std::move(job).question();
}

/// Returns ten kernels of 2 us, each launched by a call of 5 us. The step takes 10 * 5 + 2 us.
Question small_kernels() {
  GpuJob job;
  for (int i = 0; i < 10; ++i) (void)job.launch("small", TaskKind::kKernel, microseconds{5}, microseconds{2});
  return std::move(job).question();
}

enum class Effect : std::uint8_t { kFaster, kSlower, kNoFaster };

struct Entry {
  Question (*question)();
  Effect effect;
};

const std::map<std::string, Entry>& entries() {
  static const std::map<std::string, Entry> all{
      {"half-the-network", {byteps_question, Effect::kSlower}},
      {"twice-the-device", {streams_question, Effect::kFaster}},
      {"one-straggler", {data_parallel_question, Effect::kSlower}},
      {"noisy-cluster", {streams_question, Effect::kNoFaster}},
      {"priority-with-credit", {parameter_server_question, Effect::kNoFaster}},
      {"cross-barrier", {parameter_server_question, Effect::kFaster}},
      {"smaller-partitions", {parameter_server_question, Effect::kFaster}},
      {"smaller-buckets", {data_parallel_question, Effect::kFaster}},
      {"eight-workers", {data_parallel_question, Effect::kNoFaster}},
      {"two-hosts-of-eight", {data_parallel_question, Effect::kNoFaster}},
      {"one-slow-nic", {data_parallel_question, Effect::kSlower}},
      {"begin-together", {data_parallel_question, Effect::kNoFaster}},
      {"cuda-graphs", {small_kernels, Effect::kFaster}},
      {"fused-kernels", {small_kernels, Effect::kFaster}},
      {"copies-apart", {kernels_and_a_copy, Effect::kFaster}},
      {"no-collectives", {streams_question, Effect::kFaster}},
      {"faster-gpu", {gpu_question, Effect::kFaster}},
      {"bf16", {gpu_question, Effect::kFaster}},
      {"twice-the-batch", {parameter_server_question, Effect::kSlower}},
  };
  return all;
}

std::string text_of(const std::filesystem::path& path) {
  return ingest::read_small_file(path.string(), 1U << 20U).text;
}

scenarios::Scenario scenario_of(const std::string& name) {
  const std::filesystem::path path = kLibrary / (name + ".yaml");
  return scenarios::parse_scenario(text_of(path), path.filename().string());
}

TEST(LibraryTest, EveryFileExceptSweepsIsRunHere) {
  std::set<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(kLibrary)) {
    const std::string name = file.path().stem().string();
    if (scenario_of(name).sweep.empty()) files.insert(name);
  }
  std::set<std::string> run;
  for (const auto& [name, entry] : entries()) run.insert(name);
  EXPECT_EQ(files, run);
}

TEST(LibraryTest, EveryFileHasACommentAndAName) {
  for (const auto& [name, entry] : entries()) {
    const std::string schema = "# yaml-language-server: $schema=../schemas/scenario.schema.json\n# ";
    EXPECT_TRUE(text_of(kLibrary / (name + ".yaml")).starts_with(schema)) << name;
    EXPECT_NE(scenario_of(name).name, name + ".yaml") << "no name";
  }
}

TEST(LibraryTest, EachChangesTheStepInTheExpectedDirection) {
  for (const auto& [name, entry] : entries()) {
    const Question question = entry.question();
    const Duration before = question.iteration();
    const Duration after = question.predicted(scenario_of(name)).iteration;
    switch (entry.effect) {
      case Effect::kFaster: EXPECT_LT(after, before) << name; break;
      case Effect::kSlower: EXPECT_GT(after, before) << name; break;
      case Effect::kNoFaster: EXPECT_GE(after, before) << name; break;
    }
  }
}

TEST(LibraryTest, ASweepHasAnAnswerAtEveryPoint) {
  const std::map<std::string, Question (*)()> sweeps{{"which-gpu", gpu_question},
                                                     {"network-or-partitions", parameter_server_question},
                                                     {"strong-scaling", data_parallel_question}};
  std::set<std::string> asked;
  for (const auto& file : std::filesystem::directory_iterator(kLibrary)) {
    const std::string name = file.path().stem().string();
    const scenarios::Scenario scenario = scenario_of(name);
    if (scenario.sweep.empty()) continue;
    ASSERT_TRUE(sweeps.contains(name)) << name;
    const Question question = sweeps.at(name)();
    scenarios::Sweep sweep(question.predictor(), scenario);
    std::vector<std::size_t> points(sweep.points().size());
    std::iota(points.begin(), points.end(), std::size_t{0});
    std::vector<std::size_t> answered;
    sweep.run(points, {.threads = 1, .done = [&](std::size_t point, const scenarios::Outcome& outcome) {
                         EXPECT_TRUE(outcome.iteration.has_value())
                             << name << ", point " << point << ": " << outcome.problem;
                         answered.push_back(point);
                       }});
    std::sort(answered.begin(), answered.end());
    EXPECT_EQ(answered, points) << name;
    EXPECT_GT(points.size(), 1U) << name;
    asked.insert(name);
  }
  EXPECT_EQ(asked.size(), sweeps.size()) << "not every sweep of this test is in the library";
}

TEST(LibraryTest, WithoutLaunchesOnlyTheTimeOfTheDeviceIsLeft) {
  EXPECT_EQ(small_kernels().predicted(scenario_of("cuda-graphs")).iteration, microseconds{10 * 2});
  EXPECT_EQ(small_kernels().predicted(scenario_of("fused-kernels")).iteration, microseconds{5 + 10 * 2});
}

TEST(LibraryTest, ASeparateCopyIsHiddenByTheKernelBeforeIt) {
  // The copy runs on a separate stream from its launch at 10 us to 16 us. The first kernel ends at 15 us, and the last
  // one begins after the copy.
  EXPECT_EQ(kernels_and_a_copy().predicted(scenario_of("copies-apart")).iteration, microseconds{16 + 10});
}

}  // namespace
}  // namespace stepsim::testing
