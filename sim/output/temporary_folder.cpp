#include "sim/output/temporary_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::sim {

TemporaryFolder::TemporaryFolder() : path_((std::filesystem::temp_directory_path() / "stepsim-XXXXXX").string()) {
  if (::mkdtemp(path_.data()) != nullptr) return;
  throw OutputError(fmt::format("{}: cannot be made ({}); expected room for temporary files in the folder TMPDIR",
                                shown(path_), std::generic_category().message(errno)));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::file(std::string_view name) const { return fmt::format("{}/{}", path_, name); }

}  // namespace stepsim::sim
