#include "cli/work/trace_output.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/export/exporter.h"

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

std::string beside(const std::string& first, std::string_view name, const std::function<bool(std::string_view)>& ours) {
  fs::path path = fs::path(first).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // "A/"
  const bool has_no_parent = path == "." || path.filename() == "..";
  std::string output = ((has_no_parent ? path / ".." : path.parent_path()) / name).string();
  std::error_code unknown;
  if (fs::exists(output, unknown) && !ours(head_of(output)))
    throw UsageError(fmt::format("{} is there already, and stepsim did not write it; expected -o FILE", shown(output)));
  return output;
}

void refuse_extension(const std::string& path) {
  const std::string_view plain = std::string_view(path).substr(0, path.size() - (sim::is_gzipped(path) ? 3 : 0));
  if (path == sim::kStandardOutput || plain.ends_with(".json")) return;
  throw UsageError(fmt::format("-o '{}': what is written is a Chrome trace; expected .json or .json.gz", shown(path)));
}

}  // namespace

TraceOutput::TraceOutput(CommonOptions& options, std::string_view name,
                         const std::function<bool(std::string_view head)>& ours)
    : path_(options.output ? *std::exchange(options.output, std::nullopt)
                           : beside(options.traces.front(), name, ours)) {
  refuse_extension(path_);
  if (is_standard_output()) {
    if (!options.json) return;
    throw UsageError(
        fmt::format("--json and -o '{}' both write to standard output; expected one of them", shown(path_)));
  }
  sim::refuse_unwritable(path_);
  for (const std::string& trace : options.traces) refuse_input_as_output(path_, trace);
}

bool TraceOutput::is_standard_output() const { return sim::is_standard_output(path_); }

}  // namespace stepsim::cli
