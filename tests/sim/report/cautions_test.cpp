#include "sim/report/headline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "model/base/known_diagnostics.h"
#include "model/job/parameter_server/workload.h"

namespace stepsim::sim {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(CautionsTest, AWholeCaptureNeedsNone) {
  EXPECT_EQ(warning_of({}), "");
  EXPECT_EQ(caution_of({}), "");
}

TEST(CautionsTest, ACaptureWithoutDeviceWorkIsSaidFirstAndOnce) {
  Capture capture;
  capture.diagnostics.count(diagnostic("launches_without_device_work"), {}, {}, 260);
  EXPECT_THAT(warning_of(capture), StartsWith("The capture lacks its device work: 260 launches"));
  EXPECT_EQ(caution_of(capture.diagnostics), "");
}

TEST(CautionsTest, ASampleSaysHowMuchOfItWasRecorded) {
  Capture capture;
  capture.diagnostics.count(diagnostic("sampled_operators"), {}, "one operator in 73 is recorded", 2329);
  EXPECT_THAT(warning_of(capture), StartsWith("The capture is a sample: one operator in 73 is recorded."));
  EXPECT_EQ(caution_of(capture.diagnostics), "");
}

Capture assumed_servers(std::uint32_t servers) {
  PsWorkload workload;
  workload.job.servers = servers;
  Capture capture;
  capture.parameter_server = std::make_shared<const PsWorkload>(workload);
  capture.assumptions.push_back({"inferred_servers", ""});
  return capture;
}

TEST(CautionsTest, AParameterServerJobWithoutJobYamlSaysWhatIsGuessed) {
  EXPECT_THAT(warning_of(assumed_servers(2)),
              StartsWith("No job.yaml was found next to the traces: that there are 2 servers, the rule"));
  EXPECT_THAT(warning_of(assumed_servers(1)), HasSubstr("that there is 1 server, "));
  Capture unknown;
  unknown.assumptions.push_back({"unknown_servers", ""});
  EXPECT_THAT(warning_of(unknown), HasSubstr("the number of servers, "));
}

TEST(CautionsTest, AJobYamlThatSaysSomethingIsNotMissing) {
  Capture capture = assumed_servers(2);
  capture.job.framework = "byteps";
  EXPECT_EQ(warning_of(capture), "");
}

TEST(CautionsTest, LostPartsAreNamedWithTheirCountAndNoticesAreNot) {
  Diagnostics diagnostics;
  diagnostics.count(diagnostic("bad_record"), {}, "7: not JSON", 3);
  diagnostics.count_about(diagnostic("unknown category"), "npu", {}, "12 % of the span", 5);
  diagnostics.count(diagnostic("polling"), {}, {}, 9);
  const std::string caution = caution_of(diagnostics);
  EXPECT_THAT(caution, HasSubstr("bad_record (3), unknown category npu (5, 12 % of the span)"));
  EXPECT_THAT(caution, Not(HasSubstr("polling")));
}

}  // namespace
}  // namespace stepsim::sim
