#ifndef STEPSIM_MODEL_JOB_CAPTURE_CONTENTS_H
#define STEPSIM_MODEL_JOB_CAPTURE_CONTENTS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/units.h"
#include "model/job/trace_details.h"

namespace stepsim {

/// Something in a file that says who made it, or lets others act in their name. Never the thing itself.
struct PrivateContent {
  std::string kind;         ///< "GitHub token", "user name", "environment and metadata"
  bool secret = false;      ///< lets others act
  std::uint64_t count = 0;  ///< places
  std::string first;        ///< the first: "FILE@OFFSET, member args.cmd"
};

// What the files of a capture hold, counted as it was recorded, before anything is joined: what `check` judges a
// capture by, of which a part may be unusable.

/// The events of one process, of one file.
struct HostDeviceContents {
  std::optional<std::int64_t> rank;        ///< as the file says
  std::optional<std::int64_t> world_size;  ///< ranks of the job, as the file says
  std::string host;                        ///< empty: not recorded, as are the next two
  std::string device_name;
  std::string backend;
  bool has_base_time = false;  ///< times can be compared with those of other files
  Duration span{};             ///< from the first start to the last end

  std::uint64_t host_threads = 0;  ///< with any event
  std::uint64_t devices = 0;       ///< with work
  std::uint64_t streams = 0;       ///< with work, over all devices
  std::uint64_t step_marks = 0;    ///< ProfilerStep#N on host threads
  std::uint64_t operators = 0;
  std::uint64_t annotations = 0;  ///< steps' marks excepted
  std::uint64_t calls = 0;        ///< of the device's runtime or driver
  std::uint64_t kernels = 0;      ///< collectives' among them
  std::uint64_t copies = 0;       ///< memsets among them
  std::uint64_t syncs = 0;        ///< recorded waits: cuda_sync

  std::uint64_t launches = 0;               ///< calls that launch
  std::uint64_t launches_without_work = 0;  ///< of these, those whose device work is not there
  std::uint64_t work_without_launch = 0;    ///< kernels, copies and memsets whose call is not there

  std::uint64_t collectives = 0;        ///< kernels that communicate
  std::uint64_t sized_collectives = 0;  ///< of these, those of which the bytes are known
  std::uint64_t sequenced_collectives = 0;
  std::uint64_t host_collectives = 0;  ///< gloo and the like, on host threads

  std::uint64_t shaped_operators = 0;  ///< calls with shapes
  std::uint64_t python_calls = 0;
  std::uint64_t module_calls = 0;
  std::uint64_t memory_events = 0;
  std::uint64_t flops_events = 0;

  std::vector<OverheadUse> overheads;  ///< the profiler's own work, and CUDA's beside the program's
};

/// One file, or one of the ranks or GPUs that a file holds.
struct SourceContents {
  std::string file;     ///< as messages name it
  std::string format;   ///< empty: in no known one
  std::string problem;  ///< why nothing of it can be used, in words; empty if something can
  std::uint64_t events = 0;
  std::uint64_t skipped = 0;
  std::vector<HostDeviceContents> processes;
  // Of a parameter-server job.
  std::uint64_t stages = 0;      ///< stages of partitions: PUSH, PULL, ...
  std::uint64_t partitions = 0;  ///< distinct keys
  std::uint64_t operator_events = 0;
  std::uint64_t operators_with_step = 0;
  std::uint64_t operators_with_inputs = 0;
  std::uint64_t graph_nodes = 0;  ///< of dag.gml
  std::uint64_t tensors = 0;      ///< of lists of gradients
  std::uint64_t graph_tasks = 0;  ///< of a task graph
  // Of an inline profiler.
  std::uint64_t ranges = 0;   ///< labels, each on its stream
  std::uint64_t samples = 0;  ///< measurements of these
};

struct CaptureContents {
  std::vector<SourceContents> sources;        ///< in the order of the files
  std::vector<PrivateContent> private_parts;  ///< by kind
};

}  // namespace stepsim

#endif
