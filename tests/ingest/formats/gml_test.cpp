#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/ingest/read_text.h"

namespace stepsim::ingest::gml_test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

Parsed<OperatorGraph> read(std::string_view text) { return read_text<OperatorGraph>("gml", text, "dag.gml"); }
std::string refused(std::string_view text) { return refusal("gml", text, "dag.gml"); }

TEST(GmlTest, ReadsAFileAsNetworkxWritesIt) {
  const auto graph = read(R"(graph [
  directed 1
  node [
    id 0
    label "host0.rank0->FW.conv1"
    avg 1.25
    operatorGAPoperator 12.5
  ]
  node [
    id 1
    label "host0.rank0->BW.conv1"
    avg 2.5
  ]
  edge [
    source 0
    target 1
  ]
]
)")
                         .part;
  ASSERT_EQ(graph.nodes.size(), 2U);
  EXPECT_EQ(graph.nodes[0].label, "host0.rank0->FW.conv1");
  ASSERT_EQ(graph.nodes[0].attributes.size(), 2U);
  EXPECT_EQ(graph.nodes[0].attributes[1].key, "operatorGAPoperator");
  EXPECT_EQ(graph.nodes[0].attributes[1].value, "12.5");
  ASSERT_EQ(graph.edges.size(), 1U);
  EXPECT_EQ(graph.edges[0].source, 0U);
  EXPECT_EQ(graph.edges[0].target, 1U);
}

TEST(GmlTest, EntitiesBecomeTheirCharactersAndWhatOnlyLooksLikeOneStays) {
  const auto graph = read("graph [ node [ id 0 label \"a&#34;b&amp;c&#233;d&#xe9;&bogus; & &#0; &#1114112;\" ] ]").part;
  EXPECT_EQ(graph.nodes[0].label,
            "a\"b&c\xC3\xA9"
            "d\xC3\xA9&bogus; & &#0; &#1114112;");
}

TEST(GmlTest, IdsMayComeInAnyOrderAndAsQuotedText) {
  const auto graph =
      read(
          R"(graph [ edge [ source 9 target "4294967296" ] node [ id "4294967296" label "b" ] node [ id 9 label "a" ] ])")
          .part;
  ASSERT_EQ(graph.edges.size(), 1U);
  EXPECT_EQ(graph.nodes[graph.edges[0].source].label, "a");
  EXPECT_EQ(graph.nodes[graph.edges[0].target].label, "b");
}

TEST(GmlTest, ANodeWithoutLabelIsNamedByItsId) { EXPECT_EQ(read("graph [ node [ id 7 ] ]").part.nodes[0].label, "7"); }

TEST(GmlTest, CreatorAndVersionLinesCommentsAndCrlfAreTaken) {
  const auto graph = read(
      "Creator \"networkx\"\r\nVersion 1\r\n# a comment\r\ngraph [\r\n node [\r\n id 0\r\n label \"x\"\r\n ]\r\n]\r\n");
  EXPECT_EQ(graph.part.nodes.size(), 1U);
  EXPECT_EQ(graph.sink.diagnostics.entries().size(), 0U);
}

TEST(GmlTest, ARepeatedKeyIsAListAndItsStartMarkIsNoEntry) {
  const auto graph =
      read(
          R"(graph [ node [ id 0 label "a" var "_networkx_list_start" var "Comm.w" x 1 x 2 big 1.E-07 inf +INF nan NAN ] ])")
          .part;
  ASSERT_EQ(graph.nodes[0].attributes.size(), 6U);
  EXPECT_EQ(graph.nodes[0].attributes[0].value, "Comm.w");
  EXPECT_EQ(graph.nodes[0].attributes[1].value, "1");
  EXPECT_EQ(graph.nodes[0].attributes[2].value, "2");
}

TEST(GmlTest, NestedRecordsAreSkippedHoweverDeep) {
  constexpr std::size_t kDepth = 100'000;
  std::string text = "graph [ node [ id 0 label \"a\" ";
  for (std::size_t i = 0; i < kDepth; ++i) text += "k [ ";
  text.append(kDepth, ']');
  text += " ] ]";
  EXPECT_EQ(read(text).part.nodes.size(), 1U);
}

TEST(GmlTest, AnEdgeToAMissingNodeIsCountedAndTheRestIsUsed) {
  const auto graph =
      read("graph [ node [ id 0 ]\n node [ id 1 ]\n edge [ source 0 target 5 ]\n edge [ source 0 target 1 ] ]");
  EXPECT_EQ(graph.part.edges.size(), 1U);
  ASSERT_EQ(graph.sink.diagnostics.count_of("edge_to_unknown_node"), 1U);
  EXPECT_EQ(graph.sink.diagnostics.entries()[0].first.line, 3U);
  EXPECT_EQ(graph.sink.skipped, 1U);
}

TEST(GmlTest, ANodeWithoutIdAndASecondNodeOfOneIdAreCounted) {
  const auto graph = read(
      "graph [ node [ label \"x\" ] node [ id 1 label \"a\" ] node [ id 1 label \"b\" ] edge [ source 1 target 1 ] "
      "edge [ source 1 ] ]");
  EXPECT_EQ(graph.sink.diagnostics.count_of("node_without_id"), 1U);
  EXPECT_EQ(graph.sink.diagnostics.count_of("duplicate_node"), 1U);
  EXPECT_EQ(graph.sink.diagnostics.count_of("edge_without_ends"), 1U);
  EXPECT_EQ(graph.part.nodes[graph.part.edges[0].target].label, "a");
}

// If the text is cut at any byte, it is either refused in one line, or the complete records before the cut are kept.
TEST(GmlTest, EveryCutKeepsTheWholeRecordsBeforeIt) {
  const std::string text =
      "graph [\n node [ id 0 label \"a\" ]\n node [ id 1 label \"b\" ]\n edge [ source 0 target 1 ]\n]\n";
  const std::size_t first_end = text.find(']') + 1;
  const std::size_t second_end = text.find(']', first_end) + 1;
  for (std::size_t cut = 0; cut < text.size() - 2; ++cut) {
    const std::string head = text.substr(0, cut);
    if (cut < first_end) {
      EXPECT_THAT(refused(head), HasSubstr("expected a GML graph")) << cut;
      continue;
    }
    const auto graph = read(head);
    EXPECT_EQ(graph.part.nodes.size(), cut < second_end ? 1U : 2U) << cut;
    EXPECT_EQ(graph.sink.diagnostics.count_of("truncated_file"), 1U) << cut;
  }
}

struct BadGml {
  const char* text;
  const char* message;
};

class GmlRefusalTest : public ::testing::TestWithParam<BadGml> {};

TEST_P(GmlRefusalTest, SaysFileLineWhatWasFoundAndWhatWasExpected) {
  EXPECT_THAT(refused(GetParam().text), EndsWith(GetParam().message)) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Malformed, GmlRefusalTest,
    ::testing::Values(BadGml{"", "dag.gml:1: no 'graph [' in the file; expected a GML graph"},
                      BadGml{"graph 1", "dag.gml:1: no 'graph [' in the file; expected a GML graph"},
                      BadGml{"{\"nodes\": []}", "dag.gml:1: '{' found; expected a key, a value, '[' or ']'"},
                      BadGml{"graph [\n 12 node\n]", "dag.gml:2: '12' found; expected a key"},
                      BadGml{"graph [\n [ ]\n]", "dag.gml:2: '[' found; expected a key"},
                      BadGml{"graph [\n node [\n id ]\n]", "dag.gml:3: ']' after key 'id'; expected its value"},
                      BadGml{"graph [ ]\n]", "dag.gml:2: ']' without its '['; expected a key or the end of the file"},
                      BadGml{"\n\ngraph [ \"text\" 1 ]", "dag.gml:3: 'text' found; expected a key"},
                      BadGml{"\x01graph [ ]", "dag.gml:1: '\\x01' found; expected a key, a value, '[' or ']'"}));

TEST(GmlTest, ATextOfTwoMebibytesIsRefused) {
  EXPECT_THAT(refused("graph [ node [ id 0\n label \"" + std::string(2U << 20U, 'x') + "\" ] ]"),
              HasSubstr("dag.gml:2: a text of more than 1 MiB"));
}

}  // namespace
}  // namespace stepsim::ingest::gml_test
