#ifndef STEPSIM_CLI_SWEEP_SEALED_LINES_H
#define STEPSIM_CLI_SWEEP_SEALED_LINES_H

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Lines of fields with a checksum: "FIELD\tFIELD\tCRC64\n". Within a field a tab, a new line and a
/// backslash are written \t, \n and \\. The checksum covers everything before its tab.
namespace stepsim::cli {

using Fields = std::vector<std::string>;

/// The line, with its new line.
[[nodiscard]] std::string sealed(const Fields& fields);
/// The fields of a line without its new line; nothing if the line is damaged.
[[nodiscard]] std::optional<Fields> unsealed(std::string_view line);

/// The fields of a line without its checksum.
[[nodiscard]] Fields fields_of(std::string_view text);

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
