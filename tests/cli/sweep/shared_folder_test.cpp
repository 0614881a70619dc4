#include "cli/sweep/shared_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "model/base/error.h"
#include "tests/sim/temporary_folder.h"

namespace stepsim::cli {
namespace {

using stepsim::testing::TemporaryFolder;

std::string host() {
  std::array<char, 256> name{};
  static_cast<void>(::gethostname(name.data(), name.size() - 1));
  return name.data();
}

/// Makes a folder like that of a sweep that was killed: with a part, and a lock that no process holds.
std::string abandoned(const TemporaryFolder& place, const std::string& of_host) {
  std::string path = place.file(".stepsim-sweep-" + of_host + "-abcdef");
  std::filesystem::create_directory(path);
  std::ofstream(path + "/part.0") << "points";
  const std::ofstream lock(path + "/lock");
  return path;
}

TEST(SharedFolderTest, TwoOfOneProcessHaveDifferentNamesAndAreRemoved) {
  const TemporaryFolder place;
  std::string path;
  {
    const SharedFolder a(place.file(""));
    const SharedFolder b(place.file(""));
    EXPECT_NE(a.path(), b.path());
    EXPECT_TRUE(std::filesystem::exists(a.path())) << "the second one has not taken it for an abandoned one";
    path = a.path();
    std::ofstream(path + "/part.0") << "points";
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(place.list().empty());
}

TEST(SharedFolderTest, TheFolderOfAKilledProcessIsRemovedByTheNextSweep) {
  const TemporaryFolder place;
  const std::string left = abandoned(place, host());
  const SharedFolder next(place.file(""));
  EXPECT_FALSE(std::filesystem::exists(left));
}

TEST(SharedFolderTest, AFolderWithoutALockIsRemovedOnlyIfItIsEmpty) {
  const TemporaryFolder place;
  const std::string empty = place.file(".stepsim-sweep-" + host() + "-abcdef");
  const std::string full = place.file(".stepsim-sweep-" + host() + "-ghijkl");
  for (const std::string& path : {empty, full}) std::filesystem::create_directory(path);
  std::ofstream(full + "/mine") << "text";
  const SharedFolder next(place.file(""));
  EXPECT_FALSE(std::filesystem::exists(empty));
  EXPECT_TRUE(std::filesystem::exists(full + "/mine"));
}

TEST(SharedFolderTest, FoldersOfOtherHostsStay) {
  const TemporaryFolder place;
  const std::string other = abandoned(place, host() + "-2");
  const SharedFolder next(place.file(""));
  EXPECT_TRUE(std::filesystem::exists(other + "/part.0"));
}

TEST(SharedFolderTest, APlaceThatDoesNotExistIsNamed) {
  try {
    const SharedFolder folder("/nowhere/at/all");
    FAIL();
  } catch (const OutputError& error) {
    EXPECT_STREQ(error.what(),
                 "/nowhere/at/all: no folder can be made in it (No such file or directory); --engine needs one that "
                 "all machines see");
  }
}

}  // namespace
}  // namespace stepsim::cli
