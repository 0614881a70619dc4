#include "capture/writer/writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ingest/bytes/byte_source.h"
#include "ingest/formats/capture/records.h"
#include "tests/sim/temporary_folder.h"

namespace stepsim::capture {
namespace {

using testing::TemporaryFolder;
using wire::Kind;
using wire::Record;

constexpr std::size_t kSmall = std::size_t{1} << 20U;
constexpr std::size_t kLarge = std::size_t{256} << 20U;

/// What the reader finds in a capture file.
struct Content {
  std::uint64_t calls = 0;
  std::uint64_t sum_of_starts = 0;
  std::vector<std::string> texts;
  std::uint64_t told_lost = 0;
  bool closed = false;
  int write_error = 0;
  std::size_t diagnostics = 0;
};

Content content_of(const std::string& path) {
  Content content;
  const auto source = ingest::open_file(path);
  ingest::PartSink sink;
  ingest::for_each_capture_block(*source, sink, [&](const ingest::CaptureBlock& block) {
    wire::RecordCursor cursor(block.records);
    while (const std::optional<Record> record = cursor.next()) {
      if (record->kind == Kind::kText) {
        content.texts.emplace_back(cursor.text(*record).value_or("a text that is cut"));
      } else if (record->kind == Kind::kCall) {
        ++content.calls;
        content.sum_of_starts += record->start;
      } else if (record->kind == Kind::kStatus &&
                 record->detail == static_cast<std::uint8_t>(wire::Status::kNotWritten)) {
        content.write_error = static_cast<int>(record->duration);
      } else if (record->kind == Kind::kStatus) {
        content.closed = record->detail == static_cast<std::uint8_t>(wire::Status::kClosed);
        content.told_lost = record->b;
      }
    }
  });
  content.diagnostics = sink.diagnostics.entries().size();
  return content;
}

/// Records `count` calls that start at 1, 2, 3 and so on, in nanoseconds.
void record_calls(Writer& writer, std::uint64_t count) {
  writer.with_producer([count](Producer& producer) {
    for (std::uint64_t i = 1; i <= count; ++i) producer.add({.kind = Kind::kCall, .start = i});
  });
}

TEST(WriterTest, EveryRecordOfEveryThreadIsInTheFileOnce) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.capture");
  constexpr std::uint64_t kEach = 100'000;
  constexpr std::uint64_t kThreads = 4;
  std::uint64_t lost = 0;
  {
    const std::unique_ptr<Writer> writer = Writer::create(path, kLarge);
    ASSERT_NE(writer, nullptr);
    std::vector<std::thread> threads;
    for (std::uint64_t t = 0; t < kThreads; ++t) threads.emplace_back([&] { record_calls(*writer, kEach); });
    for (std::thread& thread : threads) thread.join();
    lost = writer->lost();
  }
  const Content content = content_of(path);
  EXPECT_EQ(lost, 0U);
  EXPECT_EQ(content.calls, kThreads * kEach);
  EXPECT_EQ(content.sum_of_starts, kThreads * kEach * (kEach + 1) / 2);
  EXPECT_TRUE(content.closed);
  EXPECT_EQ(content.diagnostics, 0U);
}

/// A text has a number in each file. Each file has its own, although the producer is the same.
TEST(WriterTest, FilesFollowEachOtherAndEachIsComplete) {
  const TemporaryFolder folder;
  const std::unique_ptr<Writer> writer = Writer::create(kSmall);
  ASSERT_NE(writer, nullptr);
  record_calls(*writer, 1000);  // dropped: no file is open
  for (const std::uint64_t count : {3U, 5U}) {
    const std::string path = folder.file(std::to_string(count) + ".capture");
    ASSERT_TRUE(writer->open(path));
    writer->with_producer([](Producer& producer) { EXPECT_NE(producer.text("name"), 0U); });
    record_calls(*writer, count);
    writer->end_file();
    record_calls(*writer, 1000);
    const Content content = content_of(path);
    EXPECT_EQ(content.calls, count);
    EXPECT_EQ(content.texts, std::vector<std::string>{"name"});
    EXPECT_EQ(content.told_lost, 0U);
    EXPECT_TRUE(content.closed);
    EXPECT_EQ(content.diagnostics, 0U);
  }
  EXPECT_FALSE(writer->open(folder.file("3.capture"))) << "a file that is there already is kept";
}

/// Threads record while files are opened and closed. Every record is in one file at most, and each file is whole.
TEST(WriterTest, FilesAreWholeWhileThreadsRecord) {
  const TemporaryFolder folder;
  constexpr int kFiles = 20;
  const std::unique_ptr<Writer> writer = Writer::create(kLarge);
  ASSERT_NE(writer, nullptr);
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> recorded{0};
  std::vector<std::thread> threads;
  threads.reserve(3);
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      while (!stop) {
        const bool added = writer->with_producer([](Producer& producer) {
          producer.add({.kind = Kind::kCall, .which = producer.text("name"), .start = 1});
        });
        recorded.fetch_add(added ? 1 : 0);
      }
    });
  }
  for (int i = 0; i < kFiles; ++i) {
    EXPECT_TRUE(writer->open(folder.file(std::to_string(i))));
    for (const std::uint64_t before = recorded; recorded < before + 100;) std::this_thread::yield();
    writer->end_file();
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  std::uint64_t found = 0;
  for (int i = 0; i < kFiles; ++i) {
    const Content content = content_of(folder.file(std::to_string(i)));
    found += content.calls;
    EXPECT_TRUE(content.closed);
    EXPECT_EQ(content.diagnostics, 0U);
    EXPECT_FALSE(content.texts.empty());
  }
  EXPECT_EQ(found, recorded);
}

/// The buffers are as small as possible, so records are lost if the disk is slow. Lost records must be counted, and the
/// count must be in the file.
TEST(WriterTest, WhatHasNoRoomIsLostAndCounted) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.capture");
  constexpr std::uint64_t kRecords = 2'000'000;
  std::uint64_t lost = 0;
  {
    const std::unique_ptr<Writer> writer = Writer::create(path, 0);
    ASSERT_NE(writer, nullptr);
    record_calls(*writer, kRecords);
    lost = writer->lost();
  }
  const Content content = content_of(path);
  EXPECT_EQ(content.calls + lost, kRecords);
  EXPECT_EQ(content.told_lost, lost);
  EXPECT_EQ(content.diagnostics, 0U);
}

/// A limit on the file size takes the place of a full disk: in both cases, writing fails.
TEST(WriterTest, AFullDiskLosesTheRestAndNothingElse) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.capture");
  constexpr std::uint64_t kRecords = 100'000;  // 4 MB of records; the file may have 1 MB
  ::rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  ::rlimit small = before;
  small.rlim_cur = 1'000'000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  {
    const std::unique_ptr<Writer> writer = Writer::create(path, kLarge);
    ASSERT_NE(writer, nullptr);
    record_calls(*writer, kRecords);
    writer->close();
    EXPECT_GT(writer->lost(), 0U);
    EXPECT_EQ(content_of(path).calls + writer->lost(), kRecords);
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_FALSE(content_of(path).closed);
  EXPECT_EQ(content_of(path).write_error, EFBIG);
}

/// Returns the descriptor of this process that refers to the file; -1 if there is none.
int descriptor_of(const std::string& path) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code closed;
    if (std::filesystem::read_symlink(entry.path(), closed) == path) return std::stoi(entry.path().filename().string());
  }
  return -1;
}

/// Closes a descriptor as the captured program may, without the thread sanitizer: a program that closes a descriptor
/// that the writer uses is a race, but it is the program's race, and the one that these tests are about.
int close_as_the_program(int descriptor) { return static_cast<int>(::syscall(SYS_close, descriptor)); }

/// The program's descriptors are the lowest that are free, so ours is far above them. If the program takes ours anyway,
/// its file gets nothing of ours.
TEST(WriterTest, AFileOfTheProgramGetsNothingOfTheCapture) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.capture");
  const std::string theirs = folder.file("theirs.txt");
  {
    const std::unique_ptr<Writer> writer = Writer::create(path, kSmall);
    ASSERT_NE(writer, nullptr);
    const int ours = descriptor_of(path);
    EXPECT_GT(ours, 200);
    const int file = ::open(theirs.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    EXPECT_LT(file, 200);
    ASSERT_EQ(::syscall(SYS_dup3, file, ours, 0), ours);
    record_calls(*writer, 100);
    writer->close();
    EXPECT_NE(descriptor_of(path), ours);
    ::close(file);
    EXPECT_EQ(close_as_the_program(ours), 0) << "the program's descriptor is still open";
  }
  EXPECT_EQ(std::filesystem::file_size(theirs), 0U);
  EXPECT_EQ(content_of(path).calls, 100U);
  EXPECT_TRUE(content_of(path).closed);
}

TEST(WriterTest, AFileThatCannotBeReachedAnyMoreIsNotReplaced) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.capture");
  {
    const std::unique_ptr<Writer> writer = Writer::create(path, kSmall);
    ASSERT_NE(writer, nullptr);
    const int ours = descriptor_of(path);
    ASSERT_EQ(::unlink(path.c_str()), 0);
    const int other = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    ASSERT_EQ(close_as_the_program(ours), 0);
    ASSERT_EQ(::close(other), 0);
    record_calls(*writer, 100);
    writer->close();
    EXPECT_GE(writer->lost(), 100U);
  }
  EXPECT_EQ(std::filesystem::file_size(path), 0U);
}

TEST(WriterTest, TextsAreWrittenOnceAndCutWhereTheyAreTooLong) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.capture");
  const std::string longest(wire::kLongestText + 5, 'x');
  {
    const std::unique_ptr<Writer> writer = Writer::create(path, kSmall);
    ASSERT_NE(writer, nullptr);
    writer->with_producer([&](Producer& producer) {
      EXPECT_EQ(producer.text("name"), 1U);
      EXPECT_EQ(producer.text("name"), 1U);
      EXPECT_EQ(producer.text("_Z1f", "f()"), 2U);
      EXPECT_EQ(producer.known_text("_Z1f"), 2U);
      EXPECT_EQ(producer.known_text("f()"), 0U);
      EXPECT_EQ(producer.text(longest), 3U);
      EXPECT_EQ(producer.launch({.blocks = 2, .threads = 64}), 1U);
      EXPECT_EQ(producer.launch({.blocks = 2, .threads = 128}), 2U);
      EXPECT_EQ(producer.launch({.blocks = 2, .threads = 64}), 1U);
    });
  }
  EXPECT_THAT(content_of(path).texts, ::testing::ElementsAre("name", "f()", longest.substr(0, wire::kLongestText)));
}

TEST(WriterTest, AChildOfForkRecordsNothing) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.capture");
  {
    const std::unique_ptr<Writer> writer = Writer::create(path, kSmall);
    ASSERT_NE(writer, nullptr);
    record_calls(*writer, 10);
    const ::pid_t child = ::fork();
    if (child == 0) {
      const bool recorded = writer->with_producer([](Producer& producer) { producer.add({.kind = Kind::kCall}); });
      writer->flush();
      writer->close();
      ::_exit(recorded ? 1 : 0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    record_calls(*writer, 10);
  }
  const Content content = content_of(path);
  EXPECT_EQ(content.calls, 20U);
  EXPECT_TRUE(content.closed);
}

TEST(WriterTest, WhatWasFlushedBeforeAKillIsInTheFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.capture");
  const ::pid_t child = ::fork();
  if (child == 0) {
    Writer* const writer = Writer::create(path, kSmall).release();
    record_calls(*writer, 100);
    writer->flush();
    // The size of the file grows page by page during a write, so it does not tell whether the block is whole.
    while (writer->written() < 100 * wire::kRecordBytes) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    record_calls(*writer, 50);  // not flushed, so these records are lost
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  const Content content = content_of(path);
  EXPECT_EQ(content.calls, 100U);
  EXPECT_FALSE(content.closed);
  EXPECT_EQ(content.diagnostics, 0U);
}

TEST(WriterTest, AFileThatIsThereIsNotTouched) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.capture");
  ASSERT_NE(Writer::create(path, kSmall), nullptr);
  EXPECT_EQ(Writer::create(path, kSmall), nullptr);
  EXPECT_EQ(errno, EEXIST);
  EXPECT_EQ(Writer::create(folder.file("no/folder"), kSmall), nullptr);
}

}  // namespace
}  // namespace stepsim::capture
