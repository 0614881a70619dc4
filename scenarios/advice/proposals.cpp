#include "scenarios/advice/proposals.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "model/cost/collective/algorithm.h"
#include "model/cost/collective/nccl_times.h"
#include "model/cost/network/network.h"
#include "model/job/task_names.h"
#include "model/rewrite/early_reductions.h"
#include "scenarios/change/selection.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/rank_steps.h"

namespace stepsim::scenarios {
namespace {

constexpr std::string_view kName = "advise";
constexpr std::string_view kPlace = "advise:1: ";

YamlValue scalar(const std::string& text) { return {YamlValue::Kind::kScalar, 1, text, {}}; }

using sim::ratio;

/// Factors by which a size of the job (of partitions or buckets) is multiplied. Sizes close to the current one come
/// first, because the first of several equally good sizes is advised.
constexpr std::array kSizeFactors{0.5, 2.0, 0.25, 4.0, 0.125};
constexpr std::array kCreditPartitions{4, 16};
/// Only the kernel classes that take longest are tried: at most kMostClasses of them, and only if their
/// TaskGroup::share is at least kLeastShare.
constexpr std::size_t kMostClasses = 3;
constexpr double kLeastShare = 0.05;
/// If the slowest rank computes at least this many times as long as the median rank, a repair may help.
constexpr double kLeastStraggling = 1.02;
/// A factor on the bandwidth with which the time that messages spend on links is negligible.
constexpr std::string_view kNoLimit = "1000x";

Proposals none(std::string reason) { return {{}, std::move(reason)}; }

/// Formats a size for a scenario: "250KiB" if that is exact, otherwise "4096000".
Bytes times(Bytes size, double factor) {
  return Bytes{std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(size.count()) * factor))};
}

/// Rounds a bucket size of 8 MiB or more up to whole mebibytes. PyTorch's limit bucket_cap_mb is in mebibytes, and
/// buckets are slightly smaller than this limit.
Bytes in_whole_mebibytes(Bytes size) {
  constexpr std::int64_t kMebi = std::int64_t{1024} * 1024;
  return size.count() < 8 * kMebi ? size : Bytes{(size.count() + kMebi - 1) / kMebi * kMebi};
}

/// Rounds to whole mebibytes, or to whole kibibytes if the size is less than 1 MiB, but not to 0.
Bytes rounded(Bytes size) {
  for (const std::int64_t unit : {std::int64_t{1024} * 1024, std::int64_t{1024}}) {
    if (size.count() >= unit) return Bytes{(size.count() + unit / 2) / unit * unit};
  }
  return size;
}

Proposals other_sizes(const std::string& key, Bytes now, Bytes (*round)(Bytes) = nullptr) {
  Proposals proposals;
  for (const double factor : kSizeFactors) {
    const Bytes size = times(now, factor);
    proposals.list.push_back({{{key, size_text(round == nullptr ? size : round(size))}}});
  }
  return proposals;
}

const Capture& captured(const Situation& situation) { return *situation.plan.captured; }
bool has_servers(const Situation& situation) { return captured(situation).parameter_server != nullptr; }

constexpr std::string_view kNoServers = "the job has no parameter servers";
constexpr std::string_view kOnlyServers = "the job has parameter servers and no collectives";
constexpr std::string_view kNoSize = "the partition size is unknown; set partition_bytes in job.yaml";

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

/// Returns the bucket size of job.yaml, or else the size of the largest captured all-reduce; nothing if there is none.
std::optional<Bytes> bucket_size(const Situation& situation) {
  if (situation.plan.job.bucket_bytes) return situation.plan.job.bucket_bytes;
  Bytes largest{};
  const Dag& dag = captured(situation).dag;
  for (const RendezvousId rendezvous : dag.all_rendezvous()) {
    const Collective& collective = dag.collective(rendezvous);
    if (collective.op == CollectiveOp::kAllReduce) largest = std::max(largest, collective.bytes);
  }
  return largest > Bytes{} ? std::optional(largest) : std::nullopt;
}

/// True if a faster implementation can shorten the kernels of this class. Other kernels only move data or wait.
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

Proposals data_loading(const Situation& situation, std::string_view scale) {
  const auto loads = [](const sim::TaskGroup& group) {
    return group.name.find("DataLoader") != std::string::npos && !awaits_loader(group.name);
  };
  if (std::none_of(situation.tasks.names.begin(), situation.tasks.names.end(), loads))
    return none("no data loading in the training process was captured");
  return {{{{{"compute{name=DataLoader}.scale", std::string(scale)}}}}};
}

Proposals waits_for_data(const Situation& situation, Setting setting) {
  const auto waits = [](const sim::TaskGroup& group) { return group.kind == TaskKind::kLoader; };
  if (std::none_of(situation.tasks.kinds.begin(), situation.tasks.kinds.end(), waits))
    return none("no waiting for data loader processes was captured");
  return {{{{std::move(setting)}}}};
}

}  // namespace

Scenario scenario_of(const std::vector<std::vector<Setting>>& points) {
  YamlText text{std::string(kName), {YamlValue::Kind::kList, 1, {}, {}}};
  for (const std::vector<Setting>& point : points) {
    for (const Setting& setting : point) text.root.items.push_back(scalar(setting.value));
  }
  const auto document = std::make_shared<const YamlText>(std::move(text));
  Scenario scenario;
  scenario.documents.push_back(document);
  std::size_t place = 0;
  for (const std::vector<Setting>& point : points) {
    std::vector<PointValue>& values = scenario.points.emplace_back();
    for (const Setting& setting : point)
      values.push_back({setting.key, {setting.key, &document->root.items[place++], &document->name}});
  }
  return scenario;
}

std::string without_place(std::string_view problem) {
  return std::string(problem.starts_with(kPlace) ? problem.substr(kPlace.size()) : problem);
}

Proposals partitions(const Situation& situation) {
  if (!has_servers(situation)) return none(std::string(kNoServers));
  const auto size = situation.plan.job.partition_bytes;
  return size ? other_sizes("comm.partition_bytes", *size) : none(std::string(kNoSize));
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
  if (situation.plan.job.control == Control::kFirst) return none("the job already does this");
  return {{{{{"comm.control", "first"}}}}};
}

Proposals buckets(const Situation& situation) {
  if (has_servers(situation)) return none(std::string(kOnlyServers));
  const auto size = bucket_size(situation);
  if (!size) return none("no captured all-reduce records its size");
  return other_sizes("comm.bucket_bytes", in_whole_mebibytes(*size), rounded);
}

Proposals algorithms(const Situation& situation) {
  if (has_servers(situation)) return none(std::string(kOnlyServers));
  if (!has_sized_collectives(captured(situation)))
    return none("no captured collective of several ranks records its size");
  if (nccl_sources(captured(situation).dag, situation.plan.cluster).total() > 0)
    return none("NCCL chooses the algorithm of each collective itself");
  Proposals proposals;
  for (const CollectiveModel* const model : collective_models()) {
    if (model->whole == nullptr) proposals.list.push_back({{{"comm.algorithm", std::string(model->name)}}});
  }
  return proposals;
}

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
  if (has_servers(situation)) return none("for parameter servers, comm.barrier=cross does this");
  return {{{{{"overlap.barriers", "off"}}}}};
}

Proposals early_reductions(const Situation& situation) {
  if (reduction_starts(captured(situation)).movable == 0)
    return none("no reduction that is known to carry a gradient starts after the backward pass");
  return {{{{{"comm.start", "gradient"}}}}};
}

Proposals prefetch(const Situation& situation) {
  const Dag& dag = captured(situation).dag;
  for (std::size_t i = 0; i < dag.name_count(); ++i) {
    const std::string_view name = dag.name(NameId{i});
    for (const std::string_view sharded : {"FSDP", "FullyShardedDataParallel"}) {
      if (name.find(sharded) != std::string_view::npos) return {{{{{"overlap.prefetch", "1"}}}}};
    }
  }
  return none("no FSDP module was captured");
}

Proposals longest_classes(const Situation& situation) {
  Proposals proposals;
  for (const sim::TaskGroup& group : situation.tasks.classes) {
    if (proposals.list.size() == kMostClasses) break;
    if (!is_computed(group.kernel_class) || group.share < kLeastShare) continue;
    proposals.list.push_back({{{fmt::format("compute{{class={}}}.scale", group.name), "0.5"}},
                              fmt::format("make {} kernels twice as fast", group.name)});
  }
  if (proposals.list.empty()) proposals.reason = "the capture has no device work of a known class";
  return proposals;
}

Proposals faster_loading(const Situation& situation) { return data_loading(situation, "0.5"); }
Proposals loading_in_workers(const Situation& situation) { return data_loading(situation, "0"); }
Proposals more_loaders(const Situation& situation) { return waits_for_data(situation, {"loader.workers", "2x"}); }
Proposals half_waits_for_data(const Situation& situation) { return waits_for_data(situation, {"loader.scale", "0.5"}); }
Proposals no_waits_for_data(const Situation& situation) { return waits_for_data(situation, {"loader.scale", "0"}); }

Proposals no_pauses(const Situation& situation) {
  if (captured(situation).recording.pauses.empty()) return none("no thread was recorded to pause");
  return {{{{{"host.pauses", "0"}}}}};
}

Proposals slowest_rank(const Situation& situation) {
  std::vector<std::pair<Duration, Rank>> ranks;
  for (const sim::RankBreakdown& rank : situation.summary.ranks) {
    const Duration compute = rank.compute == Duration{} ? rank.host : rank.compute;
    if (compute > Duration{}) ranks.emplace_back(compute, rank.rank);
  }
  if (ranks.size() < 2) return none("only one rank was captured");
  std::sort(ranks.begin(), ranks.end());
  const auto [slowest, rank] = ranks.back();
  const Duration usual = ranks[(ranks.size() - 1) / 2].first;
  const double factor = static_cast<double>(usual.count()) / static_cast<double>(slowest.count());
  if (factor * kLeastStraggling > 1) return none("all ranks compute for about the same time");
  return {{{{{fmt::format("compute{{rank={}}}.scale", rank), fmt::format("{:.3g}", factor)}},
            fmt::format("make rank {} as fast as the others", rank)}}};
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

std::vector<sim::TaskGroup> long_calls(const sim::TaskList& tasks) {
  std::vector<sim::TaskGroup> calls;
  for (const sim::TaskGroup& group : tasks.names) {
    if (is_long_call(group.kind, group.name, group.longest) && group.share >= kLeastShare) calls.push_back(group);
  }
  return calls;
}

Proposals no_long_calls(const Situation& situation) {
  Proposals proposals{{},
                      "no call of more than 1 ms that allocates, frees or starts the driver takes 5 % of the CPU work"};
  for (const sim::TaskGroup& call : long_calls(situation.tasks)) {
    proposals.list.push_back(
        {{{fmt::format("host{{name={}}}.scale", call.name), "0"}}, fmt::format("no time in {}", call.name)});
  }
  return proposals;
}

}  // namespace stepsim::scenarios
