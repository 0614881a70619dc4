#include "cli/work/trace_output.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "ingest/load/discover.h"
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

/// True if `folder` is `trace` or a folder inside it.
bool is_part_of(const fs::path& folder, const std::string& trace) {
  std::error_code unknown;
  const fs::path inside = fs::canonical(folder, unknown).lexically_relative(fs::canonical(trace, unknown));
  return fs::is_directory(trace, unknown) && !inside.empty() && *inside.begin() != "..";
}

std::string in_current_folder(const std::vector<std::string>& traces, std::string_view name, const IsOurs& ours) {
  for (const std::string& trace : traces) {
    if (!is_part_of(".", trace)) continue;
    throw UsageError(fmt::format(
        "without -o, {} would be written to the current folder, which is part of the input {}; expected -o FILE", name,
        shown(trace)));
  }
  std::string output(name);
  refuse_foreign_file(output, ours);
  return output;
}

void refuse_extension(const std::string& path) {
  const std::string_view plain = std::string_view(path).substr(0, path.size() - (sim::is_gzipped(path) ? 3 : 0));
  if (path == sim::kStandardOutput || plain.ends_with(".json")) return;
  throw UsageError(fmt::format("-o '{}': the output is a Chrome trace; expected .json or .json.gz", shown(path)));
}

}  // namespace

void refuse_foreign_file(const std::string& path, const IsOurs& ours) {
  std::error_code unknown;
  if (fs::exists(path, unknown) && !ours(head_of(path)))
    throw UsageError(fmt::format("{} exists and was not written by stepsim; expected -o FILE", shown(path)));
}

TraceOutput::TraceOutput(CommonOptions& options, std::string_view name, const IsOurs& ours)
    : path_(options.output ? *std::exchange(options.output, std::nullopt)
                           : in_current_folder(options.traces, name, ours)) {
  refuse_extension(path_);
  if (is_standard_output()) {
    if (!options.json) return;
    throw UsageError(
        fmt::format("--json and -o '{}' both write to standard output; expected one of them", shown(path_)));
  }
  sim::refuse_unwritable(path_);
  for (const ingest::FoundFile& file : ingest::discover(options.traces).files) {
    if (file.named) refuse_input_as_output(path_, file.path);
  }
}

bool TraceOutput::is_standard_output() const { return sim::is_standard_output(path_); }

}  // namespace stepsim::cli
