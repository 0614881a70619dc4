// Tests how allocations get from a Kineto file to a capture.

#include "model/job/allocations.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ingest/formats/format.h"
#include "ingest/stitch/host_device/host_device.h"

namespace stepsim::ingest {

extern const Format kineto_format;  // NOLINT(readability-redundant-declaration): redundant in unity builds only

namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kShapes = R"("Input Dims":[[8,3],[3,5]],"Input type":["float","float"])";

std::string call(std::string_view category, std::string_view name, int begin, int length, std::string_view args = "") {
  return fmt::format(R"({{"ph":"X","cat":"{}","name":"{}","pid":1,"tid":2,"ts":{},"dur":{},"args":{{{}}}}},)", category,
                     name, begin, length, args);
}

/// An event of the allocator, by default of the host's memory.
std::string allocation(int at, int change, int allocated, int block, int device = -1, int thread = 2) {
  return fmt::format(
      R"({{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":{},"ts":{},"args":)"
      R"({{"Total Reserved":4096,"Total Allocated":{},"Bytes":{},"Addr":{},"Device Id":{}}}}},)",
      thread, at, allocated, change, block, device);
}

/// Returns the allocations of rank 3, whose trace has these events, each followed by a comma.
AllocationTable table_of(std::string events) {
  events.pop_back();
  const std::string text = R"({"baseTimeNanoseconds": 0, "traceEvents": [)" + events + "]}";
  Input input = Input::from_memory(text, "test.json");
  PartSink sink;
  kineto_format.read(input, sink);
  std::vector<RankTrace> ranks;
  ranks.push_back({std::get<HostDeviceTrace>(std::move(sink.parts.at(0).part)), "test.json", 3});
  Assembly assembly;
  stitch_host_device(std::move(ranks), assembly);
  const Capture capture = finish(std::move(assembly));
  return capture.allocations == nullptr ? AllocationTable{} : *capture.allocations;
}

TEST(AllocationsTest, AreOrderedByDeviceAndTime) {
  const AllocationTable table = table_of(call("cpu_op", "aten::empty", 0, 10) + allocation(7, -64, 64, 11) +
                                         allocation(5, 128, 128, 11) + allocation(6, 512, 512, 12, 0));
  ASSERT_THAT(table.memories, SizeIs(2));
  EXPECT_EQ(table.memories[0].rank, 3);
  EXPECT_EQ(table.memories[0].device, -1);
  ASSERT_THAT(table.memories[0].events, SizeIs(2));
  EXPECT_EQ(table.memories[0].events[0].time, Time{Duration{5'000}});
  EXPECT_EQ(table.memories[0].events[0].block, 11U);
  EXPECT_EQ(table.memories[0].events[0].allocated, Bytes{128});
  EXPECT_EQ(table.memories[0].events[1].change, Bytes{-64});
  EXPECT_EQ(table.memories[1].device, 0);
  EXPECT_EQ(table.memories[1].events[0].reserved, Bytes{4096});
}

TEST(AllocationsTest, BelongToTheInnermostOperatorWithShapes) {
  const AllocationTable table =
      table_of(call("cpu_op", "aten::linear", 0, 100, kShapes) + call("cpu_op", "aten::mm", 10, 50, kShapes) +
               call("cpu_op", "aten::empty", 20, 10) + allocation(25, 64, 64, 1) + allocation(70, 64, 128, 2) +
               allocation(200, 64, 192, 3));
  const auto& events = table.memories.at(0).events;
  ASSERT_THAT(events, SizeIs(3));
  EXPECT_EQ(table.operators.at(events[0].which).name, "aten::mm");
  EXPECT_EQ(table.operators.at(events[1].which).name, "aten::linear");
  EXPECT_EQ(events[2].which, AllocationTable::kNone);
}

TEST(AllocationsTest, ShowThePassInWhichTheyAreMade) {
  const AllocationTable table = table_of(
      call("cpu_op", "autograd::engine::evaluate_function: MmBackward0", 0, 100) +
      call("cpu_op", "aten::mm", 10, 50, kShapes) + allocation(5, 64, 64, 1) + allocation(20, 64, 128, 2) +
      call("user_annotation", "Optimizer.step#SGD.step", 200, 100) + call("cpu_op", "aten::mul", 210, 50, kShapes) +
      allocation(220, 64, 192, 3) + allocation(280, 64, 256, 4) + allocation(400, 64, 320, 5));
  std::vector<std::pair<bool, bool>> passes;
  for (const auto& event : table.memories.at(0).events) passes.emplace_back(event.in_backward, event.in_optimizer);
  using Pass = std::pair<bool, bool>;
  EXPECT_EQ(passes, (std::vector<Pass>{{true, false}, {true, false}, {false, true}, {false, true}, {false, false}}));
}

TEST(AllocationsTest, OfAThreadWithoutOperatorsHaveNone) {
  const AllocationTable table = table_of(call("cpu_op", "aten::mm", 0, 100, kShapes) + allocation(5, 64, 64, 1, -1, 9));
  EXPECT_EQ(table.memories.at(0).events.at(0).which, AllocationTable::kNone);
}

TEST(AllocationsTest, AbsurdSizesCountAsNone) {
  const AllocationTable table = table_of(
      call("cpu_op", "aten::empty", 0, 10) +
      R"({"ph":"i","name":"[memory]","pid":1,"tid":2,"ts":5,"args":{"Total Allocated":9223372036854775807}},)");
  EXPECT_EQ(table.memories.at(0).events.at(0).allocated, Bytes{});
}

TEST(AllocationsTest, ATraceWithoutThemHasNoTable) {
  EXPECT_THAT(table_of(call("cpu_op", "aten::mm", 0, 100, kShapes)).memories, IsEmpty());
}

}  // namespace
}  // namespace stepsim::ingest
