#include "cli/work/beside.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::cli {
namespace {

namespace fs = std::filesystem;

std::string head_of(const std::string& path) {
  constexpr std::size_t kHead = 256;
  std::string head(kHead, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head;
}

}  // namespace

std::string beside(const std::string& first, std::string_view name,
                   const std::function<bool(std::string_view head)>& ours) {
  fs::path path = fs::path(first).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // "A/"
  const bool has_no_parent = path == "." || path.filename() == "..";
  const std::string output = ((has_no_parent ? path / ".." : path.parent_path()) / name).string();
  std::error_code unknown;
  if (fs::exists(output, unknown) && !ours(head_of(output)))
    throw UsageError(fmt::format("{} is there already, and stepsim did not write it; expected -o FILE", shown(output)));
  return output;
}

}  // namespace stepsim::cli
