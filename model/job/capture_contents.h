#ifndef STEPSIM_MODEL_JOB_CAPTURE_CONTENTS_H
#define STEPSIM_MODEL_JOB_CAPTURE_CONTENTS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/units.h"
#include "model/job/trace_details.h"

namespace stepsim {

/// Content of a file that identifies who made it or lets others act in their name. Describes the content without
/// including it.
struct PrivateContent {
  std::string kind;         ///< "GitHub token", "user name", "environment and metadata"
  bool secret = false;      ///< true if it lets others act in the owner's name
  std::uint64_t count = 0;  ///< number of places where it was found
  std::string first;        ///< the first of these places: "FILE@OFFSET, member args.cmd"
};

// Counts of what the files of a capture contain, as recorded, before files are combined. `check` uses them to judge a
// capture, part of which may be unusable.

/// The events of one process in one file.
struct HostDeviceContents {
  std::optional<std::int64_t> rank;        ///< rank, as stated in the file
  std::optional<std::int64_t> world_size;  ///< number of ranks of the job, as stated in the file
  std::string host;                        ///< name of the host; this and the next two are empty if not recorded
  std::string device_name;
  std::string backend;
  bool has_base_time = false;  ///< true if its times can be compared with the times of other files
  Duration span{};             ///< time from the first start to the last end

  std::uint64_t host_threads = 0;  ///< number of threads with any event
  std::uint64_t devices = 0;       ///< number of devices with work
  std::uint64_t streams = 0;       ///< number of streams with work, over all devices
  std::uint64_t step_marks = 0;    ///< number of marked steps, by the format or by names
  std::uint64_t operators = 0;
  std::uint64_t annotations = 0;  ///< number of annotations, without the marks of steps
  std::uint64_t calls = 0;        ///< calls of the device's runtime or driver
  std::uint64_t kernels = 0;      ///< number of kernels, including those of collectives
  std::uint64_t copies = 0;       ///< number of copies, including memsets
  std::uint64_t syncs = 0;        ///< recorded waits (cuda_sync)

  std::uint64_t launches = 0;               ///< number of calls that launch device work
  std::uint64_t launches_without_work = 0;  ///< launches whose device work is missing
  std::uint64_t work_without_launch = 0;    ///< kernels, copies and memsets whose launching call is missing

  std::uint64_t collectives = 0;        ///< number of kernels that communicate
  std::uint64_t sized_collectives = 0;  ///< collectives whose size in bytes is known
  std::uint64_t sequenced_collectives = 0;
  std::uint64_t host_collectives = 0;  ///< collectives on host threads, such as gloo's

  std::uint64_t shaped_operators = 0;  ///< number of operator calls with shapes
  std::uint64_t python_calls = 0;
  std::uint64_t module_calls = 0;
  std::uint64_t memory_events = 0;
  std::uint64_t flops_events = 0;

  std::vector<OverheadUse> overheads;  ///< time taken by the profiler itself and by CUDA for its own work
};

/// One file, or one of the ranks or GPUs in a file.
struct SourceContents {
  std::string file;     ///< file name for messages
  std::string format;   ///< name of the format; empty if it is unknown
  std::string problem;  ///< why nothing in the file can be used, as text; empty if something can
  std::uint64_t events = 0;
  std::uint64_t skipped = 0;
  std::vector<HostDeviceContents> processes;
  // Of the following members, graph_tasks is set for task graphs, and the others are set for parameter-server jobs.
  std::uint64_t stages = 0;      ///< number of recorded stages of partitions: PUSH, PULL, ...
  std::uint64_t partitions = 0;  ///< number of distinct keys
  std::uint64_t operator_events = 0;
  std::uint64_t operators_with_step = 0;
  std::uint64_t operators_with_inputs = 0;
  std::uint64_t graph_nodes = 0;  ///< nodes of dag.gml
  std::uint64_t tensors = 0;      ///< tensors in lists of gradients
  std::uint64_t graph_tasks = 0;  ///< tasks of a task graph
  // The following members are set for inline profilers.
  std::uint64_t ranges = 0;   ///< number of labels, counted on each stream
  std::uint64_t samples = 0;  ///< number of measurements of these labels
};

struct CaptureContents {
  std::vector<SourceContents> sources;        ///< in order of the files
  std::vector<PrivateContent> private_parts;  ///< ordered by kind
};

}  // namespace stepsim

#endif
