#ifndef STEPSIM_INGEST_PRIVACY_JSON_REWRITER_H
#define STEPSIM_INGEST_PRIVACY_JSON_REWRITER_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/bytes/byte_source.h"

namespace stepsim::ingest {

/// Where a value stands in a JSON text.
struct JsonPlace {
  std::string_view file;
  std::uint64_t offset = 0;  ///< of its first character, in the (inflated) text
  /// The keys that lead to it, the outermost first; that of an array's item is empty.
  const std::vector<std::string>& keys;
  [[nodiscard]] std::string_view key() const noexcept { return keys.empty() ? std::string_view{} : keys.back(); }
};

/// What is to become of the values of a JSON text.
struct JsonChanges {
  /// Called with a string's content before it is written: what to write in its place, nothing to leave it.
  std::function<std::optional<std::string>(const JsonPlace& place, std::string_view text)> string;
  /// The same for the key of an object's member. In `place` it is the last of the keys; the members that follow are
  /// called by the key as it was.
  std::function<std::optional<std::string>(const JsonPlace& place, std::string_view text)> key;
  /// Called at the first character of each value of an object: the string that stands for all of it, nothing to go into
  /// it.
  std::function<std::optional<std::string>(const JsonPlace& place, char first)> value;
};

/// Writes JSON text anew as it passes by, byte for byte but for what `changes` says. Text that is no strict JSON passes
/// too, and what is cut stays cut. Memory holds one string and the open brackets. Throws InputError for a string of
/// more than 64 MiB and for more than 4096 brackets in each other.
void rewrite_json(ByteSource& source, const JsonChanges& changes, const std::function<void(std::string_view)>& out);

}  // namespace stepsim::ingest

#endif
