#ifndef STEPSIM_MODEL_BASE_INPUT_FILE_H
#define STEPSIM_MODEL_BASE_INPUT_FILE_H

#include <cstdint>
#include <string>

namespace stepsim {

/// Identifies a file that a result was made from.
struct InputFile {
  std::string name;            ///< its path, as it was given or found
  std::uint64_t size = 0;      ///< bytes as they lie on disk
  std::uint64_t checksum = 0;  ///< CRC-64 of ECMA-182 of those bytes, as xz computes it
};

}  // namespace stepsim

#endif
