#include "cli/program/output_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "cli/program/error.h"
#include "cli/program/options.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/output/run_program.h"

namespace stepsim::cli {
namespace {

using sim::Content;
using sim::Exporter;

bool may_have(const Writes& writes, Content content) {
  if (content == Content::kCluster) return writes.cluster != HasCluster::kNever;
  return std::find(writes.contents.begin(), writes.contents.end(), content) != writes.contents.end();
}

bool has(const CommonOptions& options, Content content) {
  if (content != Content::kCluster) return may_have(options.writes, content);
  switch (options.writes.cluster) {
    case HasCluster::kNever: return false;
    case HasCluster::kAlways: return true;
    case HasCluster::kUnderModel: return options.network->make != nullptr;
    case HasCluster::kIfKnown: return !options.network_given || options.network->make != nullptr;
  }
  return false;
}

/// True for the file to which GitHub's workflows append Markdown for the summary of a job. Its name has no extension.
bool is_step_summary(const std::string& path) {
  const char* const summary = std::getenv("GITHUB_STEP_SUMMARY");
  return summary != nullptr && path == summary;
}

/// Returns the exporter for a file of this name, or null.
const Exporter* find_exporter(const std::string& path, const Writes& writes) {
  return sim::find_exporter(is_step_summary(path) ? "-.md" : path, writes.contents);
}

/// True if the command writes other content to files with the exporter's extension, or the same to a shorter one.
bool is_hidden(const Exporter& exporter, const Writes& writes) {
  if (find_exporter(fmt::format("-.{}", exporter.extension), writes) != &exporter) return true;
  const std::size_t dot = exporter.extension.find('.');
  if (dot == std::string_view::npos) return false;
  const Exporter* const shorter = find_exporter(fmt::format("-{}", exporter.extension.substr(dot)), writes);
  return shorter != nullptr && shorter->write == exporter.write;
}

/// Returns the extensions that the command writes with these options: ".json, .md or .csv".
std::vector<std::string> extensions(const CommonOptions& options) {
  std::vector<std::string> words;
  for (const Exporter* const exporter : sim::exporters()) {
    if (!has(options, exporter->accepts) || is_hidden(*exporter, options.writes)) continue;
    words.push_back(fmt::format(".{}", exporter->extension));
    if (!exporter->alias.empty()) words.push_back(fmt::format(".{}", exporter->alias));
  }
  return words;
}

[[noreturn]] void refuse_extension(const CommonOptions& options) {
  const std::string path = shown(*options.output);
  const std::vector<std::string> known = extensions(options);
  const bool gzipped = sim::is_gzipped(*options.output);
  std::filesystem::path plain = *options.output;
  if (gzipped) plain.replace_extension();
  if (const Exporter* const packed = gzipped ? sim::find_exporter(plain.native()) : nullptr) {
    throw UsageError(fmt::format("-o '{}': .gz does not go with .{}, which is packed as it is; expected {}", path,
                                 packed->extension, one_of(known)));
  }
  const std::string extension = plain.extension().string();
  if (extension.empty()) {
    throw UsageError(
        fmt::format("-o '{}' has no extension{}; expected {}", path, gzipped ? " before .gz" : "", one_of(known)));
  }
  const std::optional<std::string> nearest = nearest_name(extension, known);
  throw UsageError(fmt::format("-o '{}': unknown extension '{}'; {}expected {}", path, shown(extension),
                               nearest ? fmt::format("did you mean '{}'? ", *nearest) : "", one_of(known)));
}

[[noreturn]] void refuse_content(const CommonOptions& options, Content content) {
  const bool needs_model = content == Content::kCluster && options.writes.cluster != HasCluster::kNever;
  throw UsageError(fmt::format("-o '{}': {} has no {}{}; expected {}{}", shown(*options.output), options.writes.command,
                               to_text(content), needs_model ? " under --network recorded" : "",
                               needs_model ? "another --network, or " : "", one_of(extensions(options))));
}

void refuse_two_answers(const CommonOptions& options) {
  if (!options.json) return;
  throw UsageError(
      fmt::format("--json and -o '{}' both write to standard output; expected one of them", shown(*options.output)));
}

/// Returns the exporter for the extension of -o. Throws UsageError if the command cannot write this extension.
const Exporter& exporter_of(const CommonOptions& options) {
  const Exporter* const exporter = find_exporter(*options.output, options.writes);
  if (exporter == nullptr) refuse_extension(options);
  if (!has(options, exporter->accepts)) refuse_content(options, exporter->accepts);
  return *exporter;
}

}  // namespace

std::string output_help(const Writes& writes) {
  std::string extensions;
  for (const Exporter* const exporter : sim::exporters()) {
    if (!may_have(writes, exporter->accepts) || is_hidden(*exporter, writes)) continue;
    add_item(extensions, fmt::format(".{}", exporter->extension));
    if (!exporter->alias.empty()) add_item(extensions, fmt::format(".{}", exporter->alias));
  }
  return fmt::format("Also write the result to FILE, in the form of its extension: {}", extensions);
}

void check_output(const CommonOptions& options) {
  if (!options.output) return;
  const Exporter& exporter = exporter_of(options);
  if (!exporter.program.empty() && !sim::has_program(std::string(exporter.program))) {
    throw OutputError(fmt::format("-o '{}' needs the program {}; install the package {}, or write .svg",
                                  shown(*options.output), exporter.program, exporter.package));
  }
  if (writes_to_standard_output(options)) return refuse_two_answers(options);
  sim::refuse_unwritable(*options.output);
  for (const std::string& trace : options.traces) refuse_input_as_output(*options.output, trace);
  for (const std::optional<std::string>& file : {options.job_file, options.cluster_file}) {
    if (file) refuse_input_as_output(*options.output, *file);
  }
}

bool writes_to_standard_output(const CommonOptions& options) {
  return options.output && sim::is_standard_output(*options.output);
}

const Exporter* exporter_if_any(const CommonOptions& options) {
  return options.output ? find_exporter(*options.output, options.writes) : nullptr;
}

bool wants_cluster(const CommonOptions& options) {
  if (!may_have(options.writes, Content::kCluster)) return false;
  const Exporter* const exporter = exporter_if_any(options);
  return exporter != nullptr && exporter->accepts == Content::kCluster;
}

void refuse_unknown_cluster(const CommonOptions& options) {
  throw UsageError(fmt::format(
      "-o '{}': the traces do not show the rates of the links; expected --cluster with --network, or another extension",
      shown(*options.output)));
}

void refuse_input_as_output(const std::string& output, const std::string& input) {
  if (sim::is_standard_output(output)) return;
  std::error_code error;
  const bool same = std::filesystem::equivalent(output, input, error);
  const bool absent = error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
  if (error && !absent) {
    throw OutputError(fmt::format("{}: cannot be compared with the input {} ({}); choose another file", shown(output),
                                  shown(input), error.message()));
  }
  if (same) {
    throw UsageError(fmt::format("-o '{}' is one of the inputs; expected another file", shown(output)));
  }
}

void refuse_input_as_output(const std::string& output, const std::vector<InputFile>& inputs) {
  for (const InputFile& input : inputs) refuse_input_as_output(output, input.name);
}

void write_output(const CommonOptions& options, const sim::Answer& answer) {
  if (!options.output) return;
  throw_if_memory_ran_out();
  refuse_input_as_output(*options.output, answer.provenance.inputs);
  const Exporter& exporter = exporter_of(options);
  if (exporter.accepts == Content::kPicture && !sim::has(answer, exporter.accepts)) {
    throw UsageError(
        fmt::format("-o '{}': this answer has nothing to draw; expected another extension", shown(*options.output)));
  }
  sim::Answer shortened = answer;
  shortened.brief = options.brief;
  if (!is_step_summary(*options.output)) return sim::export_to_file(*options.output, exporter, shortened);
  std::ostringstream earlier;  // what earlier commands of the workflow's step wrote
  earlier << std::ifstream(*options.output, std::ios::binary).rdbuf();
  sim::OutputFile file = sim::open_output(*options.output);
  file.write(earlier.str());
  exporter.write(shortened, file);
  file.commit();
}

}  // namespace stepsim::cli
