#ifndef STEPSIM_CLI_PROGRAM_OUTPUT_RULE_H
#define STEPSIM_CLI_PROGRAM_OUTPUT_RULE_H

#include <cstdint>
#include <string>
#include <vector>

#include "sim/export/exporter.h"

/// One rule for -o FILE of all commands: the extension names the exporter, and the command must have
/// what that accepts.
namespace stepsim::cli {

struct CommonOptions;

/// When a command has a cluster to write.
enum class HasCluster : std::uint8_t {
  kNever,
  kAlways,
  kUnderModel,  ///< with --network MODEL
  kIfKnown,     ///< where the traces or --cluster say what the hardware is, unless --network is recorded
};

/// What a command can write to -o FILE.
struct Writes {
  std::string command;                 ///< "sweep"
  std::vector<sim::Content> contents;  ///< besides a cluster
  HasCluster cluster = HasCluster::kNever;
};

/// The extensions with what each writes, a line each, for --help.
[[nodiscard]] std::string output_help(const Writes& writes);

/// Throws UsageError if -o is given and its extension is unknown, names what the command does not have,
/// or if it is a file that is to be read, or standard output with --json; OutputError if it can be seen that it cannot
/// be written. To be called before any work.
void check_output(const CommonOptions& options);

/// Throws UsageError: the command would have a cluster, but these traces show none.
[[noreturn]] void refuse_unknown_cluster(const CommonOptions& options);
/// Whether -o names a cluster.
[[nodiscard]] bool wants_cluster(const CommonOptions& options);

/// Whether -o is standard output. Nothing else is then printed there.
[[nodiscard]] bool writes_to_standard_output(const CommonOptions& options);

/// Throws UsageError if `output` is `input`, or one of `inputs`.
void refuse_input_as_output(const std::string& output, const std::string& input);
void refuse_input_as_output(const std::string& output, const std::vector<InputFile>& inputs);

/// Writes `answer` to -o FILE, if that is given. Throws OutputError; UsageError if FILE is one of the
/// inputs. Precondition: check_output() has passed.
void write_output(const CommonOptions& options, const sim::Answer& answer);

}  // namespace stepsim::cli

#endif
