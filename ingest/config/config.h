#ifndef STEPSIM_INGEST_CONFIG_CONFIG_H
#define STEPSIM_INGEST_CONFIG_CONFIG_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/bytes/input.h"
#include "model/base/diagnostics.h"
#include "model/base/error.h"
#include "model/base/yaml_keys.h"
#include "model/calibration/collectives.h"
#include "model/calibration/measured_machine.h"
#include "model/job/cluster.h"
#include "model/job/job.h"
#include "model/job/range_profile.h"
#include "model/transformer/transformer.h"
#include "model/transformer/transformer_step.h"

namespace stepsim::ingest {

/// Return what these files may contain, for a schema: job.yaml, cluster.yaml, machine.yaml, and the list of ranges of
/// `schedule`.
[[nodiscard]] YamlType job_file_type();
[[nodiscard]] YamlType cluster_file_type();
[[nodiscard]] YamlType machine_file_type();
[[nodiscard]] YamlType ranges_file_type();

/// Reads job.yaml, which gives facts about a run that its trace lacks, and adds the file to `inputs`. All keys are
/// optional. Sizes, rates and times carry their unit; `partition_bytes`, `bucket_bytes` and `credit_bytes` may also be
/// plain whole numbers.
///
/// Throws InputError, with file and line, for an unknown key (the message gives the most similar key and lists all), a
/// key that is given twice, a value out of range or without its unit, text that is not YAML, nesting deeper than
/// yaml-cpp allows, and a file of more than 1 MiB.
[[nodiscard]] Job read_job_file(const std::string& path, std::vector<InputFile>& inputs);

/// The size limit of parse_job(), in bytes.
inline constexpr std::size_t kLargestJobFile = std::size_t{1} << 20U;

/// Parses the text of a job.yaml as read_job_file() does; `name` replaces the path in messages.
[[nodiscard]] Job parse_job(std::string_view text, const std::string& name);

/// Reads cluster.yaml, which describes the hardware a job runs on, and adds the file to `inputs`. The file has one of
/// two forms. One gives the number of hosts and of the parts of a host (`hosts` and `nic`, with `nics`, `tiers`,
/// `devices`, `nvlink`, `pcie`, `overrides` and `endpoints` if needed). The other lists each link (`hosts` and `links`,
/// with `devices`, `endpoints` and `routes`). Both may have `messages` and `rates`. docs/reference/cluster.md describes
/// every key. Sizes, rates and times carry their unit.
///
/// Throws InputError, with file and line, for everything that read_job_file() refuses, for a host, device or link that
/// does not exist (the message gives the most similar name), and for a file of more than 4 MiB.
[[nodiscard]] Cluster read_cluster_file(const std::string& path, std::vector<InputFile>& inputs);

/// Parses the text of a cluster.yaml as read_cluster_file() does; `name` replaces the path in messages.
[[nodiscard]] Cluster parse_cluster(std::string_view text, const std::string& name);

/// Parses machine.yaml, which `calibrate --measured` writes (docs/reference/machine.md); `name` is the file's name.
/// Throws InputError, with file and line, for everything that read_job_file() refuses, for a device that is not known,
/// and if the file names none.
[[nodiscard]] MeasuredMachine parse_machine(std::string_view text, const std::string& name);

/// Reads runs.csv, a table of measured steps (model/base/csv.h). Throws InputError if it is larger than 4 MiB.
[[nodiscard]] SmallFile read_runs_file(const std::string& path);

/// Reads a file of at most 1 MiB with parse_machine() and adds it to `inputs`.
[[nodiscard]] MeasuredMachine read_machine_file(const std::string& path, std::vector<InputFile>& inputs);

/// Parses the YAML that lists the ranges for an inline profiler to measure (docs/reference/other-tools.md):
///
///     warmup: 10
///     repeat: 50
///     layers:
///       BottomMLP.fc1:
///         forward: [fused_fully_connected.fprop]
///         backward: [{name: fused_fully_connected.bprop, occurrence: 6}]
///
/// The lists may also be called forward_events and backward_events, as in HugeCTR. Throws InputError with file and
/// line. A name with a blank is an error, because blanks separate the fields of the schedule.
[[nodiscard]] RangeSchedule parse_ranges(std::string_view text, const std::string& name);

/// Parses prof.events, the list of names to measure for HugeCTR's inline profiler (V2, V3), one per line. All ranges
/// belong to the layer High_Level, and each is the first of its name on its stream. Empty lines and repeated names are
/// ignored. Throws InputError for a name with a blank, and if there is no name.
[[nodiscard]] RangeSchedule parse_events(std::string_view text, const std::string& name);

/// Reads a file of at most 1 MiB with parse_events() if its name ends in .events, else with parse_ranges().
[[nodiscard]] RangeSchedule read_ranges_file(const std::string& path);

/// The model of a config.json.
struct TransformerFile {
  Transformer model;
  std::string_view family;               ///< name of its family
  std::vector<std::string> unused_keys;  ///< keys whose meaning is not known, in the file's order
};

/// Parses a model's configuration in the form of Hugging Face's config.json; `name` is the file's name. model_type, or
/// else the class in `architectures`, says the family. Members whose key is missing are 0, or what is usual in the
/// family. Throws InputError for a family that is not known, for a value out of range, and for a key that changes the
/// work of a step in a way that is not modelled.
[[nodiscard]] TransformerFile parse_transformer(std::string_view text, const std::string& name);

/// Reads a file with parse_transformer() and adds it to `inputs`.
[[nodiscard]] TransformerFile read_transformer_file(const std::string& path, std::vector<InputFile>& inputs);

/// Measured times of a model's parts, in order: what comes before the layers, each layer, and what comes after.
struct LayerProfile {
  std::vector<PartTimes> parts;
  /// Number of times that were longer than those of a larger micro batch, which were taken instead.
  std::size_t corrected = 0;
};

/// Parses a profile by layer, and returns the times of this micro batch and number of tensor-parallel ranks. Seconds of
/// the forward and the backward pass and of the update, as csv with the columns layer, micro_batch, tensor, forward,
/// backward and update, or as JSON: {"MICRO_BATCH": {"TENSOR": {"LAYER": [forward, backward, update]}}}.
///
/// Fewer samples never take longer than more. A time that is longer than that of a larger micro batch was disturbed
/// when it was measured, and the least of those of the larger ones is taken. Throws InputError if the profile has no
/// such times, if a layer's number is missing or there twice, and for values that are no times.
[[nodiscard]] LayerProfile parse_layer_profile(std::string_view text, const std::string& name, std::uint32_t samples,
                                               std::uint32_t tensor);

/// Reads a file with parse_layer_profile() and adds it to `inputs`.
[[nodiscard]] LayerProfile read_layer_profile(const std::string& path, std::uint32_t samples, std::uint32_t tensor,
                                              std::vector<InputFile>& inputs);

/// Parses the output of a program of nccl-tests (all_reduce_perf and the like): one or more tables, or a file of JSON.
/// `name` is the file's name. The time for a message size is the mean of its out-of-place and in-place times.
///
/// If srun, mpirun or mpiexec put the number of a task before each line, the tables are those of the first task that
/// prints one. Ranks, hosts and devices come from the lines "Rank 0 ... on HOST device 0 [0x07] NVIDIA A100"; without
/// them the ranks come from nGpus and nThread, else from the ratio of busbw to algbw. The operation comes from the
/// program's name if the output or `name` contains it, else from the columns redop and root and the ratio of busbw to
/// algbw. A row whose algbw is not its size divided by its time is broken, for example by the text of NCCL_DEBUG inside
/// it: its times are taken from a later line that begins with them, or else it is counted and left out. Other lines are
/// ignored. Throws InputError if no line has a time, or if the ranks or operation of a table cannot be found.
[[nodiscard]] std::vector<NcclTestsRow> parse_nccl_tests(std::string_view text, const std::string& name,
                                                         Diagnostics& diagnostics);

/// Reads the output of nccl-tests from files. Adds each file to `inputs`.
[[nodiscard]] std::vector<NcclTestsRow> read_nccl_tests(const std::vector<std::string>& files,
                                                        std::vector<InputFile>& inputs, Diagnostics& diagnostics);

}  // namespace stepsim::ingest

#endif
