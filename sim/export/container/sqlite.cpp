#include <fmt/format.h>
#include <sqlite3.h>

#include <limits>
#include <memory>
#include <new>

#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/export/relation.h"

// A SQLite database with a table for each relation (relation.h) and, for a replay, a table of its tasks. It is made in
// memory and then written as a whole, because SQLite needs a seekable file and the output may be a pipe. Memory: the
// size of the file.

namespace stepsim::sim {
namespace {

/// "step" in the file's header, by which `stepsim` recognises its own files (ingest/load/recognise.cpp).
constexpr int kApplicationId = 0x73746570;

[[noreturn]] void fail(sqlite3* database, const OutputFile& out) {
  if (sqlite3_errcode(database) == SQLITE_NOMEM) throw std::bad_alloc();
  throw OutputError(fmt::format("{}: cannot be written: SQLite: {}", out.path(), sqlite3_errmsg(database)));
}

struct Close {
  void operator()(sqlite3* database) const noexcept { sqlite3_close(database); }
  void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
  void operator()(unsigned char* bytes) const noexcept { sqlite3_free(bytes); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Close>;

class Database {
 public:
  explicit Database(const OutputFile& out) : out_(out) {
    sqlite3* opened = nullptr;
    const int result = sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    database_.reset(opened);
    if (opened == nullptr) throw std::bad_alloc();
    if (result != SQLITE_OK) fail(opened, out_);
  }

  void run(const std::string& sql) {
    if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail(database_.get(), out_);
  }

  void add(const Relation& relation) {
    create(relation);
    const Statement insert = insertion(relation);
    for (std::size_t row = 0; row < relation.rows; ++row) {
      for (std::size_t column = 0; column < relation.columns.size(); ++column)
        bind(insert.get(), static_cast<int>(column) + 1, relation.columns[column].value(row));
      if (sqlite3_step(insert.get()) != SQLITE_DONE) fail(database_.get(), out_);
      sqlite3_reset(insert.get());
    }
  }

  void write(OutputFile& out) {
    sqlite3_int64 size = 0;
    const std::unique_ptr<unsigned char, Close> bytes{sqlite3_serialize(database_.get(), "main", &size, 0)};
    if (bytes == nullptr) throw std::bad_alloc();
    out.write({reinterpret_cast<const char*>(bytes.get()), static_cast<std::size_t>(size)});
  }

 private:
  /// Returns a quoted name, which may contain any characters.
  static std::string quoted(std::string_view name) {
    std::string text = "\"";
    for (const char c : name) text.append(c == '"' ? 2 : 1, c);
    return text + '"';
  }

  void create(const Relation& relation) {
    static constexpr const char* kTypes[] = {"TEXT", "INTEGER", "REAL"};
    std::string columns;
    for (const RelationColumn& column : relation.columns) {
      std::string storage;
      add_item(columns, fmt::format("{} {}", quoted(as_utf8(column.name, storage)),
                                    kTypes[static_cast<std::size_t>(column.type)]));
    }
    run(fmt::format("CREATE TABLE {} ({})", quoted(relation.name), columns));
  }

  Statement insertion(const Relation& relation) {
    std::string places = "?";
    for (std::size_t i = 1; i < relation.columns.size(); ++i) places += ",?";
    const std::string sql = fmt::format("INSERT INTO {} VALUES ({})", quoted(relation.name), places);
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
      fail(database_.get(), out_);
    return Statement{statement};
  }

  void bind(sqlite3_stmt* statement, int place, const Value& value) {
    int result = SQLITE_OK;
    if (const auto* const integer = std::get_if<std::int64_t>(&value)) {
      result = sqlite3_bind_int64(statement, place, *integer);
    } else if (const auto* const real = std::get_if<double>(&value)) {
      result = sqlite3_bind_double(statement, place, *real);
    } else if (const auto* const text = std::get_if<std::string_view>(&value)) {
      const std::string_view utf8 = as_utf8(*text, storage_);
      result = sqlite3_bind_text64(statement, place, utf8.data(), utf8.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    } else {
      result = sqlite3_bind_null(statement, place);
    }
    if (result != SQLITE_OK) fail(database_.get(), out_);
  }

  const OutputFile& out_;
  std::unique_ptr<sqlite3, Close> database_;
  std::string storage_;
};

void write_database(const Answer& answer, OutputFile& out) {
  Database database(out);
  database.run(fmt::format("PRAGMA application_id = {}; BEGIN", kApplicationId));
  for (const Relation& relation : document_relations(answer)) database.add(relation);
  if (!answer.replays.empty()) database.add(task_relation(answer));
  database.run("COMMIT");
  database.write(out);
}

}  // namespace

extern const Exporter sqlite_exporter{
    .name = "sqlite",
    .extension = "sqlite",
    .summary = "SQLite database: one table per section, and all tasks of the replay",
    .accepts = Content::kDocument,
    .gzip = false,
    .write = write_database,
};

}  // namespace stepsim::sim
