#ifndef STEPSIM_CLI_SWEEP_SEALED_LINES_H
#define STEPSIM_CLI_SWEEP_SEALED_LINES_H

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Lines of fields that show whether they are whole: "FIELD\tFIELD\tCRC64\n", where a tab, a new
/// line or a backslash within a field is written \t, \n or \\, and the checksum is that of all
/// before its tab.
namespace stepsim::cli {

using Fields = std::vector<std::string>;

/// With its new line.
[[nodiscard]] std::string sealed(const Fields& fields);
/// Without its new line; nothing if it is damaged.
[[nodiscard]] std::optional<Fields> unsealed(std::string_view line);

/// The lines of a text, and how far they are whole.
struct SealedLines {
  std::vector<Fields> lines;
  std::size_t bytes = 0;  ///< that those lines take
  bool cut = false;       ///< one more line follows and is damaged or unfinished
  bool damaged = false;   ///< more than that follows: no kill does this
};
/// Stops at the first damaged line.
[[nodiscard]] SealedLines read_sealed(std::string_view text);

}  // namespace stepsim::cli

#endif
