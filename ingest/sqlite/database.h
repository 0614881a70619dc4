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

/// True if bytes that begin so are a SQLite database (sqlite.org/fileformat2.html).
[[nodiscard]] bool is_database(std::string_view head) noexcept;

/// Lets go of what SQLite made.
struct SqliteRelease {
  void operator()(sqlite3* database) const noexcept;
  void operator()(sqlite3_stmt* statement) const noexcept;
};

/// The tables of a SQLite database that comes from a stranger. SQLite jumps about in it, so all of it is read into
/// memory first: once, front to back, as it is checksummed. Nothing in it is ever run: no view, trigger, virtual table,
/// generated column or extension (sqlite.org/security.html), and its pages are checked before a row is read, so that
/// the work is bounded by its size.
class Database {
 public:
  /// One pass over some columns of a table, in the order in which its rows were added.
  class Rows {
   public:
    /// Goes to the next row, at first to the first one; false at the end. Throws InputError if it cannot be read.
    [[nodiscard]] bool next();
    /// How many rows next() has gone to.
    [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

    // The value in the k-th of the columns that were asked for. Nothing, or empty, if it is NULL or of another type, or
    // if the table has no such column. Views are valid until next().
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

  /// Reads all of `input`. Throws InputError if it is no database, cut, damaged, or would have to be run.
  explicit Database(Input& input);

  /// Its plain tables, by name, with the names of their columns. SQLite does not tell A from a in either.
  [[nodiscard]] const std::map<std::string, std::vector<std::string>, std::less<>>& tables() const noexcept {
    return tables_;
  }
  /// Whether what was written last may lie in a log beside it (*-wal), which is not read.
  [[nodiscard]] bool had_log() const noexcept { return had_log_; }
  /// Whether there is a plain table of this name, written so, that has this column.
  [[nodiscard]] bool has(std::string_view table, std::string_view column) const noexcept;
  /// Precondition: `table` is one of tables(). Columns that it lacks hold nothing.
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
