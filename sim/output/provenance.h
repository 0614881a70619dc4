#ifndef STEPSIM_SIM_OUTPUT_PROVENANCE_H
#define STEPSIM_SIM_OUTPUT_PROVENANCE_H

#include <string>
#include <vector>

#include "model/base/error.h"

namespace stepsim::sim {

/// The origin of a result: enough to reproduce it and to check that it is the same. Every output contains it.
struct Provenance {
  std::string version;
  std::string commit;
  std::string command;  ///< can be pasted into a shell; without options that do not change the result
  std::vector<InputFile> inputs;
};

/// Describes an input: "PATH (N bytes, crc64 HEX)".
[[nodiscard]] std::string to_text(const InputFile& input);

/// Returns the checksum as sixteen hexadecimal digits.
[[nodiscard]] std::string checksum_text(const InputFile& input);

}  // namespace stepsim::sim

#endif
