#ifndef STEPSIM_CLI_PROGRAM_PROVENANCE_H
#define STEPSIM_CLI_PROGRAM_PROVENANCE_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepsim::sim {
class JsonWriter;
struct Provenance;
}  // namespace stepsim::sim

namespace stepsim::cli {

/// Where a result comes from: enough to make it again, and to see that it is the same.
struct Provenance {
  struct Input {
    std::string path;         ///< as it was given or found
    std::uint64_t bytes = 0;  ///< size on disk
    std::uint64_t crc64 = 0;  ///< of the file as it lies on disk (CRC-64 of ECMA-182, as xz computes it)
  };
  std::string version;
  std::string commit;
  std::string command;  ///< can be pasted into a shell; without --threads and --quiet, which change no result
  std::vector<Input> inputs;
};

/// Reads every input once more, at the speed of the disk or its cache. Throws InputError if
/// one is gone.
[[nodiscard]] Provenance make_provenance(std::span<const std::string> arguments, std::span<const std::string> inputs);

/// As the member "provenance" of the object that is being written.
void write_provenance(sim::JsonWriter& json, const Provenance& provenance);

/// The same as the exporters take it: an input is "PATH (N bytes, crc64 HEX)".
[[nodiscard]] sim::Provenance for_file(const Provenance& provenance);

/// The CRC-64 that identifies inputs, of a text.
[[nodiscard]] std::uint64_t crc64_of(std::string_view text);

/// One line: who made a result by which command, and one number for all inputs.
[[nodiscard]] std::string origin_line(const Provenance& provenance);

/// `arguments` as one shell command line: what needs quotes gets them.
[[nodiscard]] std::string command_line(std::span<const std::string> arguments);

}  // namespace stepsim::cli

#endif
