#include "scenarios/calibration/measured_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/base/error.h"
#include "tests/thrown_by.h"

namespace stepsim::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

MeasuredRuns read(std::string_view text) {
  const std::vector<std::string> options{"layers", "sequence", "micro-batch", "device"};
  return measured_runs_of(parse_csv(text, "runs.csv"), options);
}

std::string refused(std::string_view text) {
  return stepsim::testing::thrown_by<InputError>([&] { return read(text); });
}

TEST(MeasuredRunsTest, ColumnsOfAPersonsTable) {
  const MeasuredRuns runs = read(
      "Model,Device,Layers,GPUs,TP,PP,MBS,GBS,Seq,cluster.nic,tokens_per_s,comments\n"
      "llama --hidden 4096,H100,32,16,4,2,1,8,2048,400Gb/s,32768,warm\n");
  ASSERT_EQ(runs.runs.size(), 1U);
  const MeasuredRun& run = runs.runs.front();
  EXPECT_THAT(run.model, ElementsAre("llama", "--hidden", "4096", "--device", "H100", "--layers", "32", "--micro-batch",
                                     "1", "--sequence", "2048"));
  EXPECT_THAT(run.sets,
              UnorderedElementsAre("parallel.data=2", "parallel.tensor=4", "parallel.pipeline=2",
                                   "parallel.micro_batch=1", "parallel.global_batch=8", "cluster.nic=400Gb/s"));
  EXPECT_EQ(run.step, Duration{500'000'000});  // 8 samples of 2,048 tokens at 32,768 tokens/s
  EXPECT_EQ(run.line, 2U);
  EXPECT_THAT(runs.unused, ElementsAre("comments"));
}

TEST(MeasuredRunsTest, AStepIsATimeOrARate) {
  const auto step = [](const std::string& column, const std::string& cell) {
    return read("model,micro_batch,gpus,sequence," + column + "\ngpt,4,2,1024," + cell + "\n").runs.front().step;
  };
  EXPECT_EQ(step("step", "250ms"), Duration{250'000'000});
  EXPECT_EQ(step("step_s", "0.25"), Duration{250'000'000});
  EXPECT_EQ(step("step_ms", "250"), Duration{250'000'000});
  EXPECT_EQ(step("samples_per_s", "32"), Duration{250'000'000});
  EXPECT_EQ(step("tokens_per_s", "32768"), Duration{250'000'000});
}

TEST(MeasuredRunsTest, AStepThatIsNotDividedHasNoPlan) {
  const MeasuredRun run = read("model,micro_batch,set,step_ms\ngpt,4,device.to=H100 batch.scale=2,3\n").runs.front();
  EXPECT_THAT(run.sets, ElementsAre("device.to=H100", "batch.scale=2"));
}

TEST(MeasuredRunsTest, BlanksWithinQuotesBelongToAWord) {
  const MeasuredRun run = read("model,step_ms\n\"gpt --device 'A100 80GB' --layers 2\",3\n").runs.front();
  EXPECT_THAT(run.model, ElementsAre("gpt", "--device", "A100 80GB", "--layers", "2"));
}

TEST(MeasuredRunsTest, ARunIsNamedByWhatDiffers) {
  const MeasuredRuns runs = read("model,gpus,layers,step_ms\ngpt,8,2,3\ngpt,16,2,4\n");
  EXPECT_EQ(runs.runs[0].name, "gpus 8");
  EXPECT_EQ(runs.runs[1].name, "gpus 16");
  EXPECT_EQ(read("model,step_ms\ngpt,3\n").runs[0].name, "line 2");
}

TEST(MeasuredRunsTest, ACaptureCanBeMeasuredElsewhere) {
  const MeasuredRun run = read("capture,device.to,memory_in_use,step_ms\ntrace.json,H100,20GiB,3\n").runs.front();
  EXPECT_EQ(run.capture, "trace.json");
  EXPECT_THAT(run.model, IsEmpty());
  EXPECT_THAT(run.sets, ElementsAre("device.to=H100"));
  EXPECT_EQ(run.in_use, Bytes{std::int64_t{20} << 30});
}

TEST(MeasuredRunsTest, MistakesAreNamedWithTheirLine) {
  EXPECT_THAT(refused("model,step_ms\n"), HasSubstr("has no line below the names of its columns"));
  EXPECT_THAT(refused("model,step_ms\ngpt,\n"), HasSubstr("runs.csv:2: expected a measured step"));
  EXPECT_THAT(refused("step_ms\n3\n"), HasSubstr("expected a cell in one of the columns 'model' and 'capture'"));
  EXPECT_THAT(refused("model,capture,step_ms\ngpt,t.json,3\n"), HasSubstr("'model' and 'capture'"));
  EXPECT_THAT(refused("model,tensr,step_ms\ngpt,2,3\n"), HasSubstr("unknown column 'tensr'; did you mean 'tensor'?"));
  EXPECT_THAT(refused("model,gpus,tensor,step_ms\ngpt,6,4,3\n"), HasSubstr("6 GPUs are no multiple"));
  EXPECT_THAT(refused("model,gpus,data,step_ms\ngpt,8,4,3\n"), HasSubstr("expected data 8"));
  EXPECT_THAT(refused("model,step_ms\ngpt,-3\n"), HasSubstr("step_ms is '-3'; expected a number above 0"));
  EXPECT_THAT(refused("model,step\ngpt,3\n"), HasSubstr("runs.csv:2: step: "));
  EXPECT_THAT(refused("model,tokens_per_s\ngpt,3\n"), HasSubstr("the column 'sequence'"));
  EXPECT_THAT(refused("model,gpus,samples_per_s\ngpt,0,3\n"), HasSubstr("gpus is '0'"));
  EXPECT_THAT(refused("capture,layers,step_ms\nt.json,3,3\n"), HasSubstr("the line names a capture"));
}

}  // namespace
}  // namespace stepsim::scenarios
