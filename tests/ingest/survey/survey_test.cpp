#include "ingest/survey/survey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "model/base/error.h"

namespace stepsim::ingest {
namespace {

namespace fs = std::filesystem;

/// Each test gets a separate folder.
class SurveyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  fs::path folder_ = fs::path(::testing::TempDir()) / ("survey_" + std::to_string(::getpid()));
};

/// Returns a rank's trace with a step, an operator with shapes, three launches (two of them with kernels), and a
/// kernel without a launch. One kernel is a collective of known size.
std::string trace_of(int rank) {
  const auto call = [](int correlation, int start) {
    return R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":)" + std::to_string(start) +
           R"(,"dur":2,"args":{"correlation":)" + std::to_string(correlation) + "}},";
  };
  const auto kernel = [](int correlation, int start, const std::string& name, const std::string& more) {
    return R"({"ph":"X","cat":"kernel","name":")" + name + R"(","pid":0,"tid":7,"ts":)" + std::to_string(start) +
           R"(,"dur":5,"args":{"device":0,"stream":7,"correlation":)" + std::to_string(correlation) + more + "}},";
  };
  return R"({"distributedInfo":{"backend":"nccl","rank":)" + std::to_string(rank) +
         R"(,"world_size":2},"traceEvents":[)" + call(1, 10) + call(2, 20) + call(3, 30) + call(-1, 35) +
         kernel(1, 15, "sgemm", "") +
         kernel(
             2, 25, "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
             R"(,"Collective name":"allreduce","In msg nelems":100,"Out msg nelems":100,"dtype":"Float","Group size":2)") +
         kernel(9, 40, "late", "") +
         R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":9,"dur":30,"args":{"Input Dims":[[2,3],[3,4]],)" +
         R"("Input type":["float","float"]}},)" +
         R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,"dur":100}]})";
}

TEST_F(SurveyTest, WorkWithTheCorrelationOfOtherWorkIsThatOfACallWithoutAny) {
  std::string events;
  for (const int thread : {1, 2}) {
    const std::string number = std::to_string(thread);
    events += R"({"ph":"X","cat":"cuda_runtime","name":"hipLaunchKernel","pid":1,"tid":)" + number +
              R"(,"ts":10,"dur":2,"args":{"correlation":)" + number + R"(}},{"ph":"X","cat":"kernel","name":"gemm",)" +
              R"("pid":0,"tid":)" + number + R"(,"ts":20,"dur":5,"args":{"device":0,"stream":)" + number +
              R"(,"correlation":1}},)";
  }
  const std::string step =
      R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,"dur":99})";
  const Survey result = survey({write("a.json", R"({"traceEvents":[)" + events + step + "]}")}, {});
  ASSERT_EQ(result.contents.sources.at(0).processes.size(), 1U);
  EXPECT_EQ(result.contents.sources[0].processes[0].launches, 2U);
  EXPECT_EQ(result.contents.sources[0].processes[0].launches_without_work, 0U);
}

TEST_F(SurveyTest, CountsWhatWasRecorded) {
  const Survey result = survey({write("a.json", trace_of(0))}, {});
  ASSERT_TRUE(result.capture);
  ASSERT_EQ(result.contents.sources.size(), 1U);
  EXPECT_EQ(result.contents.sources[0].format, "kineto");
  ASSERT_EQ(result.contents.sources[0].processes.size(), 1U);
  const HostDeviceContents& process = result.contents.sources[0].processes[0];
  EXPECT_EQ(process.rank, 0);
  EXPECT_EQ(process.world_size, 2);
  EXPECT_EQ(process.step_marks, 1U);
  EXPECT_EQ(process.operators, 1U);
  EXPECT_EQ(process.shaped_operators, 1U);
  EXPECT_EQ(process.calls, 4U);
  EXPECT_EQ(process.launches, 3U) << "the fourth has no correlation, so that nothing joins it to work";
  EXPECT_EQ(process.launches_without_work, 1U);
  EXPECT_EQ(process.kernels, 3U);
  EXPECT_EQ(process.work_without_launch, 1U);
  EXPECT_EQ(process.collectives, 1U);
  EXPECT_EQ(process.sized_collectives, 1U);
  EXPECT_EQ(process.streams, 1U);
  EXPECT_EQ(process.host_threads, 1U);
  EXPECT_EQ(process.span, Duration{100'000});
}

TEST_F(SurveyTest, StepsAreCountedWhoeverMarkedThem) {
  std::string events;
  for (const int begin : {100, 200, 300}) {
    events += R"({"ph":"X","cat":"user_annotation","name":"train_step","pid":1,"tid":1,"ts":)" + std::to_string(begin) +
              R"(,"dur":100},{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":)" +
              std::to_string(begin + 10) + R"(,"dur":80},)";
  }
  events.pop_back();
  const Survey result = survey({write("a.json", R"({"traceEvents":[)" + events + "]}")}, {});
  ASSERT_EQ(result.contents.sources.at(0).processes.size(), 1U);
  EXPECT_EQ(result.contents.sources[0].processes[0].step_marks, 3U);
}

TEST_F(SurveyTest, AFileThatCannotBeReadDoesNotHideTheOthers) {
  const std::string good = write("a.json", trace_of(0));
  const std::string bad = write("b.txt", "no trace\n");
  const Survey result = survey({good, bad}, {});
  EXPECT_FALSE(result.capture);
  EXPECT_THAT(result.problem, ::testing::HasSubstr("b.txt"));
  ASSERT_EQ(result.contents.sources.size(), 2U);
  EXPECT_EQ(result.contents.sources[0].problem, "");
  EXPECT_EQ(result.contents.sources[0].processes.size(), 1U);
  EXPECT_THAT(result.contents.sources[1].problem, ::testing::HasSubstr("not a recognised trace"));
}

TEST_F(SurveyTest, FilesThatMakeNoJobAreStillCounted) {
  const Survey result = survey({write("a.json", trace_of(0)), write("b.json", trace_of(0) + " ")}, {});
  EXPECT_FALSE(result.capture);
  EXPECT_THAT(result.problem, ::testing::HasSubstr("rank 0"));
  EXPECT_EQ(result.contents.sources.size(), 2U);
}

TEST_F(SurveyTest, AFileThatIsNotThereIsAnError) {
  EXPECT_THROW(static_cast<void>(survey({(folder_ / "absent").string()}, {})), InputError);
}

TEST_F(SurveyTest, FilesHaveTheRanksThatTheyNameElseTheSmallestFree) {
  const std::string unnamed =
      write("a.json", R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"x","pid":1,"tid":1,"ts":1,"dur":2}]})");
  const std::string named = write("b.json", trace_of(0));
  const std::vector<RankFile> files = ranks_of_files({unnamed, named}, {});
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].rank, 1U);
  EXPECT_EQ(files[1].rank, 0U);
}

}  // namespace
}  // namespace stepsim::ingest
