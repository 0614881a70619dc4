#ifndef STEPSIM_INGEST_SQLITE_DATABASE_H
#define STEPSIM_INGEST_SQLITE_DATABASE_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/bytes/input.h"

struct sqlite3;
struct sqlite3_stmt;

namespace stepsim::ingest {

/// True if `head` is the beginning of a SQLite database (sqlite.org/fileformat2.html).
[[nodiscard]] bool is_database(std::string_view head) noexcept;

/// Deleter for objects of SQLite.
struct SqliteRelease {
  void operator()(sqlite3* database) const noexcept;
  void operator()(sqlite3_stmt* statement) const noexcept;
};

/// Reads the tables of an untrusted SQLite database. SQLite needs random access, so the whole file is first read into
/// memory, in one pass that also computes its checksum. Nothing in the database is executed: no view, trigger, virtual
/// table, generated column or extension (sqlite.org/security.html). Its pages are checked before a row is read, so that
/// the work is bounded by the file's size.
class Database {
 public:
  /// One pass over some columns of a table, in the order in which its rows were added.
  class Rows {
   public:
    /// Moves to the next row (the first call to the first row); false at the end. Throws InputError if the row cannot
    /// be read.
    [[nodiscard]] bool next();
    /// Number of rows that next() has visited.
    [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

    // These return the value in the k-th requested column. They return nullopt, or an empty view, if the value is NULL
    // or of another type, or if the table does not have the column. Views are valid until next().
    [[nodiscard]] std::optional<std::int64_t> integer(std::size_t column) const noexcept;
    [[nodiscard]] std::string_view text(std::size_t column) const;
    [[nodiscard]] std::string_view bytes(std::size_t column) const noexcept;

   private:
    friend class Database;
    Rows(const Database& database, std::string_view table, std::span<const std::string_view> columns);

    const Database* database_;
    std::string table_;
    std::unique_ptr<sqlite3_stmt, SqliteRelease> statement_;
    std::uint64_t number_ = 0;
  };

  /// Reads all of `input`. Throws InputError if it is not a database, is truncated or damaged, or if reading it would
  /// execute code in it.
  explicit Database(Input& input);

  /// The plain tables by name, with the names of their columns. SQLite ignores the case of both.
  [[nodiscard]] const std::map<std::string, std::vector<std::string>, std::less<>>& tables() const noexcept {
    return tables_;
  }
  /// True if the latest changes may be in a separate log (*-wal), which is not read.
  [[nodiscard]] bool had_log() const noexcept { return had_log_; }
  /// True if there is a plain table of this name, in the same case, that has this column.
  [[nodiscard]] bool has(std::string_view table, std::string_view column) const noexcept;
  /// Reads some columns of a table. Missing columns have no values. Precondition: `table` is one of tables().
  [[nodiscard]] Rows rows(std::string_view table, std::span<const std::string_view> columns) const;

 private:
  [[nodiscard]] std::unique_ptr<sqlite3_stmt, SqliteRelease> prepare(const std::string& sql) const;
  [[nodiscard]] bool step(sqlite3_stmt* statement, std::string_view doing) const;
  [[noreturn]] void fail(std::string_view doing) const;
  void open(Input& input);
  void check_magic(std::string_view head) const;
  void check_header(std::string_view head);
  void harden();
  void check_pages();
  void list_tables();

  std::string name_;
  std::uint64_t size_ = 0;
  bool had_log_ = false;
  std::unique_ptr<sqlite3, SqliteRelease> database_;
  std::map<std::string, std::vector<std::string>, std::less<>> tables_;
};

}  // namespace stepsim::ingest

#endif
