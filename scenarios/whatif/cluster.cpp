#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "model/base/limits.h"
#include "model/base/text.h"
#include "model/calibration/calibration.h"
#include "model/cost/collective/nccl_times.h"
#include "model/job/cluster.h"
#include "model/job/topology.h"
#include "model/rewrite/parameter_server/build.h"
#include "model/rewrite/ranks.h"
#include "scenarios/change/batch_growth.h"
#include "scenarios/change/plan.h"
#include "scenarios/change/what_if.h"

// What-if `cluster`: runs the job on more or fewer machines. New machines are copies of captured ones.

namespace stepsim::scenarios {
namespace {

/// The rate of a GPU's NVLinks in one direction, by generation (data sheets of V100, A100, H100 and B200).
struct NvlinkRate {
  std::string_view name;
  Bandwidth rate;
};
constexpr std::array kNvlinkRates{NvlinkRate{"NVLink2", Bandwidth::from_bytes_per_second(150e9)},
                                  NvlinkRate{"NVLink3", Bandwidth::from_bytes_per_second(300e9)},
                                  NvlinkRate{"NVLink4", Bandwidth::from_bytes_per_second(450e9)},
                                  NvlinkRate{"NVLink5", Bandwidth::from_bytes_per_second(900e9)}};

constexpr std::uint32_t kMostWorkers = kMostRanks;
constexpr std::array kClusterParameters{
    Parameter{"workers", value::count_from(1, kMostWorkers),
              "number of workers; without servers a worker is local_size ranks", ""},
    Parameter{"servers", value::count_from(1, kMostWorkers), "of parameter servers", ""},
    Parameter{"scaling", value::one_of("weak", "strong"),
              "keep the samples per worker (weak) or of all workers together (strong)", "weak"},
    Parameter{"nic", value::link_rate("200Gb/s"),
              "rate of each NIC, in each direction, but for hosts whose NIC differs in cluster.yaml (default: "
              "network.bandwidth of job.yaml)",
              ""},
    Parameter{"gpus_per_host", value::count_from(1, kMostWorkers),
              "GPUs per host: ranks of a host use its captured inner links, others its NIC", ""},
    Parameter{"inside", value::link_rate("450GB/s") | value::names_of(kNvlinkRates),
              "data-sheet rate, or measured bus bandwidth (4.13GB/s bus), of what connects the GPUs of a host, per GPU "
              "and direction",
              ""},
    Parameter{"rails", value::count_from(1, kMostWorkers),
              "NICs of each host, each on a switch of its own; the GPUs of a host share them equally", ""},
    Parameter{"colocated", value::flag(), "run servers on the workers' hosts, sharing their links", ""},
};

/// Returns the name of the captured job's device, or an empty string if the trace does not name it.
std::string device_of(const Plan& plan) {
  return plan.captured->devices.empty() ? std::string() : plan.captured->devices.begin()->second;
}

/// Throws CannotAnswer at `value` if the captured ranks were on several hosts, because the capture then does not show
/// the rate of links inside a host.
void refuse_captured_hosts(const YamlField& value, const Capture& captured) {
  std::set<std::string> hosts;
  for (const Lane& lane : captured.dag.lanes()) {
    if (!lane.host.empty()) hosts.insert(lane.host);
  }
  if (hosts.size() > 1) {
    cannot_answer(
        value, fmt::format("the captured ranks are on {} hosts, and the capture does not separate links inside hosts "
                           "from NICs; expected --cluster FILE with nvlink (or pcie) and nic, without gpus_per_host",
                           hosts.size()));
  }
}

/// Replaces the plan's cluster by what `changed` returns. Throws CannotAnswer at `value` if the cluster does not say
/// what the change needs.
template <class F>
void reshape(const YamlField& value, Plan& plan, F changed) {
  try {
    plan.cluster = changed();
  } catch (const ShapeProblem& problem) {
    cannot_answer(value, fmt::format("the cluster {}", problem.what()));
  }
}

/// Sets the rate of a cable. A bus bandwidth is all payload.
void set_rate(const LinkRate& rate, Cable& cable) {
  cable.bandwidth = rate.rate;
  cable.is_bus = rate.is_bus;
  if (rate.is_bus) cable.efficiency = 1;
}

/// Sets the rate of each usual NIC. Ranks that share_hosts() later puts on one host are connected by what connected
/// them before.
void set_nic(const YamlField& value, Plan& plan) {
  const LinkRate rate = value.link_rate();
  plan.job.bandwidth = rate.rate;
  if (!plan.cluster.shape && plan.cluster.links.empty()) return;
  reshape(value, plan, [&] {
    ClusterShape shape = shape_of(plan.cluster);
    if (shape.devices == 0 && !plan.link_of_ranks) plan.link_of_ranks = shape.nic;
    const Bandwidth usual = shape.nic.bandwidth;
    for (auto& [host, cable] : shape.differ) {
      if (cable.bandwidth == usual) set_rate(rate, cable);
    }
    set_rate(rate, shape.nic);
    return with_shape(plan.cluster, std::move(shape));
  });
}

/// Returns the shape of hosts with several GPUs each, of which the capture shows the links inside.
ClusterShape hosts_like_the_captured(const YamlField& value, std::uint32_t gpus, const ClusterShape& captured,
                                     const Plan& plan) {
  refuse_captured_hosts(value, *plan.captured);
  if (!plan.job.bandwidth && gpus < ranks_of(plan)) {
    cannot_answer(value,
                  "the capture shows the links inside one host but not its NIC; expected also cluster.nic, for "
                  "example cluster.nic=200Gb/s, or network.bandwidth in job.yaml");
  }
  // The link carries the measured rate, so the devices' names must not make it a data sheet's.
  const Cable& measured = plan.link_of_ranks ? *plan.link_of_ranks : captured.nic;
  const auto goodput = Bandwidth::from_bytes_per_second(measured.bandwidth.bytes_per_second() * measured.efficiency);
  // The default rate of 1 byte/s is used only if all ranks are on one host. No message then crosses a NIC.
  const Bandwidth rate = plan.job.bandwidth.value_or(Bandwidth::from_bytes_per_second(1));
  return {.hosts = numbered_hosts(1),
          .nic = {rate, plan.job.latency.value_or(kUsualLatency)},
          .device_model = device_of(plan),
          .nvlink = cable_of_goodput(goodput, measured.latency)};
}

[[noreturn]] void refuse_unknown_links(const YamlField& value) {
  cannot_answer(value, "the capture does not show the rates of its links; expected --cluster FILE with nvlink and nic");
}

/// Puts `gpus` ranks on each host.
void share_hosts(const YamlField& value, std::uint32_t gpus, Plan& plan) {
  if (plan.captured->parameter_server != nullptr)
    cannot_answer(value, "each worker of a parameter-server job has its own host; expected a job without servers");
  if (plan.cluster.links.empty()) {
    refuse_captured_hosts(value, *plan.captured);
    refuse_unknown_links(value);
  }
  const bool had_devices = plan.cluster.shape && plan.cluster.shape->devices > 0;
  if (plan.on_one_host && gpus < ranks_of(plan) && !plan.job.bandwidth) {
    cannot_answer(value,
                  "the captured job ran on one GPU, which does not show a NIC; expected also cluster.nic, for example "
                  "cluster.nic=200Gb/s");
  }
  plan.on_one_host = false;
  if (had_devices && plan.cluster.shape->devices == gpus && !plan.cluster.shape->endpoints_as_captured) return;
  reshape(value, plan, [&] {
    ClusterShape shape = shape_of(plan.cluster);
    if (!had_devices) shape = hosts_like_the_captured(value, gpus, shape, plan);
    if (std::exchange(shape.endpoints_as_captured, false)) shape.endpoints.clear();
    if (!shape.endpoints.empty()) throw ShapeProblem("lists its endpoints; expected a file without 'endpoints'");
    if (shape.nics > gpus) throw ShapeProblem(fmt::format("has {} NICs per host; expected a GPU for each", shape.nics));
    if (gpus > 1 && !shape.nvlink && !shape.pcie)
      throw ShapeProblem("has one GPU per host, and does not say what connects several; expected also nvlink or pcie");
    shape.devices = gpus;
    const Resize all{0, ranks_of(plan)};
    return with_shape(plan.cluster, resized(std::move(shape), std::span(&all, 1)));
  });
  if (!had_devices) {
    for (MeasuredCollective& measured : plan.cluster.measured) measured.hosts = 1;
  }
  if (gpus < ranks_of(plan)) {
    const Cable& nic = plan.cluster.shape->nic;
    plan.assumptions.push_back(
        {"hosts_of_gpus",
         fmt::format(
             "Hosts have {} GPUs each, with links inside a host as captured and one NIC per host that carries {} "
             "each way with a latency of {}.",
             gpus, to_text(nic.bandwidth), to_text(nic.latency))});
  }
}

LinkRate rate_inside(const YamlField& value) {
  const std::string& text = value.scalar("a rate");
  const auto* const named =
      std::find_if(kNvlinkRates.begin(), kNvlinkRates.end(), [&](const NvlinkRate& one) { return one.name == text; });
  return named != kNvlinkRates.end() ? LinkRate{named->rate} : value.link_rate();
}

/// Sets what connects the devices of a host: NVLink, or PCIe if the rate is that of PCIe.
void set_inside(const YamlField& value, Plan& plan) {
  const LinkRate rate = rate_inside(value);
  if (plan.cluster.links.empty()) refuse_unknown_links(value);
  std::erase_if(plan.assumptions, [](const Assumption& note) { return note.id == kLinksOfDataSheet; });
  reshape(value, plan, [&] {
    ClusterShape shape = shape_of(plan.cluster);
    if (shape.devices == 0)
      throw ShapeProblem("does not say how many GPUs a host has; expected also cluster.gpus_per_host");
    const Cable cable{.bandwidth = rate.rate, .is_bus = rate.is_bus};
    if (is_nvlink(rate.rate)) {
      shape.nvlink = cable;
    } else {
      shape.nvlink.reset();
      shape.pcie = cable;
    }
    return with_shape(plan.cluster, std::move(shape));
  });
}

/// Gives each host several NICs, one on each rail.
void set_rails(const YamlField& value, std::uint32_t rails, Plan& plan) {
  if (plan.cluster.links.empty()) refuse_unknown_links(value);
  reshape(value, plan, [&] {
    ClusterShape shape = shape_of(plan.cluster);
    if (shape.devices < rails) {
      throw ShapeProblem(fmt::format("has {} per host; expected one for each of {} rails (cluster.gpus_per_host)",
                                     shape.devices == 0 ? "no number of GPUs" : counted(shape.devices, "GPU"), rails));
    }
    shape.nics = rails;
    const Resize all{ranks_of(plan), ranks_of(plan)};
    return with_shape(plan.cluster, resized(std::move(shape), std::span(&all, 1)));
  });
}

/// Throws CannotAnswer at `workers` if only one rank was captured and the changed job has too few ranks to contain it.
/// The captured rank keeps its number.
void refuse_fewer_than_the_lone_rank(const YamlField& workers, const Plan& plan) {
  if (!group_of_lone_rank(*plan.captured)) return;
  const Rank rank = plan.captured->recording.ranks.front();
  if (std::cmp_less(rank, ranks_of(plan))) return;
  cannot_answer(workers, fmt::format("only rank {} was captured, and a job of fewer than {} ranks does not have it; "
                                     "expected more workers, or a capture of rank 0",
                                     rank, rank + 1));
}

/// True if ranks divide what the optimizer updates, as FSDP and ZeRO do: job.yaml says so, or they scatter the
/// gradients that they reduce.
bool divides_update(const Capture& capture) {
  const Dag& dag = capture.dag;
  const auto all = dag.all_rendezvous();
  return capture.job.framework == "pytorch-fsdp" || std::any_of(all.begin(), all.end(), [&dag](RendezvousId one) {
           const Collective& collective = dag.collective(one);
           return collective.op == CollectiveOp::kReduceScatter && !collective.of_activations;
         });
}

/// Changes the number of workers, the number of servers, and whether servers share the workers' hosts. Precondition:
/// the change sets one of them.
void resize(const Change& change, Plan& plan) {
  const bool has_servers = plan.captured->parameter_server != nullptr;
  const std::uint32_t before = *plan.job.workers;
  const std::uint32_t ranks_before = ranks_of(plan);
  PsPlaces places = places_in(plan.cluster, before, plan.job.servers.value_or(1));
  const PsPlaces places_before = places;
  const YamlField* const workers = change.read("workers", plan.job.workers);
  if (workers != nullptr) refuse_fewer_than_the_lone_rank(*workers, plan);
  const YamlField* const servers = change.read("servers", plan.job.servers);
  const YamlField* const colocated = change.read("colocated", plan.colocated_servers);
  if (colocated != nullptr) places.colocated = plan.colocated_servers;
  places.workers = *plan.job.workers;
  places.servers = plan.job.servers.value_or(1);
  const YamlField& value = *(workers != nullptr ? workers : servers != nullptr ? servers : colocated);
  if (has_servers && places != places_before) {
    reshape(value, plan, [&] { return with_places(plan.cluster, places_before, places); });
  } else if (!has_servers && ranks_of(plan) != ranks_before) {
    const Resize ranks{ranks_before, ranks_of(plan)};
    reshape(value, plan,
            [&] { return with_shape(plan.cluster, resized(shape_of(plan.cluster), std::span(&ranks, 1))); });
  }
  const std::uint32_t captured = captured_workers(*plan.captured);
  if (*plan.job.workers > captured && before <= captured) plan.assumptions.push_back(copies_assumption(captured));
  if (*plan.job.workers != before && divides_update(*plan.captured)) {
    plan.assumptions.push_back({"update_share",
                                "Ranks that divide the optimizer's work (FSDP, ZeRO) keep the captured time of their "
                                "share, although it changes with their number."});
  }
}

/// Scales the batch per worker to the number of workers. With weak scaling, each worker keeps its batch. With strong
/// scaling, the workers divide the captured total batch.
void scale_batches(const Change& change, const YamlField& value, Plan& plan) {
  const double share = plan.strong_scaling ? static_cast<double>(plan.workers_before) / *plan.job.workers : 1;
  const double factor = share / plan.scaling_share;
  plan.batches *= factor;
  plan.scaling_share = share;
  grow_batch(change, value, factor, 1, plan);
}

void apply_cluster(const Change& change, Plan& plan) {
  const YamlField* const workers = change.find("workers");
  const YamlField* const servers = change.find("servers");
  const YamlField* const colocated = change.find("colocated");
  const YamlField* const scaling = change.find("scaling");
  const YamlField* const nic = change.find("nic");
  std::uint32_t gpus_a_host = 0;
  const YamlField* const gpus = change.read("gpus_per_host", gpus_a_host);
  const YamlField* const inside = change.find("inside");
  const YamlField* const rails = change.find("rails");
  const bool has_servers = plan.captured->parameter_server != nullptr;
  if (workers != nullptr && plan.parallelism != Parallelism{})
    cannot_answer(*workers, "'parallel' divides the job of one device; expected parallel.data in place of workers");
  if (nic != nullptr) set_nic(*nic, plan);
  for (const YamlField* const value : {servers, colocated}) {
    if (value != nullptr && !has_servers)
      cannot_answer(*value, "the job has no parameter servers; expected a job with servers");
  }
  if (plan.network->make == nullptr) {
    for (const YamlField* const value : {workers, servers, colocated, gpus, inside, rails}) {
      if (value != nullptr) {
        refuse_as_recorded(*value, plan,
                           "--network recorded keeps recorded transfer times; expected another network model");
      }
    }
  }
  if (workers != nullptr && !has_servers) need_sized_collectives(*workers, plan);
  if (workers != nullptr && lone_collectives(*plan.captured) > 0 && !group_of_lone_rank(*plan.captured)) {
    cannot_answer(*workers, fmt::format("{} collectives were captured on one rank only; expected the traces of all "
                                        "ranks, or of one rank whose collectives all belong to one group",
                                        lone_collectives(*plan.captured)));
  }
  if (workers != nullptr || servers != nullptr || colocated != nullptr) resize(change, plan);
  if (gpus != nullptr) share_hosts(*gpus, gpus_a_host, plan);
  if (inside != nullptr) set_inside(*inside, plan);
  std::uint32_t nics = 1;
  if (change.read("rails", nics) != nullptr) set_rails(*rails, nics, plan);
  if (scaling != nullptr) plan.strong_scaling = change.has_word("scaling", "strong");
  if (const YamlField* const asks = workers != nullptr ? workers : scaling) scale_batches(change, *asks, plan);
}

/// Implements WhatIf::hardware_turn: the rate of NICs is set first (0), then the number of workers (1). Then ranks are
/// placed on hosts (2), which needs both, and at last these are connected inside and to rails (3).
int turn_of(const Change& change) {
  if (change.find("gpus_per_host") != nullptr) return 2;
  if (change.find("inside") != nullptr || change.find("rails") != nullptr) return 3;
  return change.find("nic") != nullptr && change.find("workers") == nullptr ? 0 : 1;
}

AnswerKind kind_of_hardware(const Change& change) {
  const bool is_of_ranks = change.find("workers") != nullptr || change.find("servers") != nullptr;
  return is_of_ranks ? AnswerKind::kRanks : AnswerKind::kNetworkRate;
}

}  // namespace

extern const WhatIf cluster_what_if{
    .name = "cluster",
    .summary = "Change the number of workers and servers",
    .ignores = "differences between machines, and changes of the job itself with its size",
    .parameters = kClusterParameters,
    .asks = {sim::Question::kNetwork, sim::Question::kRanks},
    .kind = kind_of_hardware,
    .apply = apply_cluster,
    .hardware_turn = turn_of,
};

}  // namespace stepsim::scenarios
