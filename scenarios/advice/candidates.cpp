#include "scenarios/advice/candidates.h"

#include <algorithm>
#include <array>
#include <utility>

#include "scenarios/advice/proposals.h"

// The changes that `stepsim advise` tries, one entry for each kind of change. To try another kind, add an entry here,
// and a function in proposals.cpp if its settings depend on the job.

namespace stepsim::scenarios {
namespace {

struct Entry {
  Effort effort;
  std::string_view what;
  std::string_view key;  ///< the first key that it changes
  std::string_view value{};
  Proposals (*propose)(const Situation& situation) = nullptr;
  bool one_of = false;  ///< true if its proposals are values of one setting
};

/// The changes to try, in this order. An entry without `propose` is one change, which sets `key` to `value`; otherwise
/// `propose` returns the changes for a job.
constexpr std::array kEntries{
    Entry{.effort = Effort::kSetting,
          .what = "change the partition size (BYTEPS_PARTITION_BYTES)",
          .key = "comm.partition_bytes",
          .propose = partitions,
          .one_of = true},
    Entry{.effort = Effort::kSetting,
          .what = "send the layers needed first ahead of others (BYTEPS_SCHEDULING_CREDIT)",
          .key = "comm.schedule",
          .propose = priority,
          .one_of = true},
    Entry{.effort = Effort::kSetting,
          .what = "drop the global barrier (each layer waits only for its own gradient)",
          .key = "comm.barrier",
          .propose = cross_barrier},
    Entry{.effort = Effort::kSetting,
          .what = "drop the global barrier and send the layers needed first ahead of others",
          .key = "comm.barrier",
          .propose = cross_barrier_with_priority,
          .one_of = true},
    Entry{.effort = Effort::kSetting,
          .what = "send acknowledgements and requests ahead of bulk data",
          .key = "comm.control",
          .propose = control_first},
    Entry{.effort = Effort::kSetting,
          .what = "change the gradient bucket size (bucket_cap_mb)",
          .key = "comm.bucket_bytes",
          .propose = buckets,
          .one_of = true},
    Entry{.effort = Effort::kSetting,
          .what = "use another collective algorithm",
          .key = "comm.algorithm",
          .propose = algorithms,
          .one_of = true},
    Entry{.effort = Effort::kSetting,
          .what = "run matrix products in TF32 (allow_tf32)",
          .key = "precision.to",
          .value = "tf32"},
    Entry{.effort = Effort::kSetting,
          .what = "use twice as many worker processes for data loading (num_workers)",
          .key = "loader.workers",
          .propose = more_loaders},
    Entry{.effort = Effort::kSetting,
          .what = "use worker processes for data loading (num_workers; assumes that they keep up)",
          .key = "compute{name=DataLoader}.scale",
          .propose = loading_in_workers},
    Entry{.effort = Effort::kCode,
          .what = "use mixed precision (torch.autocast)",
          .key = "precision.to",
          .propose = half_precision,
          .one_of = true},
    Entry{.effort = Effort::kCode,
          .what = "use CUDA graphs (launches take no CPU time)",
          .key = "launch.overhead",
          .value = "0us"},
    Entry{.effort = Effort::kCode,
          .what = "fuse elementwise kernels (torch.compile)",
          .key = "fuse{class=elementwise}.most",
          .value = "100"},
    Entry{.effort = Effort::kCode,
          .what = "overlap copies with kernels (pinned memory, non_blocking=True, own stream)",
          .key = "overlap.copies",
          .value = "apart"},
    Entry{.effort = Effort::kCode,
          .what = "remove barriers within a step",
          .key = "overlap.barriers",
          .propose = no_barriers},
    Entry{.effort = Effort::kCode,
          .what = "overlap gradient reduction with the backward pass (async_op=True)",
          .key = "overlap.collectives",
          .value = "asynchronous"},
    Entry{.effort = Effort::kCode,
          .what = "reduce each gradient as soon as it is ready (hooks of the backward pass)",
          .key = "comm.start",
          .propose = early_reductions},
    Entry{.effort = Effort::kCode,
          .what = "gather parameters one layer earlier (forward_prefetch, backward_prefetch)",
          .key = "overlap.prefetch",
          .propose = prefetch},
    Entry{.effort = Effort::kCode,
          .what = "make kernels of one class twice as fast",
          .key = "compute{class=...}.scale",
          .propose = longest_classes},
    Entry{.effort = Effort::kCode,
          .what = "avoid pauses of the CPU (cores of its own for each process, no garbage collection in a step)",
          .key = "host.pauses",
          .propose = no_pauses},
    Entry{.effort = Effort::kCode,
          .what = "halve the time waiting for data (faster loading, or more worker processes)",
          .key = "loader.scale",
          .propose = half_waits_for_data},
    Entry{.effort = Effort::kCode,
          .what = "make data loading in the training process twice as fast",
          .key = "compute{name=DataLoader}.scale",
          .propose = faster_loading},
    Entry{.effort = Effort::kHardware,
          .what = "make the slowest rank as fast as the others",
          .key = "compute{rank=...}.scale",
          .propose = slowest_rank},
    Entry{.effort = Effort::kCode, .what = "start all ranks at the same time", .key = "start.delay", .value = "0us"},
    Entry{.effort = Effort::kHardware,
          .what = "use links with twice the bandwidth",
          .key = "network.bandwidth",
          .value = "2x"},
    Entry{.effort = Effort::kHardware,
          .what = "use links inside hosts with twice the bandwidth (NVLink, PCIe)",
          .key = "network.inside",
          .value = "2x"},
    Entry{.effort = Effort::kHardware,
          .what = "use links between hosts with twice the bandwidth (NICs, switches)",
          .key = "network.between",
          .value = "2x"},
    Entry{.effort = Effort::kHardware,
          .what = "use links with half the latency",
          .key = "network.latency",
          .value = "0.5x"},
    Entry{.effort = Effort::kHardware,
          .what = "add parameter servers",
          .key = "cluster.servers",
          .propose = more_servers,
          .one_of = true},
    Entry{.effort = Effort::kHardware,
          .what = "use GPUs twice as fast (CPUs if the job has no GPUs)",
          .key = "compute.scale",
          .value = "0.5"},
    Entry{.effort = Effort::kHardware,
          .what = "use a faster CPU (30 % less CPU time, a typical difference between servers)",
          .key = "host.scale",
          .value = "0.7"},
    Entry{.effort = Effort::kLimit, .what = "no network time", .key = "network.bandwidth", .propose = free_network},
    Entry{.effort = Effort::kLimit, .what = "no compute time", .key = "compute.scale", .value = "0"},
    Entry{.effort = Effort::kLimit, .what = "no CPU time", .key = "host.scale", .value = "0"},
    Entry{.effort = Effort::kLimit, .what = "no waiting for data", .key = "loader.scale", .propose = no_waits_for_data},
    Entry{.effort = Effort::kLimit,
          .what = "no copies to, from or within GPUs",
          .key = "remove{kind=copy}.share",
          .propose = no_copies},
    Entry{.effort = Effort::kLimit,
          .what = "no time in long calls of the driver",
          .key = "host{name=...}.scale",
          .propose = no_long_calls},
};

}  // namespace

std::string_view to_text(Effort effort) noexcept {
  constexpr std::array<std::string_view, 4> kNames{"setting", "code", "hardware", "limit"};
  return kNames[static_cast<std::size_t>(effort)];
}

std::string name_of(const Candidate& candidate) { return candidate.what + " [" + to_text(candidate.settings) + "]"; }

void leave_out(std::string change, std::string reason, std::vector<LeftOut>& left_out) {
  const auto known = std::find_if(left_out.begin(), left_out.end(),
                                  [&reason](const LeftOut& entry) { return entry.reason == reason; });
  LeftOut& entry = known == left_out.end() ? left_out.emplace_back(LeftOut{{}, std::move(reason)}) : *known;
  if (std::find(entry.changes.begin(), entry.changes.end(), change) == entry.changes.end())
    entry.changes.push_back(std::move(change));
}

Candidates candidates_for(const Situation& situation) {
  Candidates candidates;
  std::size_t family = 0;
  for (const Entry& entry : kEntries) {
    const Setting fixed{std::string(entry.key), std::string(entry.value)};
    Proposals proposals = entry.propose == nullptr ? Proposals{{{{fixed}}}} : entry.propose(situation);
    if (proposals.list.empty()) leave_out(fixed.key, std::move(proposals.reason), candidates.left_out);
    for (Proposal& proposal : proposals.list) {
      candidates.tried.push_back({.effort = entry.effort,
                                  .what = proposal.what.empty() ? std::string(entry.what) : std::move(proposal.what),
                                  .settings = std::move(proposal.settings),
                                  .family = family});
      if (!entry.one_of) ++family;
    }
    ++family;
  }
  return candidates;
}

}  // namespace stepsim::scenarios
