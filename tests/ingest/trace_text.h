#ifndef STEPSIM_TESTS_INGEST_TRACE_TEXT_H
#define STEPSIM_TESTS_INGEST_TRACE_TEXT_H

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/bytes/input.h"
#include "ingest/chrome/chrome_events.h"
#include "model/base/diagnostics.h"

namespace stepsim::ingest {

/// A copy of a record, which stays valid when the reader goes on to the next record.
struct SeenRecord {
  std::string phase, category, name, process, thread, arguments;
  std::optional<std::int64_t> start_ns, duration_ns;
  bool operator==(const SeenRecord&) const = default;
};

struct SeenTrace {
  std::vector<SeenRecord> records;
  std::vector<std::string> more;  ///< for each record: its offset, its text, and the list of its arguments
  std::vector<std::pair<std::string, std::string>> members;
  std::uint64_t counted = 0;
  std::uint64_t skipped = 0;
  Diagnostics diagnostics;

  [[nodiscard]] std::string names() const {
    std::string all;
    for (const SeenRecord& record : records) all += record.name + " ";
    return all;
  }
};

inline SeenTrace read_all(ByteSource& source, int threads = 1,
                          std::size_t piece_bytes = ChromeEventReader::kPieceBytes) {
  SeenTrace seen;
  ChromeEventReader reader{source, seen.diagnostics, threads, piece_bytes};
  ChromeEvent event;
  while (reader.next(event)) {
    seen.records.push_back({std::string{event.phase}, std::string{event.category}, std::string{event.name},
                            std::string{event.process}, std::string{event.thread}, std::string{event.arguments},
                            event.start_ns, event.duration_ns});
    std::string& more = seen.more.emplace_back(std::to_string(event.offset)).append(event.record);
    for (const ChromeArgument& argument : event.argument_list) more.append(argument.key).append(argument.value);
  }
  seen.members = reader.members();
  seen.counted = reader.records();
  seen.skipped = reader.skipped();
  return seen;
}

/// The sizes in bytes of the pieces that each thread scans at a time, in tests with several threads. Some are smaller
/// than a record, some are larger.
inline constexpr std::size_t kTestPieces[] = {40, 150, 400, 5000};

/// Returns all that was read as one text, so that two readings can be compared.
inline std::string described(const SeenTrace& seen) {
  std::string text;
  const auto add = [&text](const auto&... parts) { ((text += parts, text += '|'), ...); };
  for (const SeenRecord& r : seen.records) {
    add(r.phase, r.category, r.name, r.process, r.thread, r.arguments);
    add(std::to_string(r.start_ns.value_or(-1)), std::to_string(r.duration_ns.value_or(-1)));
  }
  for (const std::string& more : seen.more) add(more);
  for (const auto& [key, value] : seen.members) add(key, value);
  add(std::to_string(seen.counted), std::to_string(seen.skipped));
  for (const Diagnostics::Entry& entry : seen.diagnostics.entries())
    add(entry.name, entry.detail, std::to_string(entry.first.byte_offset.value_or(0)), std::to_string(entry.count));
  return text;
}

/// Reads a text on one thread, and checks that several threads give the same result. Starting threads takes time, so
/// after the first 50 inputs of a program only one input in 32 is checked.
inline SeenTrace read_all(std::string_view text) {
  Input input = Input::from_memory(text, "test.json");
  SeenTrace seen = read_all(input.stream());
  constexpr int kFew = 50;
  constexpr int kOneIn = 32;
  static int inputs = 0;
  if (++inputs > kFew && inputs % kOneIn != 0) return seen;
  constexpr std::size_t kMostPieces = 2'000;
  for (const std::size_t piece_bytes : kTestPieces) {
    if (text.size() / piece_bytes > kMostPieces) continue;
    Input again = Input::from_memory(text, "test.json");
    EXPECT_EQ(described(read_all(again.stream(), 3, piece_bytes)), described(seen)) << piece_bytes << " bytes a piece";
  }
  return seen;
}

/// Returns a record `{"ph":"X",...}` of a kernel called `name`.
inline std::string record_text(std::string_view name, std::string_view more = "") {
  return R"({"ph": "X", "cat": "kernel", "name": ")" + std::string{name} +
         R"(", "pid": 0, "tid": 7, "ts": 1500.5, "dur": 2)" + std::string{more} + "}";
}

/// Returns a trace with these records, in Kineto's layout.
inline std::string trace_text(const std::vector<std::string>& records) {
  std::string text = "{\n  \"schemaVersion\": 1,\n  \"traceEvents\": [\n  ";
  for (std::size_t i = 0; i < records.size(); ++i) text += (i > 0 ? ",\n  " : "") + records[i];
  return text + "\n  ],\n  \"traceName\": \"/tmp/a].json\"\n}\n";
}

}  // namespace stepsim::ingest

#endif
