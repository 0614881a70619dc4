#include "ingest/stitch/trial/trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepsim::ingest {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

/// Builds a GPU on which these operators ran; their types are not recorded.
GpuParts gpu_with(const std::vector<std::string>& operators) {
  GpuParts parts;
  parts.tensorflow.emplace();
  for (const std::string& name : operators) parts.tensorflow->runs.push_back({name, "", "7", 0, Time{}, Duration{1}});
  return parts;
}

std::vector<std::string> names_in(const GpuParts& parts) {
  std::vector<std::string> names;
  for (const OperatorTrace::Event& event : parts.operators->events) names.push_back(event.name);
  return names;
}

std::vector<std::string> labels_in(const GpuParts& parts) {
  std::vector<std::string> labels;
  for (const OperatorGraph::Node& node : parts.graph->nodes) labels.push_back(node.label);
  return labels;
}

TEST(OperatorNamesTest, TheGraphSaysWhatAnOperatorIs) {
  GpuParts parts = gpu_with({"m/a", "x.y", "HorovodAllreduce.1"});
  parts.graph.emplace();
  parts.graph->nodes = {{"host0.rank0->FW.m/a", {}}, {"BW.x_y", {}}, {"Comm.HorovodAllreduce.1", {}}};
  Diagnostics diagnostics;
  name_operators(parts, {"0", "1"}, diagnostics);
  EXPECT_THAT(names_in(parts), ElementsAre("FW.m/a", "BW.x_y"));
  EXPECT_THAT(labels_in(parts), ElementsAre("FW.m/a", "BW.x_y", "Comm.1"));
  EXPECT_EQ(diagnostics.count_of("not used: operators of communication"), 1U);
}

TEST(OperatorNamesTest, ANodeWithoutCategoryIsToldByItsPlaceInTheGraph) {
  GpuParts parts = gpu_with({"m/a", "opt/w"});
  parts.graph.emplace();
  parts.graph->nodes = {{"m/a", {}}, {"g/HorovodAllreduce_grads_3_0", {}}, {"opt/w", {}}};
  parts.graph->edges = {{0, 1}, {1, 2}};
  Diagnostics diagnostics;
  name_operators(parts, {"HorovodAllreduce_grads_3_0", "HorovodAllreduce_grads_4_0"}, diagnostics);
  EXPECT_THAT(labels_in(parts), ElementsAre("FW.m/a", "Comm.HorovodAllreduce_grads_3_0", "UPDATE_.opt/w"));
}

TEST(OperatorNamesTest, InMetadataWhatReadsAReducedTensorIsAnUpdate) {
  GpuParts parts = gpu_with({"comment/sum", "gradient_tape/m", "apply", "norm"});
  parts.metadata.emplace();
  parts.metadata->operators = {{"comment/sum", "Sum", {}, {}},  // not communication, although its name contains "comm"
                               {"gradient_tape/m", "MatMul", {"comment/sum"}, {}},
                               {"g/HorovodAllreduce_grads_1_0", "HorovodAllreduce", {"gradient_tape/m"}, {}},
                               {"norm", "Mul", {"g/HorovodAllreduce_grads_1_0"}, {}},
                               {"apply", "AssignSub", {"norm"}, {}}};
  parts.tensors.emplace();
  parts.tensors->tensors = {{"a", {}}, {"g/HorovodAllreduce_grads_1_0", {}}};
  Diagnostics diagnostics;
  name_operators(parts, {"0", "1"}, diagnostics);
  EXPECT_THAT(names_in(parts), ElementsAre("FW.comment/sum", "BW.gradient_tape/m", "UPDATE_.apply", "UPDATE_.norm"));
  EXPECT_THAT(labels_in(parts),
              UnorderedElementsAre("FW.comment/sum", "BW.gradient_tape/m", "Comm.1", "UPDATE_.norm", "UPDATE_.apply"));
  EXPECT_TRUE(diagnostics.entries().empty());
}

TEST(OperatorNamesTest, WithoutAGraphTypesAndNamesTell) {
  GpuParts parts = gpu_with({"m/a", "gradients/m/a_grad", "SGD/w"});
  parts.tensorflow->runs[2].type = "ResourceApplyGradientDescent";
  Diagnostics diagnostics;
  name_operators(parts, {}, diagnostics);
  EXPECT_THAT(names_in(parts), ElementsAre("FW.m/a", "BW.gradients/m/a_grad", "UPDATE_.SGD/w"));
  EXPECT_EQ(diagnostics.count_of("operator_not_in_graph"), 3U);
}

}  // namespace
}  // namespace stepsim::ingest
