#ifndef STEPSIM_CLI_PROGRAM_PROVENANCE_H
#define STEPSIM_CLI_PROGRAM_PROVENANCE_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/output/provenance.h"

namespace stepsim::cli {

using sim::Provenance;

/// Returns the provenance of a result that this command made from `inputs`: version, commit, command line and inputs.
/// Inputs have the names that answers give them, also in the command line; after --anonymous, no path has a folder.
[[nodiscard]] Provenance make_provenance(std::span<const std::string> arguments, std::vector<InputFile> inputs);

/// Returns the CRC-64 of a text (ECMA-182, reflected), the checksum that is also computed for inputs.
[[nodiscard]] std::uint64_t crc64_of(std::string_view text);

/// Returns one line: version, commit, command, and one checksum for all inputs.
[[nodiscard]] std::string origin_line(const Provenance& provenance);

/// Returns `word` as a shell reads it: unchanged, or in single quotes.
[[nodiscard]] std::string shell_quoted(const std::string& word);

/// Returns "stepsim" and `arguments` as one shell command line, quoted where needed. Leaves out --threads and --quiet,
/// because they do not change the result.
[[nodiscard]] std::string command_line(std::span<const std::string> arguments);

}  // namespace stepsim::cli

#endif
