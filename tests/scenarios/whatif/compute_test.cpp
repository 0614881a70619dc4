#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/base/error.h"
#include "tests/scenarios/sample_questions.h"

// A step of streams_question() takes 210 us: rank 0 computes for 100 us and rank 1 for 150 us, followed by a collective
// of 30 us, an unexplained wait of 20 us and 10 us on the host.
//
// A step of parameter_server_question(), which has 3 layers, computes for 3 ms forward, 6 ms backward and 0.5 ms in the
// update.

namespace stepsim::testing {
namespace {

using std::chrono::microseconds;

TEST(ComputeWhatIf, ScalesDeviceWorkButNotCollectivesWaitsOrHosts) {
  EXPECT_EQ(streams_question().iteration({"compute.scale=2"}), microseconds{2 * 150 + 30 + 20 + 10});
}

TEST(ComputeWhatIf, ARankThatStaysFasterThanTheSlowestChangesNothing) {
  EXPECT_EQ(streams_question().iteration({"compute{rank=0}.scale=1.5"}), microseconds{210});
  EXPECT_EQ(streams_question().iteration({"compute{rank=0}.scale=1.7"}), microseconds{170 + 60});
}

TEST(ComputeWhatIf, AddsATimeToEachTask) {
  EXPECT_EQ(streams_question().iteration({"compute.add=7us"}), microseconds{217});
}

TEST(ComputeWhatIf, ScalesHostWorkWhereItIsSelected) {
  EXPECT_EQ(streams_question().iteration({"compute{kind=host}.scale=3"}), microseconds{150 + 30 + 20 + 30});
}

TEST(ComputeWhatIf, RefusesASelectionOfCommunication) {
  EXPECT_THAT([] { (void)streams_question().iteration({"compute{kind=collective}.scale=2"}); },
              ::testing::ThrowsMessage<InputError>(::testing::HasSubstr("matches only communication")));
}

}  // namespace
}  // namespace stepsim::testing
