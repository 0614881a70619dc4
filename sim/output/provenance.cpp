#include "sim/output/provenance.h"

#include <fmt/format.h>

namespace stepsim::sim {
std::string checksum_text(const InputFile& input) { return fmt::format("{:016x}", input.checksum); }

std::string to_text(const InputFile& input) {
  return fmt::format("{} ({} bytes, crc64 {})", input.name, input.size, checksum_text(input));
}

}  // namespace stepsim::sim
