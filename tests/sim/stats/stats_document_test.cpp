#include "sim/stats/stats_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/output/json_writer.h"
#include "tests/sim/sample_capture.h"

namespace stepsim::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

sim::Statistics sample(const std::string& name) {
  const Capture capture = sample_capture();
  return sim::statistics_of(capture, {}, name, {});
}

TEST(StatsDocumentTest, OneInputNeedsNoNameInItsTitles) {
  const std::vector<sim::Statistics> inputs{sample("folder/x.json")};
  const sim::Provenance provenance;
  const std::string text = to_text(sim::stats_document(inputs, 20, provenance));
  EXPECT_THAT(text, HasSubstr("500 us compute"));
  EXPECT_THAT(text, HasSubstr("steps 10-11 are whole"));
  EXPECT_THAT(text, HasSubstr("\nBy name\n"));
  EXPECT_THAT(text, HasSubstr("\nMost expensive of each part\n"));
}

TEST(StatsDocumentTest, SeveralInputsHaveSectionsOfTheirOwn) {
  const std::vector<sim::Statistics> inputs{sample("folder/x.json"), sample("y.json")};
  const sim::Provenance provenance;
  const sim::Document document = sim::stats_document(inputs, 1, provenance);
  const std::string text = to_text(document);
  EXPECT_THAT(text, HasSubstr("Statistics of 2 inputs, each on its own."));
  EXPECT_THAT(text, HasSubstr("\nx.json: by name\n"));
  EXPECT_THAT(text, HasSubstr("\ny.json: by name\n"));
  EXPECT_THAT(text, HasSubstr("- 2 more: --head 3 or --head all"));
  EXPECT_EQ(document.rows().rows().size(), 6U);  // all rows of both inputs
  sim::JsonWriter json;
  document.json(json);
  EXPECT_THAT(json.take(), HasSubstr(R"({"schema":"stepsim.stats/1",)"));
}

TEST(StatsDocumentTest, KernelSequencesArePrintedOnlyOnRequest) {
  std::vector<sim::Statistics> inputs{sample("x.json")};
  inputs.front().sequences = {
      {.name = "aten::add", .kernels = {"void a::f<4, b::g<int> >(int)", "x", "y"}, .calls = 2}};
  const sim::Provenance provenance;
  EXPECT_THAT(to_text(sim::stats_document(inputs, 20, provenance)), Not(HasSubstr("Kernel sequences")));
  inputs.front().prints_sequences = true;
  const sim::Document document = sim::stats_document(inputs, 20, provenance);
  EXPECT_THAT(to_text(document), HasSubstr("f<g<int>> > x > y"));
  inputs.front().prints_sequences = false;
  sim::JsonWriter json;
  document.json(json);
  EXPECT_THAT(json.take(), HasSubstr("void a::f\\u003c4, b::g\\u003cint> >(int)"));
}

}  // namespace
}  // namespace stepsim::testing
