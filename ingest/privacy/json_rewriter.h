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

/// The position of a value in a JSON text.
struct JsonPlace {
  std::string_view file;
  std::uint64_t offset = 0;  ///< offset of its first character in the decompressed text
  /// The keys on the path to the value, outermost first. An array item has an empty key.
  const std::vector<std::string>& keys;
  [[nodiscard]] std::string_view key() const noexcept { return keys.empty() ? std::string_view{} : keys.back(); }
};

/// The changes to make to a JSON text.
struct JsonChanges {
  /// Called with a string's content before it is written. Returns the replacement, or nullopt to keep the string.
  std::function<std::optional<std::string>(const JsonPlace& place, std::string_view text)> string;
  /// Called with the key of each member of an object. Returns the replacement, or nullopt to keep the key. This key is
  /// the last of the keys in `place`. In later calls for members inside the value, `place` contains the original key,
  /// not the replacement.
  std::function<std::optional<std::string>(const JsonPlace& place, std::string_view text)> key;
  /// Called at the first character of each member's value. Returns a string that replaces the whole value, or nullopt
  /// to continue inside the value.
  std::function<std::optional<std::string>(const JsonPlace& place, char first)> value;
};

/// Copies JSON text to `out` byte for byte, apart from the given changes. Text that is not strict JSON is copied too,
/// and truncated text stays truncated. Memory holds one string and the open brackets. Throws InputError for a string of
/// more than 64 MiB and for more than 4096 nested brackets.
void rewrite_json(ByteSource& source, const JsonChanges& changes, const std::function<void(std::string_view)>& out);

}  // namespace stepsim::ingest

#endif
