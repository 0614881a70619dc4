#include "model/base/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepsim {
namespace {

using ::testing::AnyOf;
using ::testing::MatchesRegex;

TEST(VersionTest, VersionIsThreeNumbers) {
  EXPECT_THAT(std::string{version()}, MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST(VersionTest, CommitIsAHashOrSaidToBeUnknown) {
  EXPECT_THAT(std::string{commit()}, AnyOf("unknown", MatchesRegex("[0-9a-f]+(-dirty)?")));
}

}  // namespace
}  // namespace stepsim
