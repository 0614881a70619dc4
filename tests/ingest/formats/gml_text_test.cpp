#include "ingest/formats/gml.h"

#include <gtest/gtest.h>

#include "tests/ingest/read_text.h"

namespace stepsim::ingest {
namespace {

OperatorGraph sample() {
  OperatorGraph graph;
  graph.nodes = {{"host0.rank0->FW.a", {{"avg", "1.25"}, {"cnt", "3"}, {"op", "Convolution"}}},
                 {"BW.\"x\" & \xC3\xA9", {{"big", "3000000000"}}}};
  graph.edges = {{0, 1}, {1, 0}};
  return graph;
}

TEST(GmlTextTest, IsAsNetworkxWritesIt) {
  EXPECT_EQ(
      gml_text(sample()),
      "graph [\n  directed 1\n"
      "  node [\n    id 0\n    label \"host0.rank0->FW.a\"\n    avg 1.25\n    cnt 3\n    op \"Convolution\"\n  ]\n"
      "  node [\n    id 1\n    label \"BW.&#34;x&#34; &#38; &#233;\"\n    big \"3000000000\"\n  ]\n"
      "  edge [\n    source 0\n    target 1\n  ]\n  edge [\n    source 1\n    target 0\n  ]\n]\n");
}

TEST(GmlTextTest, ComesBackAsItWas) {
  const OperatorGraph graph = sample();
  const auto back = read_text<OperatorGraph>("gml", std::string(kGmlCreator) + gml_text(graph), "dag.gml").part;
  ASSERT_EQ(back.nodes.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(back.nodes[i].label, graph.nodes[i].label);
    ASSERT_EQ(back.nodes[i].attributes.size(), graph.nodes[i].attributes.size());
    for (std::size_t a = 0; a < back.nodes[i].attributes.size(); ++a)
      EXPECT_EQ(back.nodes[i].attributes[a].value, graph.nodes[i].attributes[a].value);
    EXPECT_EQ(back.edges[i].source, graph.edges[i].source);
    EXPECT_EQ(back.edges[i].target, graph.edges[i].target);
  }
}

}  // namespace
}  // namespace stepsim::ingest
