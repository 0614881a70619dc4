#ifndef STEPSIM_TESTS_INGEST_TRACE_TEXT_H
#define STEPSIM_TESTS_INGEST_TRACE_TEXT_H

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

/// A record as a test sees it, once the reader has moved on.
struct SeenRecord {
  std::string phase, category, name, process, thread, arguments;
  std::optional<std::int64_t> start_ns, duration_ns;
  bool operator==(const SeenRecord&) const = default;
};

struct SeenTrace {
  std::vector<SeenRecord> records;
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

inline SeenTrace read_all(ByteSource& source) {
  SeenTrace seen;
  ChromeEventReader reader{source, seen.diagnostics};
  ChromeEvent event;
  while (reader.next(event)) {
    seen.records.push_back({std::string{event.phase}, std::string{event.category}, std::string{event.name},
                            std::string{event.process}, std::string{event.thread}, std::string{event.arguments},
                            event.start_ns, event.duration_ns});
  }
  seen.members = reader.members();
  seen.counted = reader.records();
  seen.skipped = reader.skipped();
  return seen;
}

inline SeenTrace read_all(std::string_view text) {
  Input input = Input::from_memory(text, "test.json");
  return read_all(input.stream());
}

/// `{"ph":"X",...}` of a kernel called `name`.
inline std::string record_text(std::string_view name, std::string_view more = "") {
  return R"({"ph": "X", "cat": "kernel", "name": ")" + std::string{name} +
         R"(", "pid": 0, "tid": 7, "ts": 1500.5, "dur": 2)" + std::string{more} + "}";
}

/// A trace of these records, as Kineto lays one out.
inline std::string trace_text(const std::vector<std::string>& records) {
  std::string text = "{\n  \"schemaVersion\": 1,\n  \"traceEvents\": [\n  ";
  for (std::size_t i = 0; i < records.size(); ++i) text += (i > 0 ? ",\n  " : "") + records[i];
  return text + "\n  ],\n  \"traceName\": \"/tmp/a].json\"\n}\n";
}

}  // namespace stepsim::ingest

#endif
