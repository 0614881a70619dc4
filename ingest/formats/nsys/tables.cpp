#include "ingest/formats/nsys/tables.h"
#include "model/base/known_diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace stepsim::ingest {

bool NsysTables::usable(const NsysTable& table) {
  asked_.emplace(table.name);
  const auto found = database_.tables().find(table.name);
  if (found == database_.tables().end()) return false;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (database_.has(table.name, table.columns[i])) continue;
    sink_.diagnostics.count_about(i < table.needed ? diagnostic("missing column:") : diagnostic("column not written:"),
                                  fmt::format("{}.{}", table.name, table.columns[i]), {file_, {}, {}}, {}, 1);
    if (i < table.needed) return false;
  }
  return true;
}

void NsysTables::report_missing(const NsysTable& table) {
  if (table.without != nullptr) sink_.diagnostics.count(*table.without, {file_, {}, {}});
}

bool NsysTables::has_all_needed(const NsysTable& table, const Database::Rows& row) {
  for (std::size_t i = 0; i < table.needed; ++i) {
    if (!row.integer(i)) return false;
  }
  return true;
}

void NsysTables::skip(std::string_view table, std::uint64_t row, std::string_view why) {
  ++sink_.skipped;
  sink_.diagnostics.count(diagnostic("bad_row"), {file_, {}, {}}, fmt::format("row {} of {}: {}", row, table, why));
}

void NsysTables::report_unread() {
  for (const auto& [table, columns] : database_.tables()) {
    const bool holds_events = database_.has(table, "start") || database_.has(table, "timestamp");
    if (!holds_events || asked_.contains(table)) continue;
    Database::Rows rows = database_.rows(table, std::array<std::string_view, 1>{"start"});
    while (rows.next()) {
    }
    if (rows.number() == 0) continue;
    sink_.events += rows.number();
    sink_.diagnostics.count_about(diagnostic("not used:"), table, {file_, {}, {}}, {}, rows.number());
  }
}

NsysTexts::NsysTexts(NsysTables& tables) {
  static constexpr std::array<std::string_view, 2> kColumns{"id", "value"};
  tables.for_each({"StringIds", kColumns, 1, &diagnostic("missing table: StringIds")}, [&](const Database::Rows& row) {
    const std::size_t begin = texts_.size();
    texts_ += row.text(1);
    entries_.push_back({*row.integer(0), begin, texts_.size()});
  });
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.id < b.id; });
}

std::string_view NsysTexts::text(std::optional<std::int64_t> id) const noexcept {
  if (!id) return {};
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), *id,
                                   [](const Entry& entry, std::int64_t wanted) { return entry.id < wanted; });
  if (at == entries_.end() || at->id != *id) return {};
  return std::string_view{texts_}.substr(at->begin, at->end - at->begin);
}

}  // namespace stepsim::ingest
