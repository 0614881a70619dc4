#ifndef STEPSIM_INGEST_CONFIG_NCCL_TESTS_H
#define STEPSIM_INGEST_CONFIG_NCCL_TESTS_H

#include <string>
#include <string_view>
#include <vector>

#include "ingest/bytes/input.h"
#include "model/job/timed_collective.h"

namespace stepsim::ingest {

/// Reads what the programs of nccl-tests print (all_reduce_perf and its kin): one or several tables. `name` is the
/// file's. The time of a size is the mean of out-of-place and in-place. Ranks and hosts follow from the lines "Rank 0
/// ... on HOST device 0 [0x07] NVIDIA A100", without them from nGpus and nThread, else from busbw over algbw; the
/// operation from the program's name where the output or `name` has it, else from redop, root and that ratio. Other
/// lines are passed over. Throws InputError if no line is a time, or a table does not say its ranks or operation.
[[nodiscard]] std::vector<TimedCollective> parse_nccl_tests(std::string_view text, const std::string& name);

/// The same for files. Adds each to `inputs`.
[[nodiscard]] std::vector<TimedCollective> read_nccl_tests(const std::vector<std::string>& files,
                                                           std::vector<InputFile>& inputs);

}  // namespace stepsim::ingest

#endif
