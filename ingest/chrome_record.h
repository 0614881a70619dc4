#ifndef STEPSIM_INGEST_CHROME_RECORD_H
#define STEPSIM_INGEST_CHROME_RECORD_H

#include <optional>

#include "ingest/json_scan.h"

namespace stepsim::ingest {

/// The members of one record of a Chrome trace that stepsim uses, as they stand in the text.
/// Of a key that comes twice the last counts, as in Python and JavaScript.
struct ChromeRecord {
  std::optional<json::Value> phase;
  std::optional<json::Value> category;
  std::optional<json::Value> name;
  std::optional<json::Value> process;
  std::optional<json::Value> thread;
  std::optional<json::Value> start;
  std::optional<json::Value> duration;
  std::optional<json::Value> arguments;

  /// Reads the object at scanner.at(); the scanner says what stopped it.
  [[nodiscard]] bool scan(json::Scanner& scanner);

  /// True for what a trace's list holds, false for an object out of some record's arguments.
  [[nodiscard]] bool looks_like_event() const noexcept { return phase || (name && start); }
  /// The member whose type makes the record useless, in words; null if there is none.
  [[nodiscard]] const char* wrong_member() const noexcept;

 private:
  void take(std::string_view key, const json::Value& value);
};

}  // namespace stepsim::ingest

#endif
