#include "sim/analysis/task_list.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/output/json_writer.h"
#include "sim/report/task_list.h"
#include "tests/sim/dag_maker.h"

namespace stepsim::testing {
namespace {

using sim::TaskGroup;
using sim::TaskList;

/// Returns a job with two products of 30 and 20 ns and a sum of 50 ns on a stream, which two operators launched, and a
/// call of 10 ns.
Capture job() {
  DagMaker maker;
  const LaneId thread = maker.builder.add_lane({.name = "thread 1", .host = "alpha", .rank = 2});
  const LaneId stream =
      maker.builder.add_lane({.name = "stream 7", .host = "alpha", .rank = 2, .kind = LaneKind::kStream, .device = 1});
  const TaskId call = maker.task(thread, 10, {}, "cudaLaunchKernel", TaskKind::kRuntime);
  const TaskId first = maker.task(stream, 30, {call}, "sgemm", TaskKind::kKernel);
  const TaskId second = maker.task(stream, 20, {first}, "sgemm", TaskKind::kKernel);
  const TaskId sum = maker.task(stream, 50, {second}, "reduce_kernel", TaskKind::kKernel);
  Capture capture;
  capture.dag = maker.build();
  capture.operators.operators = {{"aten::mm", "", {}}, {"aten::sum", "", {}}};
  capture.operators.uses = {
      {maker.new_id(first), 0, 0, false}, {maker.new_id(second), 0, 1, false}, {maker.new_id(sum), 1, 2, false}};
  capture.annotations.names = {"forward", "loss", "nn.Module: Linear_1"};
  capture.annotations.uses = {
      {maker.new_id(first), 0}, {maker.new_id(first), 2}, {maker.new_id(second), 0}, {maker.new_id(sum), 1}};
  capture.recording.steps = {{.rank = 2, .number = 4}, {.rank = 2, .number = 5}, {.rank = 2, .number = 9}};
  return capture;
}

std::vector<TaskId> all_of(const Capture& capture) {
  std::vector<TaskId> tasks;
  for (std::size_t i = 0; i < capture.dag.task_count(); ++i) tasks.emplace_back(i);
  return tasks;
}

TEST(TaskListTest, AGroupOfDifferentWorkIsAShareOfAllWork) {
  Capture capture = job();
  const TaskId call{0};
  ASSERT_EQ(capture.dag.name(call), "cudaLaunchKernel");
  capture.annotations.uses.push_back({call, 1});
  const TaskList list = sim::list_tasks(capture, all_of(capture));
  const auto loss = std::find_if(list.annotations.begin(), list.annotations.end(),
                                 [](const TaskGroup& group) { return group.name == "loss"; });
  ASSERT_NE(loss, list.annotations.end());
  EXPECT_FALSE(loss->part);
  EXPECT_DOUBLE_EQ(loss->share, 60.0 / 110);  // 50 ns on the device and 10 ns on the CPU, of 100 and 10
}

TEST(TaskListTest, GroupsByNameKindClassAndOperator) {
  const Capture capture = job();
  const TaskList list = sim::list_tasks(capture, all_of(capture));
  EXPECT_EQ(list.tasks, 4U);
  ASSERT_EQ(list.names.size(), 3U);  // names with equal totals are in order of first appearance
  EXPECT_EQ(list.names[0].name, "sgemm");
  EXPECT_EQ(list.names[0].tasks, 2U);
  EXPECT_EQ(list.names[0].total, Duration{50});
  EXPECT_EQ(list.names[0].shortest, Duration{20});
  EXPECT_EQ(list.names[0].longest, Duration{30});
  EXPECT_DOUBLE_EQ(list.names[0].share, 0.5);  // half of the 100 ns of compute
  EXPECT_DOUBLE_EQ(list.names[2].share, 1.0);  // all of the 10 ns of host work
  ASSERT_EQ(list.kinds.size(), 2U);
  EXPECT_EQ(list.kinds[0].name, "kernel");
  EXPECT_EQ(list.kinds[0].total, Duration{100});
  ASSERT_EQ(list.classes.size(), 2U);
  EXPECT_EQ(list.classes[0].name, "gemm");
  ASSERT_EQ(list.operators.size(), 2U);
  EXPECT_EQ(list.operators[0].name, "aten::mm");
  EXPECT_EQ(list.operators[0].tasks, 2U);
}

TEST(TaskListTest, GroupsByAnnotationAndModule) {
  const Capture capture = job();
  const TaskList list = sim::list_tasks(capture, all_of(capture));
  ASSERT_EQ(list.annotations.size(), 2U);
  EXPECT_EQ(list.annotations[0].name, "forward");
  EXPECT_EQ(list.annotations[0].tasks, 2U);
  EXPECT_EQ(list.annotations[0].total, Duration{50});
  EXPECT_EQ(list.annotations[1].name, "loss");
  ASSERT_EQ(list.modules.size(), 1U);
  EXPECT_EQ(list.modules[0].name, "Linear_1");
  EXPECT_EQ(list.modules[0].total, Duration{30});
}

TEST(TaskListTest, SharesAreOfAllTasksAlsoWhereSomeAreListed) {
  const Capture capture = job();
  std::vector<TaskId> tasks = all_of(capture);
  std::erase_if(tasks, [&capture](TaskId task) { return capture.dag.name(task) != "sgemm"; });
  const TaskList list = sim::list_tasks(capture, tasks);
  ASSERT_EQ(list.names.size(), 1U);
  EXPECT_DOUBLE_EQ(list.names[0].share, 0.5);
}

TEST(TaskListTest, SaysWhatCanBeTyped) {
  const Capture capture = job();
  const TaskList list = sim::list_tasks(capture, all_of(capture));
  const std::string none;
  const sim::Provenance provenance;
  const sim::Document document = sim::task_list_document(list, capture, 1, none, provenance);
  EXPECT_EQ(document.headline,
            "4 tasks under 3 names can be selected: 100 ns of compute, 10 ns of CPU work, over the whole capture.");
  const std::string text = to_text(document);
  EXPECT_NE(text.find("2 more: --rows"), std::string::npos) << text;
  EXPECT_NE(text.find("step    4-5,9"), std::string::npos) << text;
  EXPECT_NE(text.find("host    alpha"), std::string::npos) << text;
  sim::JsonWriter json;
  document.json(json);
  EXPECT_NE(json.text().find(R"("places":{"rank":"2","step":"4-5,9","host":"alpha","device":"1","stream":"7"})"),
            std::string::npos)
      << json.text();
}

}  // namespace
}  // namespace stepsim::testing
