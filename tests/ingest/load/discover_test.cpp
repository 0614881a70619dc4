#include "ingest/load/discover.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace stepsim::ingest {
namespace {

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

  static constexpr const char* kTrace =
      R"({"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": 1, "dur": 1}]})";
  fs::path root_;
  Diagnostics diagnostics_;
};

TEST_F(DiscoverTest, FilesOfAFolderComeInNaturalOrder) {
  write("rank10.json", kTrace);
  write("rank2.json", kTrace);

  const auto files = discover({root_.string()}, diagnostics_);

  ASSERT_EQ(files.size(), 2U);
  EXPECT_TRUE(files[0].path.ends_with("rank2.json"));
  EXPECT_EQ(files[0].format->name, "kineto");
}

TEST_F(DiscoverTest, UnknownFilesOfAFolderAreCountedAndHiddenOnesPassedOver) {
  write("trace.json", kTrace);
  write("notes.md", "notes");
  write(".hidden.json", kTrace);

  EXPECT_EQ(discover({root_.string()}, diagnostics_).size(), 1U);
  EXPECT_EQ(diagnostics_.count_of("file_not_used"), 1U);
}

TEST_F(DiscoverTest, OneFileGivenTwiceIsReadOnce) {
  const std::string file = write("trace.json", kTrace);

  EXPECT_EQ(discover({file, root_.string(), file}, diagnostics_).size(), 1U);
}

TEST_F(DiscoverTest, LinksInAFolderAreNotFollowed) {
  write("a/trace.json", kTrace);
  fs::create_directory_symlink(root_, root_ / "a" / "loop");

  EXPECT_EQ(discover({root_.string()}, diagnostics_).size(), 1U);
}

TEST_F(DiscoverTest, NamedFileOfNoKnownFormatIsAnError) {
  EXPECT_THROW((void)discover({write("notes.md", "notes")}, diagnostics_), InputError);
}

TEST_F(DiscoverTest, WhatIsNotThereIsAnErrorThatNamesIt) {
  try {
    (void)discover({(root_ / "absent").string()}, diagnostics_);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("absent: there is no such file or folder"), std::string::npos);
  }
}

TEST_F(DiscoverTest, JobFileIsFoundInTheFolderAndBesideIt) {
  const std::string trace = write("base/traces/0/0/trace.json", kTrace);
  EXPECT_FALSE(find_job_file({trace}).has_value());
  const std::string job = write("base/job.yaml", "workers: 2\n");

  EXPECT_EQ(find_job_file({(root_ / "base/traces").string()}), job);
  EXPECT_EQ(find_job_file({(root_ / "base").string()}), job);
}

}  // namespace
}  // namespace stepsim::ingest
