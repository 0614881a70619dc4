#include "ingest/sqlite/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "model/base/error.h"
#include "tests/ingest/sqlite/database_maker.h"
#include "tests/thrown_by.h"

namespace stepsim::ingest {
namespace {

using stepsim::testing::thrown_by;

using ::testing::AllOf;
using ::testing::Contains;
using testing::DatabaseMaker;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Database open(const std::string& bytes) {
  Input input = Input::from_memory(bytes, "file");
  return Database(input);
}

/// Returns the one-line message with which bytes are refused; empty if they are accepted.
std::string refusal(const std::string& bytes) {
  return thrown_by<InputError>([&] { return open(bytes); }, "");
}

DatabaseMaker three_rows() {
  DatabaseMaker maker;
  maker.run("CREATE TABLE t (id INTEGER, name TEXT, data BLOB)");
  maker.run("INSERT INTO t VALUES (1, 'a', x'0001'), (NULL, NULL, NULL), ('two', x'41', 'text')");
  return maker;
}

TEST(DatabaseTest, GivesRowsInTheirOrderWithColumnsByName) {
  const Database database = open(three_rows().bytes());
  EXPECT_THAT(database.tables().at("t"), ElementsAre("id", "name", "data"));
  EXPECT_TRUE(database.has("t", "name"));
  EXPECT_FALSE(database.has("t", "other"));
  EXPECT_FALSE(database.has("T", "name"));
  Database::Rows rows = database.rows("t", std::array<std::string_view, 4>{"name", "id", "other", "data"});
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.number(), 1U);
  EXPECT_EQ(rows.text(0), "a");
  EXPECT_EQ(rows.integer(1), 1);
  EXPECT_EQ(rows.integer(2), std::nullopt);
  EXPECT_EQ(rows.bytes(3), std::string_view("\0\1", 2));
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.integer(1), std::nullopt);
  ASSERT_TRUE(rows.next());  // each value has a different type than requested
  EXPECT_EQ(rows.integer(1), std::nullopt);
  EXPECT_EQ(rows.text(0), "");
  EXPECT_EQ(rows.bytes(3), "");
  EXPECT_FALSE(rows.next());
  EXPECT_EQ(rows.number(), 3U);
}

TEST(DatabaseTest, NamesMayHoldAnything) {
  DatabaseMaker maker;
  maker.run(R"(CREATE TABLE "a""b; DROP" ("x""y" INTEGER))").run(R"(INSERT INTO "a""b; DROP" VALUES (7))");
  const Database database = open(maker.bytes());
  Database::Rows rows = database.rows("a\"b; DROP", std::array<std::string_view, 1>{"x\"y"});
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.integer(0), 7);
}

TEST(DatabaseTest, WhatWouldHaveToBeRunIsNoTable) {
  DatabaseMaker maker = three_rows();
  maker.run("CREATE VIEW v AS SELECT * FROM t").run("CREATE VIRTUAL TABLE f USING fts5(x)");
  const Database database = open(maker.bytes());
  EXPECT_TRUE(database.tables().contains("t"));
  EXPECT_FALSE(database.tables().contains("v"));
  EXPECT_FALSE(database.tables().contains("f"));
}

TEST(DatabaseTest, AComputedColumnIsRefused) {
  DatabaseMaker maker;
  maker.run("CREATE TABLE t (id INTEGER, big TEXT AS (hex(zeroblob(100000000))))").run("INSERT INTO t VALUES (1)");
  EXPECT_THAT(refusal(maker.bytes()),
              AllOf(HasSubstr("table t has a column that is computed"), HasSubstr("; expected ")));
}

TEST(DatabaseTest, EveryCutIsRefused) {
  const std::string whole = three_rows().bytes();
  for (std::size_t size = 0; size < whole.size(); size += size < 200 ? 1 : 97)
    EXPECT_THAT(refusal(whole.substr(0, size)), HasSubstr("; expected ")) << size;
  EXPECT_THAT(refusal(whole.substr(0, 5000)), HasSubstr("file@5000: the database ends here, after 5000 of its 8192"));
}

/// The file is replaced by a new export after it was opened.
TEST(DatabaseTest, AFileIsReadOnceAndIsTheOneThatWasOpened) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "replaced database";
  std::filesystem::create_directories(folder);
  const std::string first = three_rows().bytes();
  const std::string second =
      DatabaseMaker().run("CREATE TABLE t (name TEXT)").run("INSERT INTO t VALUES ('b')").bytes();
  const std::string path = (folder / "t.sqlite").string();
  std::ofstream(path, std::ios::binary) << first;
  Input input = Input::open(path);
  std::ofstream(path + ".new", std::ios::binary) << second;
  std::filesystem::rename(path + ".new", path);
  const Database database(input);
  EXPECT_EQ(input.taken(), first.size());
  Database::Rows rows = database.rows("t", std::array<std::string_view, 1>{"name"});
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.text(0), "a");
  EXPECT_EQ(input.identify().checksum, Input::from_memory(first, "bytes").identify().checksum);
  std::filesystem::remove_all(folder);
}

TEST(DatabaseTest, ADatabaseWithALogIsReadWithoutIt) {
  std::string bytes = three_rows().bytes();
  bytes[18] = bytes[19] = 2;  // WAL mode
  const Database database = open(bytes);
  EXPECT_TRUE(database.had_log());
  Database::Rows rows = database.rows("t", std::array<std::string_view, 1>{"id"});
  EXPECT_TRUE(rows.next());
}

/// The text takes several pages. Each of these pages contains the number of the next one in its first four bytes.
TEST(DatabaseTest, ACircleOfPagesIsRefused) {
  DatabaseMaker maker;
  maker.run("CREATE TABLE t (id INTEGER, name TEXT)").run("INSERT INTO t VALUES (1, printf('%.*c', 20000, 'x'))");
  std::string bytes = maker.bytes();
  ASSERT_GE(bytes.size(), 6U * 4096U);
  ASSERT_EQ(refusal(bytes), "");
  bytes[4 * 4096 + 3] = 4;  // the fifth page points back to the fourth
  EXPECT_THAT(refusal(bytes), AllOf(HasSubstr("the database is damaged"), HasSubstr("; expected ")));
}

/// For each place in the 64 bytes before the table's definition, writes the largest number of SQLite's encoding there
/// and opens the database. Some of these places contain sizes.
TEST(DatabaseTest, ADamagedSizeIsNoLackOfMemory) {
  DatabaseMaker maker;
  maker.run("PRAGMA page_size = 512").run("CREATE TABLE t (start INTEGER, x INTEGER)");
  const std::string whole = maker.bytes();
  const std::string largest(9, '\xff');
  std::vector<std::string> refusals;
  for (std::size_t at = whole.find("CREATE TABLE") - 64; whole[at] != 'C'; ++at) {
    refusals.push_back(refusal(std::string(whole).replace(at, largest.size(), largest)));
  }
  EXPECT_THAT(refusals, Contains("file: the database cannot be read (it asks for more memory than a value can need); "
                                 "expected a complete SQLite database; export or copy it again"));
}

/// Damaged bytes are refused or read, but never more is read than the file contains.
TEST(DatabaseTest, DamagedBytesNeitherCrashNorHang) {
  DatabaseMaker maker = three_rows();
  for (int i = 0; i < 6; ++i) maker.run("INSERT INTO t SELECT id, name || 'x', zeroblob(300) FROM t");
  const std::string whole = maker.bytes();
  std::mt19937 random(7);
  int refused = 0;
  for (int i = 0; i < 500; ++i) {
    std::string bytes = whole;
    for (int k = 0; k < 3; ++k) bytes[random() % bytes.size()] = static_cast<char>(random());
    try {
      const Database database = open(bytes);
      for (const auto& [table, columns] : database.tables()) {
        const std::vector<std::string_view> names(columns.begin(), columns.end());
        Database::Rows rows = database.rows(table, names);
        while (rows.next()) {
          for (std::size_t c = 0; c < names.size(); ++c)
            ASSERT_LE(rows.text(c).size() + rows.bytes(c).size(), bytes.size());
        }
      }
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 500);
}

}  // namespace
}  // namespace stepsim::ingest
