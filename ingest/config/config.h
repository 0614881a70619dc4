#ifndef STEPSIM_INGEST_CONFIG_CONFIG_H
#define STEPSIM_INGEST_CONFIG_CONFIG_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/bytes/input.h"
#include "model/base/error.h"
#include "model/job/cluster.h"
#include "model/job/collective.h"
#include "model/job/job.h"
#include "model/job/range_profile.h"

namespace stepsim::ingest {

/// Reads job.yaml, which says what a trace cannot say about its run, and adds the file to `inputs`. All keys
/// are optional. Sizes, rates and times carry their unit; `partition_bytes`, `bucket_bytes` and
/// `credit_bytes` may also be plain whole numbers.
///
/// Throws InputError, with file and line, for an unknown key (with the nearest known one and the list), a
/// key that is given twice, a value out of range or without its unit, text that is not YAML, nesting deeper
/// than yaml-cpp allows, and a file of more than 1 MiB.
[[nodiscard]] Job read_job_file(const std::string& path, std::vector<InputFile>& inputs);

/// parse_job() refuses larger files.
inline constexpr std::size_t kLargestJobFile = std::size_t{1} << 20U;

/// The same from text; `name` stands for the path in messages.
[[nodiscard]] Job parse_job(std::string_view text, const std::string& name);

/// Reads cluster.yaml, which describes the hardware a job runs on, and adds the file to `inputs`. It has one
/// of two forms: by numbers (`hosts` and `nic`, with `nics`, `tiers`, `devices`, `nvlink`, `pcie`,
/// `overrides` and `endpoints` if needed), or link by link (`hosts` and `links`, with `devices`, `endpoints`
/// and `routes`). Both may have `messages` and `rates`. docs/cluster.md describes every key. Sizes, rates
/// and times carry their unit.
///
/// Throws InputError, with file and line, for all that read_job_file refuses, for a host, device or link
/// that does not exist (with the nearest name), and for a file of more than 4 MiB.
[[nodiscard]] Cluster read_cluster_file(const std::string& path, std::vector<InputFile>& inputs);

/// The same from text; `name` stands for the path in messages.
[[nodiscard]] Cluster parse_cluster(std::string_view text, const std::string& name);

/// The YAML that says which ranges an inline profiler is to measure (docs/inline-profiler.md):
///
///     warmup: 10
///     repeat: 50
///     layers:
///       BottomMLP.fc1:
///         forward: [fused_fully_connected.fprop]
///         backward: [{name: fused_fully_connected.bprop, occurrence: 6}]
///
/// The lists may be called forward_events and backward_events, as HugeCTR calls them. Throws InputError with file and
/// line; a name with a blank is one, because the schedule's fields are divided by blanks.
[[nodiscard]] RangeSchedule parse_ranges(std::string_view text, const std::string& name);

/// prof.events, in which HugeCTR's inline profiler (V2, V3) finds the names of what it shall measure, one a line, as a
/// schedule: ranges of the layer High_Level, each the first of its name on its stream. Empty lines and further lines of
/// the same name count for nothing. Throws InputError for a name with a blank, and where there is none.
[[nodiscard]] RangeSchedule parse_events(std::string_view text, const std::string& name);

/// The one or, of a file whose name ends in .events, the other: at most 1 MiB.
[[nodiscard]] RangeSchedule read_ranges_file(const std::string& path);

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
