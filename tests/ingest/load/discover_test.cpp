#include "ingest/load/discover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "model/base/error.h"
#include "tests/thrown_by.h"

namespace stepsim::ingest {
namespace {

using stepsim::testing::thrown_by;

namespace fs = std::filesystem;

class DiscoverTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("stepsim_discover_" + std::to_string(::getpid()));
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string write(const std::string& path, const std::string& text) {
    const fs::path file = root_ / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.string();
  }

  fs::path root_;
};

TEST_F(DiscoverTest, FilesOfAFolderComeInNaturalOrder) {
  write("rank10.json", "10");
  write("rank2.json", "2");

  const auto files = discover({root_.string()}).files;

  ASSERT_EQ(files.size(), 2U);
  EXPECT_TRUE(files[0].path.ends_with("rank2.json"));
  EXPECT_FALSE(files[0].named);
  EXPECT_EQ(files[1].size, 2U);
}

TEST_F(DiscoverTest, HiddenFilesOfAFolderArePassedOver) {
  write("trace.json", "");
  write(".hidden.json", "");

  EXPECT_EQ(discover({root_.string()}).files.size(), 1U);
}

TEST_F(DiscoverTest, APathBehindAFileNamesAPartOfAnArchive) {
  const std::string archive = write("jobs.tar", "");

  const auto files = discover({archive + "/first/rank0.json", archive + "//second/", archive + "/second"}).files;

  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].path, archive);
  EXPECT_EQ(files[0].member, "first/rank0.json");
  EXPECT_TRUE(files[0].named);
  EXPECT_EQ(files[1].member, "second");
  EXPECT_THROW(static_cast<void>(discover({(root_ / "absent.tar/first").string()})), InputError);
  EXPECT_THROW(static_cast<void>(discover({(root_ / "absent.json").string()})), InputError);
}

TEST_F(DiscoverTest, APatternStandsForWhatItMatches) {
  write("run/rank10.json", "10");
  write("run/rank2.json", "2");
  write("run/other.json", "");
  write("run/.rank3.json", "");
  write("more1/deep/a.json", "");

  const auto files = discover({(root_ / "run/rank*.json").string(), (root_ / "more[0-9]").string()}).files;

  ASSERT_EQ(files.size(), 3U);
  EXPECT_TRUE(files[0].path.ends_with("run/rank2.json"));
  EXPECT_TRUE(files[0].named);
  EXPECT_TRUE(files[1].path.ends_with("run/rank10.json"));
  EXPECT_TRUE(files[2].path.ends_with("more1/deep/a.json"));
  EXPECT_FALSE(files[2].named);
  EXPECT_THAT(thrown_by<InputError>([&] { (void)discover({(root_ / "run/*.gz").string()}); }),
              ::testing::HasSubstr("*.gz: no file or folder matches this pattern; expected a trace"));
}

TEST_F(DiscoverTest, AFileWhoseNameLooksLikeAPatternIsThatFile) {
  const std::string file = write("a[1].json", "");
  write("a1.json", "");
  const auto files = discover({file}).files;
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].path, file);
}

TEST_F(DiscoverTest, ALinkThatLeadsNowhereIsRefusedInAPattern) {
  fs::create_symlink(root_ / "absent", root_ / "a*.json");
  EXPECT_THAT(thrown_by<InputError>([&] { (void)discover({(root_ / "a*").string()}); }),
              ::testing::HasSubstr("a*.json: no such file or folder"));
}

TEST_F(DiscoverTest, TheJobFileOfAPatternIsWhereItBegins) {
  write("run/a/rank0.json", "");
  const std::string job = write("run/job.yaml", "workers: 2\n");
  EXPECT_EQ(find_job_file({(root_ / "run/*/rank*.json").string()}), job);
}

TEST_F(DiscoverTest, OneFileGivenTwiceIsListedOnce) {
  const std::string file = write("trace.json", "");

  const auto files = discover({file, root_.string(), file}).files;

  ASSERT_EQ(files.size(), 1U);
  EXPECT_TRUE(files[0].named);
}

TEST_F(DiscoverTest, LinksInAFolderAreNotFollowed) {
  write("a/trace.json", "");
  fs::create_directory_symlink(root_, root_ / "a" / "loop");

  EXPECT_EQ(discover({root_.string()}).files.size(), 1U);
}

TEST_F(DiscoverTest, WhatIsNotThereIsAnErrorThatNamesIt) {
  EXPECT_THAT(thrown_by<InputError>([&] { return discover({(root_ / "absent").string()}); }),
              ::testing::HasSubstr("absent: no such file or folder"));
}

TEST_F(DiscoverTest, JobFileIsFoundInTheFolderAndBesideIt) {
  const std::string trace = write("base/traces/0/0/trace.json", "{}");
  EXPECT_FALSE(find_job_file({trace}).has_value());
  const std::string job = write("base/job.yaml", "workers: 2\n");

  EXPECT_EQ(find_job_file({(root_ / "base/traces").string()}), job);
  EXPECT_EQ(find_job_file({(root_ / "base").string()}), job);
}

}  // namespace
}  // namespace stepsim::ingest
