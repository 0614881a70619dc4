#ifndef STEPSIM_SIM_OUTPUT_PROVENANCE_H
#define STEPSIM_SIM_OUTPUT_PROVENANCE_H

#include <cstdint>
#include <string>
#include <vector>

namespace stepsim::sim {

class JsonWriter;

/// Where a result comes from: enough to make it again, and to see that it is the same.
/// Every output carries it.
struct Provenance {
  struct Input {
    std::string path;         ///< as it was given or found
    std::uint64_t bytes = 0;  ///< size on disk
    std::uint64_t crc64 = 0;  ///< of the file on disk (CRC-64 of ECMA-182, as xz computes it)
  };
  std::string version;
  std::string commit;
  std::string command;  ///< can be pasted into a shell; without options that change no result
  std::vector<Input> inputs;
};

/// "PATH (N bytes, crc64 HEX)".
[[nodiscard]] std::string to_text(const Provenance::Input& input);

/// The members version, commit, command and inputs of the object that is open.
void write_members(JsonWriter& json, const Provenance& provenance);

/// {"provenance":{...}} as a member of the object that is open.
void write_provenance(JsonWriter& json, const Provenance& provenance);

}  // namespace stepsim::sim

#endif
