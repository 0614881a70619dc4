#include "ingest/bytes/input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <isa-l/igzip_lib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include "ingest/chrome/chrome_events.h"
#include "model/base/error.h"
#include "tests/ingest/trace_text.h"
#include "tests/thrown_by.h"

namespace stepsim::ingest {

namespace {

using stepsim::testing::thrown_by;

using ::testing::HasSubstr;

/// Returns one gzip member that contains `text`.
std::string gzipped(std::string_view text) {
  std::string out(text.size() + 1024, '\0');
  std::string in{text};
  isal_zstream stream;
  isal_deflate_stateless_init(&stream);
  stream.gzip_flag = IGZIP_GZIP;
  stream.end_of_stream = 1;
  stream.next_in = reinterpret_cast<std::uint8_t*>(in.data());
  stream.avail_in = static_cast<std::uint32_t>(in.size());
  stream.next_out = reinterpret_cast<std::uint8_t*>(out.data());
  stream.avail_out = static_cast<std::uint32_t>(out.size());
  EXPECT_EQ(isal_deflate_stateless(&stream), COMP_OK);
  out.resize(stream.total_out);
  return out;
}

struct Content {
  std::string text;
  bool truncated = false;
};

Content content_of(ByteSource& source, std::size_t piece = 4096) {
  Content content;
  std::string buffer(piece, '\0');
  while (const std::size_t got = source.read(buffer)) content.text.append(buffer, 0, got);
  content.truncated = source.truncated();
  return content;
}

Content content_of(std::string_view bytes, std::size_t piece = 4096) {
  Input input = Input::from_memory(bytes, "test.gz");
  return content_of(input.stream(), piece);
}

/// Returns 100 KB of text that does not compress well.
std::string sample_text() {
  std::string text;
  std::uint32_t state = 1;
  while (text.size() < 100'000) {
    state = state * 1664525U + 1013904223U;  // Numerical Recipes' generator
    text += "event " + std::to_string(state >> 12) + "\n";
  }
  return text;
}

class TemporaryFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("stepsim-input-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string write(const std::string& name, std::string_view bytes) const {
    std::string path = (folder_ / name).string();
    std::ofstream{path, std::ios::binary} << bytes;
    return path;
  }
  static std::string error_of(const std::string& path) {
    return thrown_by<InputError>([&] { return Input::open(path); }, "no error");
  }

  std::filesystem::path folder_;
};

using InputFileTest = TemporaryFolder;

TEST_F(InputFileTest, APlainFileComesAsItIs) {
  Input input = Input::open(write("a.gz", "not gzip, whatever its name"));
  EXPECT_EQ(content_of(input.stream(), 5).text, "not gzip, whatever its name");
  EXPECT_FALSE(input.stream().truncated());
}

TEST_F(InputFileTest, AGzipFileIsToldByItsBytes) {
  const std::string bytes = gzipped("hello");
  Input input = Input::open(write("a.json", bytes));
  EXPECT_EQ(content_of(input.stream()).text, "hello");
  EXPECT_EQ(input.identify().size, bytes.size());
}

TEST_F(InputFileTest, AnEmptyFileHasNoBytes) { EXPECT_EQ(content_of(Input::open(write("a", "")).stream()).text, ""); }

TEST_F(InputFileTest, IdentityIsOfTheFileAsItLiesOnDisk) {
  const std::string path = write("a", "123456789");
  Input input = Input::open(path);
  const InputFile& identity = input.identify();
  EXPECT_EQ(identity.name, path);
  EXPECT_EQ(identity.size, 9U);
  // This is the check value of CRC-64/XZ in Cook's catalogue of parametrised CRC algorithms.
  EXPECT_EQ(identity.checksum, 0x995DC9BBDF1939FAU);
}

TEST_F(InputFileTest, AFileThatIsReplacedWhileItIsReadKeepsItsIdentity) {
  const std::string path = write("a", "123456789");
  Input input = Input::open(path);
  std::filesystem::rename(write("b", "another"), path);
  EXPECT_EQ(input.identify().checksum, 0x995DC9BBDF1939FAU);
}

TEST_F(InputFileTest, WhatIsNoRegularFileIsRefused) {
  EXPECT_THAT(error_of((folder_ / "none.json").string()),
              HasSubstr("none.json: cannot be opened (No such file or directory); expected a trace file"));
  EXPECT_THAT(error_of(folder_.string()), HasSubstr(": is a folder; expected a regular file"));
  EXPECT_THAT(error_of("/dev/null"), HasSubstr(": is a special file; expected a regular file"));
  EXPECT_THAT(error_of(""), HasSubstr("is not a file name; expected a trace file"));
  EXPECT_THAT(error_of(std::string("a\0b", 3)), HasSubstr("is not a file name"));
}

TEST_F(InputFileTest, AFifoIsReadOnceItHasAWriter) {
  const std::string fifo = (folder_ / "fifo").string();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const std::string text = sample_text();
  std::thread writer([&] { std::ofstream(fifo, std::ios::binary) << text; });
  Input input = Input::open(fifo);
  EXPECT_EQ(content_of(input.stream()).text, text);
  EXPECT_EQ(input.identify().size, text.size());
  writer.join();
}

TEST(InputTest, TheHeadIsSeenInflatedAndStaysInTheStream) {
  const std::string text = sample_text();
  for (const std::string& bytes : {text, gzipped(text)}) {
    Input input = Input::from_memory(bytes, "test");
    EXPECT_EQ(input.head(), text.substr(0, 65'536));
    EXPECT_EQ(content_of(input.stream()).text, text);
    EXPECT_EQ(input.head(), text.substr(0, 65'536));
  }
}

TEST(InputTest, IdentityDoesNotDependOnHowMuchWasRead) {
  const std::string bytes = gzipped(sample_text()) + gzipped(sample_text());
  Input whole = Input::from_memory(bytes, "test.gz");
  static_cast<void>(content_of(whole.stream()));
  Input begun = Input::from_memory(bytes, "test.gz");
  EXPECT_EQ(begun.identify().size, bytes.size());
  EXPECT_EQ(begun.identify().checksum, whole.identify().checksum);
}

TEST(InputTest, ProgressCountsTheBytesAsTheyCame) {
  const std::string bytes = gzipped(sample_text());
  std::uint64_t seen = 0;
  Input input = Input::from_memory(bytes, "test.gz", {nullptr, [&seen](std::uint64_t taken) { seen += taken; }});
  static_cast<void>(content_of(input.stream()));
  EXPECT_EQ(seen, bytes.size());
}

TEST(InputTest, ReadingStopsWhenAskedTo) {
  std::atomic<bool> stop{false};
  const std::string text(std::size_t{1} << 20, 'x');
  Input input = Input::from_memory(text, "test", {&stop, {}});
  std::string piece(100'000, '\0');
  EXPECT_EQ(input.stream().read(piece), piece.size());
  stop = true;
  EXPECT_THROW(static_cast<void>(input.stream().read(piece)), Interrupted);
}

TEST(InputTest, TheSizeOfThePiecesChangesNothing) {
  const std::string text = sample_text();
  const std::string bytes = gzipped(text);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{4096}, std::size_t{1} << 20}) {
    EXPECT_EQ(content_of(bytes, piece).text, text) << piece;
    EXPECT_EQ(content_of(text, piece).text, text) << piece;
  }
}

TEST(InputTest, GzipMembersFollowEachOther) {
  const std::string text = sample_text();
  const Content content = content_of(gzipped("first ") + gzipped(text) + gzipped("") + gzipped("last"));
  EXPECT_EQ(content.text, "first " + text + "last");
  EXPECT_FALSE(content.truncated);
}

TEST(InputTest, ZerosBehindTheLastMemberArePadding) {
  const Content content =
      content_of(gzipped("text") + std::string(100'000, '\0') + gzipped(" more") + std::string(512, '\0'));
  EXPECT_EQ(content.text, "text more");
  EXPECT_FALSE(content.truncated);
}

TEST(InputTest, OtherBytesBehindTheLastMemberAreDamage) {
  const Content content = content_of(gzipped("text") + "junk");
  EXPECT_EQ(content.text, "text");
  EXPECT_TRUE(content.truncated);
}

TEST(InputTest, AWrongChecksumIsDamageBehindGoodText) {
  std::string bytes = gzipped("text");
  bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 1);  // a byte of the CRC
  const Content content = content_of(bytes);
  EXPECT_EQ(content.text, "text");
  EXPECT_TRUE(content.truncated);
}

TEST(InputTest, GzipCutAnywhereGivesABeginningOfTheText) {
  const std::string text = sample_text();
  const std::string bytes = gzipped(text);
  std::size_t longest = 0;
  for (std::size_t cut = 2; cut < bytes.size(); cut += 97) {
    try {
      const Content content = content_of(std::string_view{bytes}.substr(0, cut));
      ASSERT_TRUE(content.truncated) << cut;
      ASSERT_EQ(content.text, text.substr(0, content.text.size())) << cut;
      ASSERT_GE(content.text.size(), longest) << "more bytes never give less text";
      longest = content.text.size();
    } catch (const InputError& error) {
      ASSERT_EQ(longest, 0U) << cut;
      ASSERT_THAT(error.what(), HasSubstr("gzip data is damaged or truncated at its start; expected a whole .gz file"));
    }
  }
  EXPECT_GT(longest, text.size() * 9 / 10);
}

TEST(InputTest, ATraceInGzipCutAnywhereGivesItsWholeRecords) {
  std::vector<std::string> records;
  records.reserve(300);
  for (int i = 0; i < 300; ++i) records.push_back(record_text("kernel " + std::to_string(i * i * 7919)));
  const std::string text = trace_text(records);
  const std::vector<SeenRecord> all = read_all(text).records;
  const std::string bytes = gzipped(text);
  std::size_t most = 0;
  for (std::size_t cut = bytes.size() - 1; cut > bytes.size() / 2; cut -= 13) {
    const std::string_view part = std::string_view{bytes}.substr(0, cut);
    const std::string inflated = content_of(part).text;
    const SeenTrace seen = read_all(part);
    std::size_t whole = 0;
    while (whole < records.size() && inflated.find(records[whole]) != std::string::npos) ++whole;
    ASSERT_EQ(seen.records, std::vector<SeenRecord>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(whole)))
        << cut;
    EXPECT_EQ(seen.diagnostics.count_of("truncated_file") + seen.diagnostics.count_of("damaged_gzip"), 1U) << cut;
    most = std::max(most, whole);
  }
  EXPECT_EQ(most, records.size());
}

TEST(InputTest, ABombOfBlanksPassesThroughALittleMemory) {
  // The text contains 256 MiB of blanks, in 256 gzip members of about 1 KiB. The reader's window must not grow with
  // them.
  const std::string blanks = gzipped(std::string(std::size_t{1} << 20, ' '));
  std::string bytes = gzipped(R"({"traceEvents": [)" + record_text("a"));
  for (int i = 0; i < 256; ++i) bytes += blanks;
  bytes += gzipped("," + record_text("b") + "]}");
  const SeenTrace seen = read_all(bytes);
  EXPECT_EQ(seen.names(), "a b ");
  EXPECT_TRUE(seen.diagnostics.entries().empty());
}

}  // namespace

}  // namespace stepsim::ingest
