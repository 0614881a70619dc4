#ifndef STEPSIM_INGEST_FORMATS_NSYS_TABLES_H
#define STEPSIM_INGEST_FORMATS_NSYS_TABLES_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/parts/part_sink.h"
#include "ingest/sqlite/database.h"
#include "model/base/diagnostic.h"

namespace stepsim::ingest {

/// What is read of one table of an export.
struct NsysTable {
  std::string_view name;
  std::span<const std::string_view> columns;  ///< "start" first if its rows are events
  std::size_t needed = 0;  ///< the first so many columns: without one of them, and in a row without, nothing is read
  const Diagnostic* without = nullptr;  ///< what to say where the table is missing or empty; null: nothing
};

/// The tables of an export by Nsight Systems. Which there are, and with which columns, depends on what was recorded and
/// on the version: what is missing is counted, with what would record it.
class NsysTables {
 public:
  /// All must outlive this. `file` stands in messages.
  NsysTables(const Database& database, const std::string& file, PartSink& sink)
      : database_(database), file_(file), sink_(sink) {}

  /// Calls `visit` with each row that has what is needed; counts the others, and a
  /// table without rows.
  template <class Visit>
  void for_each(const NsysTable& table, Visit visit) {
    if (!usable(table)) return report_missing(table);
    Database::Rows rows = database_.rows(table.name, table.columns);
    while (rows.next()) {
      if (has_all_needed(table, rows)) {
        visit(rows);
      } else {
        skip(table.name, rows.number(), "a value that every event has is missing or is no number");
      }
    }
    if (rows.number() == 0) report_missing(table);
    if (table.columns.front() == "start") sink_.events += rows.number();
  }

  /// Counts a row that cannot be used.
  void skip(std::string_view table, std::uint64_t row, std::string_view why);
  /// Counts the rows of the tables of events that nobody asked for.
  void report_unread();

 private:
  [[nodiscard]] bool usable(const NsysTable& table);
  void report_missing(const NsysTable& table);
  [[nodiscard]] static bool has_all_needed(const NsysTable& table, const Database::Rows& row);

  const Database& database_;
  const std::string& file_;
  PartSink& sink_;
  std::set<std::string, std::less<>> asked_;
};

/// StringIds: the texts that other tables name by number.
class NsysTexts {
 public:
  explicit NsysTexts(NsysTables& tables);
  /// Empty if there is no such number. Of texts with one number, the first counts.
  [[nodiscard]] std::string_view text(std::optional<std::int64_t> id) const noexcept;

 private:
  struct Entry {
    std::int64_t id = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  std::vector<Entry> entries_;  ///< by id
  std::string texts_;
};

}  // namespace stepsim::ingest

#endif
