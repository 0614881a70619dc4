#include "cli/capture/user.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

namespace stepsim::cli {
namespace {

TEST(UserTest, TheRealUserOfAProcessAndItsGroups) {
  // A set-user-ID program of root that user 1000 has started; a name cannot contain a line break there (proc(5)).
  const auto user = user_from_status(
      "Name:\tUid:\\n 0\nUmask:\t0022\nUid:\t1000\t0\t0\t0\nGid:\t100\t42\t42\t42\nFDSize:\t64\nGroups:\t4 24 1000 \n"
      "NStgid:\t7\n");
  ASSERT_TRUE(user);
  EXPECT_EQ(user->id, 1000U);
  EXPECT_EQ(user->group, 100U);
  EXPECT_EQ(user->groups, (std::vector<unsigned>{4, 24, 1000}));
}

TEST(UserTest, NoGroups) {
  const auto user = user_from_status("Name:\ta\nUid:\t1\t1\t1\t1\nGid:\t2\t2\t2\t2\nGroups:\t \n");
  ASSERT_TRUE(user);
  EXPECT_TRUE(user->groups.empty());
}

TEST(UserTest, OtherTextsAreNoStatus) {
  for (const char* const text :
       {"", "Uid:\t1\t1\t1\t1\nGid:\t2\t2\t2\t2\n", "Name:\ta\nUid:\t1\t1\t1\t1\n", "Name:\ta\nUid:\t-1\nGid:\t2\n"})
    EXPECT_FALSE(user_from_status(text)) << text;
}

TEST(UserTest, AnAccount) {
  const auto root = user_from_account(0);
  if (!root) GTEST_SKIP() << "skipped: the account of root is absent";
  EXPECT_EQ(root->group, 0U);
  EXPECT_FALSE(user_from_account(4'000'000'000U));
}

}  // namespace
}  // namespace stepsim::cli
