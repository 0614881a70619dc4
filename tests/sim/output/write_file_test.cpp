#include "sim/output/write_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "model/base/error.h"
#include "tests/sim/temporary_folder.h"
#include "tests/thrown_by.h"

namespace stepsim::sim {
namespace {

using stepsim::testing::thrown_by;

using stepsim::testing::read_file;
using stepsim::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string error_of(const std::string& path, std::string_view text = "x") {
  return thrown_by<OutputError>([&] { write_file(path, text); }, "no error");
}

TEST(WriteFileTest, WritesTheWholeTextAndLeavesNothingElse) {
  const TemporaryFolder folder;
  const std::string text(3'000'000, 'x');
  write_file(folder.file("out.json"), text);
  EXPECT_EQ(read_file(folder.file("out.json")), text);
  EXPECT_THAT(folder.list(), ElementsAre("out.json"));
}

TEST(WriteFileTest, ModeIs0666LessTheUmask) {
  const TemporaryFolder folder;
  const mode_t before = ::umask(027);
  write_file(folder.file("out"), "x");
  ::umask(before);
  struct stat status {};
  ASSERT_EQ(::stat(folder.file("out").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST(WriteFileTest, WithoutCommitTheOldFileStaysAndNoTemporaryIsLeft) {
  const TemporaryFolder folder;
  write_file(folder.file("out"), "old");
  {
    OutputFile file{folder.file("out")};
    file.write(std::string(1'000'000, 'n'));
    EXPECT_EQ(read_file(folder.file("out")), "old");
  }
  EXPECT_EQ(read_file(folder.file("out")), "old");
  EXPECT_THAT(folder.list(), ElementsAre("out"));
}

TEST(WriteFileTest, SymlinkIsReplacedAndNotFollowed) {
  const TemporaryFolder folder;
  write_file(folder.file("precious"), "keep");
  std::filesystem::create_symlink(folder.file("precious"), folder.file("out"));
  write_file(folder.file("out"), "new");
  EXPECT_EQ(read_file(folder.file("precious")), "keep");
  EXPECT_FALSE(std::filesystem::is_symlink(folder.file("out")));
  EXPECT_EQ(read_file(folder.file("out")), "new");
}

TEST(WriteFileTest, FileSizeLimitIsAnErrorThatNamesThePathAndLeavesTheOldFile) {
  const TemporaryFolder folder;
  write_file(folder.file("out"), "old");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{4096, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string error = error_of(folder.file("out"), std::string(100'000, 'n'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(error, HasSubstr(folder.file("out") + ": cannot be written: File too large; 100000 bytes or more"));
  EXPECT_EQ(read_file(folder.file("out")), "old");
  EXPECT_THAT(folder.list(), ElementsAre("out"));
}

TEST(WriteFileTest, FullDiskIsAnErrorWithNeededAndFreeBytes) {
  EXPECT_THAT(error_of("/dev/full"), HasSubstr("/dev/full: cannot be written: No space left on device; 1 bytes"));
}

TEST(WriteFileTest, AFileBelowDevIsReplacedAsAnyOther) {
  const std::string path = "/dev/shm/stepsim-write-file-test-" + std::to_string(::getpid());
  if (!std::ofstream{path}) GTEST_SKIP() << "/dev/shm cannot be written";
  write_file(path, "old and longer");
  write_file(path, "new");
  EXPECT_EQ(read_file(path), "new");
  std::filesystem::remove(path);
}

TEST(WriteFileTest, ADescriptorAndAPipeAreWrittenInPlace) {
  const TemporaryFolder folder;
  write_file(folder.file("out"), "old");
  const int descriptor = ::open(folder.file("out").c_str(), O_WRONLY | O_CLOEXEC);
  std::filesystem::create_symlink("/dev/fd/" + std::to_string(descriptor), folder.file("link"));
  write_file(folder.file("link"), "new");
  write_file("/proc/self/fd/" + std::to_string(descriptor), "NE");
  ::close(descriptor);
  EXPECT_EQ(read_file(folder.file("out")), "NEw");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));

  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  const int reader = ::open(folder.file("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  write_file(folder.file("pipe"), "text");
  std::string got(16, ' ');
  EXPECT_EQ(::read(reader, got.data(), got.size()), 4);
  ::close(reader);
  EXPECT_EQ(folder.list().size(), 3U);
}

TEST(WriteFileTest, TemporariesOfKilledRunsAreRemovedAndThoseInUseAreNot) {
  const TemporaryFolder folder;
  std::ofstream{folder.file(".out.4711-0.stepsim-tmp")} << "left by a killed run";
  std::ofstream{folder.file(".other.4711-0.stepsim-tmp")} << "of another file";
  OutputFile in_use{folder.file("out")};
  in_use.write("second");
  write_file(folder.file("out"), "first");
  EXPECT_EQ(folder.list().size(), 3U);
  in_use.commit();
  EXPECT_EQ(read_file(folder.file("out")), "second");
  EXPECT_THAT(folder.list(), ElementsAre(".other.4711-0.stepsim-tmp", "out"));
}

TEST(WriteFileTest, MissingFolderFolderAndEmptyPathAreErrors) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of(folder.file("none/out")), HasSubstr("none/out: cannot be written: No such file or directory"));
  EXPECT_THAT(error_of(folder.file("")), HasSubstr("Is a directory"));
  EXPECT_THAT(error_of(folder.file(".")), HasSubstr("Is a directory"));
  EXPECT_THAT(error_of(""), HasSubstr("No such file or directory"));
  EXPECT_THAT(folder.list(), IsEmpty());
}

TEST(WriteFileTest, WhatCannotBeWrittenIsRefusedBeforeWork) {
  const TemporaryFolder folder;
  write_file(folder.file("out"), "x");
  for (const std::string& path : {folder.file("none/out"), folder.file("out/x"), folder.file("."), std::string()}) {
    EXPECT_EQ(thrown_by<OutputError>([&] { refuse_unwritable(path); }), error_of(path));
  }
  for (const std::string& path : {folder.file("out"), folder.file("new"), std::string("/dev/null")}) {
    EXPECT_NO_THROW(refuse_unwritable(path));
  }
}

TEST(WriteFileTest, PathIsShownEscapedInErrors) {
  EXPECT_THAT(error_of("no\n\x1b[31mfolder/out"), HasSubstr("no\\n\\x1b[31mfolder/out: cannot be written"));
}

TEST(WriteFileTest, LongestPossibleNameCanBeWritten) {
  const TemporaryFolder folder;
  const std::string name(255, 'n');
  write_file(folder.file(name), "x");
  EXPECT_THAT(folder.list(), ElementsAre(name));
}

}  // namespace
}  // namespace stepsim::sim
