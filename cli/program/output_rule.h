#ifndef STEPSIM_CLI_PROGRAM_OUTPUT_RULE_H
#define STEPSIM_CLI_PROGRAM_OUTPUT_RULE_H

#include <cstdint>
#include <string>
#include <vector>

#include "sim/export/exporter.h"

/// The rule for -o FILE in all commands: the extension selects the exporter, and the command must have the content that
/// the exporter accepts.
namespace stepsim::cli {

struct CommonOptions;

/// The conditions under which a command has a cluster to write.
enum class HasCluster : std::uint8_t {
  kNever,
  kAlways,
  kUnderModel,  ///< with --network MODEL
  kIfKnown,     ///< if the traces or --cluster describe the hardware, unless --network is recorded
};

/// The content that a command can write to -o FILE.
struct Writes {
  std::string command;                 ///< name of the command
  std::vector<sim::Content> contents;  ///< contents that it can write, other than a cluster
  HasCluster cluster = HasCluster::kNever;
};

/// Returns the line of --help for -o; it lists the extensions of the files that the command can write.
[[nodiscard]] std::string output_help(const Writes& writes);

/// Checks -o. Throws UsageError if it has an unknown extension or one for content that the command does not have, if it
/// is an input file, or if both -o and --json would write to standard output. Throws OutputError if the file clearly
/// cannot be written. Call this before any work.
void check_output(const CommonOptions& options);

/// Throws UsageError. Its message says that the command can write a cluster, but these traces do not show one.
[[noreturn]] void refuse_unknown_cluster(const CommonOptions& options);
/// Returns the exporter for -o; null without -o, or if no format has its extension.
[[nodiscard]] const sim::Exporter* exporter_if_any(const CommonOptions& options);
/// True if -o is a cluster file.
[[nodiscard]] bool wants_cluster(const CommonOptions& options);

/// True if -o is standard output. Reports are then not printed, so that standard output has only the file.
[[nodiscard]] bool writes_to_standard_output(const CommonOptions& options);

/// Throws UsageError if `output` is the same file as `input` or as one of `inputs`.
void refuse_input_as_output(const std::string& output, const std::string& input);
void refuse_input_as_output(const std::string& output, const std::vector<InputFile>& inputs);

/// Writes `answer` to -o FILE, if given. The file that the variable GITHUB_STEP_SUMMARY names gets Markdown, after what
/// it contains. Throws OutputError, and UsageError if FILE is one of the inputs. Precondition:
/// check_output() has passed.
void write_output(const CommonOptions& options, const sim::Answer& answer);

}  // namespace stepsim::cli

#endif
