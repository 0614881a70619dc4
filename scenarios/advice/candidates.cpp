#include "scenarios/advice/candidates.h"

#include <algorithm>
#include <array>
#include <utility>

#include "scenarios/advice/proposals.h"

// What advise tries: one entry a kind of change. A new one is an entry here, with a function in proposals.cpp if it
// depends on the job.

namespace stepsim::scenarios {
namespace {

struct Entry {
  Effort effort;
  std::string_view what;
  std::string_view key;  ///< the first that it changes
  std::string_view value{};
  Proposals (*propose)(const Situation& situation) = nullptr;
  bool one_of = false;  ///< its proposals are values of one setting
};

/// What is tried, in this order. Where nothing depends on the job, the change is `key` with `value`.
constexpr std::array kEntries{
    Entry{.effort = Effort::kSetting,
          .what = "another size of partitions (BYTEPS_PARTITION_BYTES)",
          .key = "comm.partition_bytes",
          .propose = partitions,
          .one_of = true},
    Entry{.effort = Effort::kSetting,
          .what = "layers that are needed first go first, and pushes under way are bounded (BYTEPS_SCHEDULING_CREDIT)",
          .key = "comm.schedule",
          .propose = priority,
          .one_of = true},
    Entry{.effort = Effort::kSetting,
          .what = "a layer's next forward pass waits for its own gradient only",
          .key = "comm.barrier",
          .propose = cross_barrier},
    Entry{.effort = Effort::kSetting,
          .what =
              "a layer's next forward pass waits for its own gradient only, and layers that are needed first go first",
          .key = "comm.barrier",
          .propose = cross_barrier_with_priority,
          .one_of = true},
    Entry{.effort = Effort::kSetting,
          .what = "acknowledgements and requests go ahead of bulk data",
          .key = "comm.control",
          .propose = control_first},
    Entry{.effort = Effort::kSetting,
          .what = "another size of gradient buckets (bucket_cap_mb)",
          .key = "comm.bucket_bytes",
          .propose = buckets,
          .one_of = true},
    Entry{.effort = Effort::kSetting,
          .what = "another algorithm of collectives",
          .key = "comm.algorithm",
          .propose = algorithms,
          .one_of = true},
    Entry{.effort = Effort::kSetting, .what = "products in TF32 (allow_tf32)", .key = "precision.to", .value = "tf32"},
    Entry{.effort = Effort::kSetting,
          .what = "twice as many processes that load data (num_workers)",
          .key = "loader.workers",
          .propose = more_loaders},
    Entry{.effort = Effort::kCode,
          .what = "mixed precision (torch.autocast)",
          .key = "precision.to",
          .propose = half_precision,
          .one_of = true},
    Entry{.effort = Effort::kCode,
          .what = "launches cost the host nothing (CUDA graphs)",
          .key = "launch.overhead",
          .value = "0us"},
    Entry{.effort = Effort::kCode,
          .what = "elementwise kernels fused (torch.compile)",
          .key = "fuse{class=elementwise}.most",
          .value = "100"},
    Entry{.effort = Effort::kCode,
          .what = "copies beside kernels (pinned memory, non_blocking=True, a stream of their own)",
          .key = "overlap.copies",
          .value = "apart"},
    Entry{.effort = Effort::kCode,
          .what = "no barriers within a step",
          .key = "overlap.barriers",
          .propose = no_barriers},
    Entry{.effort = Effort::kCode,
          .what = "gradients are reduced beside the backward pass (async_op=True)",
          .key = "overlap.collectives",
          .value = "asynchronous"},
    Entry{.effort = Effort::kCode,
          .what = "parameters are gathered one layer earlier (forward_prefetch, backward_prefetch)",
          .key = "overlap.prefetch",
          .propose = prefetch},
    Entry{.effort = Effort::kCode,
          .what = "kernels of a class twice as fast",
          .key = "compute{class=...}.scale",
          .propose = longest_classes},
    Entry{.effort = Effort::kCode,
          .what = "half as much waiting for data (faster loading, or more processes that load)",
          .key = "loader.scale",
          .propose = half_waits_for_data},
    Entry{.effort = Effort::kCode,
          .what = "data loading in the training process twice as fast",
          .key = "compute{name=DataLoader}.scale",
          .propose = faster_loading},
    Entry{.effort = Effort::kHardware,
          .what = "the slowest rank as fast as the others",
          .key = "compute{rank=...}.scale",
          .propose = slowest_rank},
    Entry{
        .effort = Effort::kHardware, .what = "all ranks begin at the same time", .key = "start.delay", .value = "0us"},
    Entry{.effort = Effort::kHardware, .what = "links of twice the rate", .key = "network.bandwidth", .value = "2x"},
    Entry{.effort = Effort::kHardware,
          .what = "links inside hosts of twice the rate (NVLink, PCIe)",
          .key = "network.inside",
          .value = "2x"},
    Entry{.effort = Effort::kHardware,
          .what = "links between hosts of twice the rate (NICs, switches)",
          .key = "network.between",
          .value = "2x"},
    Entry{.effort = Effort::kHardware, .what = "links of half the latency", .key = "network.latency", .value = "0.5x"},
    Entry{.effort = Effort::kHardware,
          .what = "more parameter servers",
          .key = "cluster.servers",
          .propose = more_servers,
          .one_of = true},
    Entry{.effort = Effort::kHardware,
          .what = "devices, or processors where there are none, twice as fast",
          .key = "compute.scale",
          .value = "0.5"},
    Entry{.effort = Effort::kHardware,
          .what = "a faster host processor, as far as those of servers of one time differ",
          .key = "host.scale",
          .value = "0.7"},
    Entry{.effort = Effort::kLimit, .what = "links take no time", .key = "network.bandwidth", .propose = free_network},
    Entry{.effort = Effort::kLimit, .what = "compute takes no time", .key = "compute.scale", .value = "0"},
    Entry{.effort = Effort::kLimit, .what = "host work takes no time", .key = "host.scale", .value = "0"},
    Entry{.effort = Effort::kLimit,
          .what = "data loading in the training process takes no time",
          .key = "compute{name=DataLoader}.scale",
          .propose = free_loading},
    Entry{.effort = Effort::kLimit,
          .what = "the next batch of data is always there",
          .key = "loader.scale",
          .propose = no_waits_for_data},
    Entry{.effort = Effort::kLimit,
          .what = "no copies to, from and within devices",
          .key = "remove{kind=copy}.share",
          .propose = no_copies},
};

}  // namespace

std::string_view to_text(Effort effort) noexcept {
  constexpr std::array<std::string_view, 4> kNames{"setting", "code", "hardware", "limit"};
  return kNames[static_cast<std::size_t>(effort)];
}

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
