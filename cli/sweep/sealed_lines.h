#ifndef STEPSIM_CLI_SWEEP_SEALED_LINES_H
#define STEPSIM_CLI_SWEEP_SEALED_LINES_H

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// JSON lines with a checksum: each line is an array of strings, ["FIELD","FIELD","CRC64"]. The checksum, CRC-64 of
/// ECMA-182 as 16 hexadecimal digits, covers everything before the comma in front of it. A byte that is not UTF-8 is
/// written as half a surrogate pair, \udc80 to \udcff, as Python does it (PEP 383), so that any field comes back as it
/// was.
namespace stepsim::cli {

using Fields = std::vector<std::string>;

/// The line, with its new line.
[[nodiscard]] std::string sealed(const Fields& fields);
/// The fields of a line without its new line; nothing if the line is damaged.
[[nodiscard]] std::optional<Fields> unsealed(std::string_view line);

/// The fields of a line up to the comma in front of its checksum; nothing if that is not how sealed() writes them.
[[nodiscard]] std::optional<Fields> fields_of(std::string_view text);

/// The whole lines at the beginning of a text.
struct SealedLines {
  std::vector<Fields> lines;
  std::size_t bytes = 0;  ///< how many those lines take
  bool cut = false;       ///< one more line follows and is damaged or unfinished
  bool damaged = false;   ///< more than one line follows, so it was not a kill that damaged it
};
/// Stops at the first damaged line.
[[nodiscard]] SealedLines read_sealed(std::string_view text);

}  // namespace stepsim::cli

#endif
