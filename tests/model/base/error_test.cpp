#include "model/base/error.h"
#include "tests/thrown_by.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepsim {
namespace {

using stepsim::testing::thrown_by;

using ::testing::HasSubstr;

TEST(InputErrorTest, OffsetFollowsAnAtSign) {
  const InputError error{{.file = "ranks/3.json", .byte_offset = 18734}, "'dur' is negative (-12); expected >= 0"};
  EXPECT_STREQ(error.what(), "ranks/3.json@18734: 'dur' is negative (-12); expected >= 0");
  EXPECT_EQ(error.where().byte_offset, 18734U);
}

TEST(InputErrorTest, LineFollowsAColon) {
  EXPECT_STREQ((InputError{{.file = "job.yaml", .line = 7}, "no unit"}).what(), "job.yaml:7: no unit");
}

TEST(InputErrorTest, WholeFileStandsAlone) {
  EXPECT_STREQ((InputError{{.file = "job.yaml"}, "it is empty"}).what(), "job.yaml: it is empty");
}

TEST(InputErrorTest, WithoutAFileOnlyTheProblemIsSaid) {
  EXPECT_STREQ((InputError{{}, "no trace was given"}).what(), "no trace was given");
}

TEST(InputErrorTest, HostileFileNameStaysOnOneLine) {
  const InputError error{{.file = "a\nerror: forged\x1b[2J"}, "it is empty"};
  EXPECT_STREQ(error.what(), "a\\nerror: forged\\x1b[2J: it is empty");
  EXPECT_EQ(error.where().file, "a\nerror: forged\x1b[2J") << "the place itself is kept as given";
}

TEST(AssertTest, BrokenInvariantIsAnInternalErrorWithItsReason) {
  const bool sorted = false;
  const std::string error = thrown_by<InternalError>([&] { STEPSIM_ASSERT(sorted, "targets ascend"); });
  EXPECT_THAT(error, HasSubstr("targets ascend (sorted is false)"));
  EXPECT_THAT(error, HasSubstr("error_test.cpp:"));
}

TEST(AssertTest, InvariantThatHoldsSaysNothing) { EXPECT_NO_THROW(STEPSIM_ASSERT(1 + 1 == 2, "sums add up")); }

}  // namespace
}  // namespace stepsim
