#ifndef STEPSIM_SIM_OUTPUT_PROVENANCE_H
#define STEPSIM_SIM_OUTPUT_PROVENANCE_H

#include <string>
#include <vector>

#include "model/base/error.h"

namespace stepsim::sim {

/// Where a result comes from: enough to make it again, and to see that it is the same.
/// Every output carries it.
struct Provenance {
  std::string version;
  std::string commit;
  std::string command;  ///< can be pasted into a shell; without options that change no result
  std::vector<InputFile> inputs;
};

/// "PATH (N bytes, crc64 HEX)".
[[nodiscard]] std::string to_text(const InputFile& input);

/// Sixteen hexadecimal digits.
[[nodiscard]] std::string checksum_text(const InputFile& input);

}  // namespace stepsim::sim

#endif
