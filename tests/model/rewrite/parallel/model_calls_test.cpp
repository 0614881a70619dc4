#include "model/rewrite/parallel/model_calls.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "model/base/error.h"
#include "model/job/dag_builder.h"
#include "tests/thrown_by.h"

namespace stepsim {
namespace {

/// Returns why a capture of ten equal kernels is refused, if so many of them are of operators with shapes; else "".
std::string refusal_of(std::uint32_t with_shapes) {
  DagBuilder builder;
  Capture capture;
  const LaneId stream = builder.add_lane({.name = "stream 7", .kind = LaneKind::kStream, .device = 0});
  capture.operators.operators.push_back({.name = "aten::add", .shapes = "[[1]]", .work = {.bytes = 12}});
  for (std::uint32_t i = 0; i < 10; ++i) {
    const TaskId task = builder.add_task(
        {.kind = TaskKind::kKernel, .name = builder.intern("kernel"), .lane = stream, .duration = Duration{1000}});
    if (i < with_shapes) capture.operators.uses.push_back({task, 0, i, false});
  }
  capture.operators.occurrences = with_shapes;
  capture.dag = std::move(builder).build().dag;
  return testing::thrown_by<CannotAnswer>([&] { need_shapes(capture); }, "");
}

TEST(NeedShapesTest, ARefusalStatesTheShareOfKernelsWithShapes) {
  EXPECT_EQ(refusal_of(8), "");
  EXPECT_TRUE(refusal_of(7).starts_with("70 % of the kernels' time is of operators with shapes")) << refusal_of(7);
}

}  // namespace
}  // namespace stepsim
