#include "cli/work/rewrite.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "cli/program/output_rule.h"
#include "ingest/load/discover.h"
#include "ingest/load/recognise.h"
#include "ingest/privacy/scrubbed_files.h"
#include "ingest/survey/ranks_of_files.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/export/exporter.h"
#include "sim/output/write_file.h"

namespace stepsim::cli {
namespace {

namespace fs = std::filesystem;

ingest::LoadOptions reading(const CommonOptions& options, const Session& session) {
  return {
      .job_file = options.job_file, .threads = options.threads, .stop = &session.stop, .progress = {}, .inspect = {}};
}

std::unique_ptr<sim::OutputFile> open_output(const std::string& path) {
  using sim::Compression;
  return std::make_unique<sim::OutputFile>(path, sim::is_gzipped(path) ? Compression::kGzip : Compression::kNone);
}

void refuse_other_options(const CommonOptions& options) {
  const auto refuse = [](std::string_view option) {
    throw UsageError(
        fmt::format("--scrub rewrites all of the text, so {} does not go with it; expected the one and then "
                    "the other",
                    option));
  };
  if (options.steps) refuse("--steps");
  if (!options.ranks.empty()) refuse("--ranks");
  if (options.network_given) refuse("--network");
  if (options.cluster_file) refuse("--cluster");
}

/// What of .gz and .zst the name of the written file keeps: Zstandard is not written.
std::string written_name(const std::string& name) {
  const fs::path path(name);
  return path.extension() == ".zst" ? fs::path(path).replace_extension().string() : name;
}

/// The only file need not be read to learn its rank, if nobody asks for ranks.
std::vector<ingest::RankFile> files_to_cut(const CommonOptions& options, const Session& session) {
  const std::vector<ingest::FoundFile> found = ingest::discover(options.traces).files;
  if (found.size() == 1 && options.ranks.empty()) return {{found.front().path, 0}};
  return ingest::ranks_of_files(options.traces, reading(options, session));
}

}  // namespace

sim::Scrubbed scrub(const CommonOptions& options, const Session& session) {
  refuse_other_options(options);
  const std::string& output = *options.output;
  std::error_code ignored;
  const bool several = options.traces.size() > 1 || fs::is_directory(options.traces.front(), ignored);
  if (several && sim::is_standard_output(output))
    throw UsageError("--scrub of several files needs a folder to write to; expected -o FOLDER");
  for (const std::string& trace : options.traces) refuse_input_as_output(output, trace);
  if (!several) sim::refuse_unwritable(output);
  sim::Scrubbed scrubbed{.output = output};
  const auto open = [&](const std::string& name) {
    const fs::path path = name.empty() || !several ? fs::path(output) : fs::path(output) / written_name(name);
    if (several) {
      std::error_code error;
      fs::create_directories(path.parent_path(), error);
      if (error)
        throw OutputError(
            fmt::format("{}: cannot make this folder: {}", shown(path.parent_path().string()), error.message()));
    }
    ++scrubbed.files;
    const std::shared_ptr<sim::OutputFile> file = open_output(path.string());
    return ingest::ScrubTarget{[file](std::string_view text) { file->write(text); }, [file] { file->commit(); }};
  };
  scrubbed.replaced = ingest::scrub_files(options.traces, reading(options, session), open);
  return scrubbed;
}

bool can_be_cut(const CommonOptions& options) {
  const std::vector<ingest::FoundFile> files = ingest::discover(options.traces).files;
  const auto is_trace = [](const ingest::FoundFile& file) {
    if (file.path == ingest::kStandardInput) return false;
    const ingest::Input input = ingest::Input::open(file.path);
    const ingest::Format* const format = ingest::recognise(input);
    return format != nullptr && format->name == "kineto";
  };
  return !files.empty() && std::all_of(files.begin(), files.end(), is_trace);
}

CutAnswer cut(const CommonOptions& options, ingest::Cut what, const Session& session) {
  std::vector<ingest::RankFile> files = files_to_cut(options, session);
  const std::set<Rank> wanted(options.ranks.begin(), options.ranks.end());
  if (!wanted.empty()) {
    std::erase_if(files, [&wanted](const ingest::RankFile& file) { return !wanted.contains(file.rank); });
    if (files.empty()) throw UsageError("--ranks names none of the input's ranks; 'stepsim check' lists them");
  }
  if (files.size() > 1) {
    throw UsageError(
        fmt::format("{} files are left, and a trace that is cut out holds one rank; expected --ranks with one "
                    "of them, or 'stepsim combine' before it",
                    files.size()));
  }
  what.stop = &session.stop;
  what.steps = options.steps;
  refuse_input_as_output(*options.output, files.front().file);
  const std::unique_ptr<sim::OutputFile> output = open_output(*options.output);
  CutAnswer answer{.input = files.front().file, .counts = {}};
  answer.counts =
      ingest::cut_trace(files.front().file, what, [&output](std::string_view text) { output->write(text); });
  output->commit();
  return answer;
}

}  // namespace stepsim::cli
