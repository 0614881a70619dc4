#ifndef STEPSIM_TESTS_FUZZ_STRICT_JSON_H
#define STEPSIM_TESTS_FUZZ_STRICT_JSON_H

#include <string>

#include "ingest/json/scanner.h"

namespace stepsim::testing {

/// Returns whether `text` is one value of strict JSON, after an optional byte order mark.
inline bool is_strict_json(std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  const std::size_t size = text.size();
  text.append(ingest::json::kPadding, '\0');
  ingest::json::Scanner scanner{text.data(), text.data() + size, ingest::json::Rules::kStrict};
  ingest::json::Value value;
  scanner.skip_blanks();
  if (!scanner.value(value)) return false;
  scanner.skip_blanks();
  return scanner.at() == text.data() + size && !scanner.odd();
}

}  // namespace stepsim::testing

#endif
