// Replaces libFuzzer if a fuzz target runs as a plain test: gives the target every file of its corpus, unchanged, cut
// short, and with single bytes changed. The inputs are the same in each run.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Input = std::vector<std::uint8_t>;

std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

Input read(const std::filesystem::path& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  const std::string text = bytes.str();
  return Input{text.begin(), text.end()};
}

void try_input(const Input& input) { static_cast<void>(LLVMFuzzerTestOneInput(input.data(), input.size())); }

/// Gives the target the whole seed. Then it gives the target two variants of the seed for each of at least 64 evenly
/// spaced places (for each byte of a shorter seed): one is cut off at the place, the other one has a damaged byte
/// there. Returns the number of inputs.
std::size_t try_variants(const Input& seed) {
  constexpr std::size_t kPlaces = 64;
  constexpr std::uint8_t kDamage[] = {0x00, 0xFF, '"', '[', '-'};
  try_input(seed);
  std::size_t tried = 1;
  const std::size_t stride = std::max<std::size_t>(1, seed.size() / kPlaces);
  for (std::size_t at = 0; at < seed.size(); at += stride, tried += 2) {
    try_input(Input(seed.begin(), seed.begin() + static_cast<std::ptrdiff_t>(at)));
    Input damaged = seed;
    damaged[at] = kDamage[at / stride % std::size(kDamage)];
    try_input(damaged);
  }
  return tried;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t files = 0;
  std::size_t inputs = 0;
  for (int i = 1; i < argc; ++i) {
    for (const std::filesystem::path& path : files_of(argv[i])) {
      inputs += try_variants(read(path));
      ++files;
    }
  }
  std::printf("%zu inputs from %zu corpus files\n", inputs, files);
  return files > 0 ? 0 : 1;
}
