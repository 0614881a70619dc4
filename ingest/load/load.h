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

/// One input of a job, and whose it is.
struct Source {
  std::string name;         ///< its path, or that of an archive and of a member in it
  std::string_view format;  ///< the name of its format
  bool has_events = false;  ///< else names and dependencies only
  bool of_many = false;     ///< it holds the traces of several ranks
  std::string gpu_folder;   ///< the folder that it lies in
  std::string worker_folder;
  Duration base_time{};              ///< what its times count from, where it says so
  std::optional<Rank> rank;          ///< of a host and device trace
  std::optional<std::uint32_t> gpu;  ///< of BytePS: which one of its worker
  std::uint32_t worker = 0;          ///< of BytePS
  std::vector<std::string> tensors;  ///< of a list of gradients: their names, by number
};

struct ReadInputs;  // ingest/load/read.h

struct LoadOptions {
  std::optional<std::string> job_file;                         ///< --job; else job.yaml in or beside the trace folder
  std::optional<std::pair<std::int64_t, std::int64_t>> steps;  ///< --steps A-B, step numbers, inclusive
  std::vector<Rank> ranks;                                     ///< --ranks; empty = all
  bool untimed = false;                                        ///< graphs without any event, such as dag.gml, will do
  int threads = 1;
  const std::atomic<bool>* stop = nullptr;
  /// Called now and then: bytes done, bytes in all. May be empty; may be called from any thread, one at a time.
  std::function<void(std::uint64_t, std::uint64_t)> progress;
  /// Called with what was read, before it is joined. May be empty.
  std::function<void(const ReadInputs&)> inspect;
};

/// Reads every file under `traces` (files, tar and zip archives, folders, "-" for standard input), joins them into one
/// job and builds its Dag with what was measured. The result does not depend on `threads`. Throws InputError if nothing
/// can be used, UsageError if --ranks or --steps name nothing.
[[nodiscard]] Capture load(const std::vector<std::string>& traces, const LoadOptions& options);

/// The same, and what the traces hold beside what a replay needs.
struct DetailedCapture {
  Capture capture;
  TraceDetails details;
};
[[nodiscard]] DetailedCapture load_with_details(const std::vector<std::string>& traces, const LoadOptions& options);

/// The same, and the inputs that it is made from, in their order.
struct SourcedCapture {
  Capture capture;
  std::vector<Source> sources;
  std::optional<std::string> job_text;  ///< the job.yaml that was used
};
[[nodiscard]] SourcedCapture load_with_sources(const std::vector<std::string>& traces, const LoadOptions& options);

}  // namespace stepsim::ingest

#endif
