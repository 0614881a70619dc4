#include "ingest/load.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <variant>

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "ingest/discover.h"
#include "ingest/stitch/assembly.h"
#include "ingest/stitch/host_device.h"
#include "model/text.h"

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
  Progress(const LoadOptions& options, const std::vector<FoundFile>& files) : options_(&options), done_(files.size(), 0) {
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
  arena.execute([&] { oneapi::tbb::parallel_for(std::size_t{0}, files.size(), [&](std::size_t i) { read_one(files[i], read[i]); }); });
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
      throw InputError({rank.file, {}, {}}, fmt::format("this trace says it is rank {}, and so does {}; expected one trace a rank", rank.rank, shown(slot->second)));
    }
    taken.insert(rank.rank);
  }
  for (RankTrace& rank : ranks) {
    if (rank.trace.rank) continue;
    rank.rank = next_free(taken);
    taken.insert(rank.rank);
    if (ranks.size() > 1) assembly.assumptions.push_back(fmt::format("{} does not say its rank: it is taken to be rank {}", shown(rank.file), rank.rank));
  }
}

void keep_ranks(std::vector<RankTrace>& ranks, const std::vector<Rank>& wanted) {
  if (wanted.empty()) return;
  std::vector<std::string> present;
  for (const RankTrace& rank : ranks) present.push_back(std::to_string(rank.rank));
  std::erase_if(ranks, [&](const RankTrace& rank) { return std::find(wanted.begin(), wanted.end(), rank.rank) == wanted.end(); });
  if (ranks.empty()) throw UsageError(fmt::format("--ranks names none of the input's ranks; expected some of {}", one_of(present)));
}

}  // namespace

Capture load(const std::vector<std::string>& traces, const LoadOptions& options) {
  Assembly assembly;
  const std::vector<FoundFile> files = discover(traces, assembly.diagnostics);
  std::vector<ReadFile> read = read_all(files, options);
  std::uint64_t events = 0;
  std::uint64_t skipped = 0;
  std::vector<RankTrace> ranks;
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < files.size(); ++i) {
    assembly.diagnostics.merge(read[i].context.diagnostics);
    events += read[i].context.events;
    skipped += read[i].context.skipped;
    inputs.push_back(files[i].path);
    if (auto* const trace = std::get_if<HostDeviceTrace>(&read[i].part)) ranks.push_back({std::move(*trace), files[i].path, 0});
  }
  number_ranks(ranks, assembly);
  keep_ranks(ranks, options.ranks);
  stitch_host_device(std::move(ranks), assembly);
  if (options.steps) keep_steps(assembly, options.steps->first, options.steps->second);
  Capture capture = finish(std::move(assembly));
  capture.events = events;
  capture.skipped = skipped;
  capture.inputs = std::move(inputs);
  return capture;
}

}  // namespace stepsim::ingest
