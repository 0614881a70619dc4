#ifndef STEPSIM_TESTS_INGEST_SQLITE_DATABASE_MAKER_H
#define STEPSIM_TESTS_INGEST_SQLITE_DATABASE_MAKER_H

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <memory>
#include <string>

namespace stepsim::ingest::testing {

/// Builds a database from a few SQL statements and returns its bytes.
class DatabaseMaker {
 public:
  DatabaseMaker() {
    sqlite3* opened = nullptr;
    EXPECT_EQ(sqlite3_open(":memory:", &opened), SQLITE_OK);
    database_.reset(opened);
  }

  DatabaseMaker& run(const std::string& sql) {
    EXPECT_EQ(sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sql << ": " << sqlite3_errmsg(database_.get());
    return *this;
  }

  [[nodiscard]] std::string bytes() const {
    sqlite3_int64 size = 0;
    unsigned char* const bytes = sqlite3_serialize(database_.get(), "main", &size, 0);
    std::string text(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    sqlite3_free(bytes);
    return text;
  }

 private:
  struct Close {
    void operator()(sqlite3* database) const noexcept { sqlite3_close(database); }
  };
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace stepsim::ingest::testing

#endif
