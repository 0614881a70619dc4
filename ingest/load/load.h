#ifndef STEPSIM_INGEST_LOAD_LOAD_H
#define STEPSIM_INGEST_LOAD_LOAD_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/id.h"
#include "model/base/units.h"
#include "model/job/job.h"
#include "model/job/recording.h"
#include "model/job/trace_details.h"

namespace stepsim::ingest {

/// One input of a job, and the rank or GPU it belongs to.
struct Source {
  std::string name;         ///< its path; for a member of an archive, the archive's path and the member's
  std::string_view format;  ///< name of its format
  bool has_events = false;  ///< if false, it has names and dependencies only
  bool of_many = false;     ///< it contains the traces of several ranks
  std::string gpu_folder;   ///< folder that contains it
  std::string worker_folder;
  Duration base_time{};              ///< start of its time axis, if it states one
  std::optional<Rank> rank;          ///< rank of a host and device trace
  std::optional<std::uint32_t> gpu;  ///< BytePS: GPU number within its worker
  std::uint32_t worker = 0;          ///< BytePS: worker number
  std::vector<std::string> tensors;  ///< for a list of gradients: their names in order of their numbers
};

struct ReadInputs;  // ingest/load/read.h

struct LoadOptions {
  std::optional<std::string> job_file;                         ///< --job; else job.yaml in or next to the trace folder
  std::optional<std::pair<std::int64_t, std::int64_t>> steps;  ///< --steps A-B, step numbers, inclusive
  std::vector<Rank> ranks;                                     ///< --ranks; empty = all
  bool untimed = false;  ///< also accept graphs without any event, such as dag.gml
  int threads = 1;
  const std::atomic<bool>* stop = nullptr;
  /// Called regularly with the bytes done and the bytes in total. May be empty; may be called from any thread, one call
  /// at a time.
  std::function<void(std::uint64_t, std::uint64_t)> progress;
  /// Called when a stage after reading begins: "stitching", "building the graph". May be empty.
  std::function<void(std::string_view)> stage;
  /// Called with the inputs after they were read and before they are joined. May be empty.
  std::function<void(const ReadInputs&)> inspect;
};

/// Reads every file under `traces` (files, tar and zip archives, folders, "-" for standard input), joins them into one
/// job and builds its Dag with the measured times. The result does not depend on `threads`. Throws InputError if no
/// input is usable, UsageError if --ranks or --steps matches nothing.
[[nodiscard]] Capture load(const std::vector<std::string>& traces, const LoadOptions& options);

/// A capture, and what its traces contain beyond the needs of a replay.
struct DetailedCapture {
  Capture capture;
  TraceDetails details;
};
[[nodiscard]] DetailedCapture load_with_details(const std::vector<std::string>& traces, const LoadOptions& options);

/// A capture, and the inputs that it is made from, in their order.
struct SourcedCapture {
  Capture capture;
  std::vector<Source> sources;
  std::optional<std::string> job_text;  ///< text of the job.yaml that was used
};
[[nodiscard]] SourcedCapture load_with_sources(const std::vector<std::string>& traces, const LoadOptions& options);

}  // namespace stepsim::ingest

#endif
