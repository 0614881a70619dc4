#include "ingest/load/combine.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/bytes/input.h"
#include "ingest/chrome/chrome_events.h"
#include "ingest/combined/combined_trace.h"
#include "ingest/load/discover.h"
#include "ingest/load/load.h"
#include "ingest/parts/names.h"
#include "ingest/stitch/parameter_server/gpu_passes.h"
#include "model/base/error.h"
#include "model/base/known_diagnostics.h"
#include "model/base/text.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {
/// Selects the BytePS communication to keep, by names "Comm.<tensor>" or "Comm.<tensor>.<STAGE>". A tensor may be given
/// by its name in the list of gradients or by its recorded name. All other events are kept.
class CommFilter {
 public:
  /// Throws UsageError if names are given and none of `sources` is a trace of BytePS.
  CommFilter(std::vector<std::string> names, const std::vector<Source>& sources);

  /// Returns a predicate that selects the events of `source` to keep, or an empty function if all are kept. The
  /// predicate must not outlive the filter.
  [[nodiscard]] std::function<bool(const ChromeEvent&)> make_event_filter(const Source& source);

  /// Throws UsageError, with the nearest match, if one of the names matched no event. Call this after all events have
  /// passed.
  void refuse_unused() const;

 private:
  struct Gpu {
    explicit Gpu(std::vector<std::string> list) : names(std::move(list)), numbers(names) {}
    std::vector<std::string> names;
    TensorNames numbers;
  };

  [[nodiscard]] bool keeps(std::string_view event_name, const Gpu& gpu);
  [[nodiscard]] bool has(const std::string& name);

  std::vector<std::string> names_;
  std::set<std::string> used_;
  std::set<std::string> seen_;       ///< tensors of all events, with the prefix "Comm."
  std::map<std::string, Gpu> gpus_;  ///< by folder
};

CommFilter::CommFilter(std::vector<std::string> names, const std::vector<Source>& sources) : names_(std::move(names)) {
  if (names_.empty()) return;
  for (const Source& source : sources) {
    if (source.gpu && !source.tensors.empty()) gpus_.try_emplace(source.gpu_folder, Gpu(source.tensors));
  }
  for (const Source& source : sources) {
    if (source.gpu) gpus_.try_emplace(source.gpu_folder, Gpu({}));
  }
  if (gpus_.empty()) throw UsageError("--filter applies only to BytePS traces; expected no --filter");
}

std::function<bool(const ChromeEvent&)> CommFilter::make_event_filter(const Source& source) {
  const auto gpu = gpus_.find(source.gpu_folder);
  if (gpu == gpus_.end()) return {};
  return [this, &of = gpu->second](const ChromeEvent& event) { return keeps(split_process(event.name).name, of); };
}

bool CommFilter::keeps(std::string_view event_name, const Gpu& gpu) {
  if (!event_name.starts_with(kComm)) return true;
  const StagedName staged = split_stage(event_name.substr(kComm.size()));
  const std::string stage =
      staged.stage == Stage::kTotal ? std::string{} : fmt::format(".{}", stage_name(staged.stage));
  std::vector<std::string> called{std::string(kComm) + std::string(staged.tensor)};
  if (const auto number = gpu.numbers.find(staged.tensor)) called.push_back(std::string(kComm) + gpu.names[*number]);
  bool kept = false;
  for (const std::string& tensor : called) {
    seen_.insert(tensor);
    kept = has(tensor) || kept;
    kept = (!stage.empty() && has(tensor + stage)) || kept;
  }
  return kept;
}

bool CommFilter::has(const std::string& name) {
  const bool found = std::find(names_.begin(), names_.end(), name) != names_.end();
  if (found) used_.insert(name);
  return found;
}

void CommFilter::refuse_unused() const {
  for (const std::string& name : names_) {
    if (used_.contains(name)) continue;
    const std::vector<std::string> known(seen_.begin(), seen_.end());
    const std::optional<std::string> nearest = nearest_name(name, known);
    throw UsageError(fmt::format("--filter: no communication is named '{}'; {}expected names such as {}", shown(name),
                                 nearest ? fmt::format("did you mean '{}'? ", shown(*nearest)) : "",
                                 known.empty() ? "Comm.fc1_weight" : shown(known.front())));
  }
}

namespace fs = std::filesystem;

constexpr std::size_t kLargestText = std::size_t{1} << 30U;

bool is_chrome_trace(std::string_view head) { return head.find("\"ph\"") != std::string_view::npos; }

/// Returns the deepest folder that contains all of `paths`; empty if there are no paths.
fs::path common_folder(const std::vector<fs::path>& paths) {
  fs::path common;
  for (const fs::path& path : paths) {
    if (&path == paths.data()) {
      common = path;
      continue;
    }
    fs::path shared;
    for (auto a = common.begin(), b = path.begin(); a != common.end() && b != path.end() && *a == *b; ++a, ++b)
      shared /= *a;
    common = shared;
  }
  return common;
}

/// Returns the folder to which the names of inputs are relative. The folders below it distinguish workers and GPUs.
fs::path root_of(const std::vector<Source>& sources) {
  std::vector<fs::path> folders;
  for (const Source& source : sources) {
    const fs::path gpu = source.gpu_folder;
    folders.push_back(source.gpu ? gpu.parent_path().parent_path() : gpu);
  }
  return common_folder(folders);
}

/// Finds the clock of an input: the clock of its rank's host or, in a BytePS job, of its worker.
class Clocks {
 public:
  explicit Clocks(const SourcedCapture& sourced) : clocks_(sourced.capture.recording.clocks) {
    for (const Lane& lane : sourced.capture.dag.lanes()) host_of_.try_emplace(lane.rank, lane.host);
    for (const Source& source : sourced.sources) workers_ = std::max(workers_, source.gpu ? source.worker + 1 : 0);
  }

  /// Returns the clock with which `source` was recorded; null if it is unknown.
  [[nodiscard]] const HostClock* of(const Source& source) const {
    if (source.gpu) return clocks_.size() == workers_ ? &clocks_[source.worker] : nullptr;
    if (!source.rank) return nullptr;
    const auto host = host_of_.find(*source.rank);
    const auto clock = std::find_if(clocks_.begin(), clocks_.end(), [&](const HostClock& one) {
      return host != host_of_.end() && one.host == host->second;
    });
    return clock == clocks_.end() ? nullptr : &*clock;
  }
  [[nodiscard]] std::size_t workers() const noexcept { return workers_; }

 private:
  const std::vector<HostClock>& clocks_;
  std::map<Rank, std::string> host_of_;
  std::uint32_t workers_ = 0;
};

ProcessPrefix prefix_of(const Source& source, std::size_t workers) {
  if (source.rank) return {"", fmt::format("rank{}.", *source.rank), false};
  return {workers > 1 ? fmt::format("wk{}.", source.worker) : "", fmt::format("rank{}.", source.gpu.value_or(0)), true};
}

void refuse_sources(const std::vector<Source>& sources) {
  std::size_t traces = 0;
  for (const Source& source : sources) {
    traces += source.has_events ? 1U : 0U;
    if (source.name == "standard input")
      throw UsageError("combine reads each trace twice, but standard input can be read only once; expected a file");
    if (std::error_code unknown; !fs::is_regular_file(source.name, unknown)) {
      throw UsageError(
          fmt::format("{} is inside an archive, and combine reads each trace twice; expected the archive unpacked",
                      shown(source.name)));
    }
    if (source.of_many) {
      throw InputError({source.name, {}, {}},
                       fmt::format("this {} file has several ranks and is not a Chrome trace; expected Chrome traces, "
                                   "or 'stepsim convert {} -o OUT.trace.json'",
                                   source.format, shown(source.name)));
    }
  }
  if (traces < 2)
    throw UsageError(fmt::format("{} is one trace; expected two or more to combine", shown(sources.front().name)));
}

class Combining {
 public:
  Combining(const SourcedCapture& sourced, const std::vector<std::string>& filter, std::string_view origin,
            const std::function<void(std::string_view)>& sink)
      : sourced_(sourced),
        clocks_(sourced),
        root_(root_of(sourced.sources)),
        filter_(filter, sourced.sources),
        writer_(sink, origin) {}

  std::vector<CombinedSource> run() {
    for (const Source& source : sourced_.sources) add(source);
    if (sourced_.job_text) writer_.add_text(*sourced_.job_text, {"job.yaml", "job", {}});
    filter_.refuse_unused();
    writer_.finish();
    return std::move(combined_);
  }

 private:
  void add(const Source& source) {
    Input input = Input::open(source.name);
    const CombinedFile file{fs::path(absolute_path(source.name)).lexically_relative(root_).string(),
                            std::string(source.format), prefix_of(source, clocks_.workers())};
    CombinedSource done{.name = file.name, .process = file.prefix.worker + file.prefix.rank};
    done.process.pop_back();
    if (!is_chrome_trace(input.head())) {
      if (source.has_events) {
        throw InputError({source.name, {}, {}},
                         fmt::format("this {} file is not a Chrome trace; expected one", source.format));
      }
      writer_.add_text(read_text(input.stream(), kLargestText), file);
      return combined_.push_back(std::move(done));
    }
    CombinedTraceWriter::Clock clock;
    if (const HostClock* const host = clocks_.of(source)) {
      done.host = host->host;
      done.offset = host->offset;
      done.residual = host->residual;
      clock.shift = -host->offset;
    }
    if (source.base_time != Duration{}) {
      if (!base_) base_ = source.base_time;
      clock.shift += source.base_time - *base_;
      clock.base = base_->count();
    }
    Diagnostics ignored;  // load() has already counted these
    const auto counts = writer_.add_trace(input.stream(), file, clock, filter_.make_event_filter(source), ignored);
    done.events = counts.events;
    done.left_out = counts.left_out;
    combined_.push_back(std::move(done));
  }

  const SourcedCapture& sourced_;
  Clocks clocks_;
  fs::path root_;
  CommFilter filter_;
  CombinedTraceWriter writer_;
  std::optional<Duration> base_;
  std::vector<CombinedSource> combined_;
};

}  // namespace

std::vector<CombinedSource> combine(const SourcedCapture& sourced, const std::vector<std::string>& filter,
                                    std::string_view origin, const std::function<void(std::string_view)>& sink) {
  refuse_sources(sourced.sources);
  return Combining(sourced, filter, origin, sink).run();
}

}  // namespace stepsim::ingest
