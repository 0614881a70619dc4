// Tests how launch configurations of kernels get from a Kineto file to the tasks of a capture.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/stitch/host_device/host_device.h"
#include "model/rewrite/capture_edit.h"
#include "tests/ingest/read_text.h"

namespace stepsim::ingest::kernel_launches_test {
namespace {

/// Returns a kernel of 5 us that begins at `start` us and has these additional args.
std::string kernel(std::string_view name, int start, std::string_view args) {
  return R"({"ph":"X","cat":"kernel","name":")" + std::string{name} + R"(","pid":0,"tid":7,"ts":)" +
         std::to_string(start) + R"(,"dur":5,"args":{"device":0,"stream":7)" + std::string{args} + "}}";
}

constexpr std::string_view kLaunch =
    R"(,"registers per thread":40,"shared memory":1024,"blocks per SM":2.0,"grid":[8,3,2],"block":[64,2,1])";

HostDeviceTrace read(const std::vector<std::string>& events) {
  std::string list;
  for (const std::string& event : events) list += (list.empty() ? "" : ",") + event;
  return read_text<HostDeviceTrace>("kineto", R"({"baseTimeNanoseconds": 0, "traceEvents": [)" + list + "]}").part;
}

Capture stitched(std::vector<HostDeviceTrace> traces) {
  std::vector<RankTrace> ranks;
  for (std::size_t i = 0; i < traces.size(); ++i)
    ranks.push_back({std::move(traces[i]), std::to_string(i), static_cast<Rank>(i)});
  Assembly assembly;
  stitch_host_device(std::move(ranks), assembly);
  return finish(std::move(assembly));
}

TEST(KernelLaunchesTest, EqualLaunchesAreOne) {
  const HostDeviceTrace trace = read({kernel("a", 10, kLaunch), kernel("b", 20, ""), kernel("c", 30, kLaunch)});
  ASSERT_EQ(trace.launches.size(), 1U);
  EXPECT_EQ(trace.launches[0], (KernelLaunch{.blocks = 48, .threads = 128, .registers = 40, .shared_memory = 1024}));
  EXPECT_EQ(trace.launch_of[0], 0U);
  EXPECT_EQ(trace.launch_of[1], HostDeviceTrace::kNone);
  EXPECT_EQ(trace.launch_of[2], 0U);
}

TEST(KernelLaunchesTest, APartOfItTellsNothing) {
  // The first case is what ROCm records: only the grid and the block. Each other case lacks a member or has a bad
  // value.
  for (const std::string_view args : {
           R"(,"grid":[8,1,1],"block":[64,1,1])",
           R"(,"registers per thread":40,"shared memory":0,"block":[64,1,1])",
           R"(,"registers per thread":40,"grid":[8,1,1],"block":[64,1,1])",
           R"(,"registers per thread":40,"shared memory":0,"grid":[0,1,1],"block":[64,1,1])",
           R"(,"registers per thread":40,"shared memory":0,"grid":8,"block":64)",
           R"(,"registers per thread":-1,"shared memory":0,"grid":[8,1,1],"block":[64,1,1])",
           R"(,"registers per thread":40,"shared memory":0,"grid":[8,1,1],"block":[99999999999999999999,1,1])",
       }) {
    EXPECT_TRUE(read({kernel("a", 10, args)}).launch_of.empty()) << args;
  }
}

TEST(KernelLaunchesTest, TasksKeepTheirLaunchesWhereOthersAreTakenOut) {
  const std::string wide = R"(,"registers per thread":16,"shared memory":0,"grid":[1000,1,1],"block":[256,1,1])";
  const Capture capture = stitched(
      {read({kernel("a", 10, kLaunch), kernel("b", 20, wide)}), read({kernel("c", 10, wide), kernel("d", 20, "")})});
  const auto blocks_by_name = [](const Capture& of) {
    std::vector<std::pair<std::string, std::uint64_t>> found;
    for (const LaunchTable::Use& use : of.launches.uses)
      found.emplace_back(of.dag.name(use.task), of.launches.launches[use.which].blocks);
    std::sort(found.begin(), found.end());
    return found;
  };
  using Found = std::vector<std::pair<std::string, std::uint64_t>>;
  EXPECT_EQ(blocks_by_name(capture), (Found{{"a", 48}, {"b", 1000}, {"c", 1000}}));

  CaptureEdit edit(capture);
  for (std::size_t i = 0; i < capture.dag.task_count(); ++i) {
    if (capture.dag.name(TaskId{i}) == "b") edit.remove(TaskId{i});
  }
  EXPECT_EQ(blocks_by_name(std::move(edit).finish()), (Found{{"a", 48}, {"c", 1000}}));
}

}  // namespace
}  // namespace stepsim::ingest::kernel_launches_test
