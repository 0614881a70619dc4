#include "ingest/load/load.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <variant>

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "ingest/config/job_file.h"
#include "ingest/load/discover.h"
#include "ingest/stitch/assembly.h"
#include "ingest/stitch/given_graph.h"
#include "ingest/stitch/host_device/host_device.h"
#include "ingest/stitch/parameter_server/parameter_server.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

struct ReadFile {
  Part part;
  ReadContext context;
  std::exception_ptr error;
};

/// Adds up what the readers of several files have done, one report at a time.
class Progress {
 public:
  Progress(const LoadOptions& options, const std::vector<FoundFile>& files)
      : options_(&options), done_(files.size(), 0) {
    for (const FoundFile& file : files) total_ += file.size;
  }

  std::function<void(std::uint64_t)> of(std::size_t file) {
    if (!options_->progress) return {};
    return [this, file](std::uint64_t consumed) {
      const std::lock_guard lock(mutex_);
      sum_ += consumed - done_[file];
      done_[file] = consumed;
      options_->progress(sum_, total_);
    };
  }

 private:
  const LoadOptions* options_;
  std::mutex mutex_;
  std::vector<std::uint64_t> done_;
  std::uint64_t sum_ = 0;
  std::uint64_t total_ = 0;
};

void read_one(const FoundFile& file, ReadFile& out) {
  try {
    const std::unique_ptr<ByteSource> source = ByteSource::open(file.path);
    out.part = file.format->read(*source, out.context);
  } catch (...) {
    out.error = std::current_exception();
  }
}

/// Reads all files side by side. The first file's error wins, whichever came first in time.
std::vector<ReadFile> read_all(const std::vector<FoundFile>& files, const LoadOptions& options) {
  std::vector<ReadFile> read(files.size());
  Progress progress(options, files);
  for (std::size_t i = 0; i < files.size(); ++i) {
    read[i].context.stop = options.stop;
    read[i].context.progress = progress.of(i);
  }
  oneapi::tbb::task_arena arena(std::max(1, options.threads));
  arena.execute([&] {
    oneapi::tbb::parallel_for(std::size_t{0}, files.size(), [&](std::size_t i) { read_one(files[i], read[i]); });
  });
  for (ReadFile& file : read) {
    if (file.error) std::rethrow_exception(file.error);
    file.context.progress = {};
  }
  return read;
}

Rank next_free(const std::set<Rank>& taken) {
  Rank rank = 0;
  while (taken.contains(rank)) ++rank;
  return rank;
}

/// Gives every trace its rank: the one it names, else the smallest that is free.
void number_ranks(std::vector<RankTrace>& ranks, Assembly& assembly) {
  std::map<Rank, std::string> claimed;
  std::set<Rank> taken;
  for (RankTrace& rank : ranks) {
    if (!rank.trace.rank) continue;
    rank.rank = static_cast<Rank>(std::clamp<std::int64_t>(*rank.trace.rank, 0, std::numeric_limits<Rank>::max()));
    const auto [slot, added] = claimed.try_emplace(rank.rank, rank.file);
    if (!added) {
      throw InputError({rank.file, {}, {}},
                       fmt::format("this trace says it is rank {}, and so does {}; expected one trace a rank",
                                   rank.rank, shown(slot->second)));
    }
    taken.insert(rank.rank);
  }
  for (RankTrace& rank : ranks) {
    if (rank.trace.rank) continue;
    rank.rank = next_free(taken);
    taken.insert(rank.rank);
    if (ranks.size() > 1) {
      assembly.assumptions.push_back({"rank_number", fmt::format("{} does not say its rank: it is taken to be rank {}",
                                                                 shown(rank.file), rank.rank)});
    }
  }
}

void keep_ranks(std::vector<RankTrace>& ranks, const std::vector<Rank>& wanted) {
  if (wanted.empty()) return;
  std::vector<std::string> present;
  present.reserve(ranks.size());
  for (const RankTrace& rank : ranks) present.push_back(std::to_string(rank.rank));
  std::erase_if(
      ranks, [&](const RankTrace& rank) { return std::find(wanted.begin(), wanted.end(), rank.rank) == wanted.end(); });
  if (ranks.empty())
    throw UsageError(fmt::format("--ranks names none of the input's ranks; expected some of {}", one_of(present)));
}

/// Stops a mix that belongs to no one job: a task graph beside other files, BytePS beside Kineto.
void refuse_mix(const std::vector<RankTrace>& ranks, const std::vector<GpuParts>& gpus,
                const std::vector<std::pair<TaskGraph, std::string>>& graphs) {
  const std::size_t kinds = (ranks.empty() ? 0U : 1U) + (gpus.empty() ? 0U : 1U) + graphs.size();
  if (kinds <= 1) return;
  if (!graphs.empty()) {
    throw InputError({graphs.back().second, {}, {}},
                     "a task graph is a whole job of its own; expected no other input beside it");
  }
  throw InputError(
      {ranks.front().file, {}, {}},
      fmt::format("this is a host and device trace, and {} holds one of BytePS; expected the files of one job",
                  shown(gpus.front().folder)));
}

/// The files of a job, by what they hold.
class JobParts {
 public:
  void add(const FoundFile& file, Part part) {
    if (auto* const trace = std::get_if<HostDeviceTrace>(&part)) {
      ranks_.push_back({std::move(*trace), file.path, 0});
    } else if (auto* const graph = std::get_if<TaskGraph>(&part)) {
      graphs_.emplace_back(std::move(*graph), file.path);
    } else {
      add_to_gpu(file, std::move(part));
    }
  }

  void stitch(const LoadOptions& options, const Job& job, Assembly& assembly) {
    std::vector<GpuParts> gpus = numbered_gpus(assembly);
    refuse_mix(ranks_, gpus, graphs_);
    if (!graphs_.empty()) return stitch_given_graph(graphs_.front().first, assembly);
    if (!gpus.empty()) {
      keep_gpus(gpus, options.ranks);
      return stitch_parameter_server(std::move(gpus), job, assembly);
    }
    if (ranks_.empty())
      throw InputError({}, "the input holds names and dependencies, but no events; expected a trace with times");
    number_ranks(ranks_, assembly);
    keep_ranks(ranks_, options.ranks);
    stitch_host_device(std::move(ranks_), assembly);
  }

 private:
  using FolderOrder = bool (*)(std::string_view, std::string_view) noexcept;
  using Gpus = std::map<std::string, GpuParts, FolderOrder>;

  template <class T>
  static void put(std::optional<T>& slot, Part& part, const FoundFile& file) {
    auto* const value = std::get_if<T>(&part);
    if (value == nullptr) return;
    if (slot) {
      throw InputError({file.path, {}, {}},
                       "the folder of this file holds another one of the same kind; expected one of each a GPU");
    }
    slot = std::move(*value);
  }

  void add_to_gpu(const FoundFile& file, Part part) {
    Gpus& worker = workers_.try_emplace(file.worker_folder, Gpus(&natural_less)).first->second;
    GpuParts& gpu = worker[file.gpu_folder];
    gpu.folder = file.gpu_folder;
    put(gpu.stages, part, file);
    put(gpu.operators, part, file);
    put(gpu.graph, part, file);
    put(gpu.tensors, part, file);
  }

  /// Worker and local rank by the folders' natural order. A folder without any events (a GML
  /// or a name list alone) is no GPU of the job.
  std::vector<GpuParts> numbered_gpus(Assembly& assembly) {
    std::vector<GpuParts> gpus;
    std::uint32_t worker = 0;
    for (auto& [folder, parts] : workers_) {
      std::uint32_t local_rank = 0;
      for (auto& [gpu_folder, gpu] : parts) {
        if (!gpu.stages && !gpu.operators) {
          assembly.diagnostics.count("folder_without_events", Severity::kNotice,
                                     "a dag.gml or a name list without comm.json or operators beside it tells nothing",
                                     {gpu_folder, {}, {}});
          continue;
        }
        gpu.worker = worker;
        gpu.local_rank = local_rank++;
        gpu.host = std::filesystem::path(folder).filename().string();
        gpus.push_back(std::move(gpu));
      }
      if (local_rank > 0) ++worker;
    }
    return gpus;
  }

  /// --ranks for BytePS: the k-th GPU of the job, counted over workers, is rank k.
  static void keep_gpus(std::vector<GpuParts>& gpus, const std::vector<Rank>& wanted) {
    if (wanted.empty()) return;
    const auto count = static_cast<Rank>(gpus.size());
    std::vector<GpuParts> kept;
    for (Rank rank = 0; rank < count; ++rank) {
      if (std::find(wanted.begin(), wanted.end(), rank) != wanted.end())
        kept.push_back(std::move(gpus[static_cast<std::size_t>(rank)]));
    }
    if (kept.empty())
      throw UsageError(fmt::format("--ranks names none of the input's ranks; expected some of 0 to {}", count - 1));
    gpus = std::move(kept);
  }

  std::vector<RankTrace> ranks_;
  std::vector<std::pair<TaskGraph, std::string>> graphs_;
  std::map<std::string, Gpus, FolderOrder> workers_{&natural_less};
};

}  // namespace

Capture load(const std::vector<std::string>& traces, const LoadOptions& options) {
  Assembly assembly;
  const std::optional<std::string> job_file = options.job_file ? options.job_file : find_job_file(traces);
  const Job job = job_file ? read_job_file(*job_file) : Job{};
  const std::vector<FoundFile> files = discover(traces, assembly.diagnostics);
  std::vector<ReadFile> read = read_all(files, options);
  Capture counts;
  JobParts parts;
  for (std::size_t i = 0; i < files.size(); ++i) {
    assembly.diagnostics.merge(read[i].context.diagnostics);
    counts.events += read[i].context.events;
    counts.skipped += read[i].context.skipped;
    counts.inputs.push_back(files[i].path);
    parts.add(files[i], std::move(read[i].part));
  }
  if (job_file) counts.inputs.push_back(*job_file);
  parts.stitch(options, job, assembly);
  if (options.steps) keep_steps(assembly, options.steps->first, options.steps->second);
  Capture capture = finish(std::move(assembly));
  capture.job = job;
  capture.events = counts.events;
  capture.skipped = counts.skipped;
  capture.inputs = std::move(counts.inputs);
  return capture;
}

}  // namespace stepsim::ingest
