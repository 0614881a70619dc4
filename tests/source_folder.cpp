#include "tests/source_folder.h"

namespace stepsim {

const std::filesystem::path& source_folder() {
  static const std::filesystem::path folder = STEPSIM_SOURCE_DIR;
  return folder;
}

const std::filesystem::path& measured_folder() {
  static const std::filesystem::path folder = STEPSIM_MEASURED_DIR;
  return folder;
}

const std::filesystem::path& shared_folder() {
  static const std::filesystem::path folder = source_folder() / ".." / "shared";
  return folder;
}

}  // namespace stepsim
