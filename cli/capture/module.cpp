#include "cli/capture/module.h"

#include <cstdlib>
#include <filesystem>

#include "model/base/error.h"

namespace stepsim::cli {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown);
}

/// The path of a file that is installed with this program or built beside it.
std::string beside_program(const char* name, const char* how_to_get_it) {
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  fs::path first;
  for (const char* const folder : {STEPSIM_MODULE_FOLDER, "../lib/stepsim"}) {
    const fs::path path = (program.parent_path() / folder / name).lexically_normal();
    if (is_there(path)) return path.string();
    if (first.empty()) first = path;
  }
  throw InputError({first.string(), {}, {}}, how_to_get_it);
}

}  // namespace

std::string capture_module() {
  constexpr auto kHowToGetIt =
      "the capture module is not there; expected libstepsim_capture.so: build target stepsim_capture_module, or name "
      "it "
      "by STEPSIM_CAPTURE_LIBRARY";
  if (const char* const named = std::getenv("STEPSIM_CAPTURE_LIBRARY"); named != nullptr && *named != '\0') {
    if (is_there(named)) return fs::absolute(named).string();
    throw InputError({named, {}, {}}, kHowToGetIt);
  }
  return beside_program("libstepsim_capture.so", kHowToGetIt);
}

std::string torch_folder() {
  const fs::path module = beside_program("torch/sitecustomize.py",
                                         "the Python part of stepsim capture is not there; expected it beside "
                                         "libstepsim_capture.so: install stepsim anew");
  return module.parent_path().string();
}

}  // namespace stepsim::cli
