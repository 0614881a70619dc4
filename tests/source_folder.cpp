#include "tests/source_folder.h"

namespace stepsim {

const std::filesystem::path& source_folder() {
  static const std::filesystem::path folder = STEPSIM_SOURCE_DIR;
  return folder;
}

}  // namespace stepsim
