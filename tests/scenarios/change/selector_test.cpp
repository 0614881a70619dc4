#include "scenarios/change/selector.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/base/error.h"
#include "model/base/yaml.h"
#include "tests/sim/dag_maker.h"
#include "tests/thrown_by.h"

namespace stepsim::testing::selector_test {
namespace {

using scenarios::Selector;

/// Returns a job of eight tasks. The builder orders tasks without edges by their hint, so the ids of the tasks are in
/// the order in which the tasks are added.
Capture job() {
  DagMaker maker;
  DagBuilder& builder = maker.builder;
  const LaneId thread = builder.add_lane({.name = "thread 1", .host = "alpha", .rank = 0});
  const LaneId stream7 =
      builder.add_lane({.name = "stream 7", .host = "alpha", .rank = 0, .kind = LaneKind::kStream, .device = 0});
  const LaneId stream20 =
      builder.add_lane({.name = "stream 20", .host = "alpha", .rank = 1, .kind = LaneKind::kStream, .device = 1});
  const LaneId far =
      builder.add_lane({.name = "stream 7", .host = "beta", .rank = 3, .kind = LaneKind::kStream, .device = 1});
  const LaneId server =
      builder.add_lane({.name = "engine", .host = "gamma", .rank = 0, .kind = LaneKind::kServerThread});
  Time now{};
  const auto add = [&](LaneId lane, TaskKind kind, const char* name, std::int64_t bytes) {
    now += Duration{1};
    builder.add_task({.kind = kind, .name = builder.intern(name), .lane = lane, .bytes = Bytes{bytes}, .hint = now});
  };
  add(thread, TaskKind::kHost, "aten::mm", 0);
  add(stream7, TaskKind::kKernel, "gemm_kernel", 0);
  add(stream20, TaskKind::kKernel, "softmax_kernel", 0);
  add(far, TaskKind::kOperator, "FW.conv1", 0);
  add(far, TaskKind::kOperator, "BW.conv1", 0);
  add(far, TaskKind::kOperator, "UPDATE.conv10", 0);
  add(stream7, TaskKind::kCopy, "Memcpy HtoD", 1'000'000);
  add(server, TaskKind::kServer, "sum", 4'000'000);
  Capture capture;
  capture.job.local_size = 2;
  capture.dag = maker.build();
  capture.recording.step = {0, 0, 1, 1, 1, -1, 0, -1};
  capture.recording.steps = {{0, 10, {}, true, true}, {1, 12, {}, false, true}};
  capture.recording.ranks = {0, 1, 3};
  capture.operators.operators = {{"aten::mm", "", {}}, {"aten::softmax", "", {}}};
  capture.operators.uses = {{TaskId{1}, 0, 0, false}, {TaskId{2}, 1, 1, false}};
  capture.annotations.names = {"forward", "nn.Module: Conv2d_3"};
  capture.annotations.uses = {{TaskId{1}, 0}, {TaskId{1}, 1}, {TaskId{2}, 0}};
  return capture;
}

/// Parses a selector "{...}" and returns the selected tasks.
std::vector<std::size_t> selected(const std::string& yaml) {
  static const std::string file = "test.yaml";
  const Capture capture = job();
  const YamlValue value = parse_yaml(yaml, file, {1 << 20, "{}"});
  std::vector<std::size_t> tasks;
  for (const TaskId task : Selector({"select", &value, &file}).select(capture)) tasks.push_back(task.index());
  return tasks;
}

std::string refusal(const std::string& yaml) {
  return thrown_by<InputError>([&] { return selected(yaml); });
}

using Ids = std::vector<std::size_t>;

TEST(SelectorTest, WithoutKeysMeansEveryTask) {
  EXPECT_EQ(Selector().select(job()).size(), 8U);
  EXPECT_TRUE(Selector().is_all());
}

TEST(SelectorTest, RankIsAListWithRanges) {
  EXPECT_EQ(selected("{rank: 1}"), (Ids{2}));
  EXPECT_EQ(selected("{rank: \"1-3\"}"), (Ids{2, 3, 4, 5}));
  EXPECT_EQ(selected("{rank: \"1,3\"}"), (Ids{2, 3, 4, 5}));
}

TEST(SelectorTest, NumbersMayBeAListOfYaml) {
  EXPECT_EQ(selected("{rank: [1, 3]}"), (Ids{2, 3, 4, 5}));
  EXPECT_EQ(selected("{rank: [0, \"2-3\"], kind: operator}"), (Ids{3, 4, 5}));
  EXPECT_NE(refusal("{rank: []}").find("whole numbers"), std::string::npos);
}

TEST(SelectorTest, AMistypedNameIsAnsweredWithNamesLikeIt) {
  EXPECT_NE(refusal("{name: sofmax}").find("'softmax_kernel'"), std::string::npos) << refusal("{name: sofmax}");
  EXPECT_NE(refusal("{name: GEMM_K}").find("'gemm_kernel'"), std::string::npos) << refusal("{name: GEMM_K}");
  EXPECT_NE(refusal("{name: \"aten::nn\"}").find("'aten::mm'"), std::string::npos) << refusal("{name: \"aten::nn\"}");
}

TEST(SelectorTest, WorkerIsTheRankDividedByLocalSizeAndNotAServer) {
  EXPECT_EQ(selected("{worker: 0}"), (Ids{0, 1, 2, 6}));
  EXPECT_EQ(selected("{worker: 1}"), (Ids{3, 4, 5}));
}

TEST(SelectorTest, HostDeviceAndStreamAreTheLanes) {
  EXPECT_EQ(selected("{host: beta}"), (Ids{3, 4, 5}));
  EXPECT_EQ(selected("{device: 1}"), (Ids{2, 3, 4, 5}));
  EXPECT_EQ(selected("{stream: 7}"), (Ids{1, 3, 4, 5, 6}));
  EXPECT_EQ(selected("{stream: 20}"), (Ids{2}));
}

TEST(SelectorTest, StepIsTheNumberInTheTrace) {
  EXPECT_EQ(selected("{step: 12}"), (Ids{2, 3, 4}));
  EXPECT_EQ(selected("{step: \"10-11\"}"), (Ids{0, 1, 6}));
}

TEST(SelectorTest, KindIsAKindOfTask) {
  EXPECT_EQ(selected("{kind: kernel}"), (Ids{1, 2}));
  EXPECT_EQ(selected("{kind: server}"), (Ids{7}));
  EXPECT_NE(refusal("{kind: kernels}").find("kernel"), std::string::npos);
}

TEST(SelectorTest, LayerMatchesTheWholeNameOfTheLayer) {
  EXPECT_EQ(selected("{layer: conv1}"), (Ids{3, 4}));
  EXPECT_EQ(selected("{layer: conv10}"), (Ids{5}));
}

TEST(SelectorTest, NameMatchesSomewhere) {
  EXPECT_EQ(selected("{name: kernel}"), (Ids{1, 2}));
  EXPECT_EQ(selected("{name: \"^(FW|BW)[.]\"}"), (Ids{3, 4}));
  EXPECT_EQ(selected("{name: \"(?i)memcpy\"}"), (Ids{6}));
}

TEST(SelectorTest, ClassIsWhatDeviceWorkDoes) {
  EXPECT_EQ(selected("{class: gemm}"), (Ids{1}));  // aten::mm is not selected, because it runs on the host
  EXPECT_EQ(selected("{class: softmax}"), (Ids{2}));
  EXPECT_EQ(selected("{class: host copy}"), (Ids{6}));
  EXPECT_NE(refusal("{class: gem}").find("gemm"), std::string::npos);
}

TEST(SelectorTest, OperatorMeansTheDeviceWorkThatItLaunched) {
  EXPECT_EQ(selected("{operator: \"^aten::mm$\"}"), (Ids{1}));
  EXPECT_EQ(selected("{operator: softmax}"), (Ids{2}));
  EXPECT_NE(refusal("{operator: mm2}").find("matches none"), std::string::npos);
}

TEST(SelectorTest, BytesAreASizeARangeOrABound) {
  EXPECT_EQ(selected("{bytes: 4MB}"), (Ids{7}));
  EXPECT_EQ(selected("{bytes: 1MB-4MB}"), (Ids{6, 7}));
  EXPECT_EQ(selected("{bytes: \">=4MB\"}"), (Ids{7}));
  EXPECT_EQ(selected("{bytes: \">1MB\"}"), (Ids{7}));
  EXPECT_EQ(selected("{bytes: \"<=1MB\", kind: copy}"), (Ids{6}));
  EXPECT_EQ(selected("{bytes: \"<1MB\", kind: kernel}"), (Ids{1, 2}));
}

TEST(SelectorTest, EveryKeyMustHold) {
  EXPECT_EQ(selected("{rank: 0, kind: kernel}"), (Ids{1}));
  EXPECT_EQ(selected("{stream: 7, host: alpha, name: Memcpy}"), (Ids{6}));
}

TEST(SelectorTest, AnEmptySelectionSaysWhatCouldBeSelected) {
  const std::string what = refusal("{rank: 7}");
  EXPECT_NE(what.find("{rank=7} matches none of the 8 tasks"), std::string::npos) << what;
  EXPECT_NE(what.find("ranks 0 to 3"), std::string::npos) << what;
  EXPECT_EQ(what.find("test.yaml:1: "), 0U) << what;
}

TEST(SelectorTest, AnnotationAndModuleSelectWhatIsLaunchedInside) {
  EXPECT_EQ(selected("{annotation: forw}"), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(selected("{module: ^Conv2d_3$}"), (std::vector<std::size_t>{1}));
  EXPECT_NE(refusal("{annotation: Conv2d_3}").find("{annotation=Conv2d_3} matches none of the 8"), std::string::npos);
  EXPECT_NE(refusal("{module: forward}").find("{module=forward} matches none of the 8"), std::string::npos);
}

TEST(SelectorTest, RefusesMalformedValues) {
  for (const char* const yaml :
       {"{rank: x}", "{rank: \"3-1\"}", "{rank: \"1,\"}", "{step: 1.5}", "{bytes: many}", "{bytes: \"1MB-\"}",
        "{name: \"(\"}", "{name: [a]}", "{colour: red}", "[rank]", "rank", "{rank: 1, rank: 2}"})
    EXPECT_EQ(refusal(yaml).find("test.yaml:1: "), 0U) << yaml << ": " << refusal(yaml);
}

TEST(SelectorTest, AnUnknownKeyNamesTheNearest) {
  EXPECT_NE(refusal("{wroker: 1}").find("worker"), std::string::npos) << refusal("{wroker: 1}");
}

TEST(SelectorTest, AnInvalidRegularExpressionIsRefusedWithTheReason) {
  EXPECT_NE(refusal("{name: \"a(b\"}").find("not a regular expression"), std::string::npos);
}

/// An engine with backtracking would need 2^40 steps for this expression and name.
TEST(SelectorTest, NestedRepetitionsTakeTimeInProportionToTheName) {
  DagMaker maker;
  (void)maker.task(maker.lane(0), 1, {}, std::string(40, 'a') + "!");
  Capture capture;
  capture.dag = maker.build();
  static const std::string file = "test.yaml";
  const YamlValue value = parse_yaml("{name: \"^(a+)+$\"}", file, {1 << 20, "{}"});
  EXPECT_THROW((void)Selector({"select", &value, &file}).select(capture), InputError);
}

TEST(SelectorTest, TellsSelectionsOfWorkFromSelectionsOfPlaces) {
  static const std::string file = "test.yaml";
  const auto selects_work = [](const char* yaml) {
    const YamlValue value = parse_yaml(yaml, file, {1 << 20, "{}"});
    return Selector({"select", &value, &file}).selects_work();
  };
  EXPECT_TRUE(selects_work("{rank: 0, kind: kernel}"));
  EXPECT_TRUE(selects_work("{layer: conv1}"));
  EXPECT_FALSE(selects_work("{rank: 0, step: 3, bytes: 1MB}"));
}

}  // namespace
}  // namespace stepsim::testing::selector_test
