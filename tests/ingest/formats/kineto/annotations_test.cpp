// Tests how annotations and modules around launches get from a Kineto file to the tasks of a capture.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/stitch/host_device/host_device.h"
#include "tests/ingest/read_text.h"

namespace stepsim::ingest {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// Returns an event on a thread that begins at `start` us and takes `length` us.
std::string on_thread(std::string_view category, std::string_view name, int start, int length, int thread = 1) {
  return R"({"ph":"X","cat":")" + std::string{category} + R"(","name":")" + std::string{name} + R"(","pid":9,"tid":)" +
         std::to_string(thread) + R"(,"ts":)" + std::to_string(start) + R"(,"dur":)" + std::to_string(length) +
         R"(,"args":{}})";
}

/// Returns a launch of 1 us that begins at `start` us, and its kernel, which begins 50 us later.
std::string launched(std::string_view name, int start, int thread = 1) {
  const std::string at = std::to_string(start);
  return R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":)" + std::to_string(thread) +
         R"(,"ts":)" + at + R"(,"dur":1,"args":{"correlation":)" + at + "}}," + R"({"ph":"X","cat":"kernel","name":")" +
         std::string{name} + R"(","pid":0,"tid":7,"ts":)" + std::to_string(start + 50) +
         R"(,"dur":1,"args":{"device":0,"stream":7,"correlation":)" + at + "}}";
}

/// Returns a pair of names, kernel and annotation, for each annotation around the launch of a kernel.
std::vector<std::pair<std::string, std::string>> annotated(const std::vector<std::string>& events) {
  std::string list;
  for (const std::string& event : events) list += (list.empty() ? "" : ",") + event;
  const std::string text = R"({"baseTimeNanoseconds": 0, "traceEvents": [)" + list + "]}";
  std::vector<RankTrace> ranks;
  ranks.push_back({read_text<HostDeviceTrace>("kineto", text).part, "0", 0});
  Assembly assembly;
  stitch_host_device(std::move(ranks), assembly);
  const Capture capture = finish(std::move(assembly));
  std::vector<std::pair<std::string, std::string>> found;
  for (const AnnotationTable::Use& use : capture.annotations.uses)
    found.emplace_back(capture.dag.name(use.task), capture.annotations.names[use.which]);
  return found;
}

TEST(AnnotationsTest, KernelsHaveThoseAroundTheirLaunch) {
  EXPECT_THAT(
      annotated({on_thread("user_annotation", "forward", 0, 10), on_thread("user_annotation", "attention", 2, 4),
                 launched("before", 1), launched("inside", 3), launched("after", 7), launched("outside", 12)}),
      UnorderedElementsAre(std::pair{"before", "forward"}, std::pair{"inside", "forward"},
                           std::pair{"inside", "attention"}, std::pair{"after", "forward"}));
}

TEST(AnnotationsTest, ModulesCountAndOtherPythonDoesNot) {
  EXPECT_THAT(annotated({on_thread("user_annotation", "ProfilerStep#1", 0, 20),
                         on_thread("python_function", "nn.Module: Conv2d_3", 0, 10),
                         on_thread("python_function", "torch/nn/functional.py(10): linear", 1, 5), launched("a", 2)}),
              UnorderedElementsAre(std::pair{"a", "nn.Module: Conv2d_3"}));
}

TEST(AnnotationsTest, MarksOfStepsAreNone) {
  EXPECT_THAT(annotated({on_thread("user_annotation", "ProfilerStep#4", 0, 10), launched("a", 2)}), IsEmpty());
}

TEST(AnnotationsTest, AnotherThreadIsNotInside) {
  EXPECT_THAT(annotated({on_thread("user_annotation", "forward", 0, 10), launched("a", 2), launched("b", 4, 2)}),
              UnorderedElementsAre(std::pair{"a", "forward"}));
}

}  // namespace
}  // namespace stepsim::ingest
