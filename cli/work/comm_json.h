#ifndef STEPSIM_CLI_WORK_COMM_JSON_H
#define STEPSIM_CLI_WORK_COMM_JSON_H

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "sim/check/comm_json_document.h"

namespace stepsim::cli {

/// Whether -o names BytePS's timeline: "comm.json", or a name that ends in ".comm.json"; with .gz, too.
[[nodiscard]] bool names_comm_json(const CommonOptions& options);

/// Writes what the capture communicated as BytePS writes it: of one rank to the file of -o, else, where -o is a folder,
/// a comm.json for each rank and what job.yaml says of a BytePS job. What is BytePS's own already is written as it was
/// recorded, all else as sim::communication_of() says. Throws UsageError if -o is a file and there are several ranks.
[[nodiscard]] sim::CommJson write_comm_json(const CommonOptions& options, const Session& session);

}  // namespace stepsim::cli

#endif
