#include "model/wire/shared_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace stepsim::wire {
namespace {

namespace fs = std::filesystem;

/// A folder to which another user has had access.
class SharedFolderTest : public ::testing::Test {
 protected:
  SharedFolderTest() {
    std::string path = (fs::temp_directory_path() / "stepsim.XXXXXX").string();
    if (::mkdtemp(path.data()) != nullptr) root = path;
    fs::create_directory(root / "folder");
    put("theirs", "not ours");
  }
  void TearDown() override { fs::remove_all(root); }

  void put(std::string_view name, std::string_view text) const { std::ofstream(root / name) << text; }
  [[nodiscard]] std::string text_of(std::string_view name) const {
    std::ifstream file(root / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] std::string path(std::string_view name) const { return (root / name).string(); }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(root / "folder")) found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }

  fs::path root;
};

constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL;

TEST_F(SharedFolderTest, ALinkIsNeverFollowed) {
  fs::create_symlink(root / "theirs", root / "folder/link");
  fs::create_symlink(root / "missing", root / "folder/to-nothing");
  fs::create_symlink(root / "folder", root / "folder-link");
  EXPECT_EQ(open_file(path("folder/link"), O_WRONLY), -1);
  EXPECT_EQ(errno, ELOOP);
  for (const char* const name : {"folder/link", "folder/to-nothing"}) {
    EXPECT_EQ(open_file(path(name), kNew, 0644), -1);
    EXPECT_EQ(errno, EEXIST) << name;
    EXPECT_FALSE(create_folder(path(name), 0777));
    EXPECT_EQ(errno, EEXIST) << name;
  }
  for (const char* const name : {"folder-link/new", "folder-link//new"}) {
    EXPECT_EQ(open_file(path(name), kNew, 0644), -1);
    EXPECT_EQ(errno, ENOTDIR) << name;
    EXPECT_FALSE(create_folder(path(name), 0777)) << name;
    EXPECT_FALSE(replace_file(path(name), "ours", 0644)) << name;
  }
  EXPECT_TRUE(read_small_file(path("folder-link/link"), 100).exists);
  EXPECT_NE(read_small_file(path("folder-link/link"), 100).problem, "");
  EXPECT_EQ(text_of("theirs"), "not ours");
  EXPECT_FALSE(fs::exists(root / "missing"));
  EXPECT_EQ(names(), (std::vector<std::string>{"link", "to-nothing"}));
}

TEST_F(SharedFolderTest, ReplacesALinkAndNotItsTarget) {
  fs::create_symlink(root / "theirs", root / "folder/name");
  ASSERT_TRUE(replace_file(path("folder/name"), "ours", 0644));
  EXPECT_EQ(text_of("theirs"), "not ours");
  ASSERT_TRUE(replace_file(path("folder/name"), "ours again", 0644));
  const SmallFile file = read_small_file(path("folder/name"), 10);
  EXPECT_EQ(file.text, "ours again");
  EXPECT_EQ(file.owner, ::geteuid());
  EXPECT_EQ(names(), std::vector<std::string>{"name"});
}

TEST_F(SharedFolderTest, LeavesNothingWhereItFails) {
  ASSERT_TRUE(create_folder(path("folder/name"), 0777));
  EXPECT_FALSE(replace_file(path("folder/name"), "ours", 0644));
  EXPECT_EQ(errno, EISDIR);
  EXPECT_EQ(names(), std::vector<std::string>{"name"});
  EXPECT_FALSE(replace_file(path("no/such"), "ours", 0644));
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(SharedFolderTest, NamesWithoutAFolderAreInTheWorkingFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(root / "folder");
  EXPECT_TRUE(replace_file("here", "ours", 0644));
  fs::current_path(before);
  EXPECT_EQ(text_of("folder/here"), "ours");
}

TEST_F(SharedFolderTest, ReadsOnlySmallRegularFiles) {
  put("folder/whole", "12345");
  EXPECT_EQ(read_small_file(path("folder/whole"), 5).text, "12345");
  EXPECT_EQ(read_small_file(path("folder/whole"), 5).problem, "");
  EXPECT_EQ(read_small_file(path("folder/whole"), 4).problem, "has more than 4 bytes");
  EXPECT_FALSE(read_small_file(path("folder/missing"), 5).exists);
  fs::create_symlink("/dev/zero", root / "folder/zero");
  fs::create_directory(root / "folder/inner");
  ASSERT_EQ(::mkfifo(path("folder/pipe").c_str(), 0666), 0);
  for (const char* const name : {"zero", "inner", "pipe"}) {
    const SmallFile file = read_small_file(path(std::string("folder/") + name), 5);
    EXPECT_TRUE(file.exists) << name;
    EXPECT_EQ(file.problem, "is not a regular file") << name;
    EXPECT_EQ(file.text, "") << name;
  }
  fs::create_hard_link(root / "theirs", root / "folder/second");
  EXPECT_EQ(read_small_file(path("folder/second"), 100).problem, "has more than one name (a hard link)");
}

TEST_F(SharedFolderTest, APipeIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo(path("folder/pipe").c_str(), 0666), 0);
  EXPECT_EQ(open_file(path("folder/pipe"), O_WRONLY), -1);
  EXPECT_EQ(errno, ENXIO) << "nobody reads";
}

}  // namespace
}  // namespace stepsim::wire
