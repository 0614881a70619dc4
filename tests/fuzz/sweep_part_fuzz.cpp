#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/sweep/part.h"
#include "model/base/error.h"

namespace stepsim::cli {
namespace {

/// Returns the same lines with correct checksums, which a fuzzer cannot find by changing bits.
std::string with_seals(std::string_view text) {
  std::string sealed_text;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    sealed_text += with_seal(line.substr(0, line.rfind(','))) + '\n';
  }
  return sealed_text;
}

/// Reads a part of a sweep. Its head, once written, must be read back unchanged.
void read_and_write(std::string_view text) {
  try {
    const SweepPart part = parse_part(text, "fuzz");
    const std::vector<Fields> head = head_lines(part.head, part.shard);
    std::string again;
    for (const Fields& fields : head) again += sealed(fields);
    const SweepPart same = parse_part(again, "again");
    STEPSIM_ASSERT(head_lines(same.head, same.shard) == head, "a head reads back as it was written");
    for (const auto& [point, outcome] : part.done) {
      STEPSIM_ASSERT(point < part.head.points.size(), "a part holds points of its sweep");
      STEPSIM_ASSERT(!outcome.iteration || outcome.iteration->mid >= Duration{}, "no iteration is negative");
    }
    if (part.head.points.size() <= 1000) static_cast<void>(merged({part, part}));
  } catch (const InputError&) {
    return;
  }
}

}  // namespace
}  // namespace stepsim::cli

/// Reads the input as the file that stores the points of a sweep: unchanged, and with correct checksums.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  stepsim::cli::read_and_write(text);
  stepsim::cli::read_and_write(stepsim::cli::with_seals(text));
  return 0;
}
