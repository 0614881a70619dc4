#include "scenarios/advice/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "model/cost/collective/algorithm.h"
#include "model/cost/collective/nccl_assumption.h"
#include "model/cost/network/transfers.h"

// What advise tries: one entry a kind of change, in the table at the end. A new one is a line there, with a function
// above it if it depends on the job.

namespace stepsim::scenarios {
namespace {

/// One change of an entry; without `what`, the entry's.
struct Proposal {
  std::vector<Setting> settings;
  std::string what{};
};

/// The changes of an entry for a job, or the reason why there are none.
struct Proposals {
  std::vector<Proposal> list;
  std::string reason{};
};

struct Entry {
  Effort effort;
  std::string_view what;
  std::string_view key;  ///< the first that it changes
  std::string_view value{};
  Proposals (*propose)(const Situation& situation) = nullptr;
  bool one_of = false;  ///< its proposals are values of one setting
};

/// Of the size that a job has, the nearest first: of sizes that do as well, the first is advised.
constexpr std::array kSizeFactors{0.5, 2.0, 0.25, 4.0, 0.125};
constexpr std::array kCreditPartitions{4, 16};
/// Classes of kernels that are asked about: the longest ones, if they are a share of device work that can matter.
constexpr std::size_t kMostClasses = 3;
constexpr double kLeastShare = 0.05;
/// A rank that computes this much longer than the others is one that a repair may help.
constexpr double kLeastStraggling = 1.02;
/// A factor at which a link's time is nothing beside everything else.
constexpr std::string_view kNoLimit = "1000x";

Proposals none(std::string reason) { return {{}, std::move(reason)}; }

/// "250KiB" where that is exact, else "4096000": as a scenario takes it.
std::string size_text(Bytes bytes) {
  constexpr std::int64_t kKibi = 1024;
  const std::int64_t count = bytes.count();
  if (count % (kKibi * kKibi) == 0) return fmt::format("{}MiB", count / (kKibi * kKibi));
  return count % kKibi == 0 ? fmt::format("{}KiB", count / kKibi) : fmt::format("{}", count);
}

Bytes times(Bytes size, double factor) {
  return Bytes{std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(size.count()) * factor))};
}

Proposals other_sizes(const std::string& key, Bytes now) {
  Proposals proposals;
  for (const double factor : kSizeFactors) proposals.list.push_back({{{key, size_text(times(now, factor))}}});
  return proposals;
}

const Capture& captured(const Situation& situation) { return *situation.plan.captured; }
bool has_servers(const Situation& situation) { return captured(situation).parameter_server != nullptr; }

constexpr std::string_view kNoServers = "the job has no parameter servers";
constexpr std::string_view kOnlyServers = "the job has parameter servers and no collectives";
constexpr std::string_view kNoSize = "the size of partitions is not known; job.yaml's partition_bytes says it";

Proposals partitions(const Situation& situation) {
  if (!has_servers(situation)) return none(std::string(kNoServers));
  const auto size = situation.plan.job.partition_bytes;
  return size ? other_sizes("comm.partition_bytes", *size) : none(std::string(kNoSize));
}

/// Priorities with several bounds on the pushes under way. Without a bound the network's queue decides, in the order in
/// which partitions came.
Proposals priorities(const Situation& situation, const std::vector<Setting>& besides) {
  if (!has_servers(situation)) return none(std::string(kNoServers));
  const auto size = situation.plan.job.partition_bytes;
  if (!size) return none(std::string(kNoSize));
  Proposals proposals;
  for (const int partitions : kCreditPartitions) {
    std::vector<Setting> settings = besides;
    settings.push_back({"comm.schedule", "priority"});
    settings.push_back({"comm.credit_bytes", size_text(times(*size, partitions))});
    proposals.list.push_back({std::move(settings)});
  }
  return proposals;
}

Proposals priority(const Situation& situation) { return priorities(situation, {}); }

Proposals cross_barrier(const Situation& situation) {
  if (!has_servers(situation)) return none(std::string(kNoServers));
  if (situation.plan.job.barrier == Barrier::kCross) return none("the job has no global barrier");
  return {{{{{"comm.barrier", "cross"}}}}, {}};
}

Proposals cross_barrier_with_priority(const Situation& situation) {
  if (situation.plan.job.barrier == Barrier::kCross) return none("the job has no global barrier");
  return priorities(situation, {{"comm.barrier", "cross"}});
}

Proposals control_first(const Situation& situation) {
  if (!has_servers(situation)) return none(std::string(kNoServers));
  if (situation.plan.job.control == Control::kFirst) return none("the job does so already");
  return {{{{{"comm.control", "first"}}}}};
}

/// Where job.yaml does not say, the largest gradient bucket that was captured.
std::optional<Bytes> bucket_size(const Situation& situation) {
  if (situation.plan.job.bucket_bytes) return situation.plan.job.bucket_bytes;
  Bytes largest{};
  const Dag& dag = captured(situation).dag;
  for (std::size_t i = 0; i < dag.rendezvous_count(); ++i) {
    const Collective& collective = dag.collective(RendezvousId{i});
    if (collective.op == CollectiveOp::kAllReduce) largest = std::max(largest, collective.bytes);
  }
  return largest > Bytes{} ? std::optional(largest) : std::nullopt;
}

Proposals buckets(const Situation& situation) {
  if (has_servers(situation)) return none(std::string(kOnlyServers));
  const auto size = bucket_size(situation);
  return size ? other_sizes("comm.bucket_bytes", *size) : none("the capture has no all-reduce that says its size");
}

Proposals algorithms(const Situation& situation) {
  if (has_servers(situation)) return none(std::string(kOnlyServers));
  if (!has_sized_collectives(captured(situation)))
    return none("the capture has no collective of several ranks that says what it transfers");
  if (!nccl_assumptions(captured(situation).dag, situation.plan.cluster).empty())
    return none("NCCL chooses the algorithm of each collective itself");
  Proposals proposals;
  for (const CollectiveModel* const model : collective_models()) {
    if (model->whole == nullptr) proposals.list.push_back({{{"comm.algorithm", std::string(model->name)}}});
  }
  return proposals;
}

/// A device may have units for one of them only.
Proposals half_precision(const Situation& /*situation*/) {
  return {{{{{"precision.to", "bf16"}}}, {{{"precision.to", "fp16"}}}}};
}

Proposals more_servers(const Situation& situation) {
  if (!has_servers(situation)) return none(std::string(kNoServers));
  const std::uint32_t now = situation.plan.job.servers.value_or(1);
  Proposals proposals{{{{{"cluster.servers", std::to_string(now + 1)}}}}};
  if (now > 1) proposals.list.push_back({{{"cluster.servers", std::to_string(2 * now)}}});
  return proposals;
}

Proposals no_barriers(const Situation& situation) {
  if (has_servers(situation)) return none("comm.barrier=cross is the same for parameter servers");
  return {{{{{"overlap.barriers", "off"}}}}};
}

/// Whether work on the kernels of a class can make them faster: the others move data, or wait for someone.
bool is_computed(KernelClass kernel_class) {
  switch (kernel_class) {
    case KernelClass::kHostCopy:
    case KernelClass::kStagedCopy:
    case KernelClass::kMemset:
    case KernelClass::kCollective:
    case KernelClass::kUnknown: return false;
    default: return true;
  }
}

Proposals longest_classes(const Situation& situation) {
  Proposals proposals;
  for (const sim::TaskGroup& group : situation.tasks.classes) {
    if (proposals.list.size() == kMostClasses) break;
    if (!is_computed(group.kernel_class) || group.share < kLeastShare) continue;
    proposals.list.push_back({{{fmt::format("compute{{class={}}}.scale", group.name), "0.5"}},
                              fmt::format("{} kernels twice as fast", group.name)});
  }
  if (proposals.list.empty()) proposals.reason = "the capture has no device work of a known class";
  return proposals;
}

Proposals data_loading(const Situation& situation, std::string_view scale) {
  const auto loads = [](const sim::TaskGroup& group) { return group.name.find("DataLoader") != std::string::npos; };
  if (std::none_of(situation.tasks.names.begin(), situation.tasks.names.end(), loads))
    return none("the capture has no task that is named after a DataLoader");
  return {{{{{"compute{name=DataLoader}.scale", std::string(scale)}}}}};
}

Proposals faster_loading(const Situation& situation) { return data_loading(situation, "0.5"); }
Proposals free_loading(const Situation& situation) { return data_loading(situation, "0"); }

/// The rank that computes longest, at the pace of the middle one of the others.
Proposals slowest_rank(const Situation& situation) {
  std::vector<std::pair<Duration, Rank>> ranks;
  for (const sim::RankBreakdown& rank : situation.summary.ranks) {
    const Duration compute = rank.compute == Duration{} ? rank.host : rank.compute;
    if (compute > Duration{}) ranks.emplace_back(compute, rank.rank);
  }
  if (ranks.size() < 2) return none("the capture has one rank");
  std::sort(ranks.begin(), ranks.end());
  const auto [slowest, rank] = ranks.back();
  const Duration usual = ranks[(ranks.size() - 1) / 2].first;
  const double factor = static_cast<double>(usual.count()) / static_cast<double>(slowest.count());
  if (factor * kLeastStraggling > 1) return none("all ranks compute about as long");
  return {{{{{fmt::format("compute{{rank={}}}.scale", rank), fmt::format("{:.3g}", factor)}},
            fmt::format("rank {} computes as fast as the others", rank)}}};
}

Proposals free_network(const Situation& situation) {
  Proposal proposal{{{"network.bandwidth", std::string(kNoLimit)}}};
  if (situation.plan.network->make != nullptr && uses_links(captured(situation)))
    proposal.settings.push_back({"network.latency", "0us"});
  return {{std::move(proposal)}};
}

Proposals no_copies(const Situation& situation) {
  const auto copies = [](const sim::TaskGroup& group) { return group.kind == TaskKind::kCopy; };
  if (std::none_of(situation.tasks.kinds.begin(), situation.tasks.kinds.end(), copies))
    return none("the capture has no copies");
  return {{{{{"remove{kind=copy}.share", "1"}}}}};
}

/// What is tried, in this order. Where nothing depends on the job, `set` is the change.
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
          .what = "kernels of a class twice as fast",
          .key = "compute{class=...}.scale",
          .propose = longest_classes},
    Entry{.effort = Effort::kCode,
          .what = "data loading twice as fast (more workers)",
          .key = "compute{name=DataLoader}.scale",
          .propose = faster_loading},
    Entry{.effort = Effort::kHardware,
          .what = "the slowest rank as fast as the others",
          .key = "compute{rank=...}.scale",
          .propose = slowest_rank},
    Entry{.effort = Effort::kHardware, .what = "links of twice the rate", .key = "network.bandwidth", .value = "2x"},
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
          .what = "data loading takes no time",
          .key = "compute{name=DataLoader}.scale",
          .propose = free_loading},
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
