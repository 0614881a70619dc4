#include "ingest/sqlite/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr std::size_t kHeader = 100;
constexpr std::size_t kReadFormat = 19;
constexpr char kWithLog = 2;
constexpr std::string_view kExpected = "expected a complete SQLite database; export or copy it again";

/// Limits on SQLite's work, in instructions of its virtual machine: an allowance per byte of the database plus a fixed
/// one. Tables of Nsight Systems take 1 or 2 instructions per byte.
constexpr std::uint64_t kInstructionsPerByte = 64;
constexpr std::uint64_t kInstructionsAtLeast = 5'000'000;
constexpr int kInstructionsAtOnce = 10'000;
/// Longest accepted text or blob. Names are far shorter; recorded program output may be longer, but is not read.
constexpr int kLongestValue = 256 << 20;

struct Free {
  void operator()(unsigned char* bytes) const noexcept { sqlite3_free(bytes); }
};
using Buffer = std::unique_ptr<unsigned char, Free>;

// Limits against decompression bombs: a database of more than kLargestUnsuspected bytes may be at most kMostGrowth
// times as large as the compressed bytes read so far. Traces repeat names, so compression shrinks their databases 4 to
// 20 times.
constexpr std::uint64_t kLargestUnsuspected = std::uint64_t{1} << 30U;
constexpr std::uint64_t kMostGrowth = 250;

/// Reads all bytes of `input`. Growing the buffer remaps large blocks without copying, and its unused part takes no
/// memory.
std::pair<Buffer, std::uint64_t> read_all(Input& input) {
  std::uint64_t capacity = std::uint64_t{1} << 20;
  Buffer bytes{static_cast<unsigned char*>(sqlite3_malloc64(capacity))};
  std::uint64_t size = 0;
  while (bytes != nullptr) {
    const std::size_t got = input.stream().read({reinterpret_cast<char*>(bytes.get()) + size, capacity - size});
    size += got;
    if (got == 0) return {std::move(bytes), size};
    if (size > kLargestUnsuspected && size / kMostGrowth > input.taken()) {
      throw InputError({input.name(), size, {}},
                       "the database is more than 250 times as large as its compressed file, as in a decompression "
                       "bomb; expected a trace");
    }
    if (size < capacity) continue;
    capacity *= 2;
    auto* const larger = static_cast<unsigned char*>(sqlite3_realloc64(bytes.get(), capacity));
    if (larger == nullptr) break;
    (void)bytes.release();
    bytes.reset(larger);
  }
  throw std::bad_alloc();
}

std::uint64_t number_at(std::string_view bytes, std::size_t offset, std::size_t length) {
  std::uint64_t number = 0;
  for (const char c : bytes.substr(offset, length)) number = number << 8U | static_cast<unsigned char>(c);
  return number;
}

/// Changes the header from write-ahead log mode to plain mode. SQLite cannot open a database in log mode from memory.
void clear_wal_mode(unsigned char* header) {
  constexpr unsigned char kPlain = 1;
  header[kReadFormat - 1] = header[kReadFormat] = kPlain;
}

int count_instructions(void* left) {
  auto& instructions = *static_cast<std::uint64_t*>(left);
  if (instructions < kInstructionsAtOnce) return 1;
  instructions -= kInstructionsAtOnce;
  return 0;
}

/// Limits the number of instructions that SQLite executes while this object exists. The limit grows with the size of
/// the database.
class InstructionLimit {
 public:
  InstructionLimit(sqlite3* database, std::uint64_t size)
      : database_(database), left_(kInstructionsAtLeast + kInstructionsPerByte * size) {
    sqlite3_progress_handler(database, kInstructionsAtOnce, count_instructions, &left_);
  }
  ~InstructionLimit() { sqlite3_progress_handler(database_, 0, nullptr, nullptr); }
  InstructionLimit(const InstructionLimit&) = delete;
  InstructionLimit& operator=(const InstructionLimit&) = delete;

 private:
  sqlite3* database_;
  std::uint64_t left_;
};

/// Distinguishes a real lack of memory from a damaged database: SQLite reports SQLITE_NOMEM also when a damaged size
/// exceeds its limit.
bool memory_is_short() {
  const Buffer largest{static_cast<unsigned char*>(sqlite3_malloc(kLongestValue))};
  return largest == nullptr;
}

/// Quotes a name as an SQL identifier; it may contain any character.
std::string quoted(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text.append(c == '"' ? 2 : 1, c);
  return text + '"';
}

std::string_view text_of(sqlite3_stmt* statement, int column) {
  if (sqlite3_column_type(statement, column) != SQLITE_TEXT) return {};
  const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  if (text == nullptr) throw std::bad_alloc();
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
}

}  // namespace

bool is_database(std::string_view head) noexcept { return head.starts_with(std::string_view("SQLite format 3\0", 16)); }

void SqliteRelease::operator()(sqlite3* database) const noexcept { sqlite3_close(database); }
void SqliteRelease::operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }

Database::Database(Input& input) : name_(input.name()) {
  open(input);
  list_tables();
  check_pages();
}

void Database::open(Input& input) {
  check_magic(input.head());
  auto [bytes, size] = read_all(input);
  size_ = size;
  check_header(input.head());
  if (had_log_) clear_wal_mode(bytes.get());
  sqlite3* opened = nullptr;
  const int result = sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
  database_.reset(opened);
  if (opened == nullptr) throw std::bad_alloc();
  if (result != SQLITE_OK) fail("cannot be opened");
  harden();
  const auto length = static_cast<sqlite3_int64>(size);
  // sqlite3_deserialize() frees the bytes even if it fails.
  const int taken = sqlite3_deserialize(opened, "main", bytes.release(), length, length,
                                        SQLITE_DESERIALIZE_READONLY | SQLITE_DESERIALIZE_FREEONCLOSE);
  if (taken != SQLITE_OK) fail("cannot be opened");
}

void Database::check_magic(std::string_view head) const {
  if (head.size() >= kHeader && is_database(head)) return;
  const std::uint64_t at = head.size() < kHeader ? head.size() : 0;
  throw InputError({name_, at, {}}, fmt::format("not an SQLite database; {}", kExpected));
}

/// Throws InputError if the file ends before its last page. The page count in the header is used only if the last
/// writer maintained it.
void Database::check_header(std::string_view head) {
  check_magic(head);
  had_log_ = head[kReadFormat] == kWithLog;
  const std::uint64_t pages = number_at(head, 24, 4) == number_at(head, 92, 4) ? number_at(head, 28, 4) : 0;
  const std::uint64_t page_size = number_at(head, 16, 2);
  const std::uint64_t whole = pages * (page_size == 1 ? 65'536 : page_size);
  if (size_ >= whole) return;
  throw InputError({name_, size_, {}},
                   fmt::format("the database ends here, after {} of its {} bytes; {}", size_, whole, kExpected));
}

void Database::harden() {
  sqlite3* const database = database_.get();
  for (const auto& [option, value] : {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                      {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                      {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0}}) {
    if (sqlite3_db_config(database, option, value, nullptr) != SQLITE_OK) fail("cannot be opened");
  }
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kLongestValue);
  sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
  // Check the sizes of cells before reading them, and do not evaluate constraints of the schema.
  for (const char* const pragma : {"PRAGMA cell_size_check=ON", "PRAGMA ignore_check_constraints=ON"}) {
    if (sqlite3_exec(database, pragma, nullptr, nullptr, nullptr) != SQLITE_OK) fail("cannot be opened");
  }
}

void Database::fail(std::string_view doing) const {
  const int code = sqlite3_errcode(database_.get());
  if (code == SQLITE_NOMEM && memory_is_short()) throw std::bad_alloc();
  const std::string why = code == SQLITE_INTERRUPT ? "it asks for more work than a database of its size can need"
                          : code == SQLITE_NOMEM   ? "it asks for more memory than a value can need"
                                                   : shown(sqlite3_errmsg(database_.get()));
  throw InputError({name_, {}, {}}, fmt::format("the database {} ({}); {}", doing, why, kExpected));
}

std::unique_ptr<sqlite3_stmt, SqliteRelease> Database::prepare(const std::string& sql) const {
  sqlite3_stmt* made = nullptr;
  const int result = sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()), &made, nullptr);
  std::unique_ptr<sqlite3_stmt, SqliteRelease> statement{made};
  if (result != SQLITE_OK) fail("cannot be read");
  return statement;
}

bool Database::step(sqlite3_stmt* statement, std::string_view doing) const {
  const int result = sqlite3_step(statement);
  if (result != SQLITE_ROW && result != SQLITE_DONE) fail(doing);
  return result == SQLITE_ROW;
}

/// Lists the tables that can be read without executing code. Virtual tables are left out; they have no root page.
/// Throws InputError for a generated column, because an expression in the schema computes it.
void Database::list_tables() {
  const InstructionLimit limit(database_.get(), size_);
  const auto statement = prepare(
      "SELECT s.name, c.name, c.hidden FROM sqlite_schema AS s, pragma_table_xinfo(s.name) AS c "
      "WHERE s.type = 'table' AND s.rootpage > 0 ORDER BY s.rowid, c.cid");
  while (step(statement.get(), "has a schema that cannot be read")) {
    const std::string table{text_of(statement.get(), 0)};
    if (sqlite3_column_int(statement.get(), 2) != 0) {
      throw InputError({name_, {}, {}},
                       fmt::format("table {} has a column that is computed; expected tables of plain values, as Nsight "
                                   "Systems exports them",
                                   shown(table)));
    }
    tables_[table].emplace_back(text_of(statement.get(), 1));
  }
}

void Database::check_pages() {
  const InstructionLimit limit(database_.get(), size_);
  const auto statement = prepare("PRAGMA quick_check(1)");
  if (!step(statement.get(), "cannot be checked")) return;
  std::string_view found = text_of(statement.get(), 0);
  if (found == "ok") return;
  constexpr std::string_view kHeading = "*** in database main ***\n";
  if (found.starts_with(kHeading)) found.remove_prefix(kHeading.size());
  throw InputError({name_, {}, {}}, fmt::format("the database is damaged: {}; {}", shown(found), kExpected));
}

bool Database::has(std::string_view table, std::string_view column) const noexcept {
  const auto found = tables_.find(table);
  return found != tables_.end() && std::find(found->second.begin(), found->second.end(), column) != found->second.end();
}

Database::Rows Database::rows(std::string_view table, std::span<const std::string_view> columns) const {
  return {*this, table, columns};
}

Database::Rows::Rows(const Database& database, std::string_view table, std::span<const std::string_view> columns)
    : database_(&database), table_(table) {
  std::string list;
  for (const std::string_view column : columns) {
    if (!list.empty()) list += ", ";
    list += database.has(table, column) ? quoted(column) : "NULL";
  }
  statement_ = database.prepare(fmt::format("SELECT {} FROM {}", list, quoted(table)));
}

bool Database::Rows::next() {
  const int result = sqlite3_step(statement_.get());
  if (result == SQLITE_DONE) return false;
  ++number_;
  if (result != SQLITE_ROW) database_->fail(fmt::format("cannot be read at row {} of {}", number_, shown(table_)));
  return true;
}

std::optional<std::int64_t> Database::Rows::integer(std::size_t column) const noexcept {
  const auto at = static_cast<int>(column);
  if (sqlite3_column_type(statement_.get(), at) != SQLITE_INTEGER) return std::nullopt;
  return sqlite3_column_int64(statement_.get(), at);
}

std::string_view Database::Rows::text(std::size_t column) const {
  return text_of(statement_.get(), static_cast<int>(column));
}

std::string_view Database::Rows::bytes(std::size_t column) const noexcept {
  const auto at = static_cast<int>(column);
  if (sqlite3_column_type(statement_.get(), at) != SQLITE_BLOB) return {};
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), at));
  return {static_cast<const char*>(sqlite3_column_blob(statement_.get(), at)), size};
}

}  // namespace stepsim::ingest
