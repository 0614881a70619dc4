#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/cost/collective/nccl_times.h"
#include "model/cost/network/maxmin.h"
#include "model/cost/network/network.h"
#include "model/job/rank_places.h"
#include "model/rewrite/capture_edit.h"
#include "scenarios/change/plan.h"
#include "scenarios/change/selector.h"
#include "scenarios/change/what_if.h"

// What-if `network`: changes the bandwidth, latency or sharing of links. A value such as 2x scales the captured one.

namespace stepsim::scenarios {
namespace {

bool is_transfer(const Dag& dag, TaskId task) {
  return dag.kind(task) == TaskKind::kCollective || dag.kind(task) == TaskKind::kTransfer;
}

/// Returns the selected collectives and messages in ascending order. A change with a selection applies to the links of
/// their ranks. Throws InputError at the selection if there are none.
std::vector<TaskId> selected_transfers(const Selector& selector, const Capture& capture) {
  std::vector<TaskId> tasks = selector.select(capture);
  std::erase_if(tasks, [&capture](TaskId task) { return !is_transfer(capture.dag, task); });
  if (tasks.empty()) selector.fail(capture, "no collective and no message");
  return tasks;
}

std::set<EndpointId> selected_endpoints(const Selector& selector, const Plan& plan) {
  const Capture& capture = *plan.captured;
  const Rank of_worker =
      capture.parameter_server != nullptr ? static_cast<Rank>(capture.job.local_size.value_or(1)) : Rank{1};
  std::set<EndpointId> endpoints;
  for (const TaskId task : selected_transfers(selector, capture)) {
    const EndpointId endpoint = plan.cluster.endpoint_of(capture.dag.lane(task).rank / of_worker);
    if (endpoint.valid()) endpoints.insert(endpoint);
  }
  if (endpoints.empty()) selector.fail(capture, "ranks that the cluster has no links for");
  return endpoints;
}

/// Returns the links to and from switches that only one host uses. Links that several hosts share, such as those
/// between switches, are not included.
std::set<LinkId> links_of_one_host(const Cluster& cluster) {
  std::map<LinkId, std::set<HostId>> hosts;
  for (std::size_t i = 0; i < cluster.uplinks.size(); ++i) {
    for (const Route* const route : {&cluster.uplinks[i].up, &cluster.uplinks[i].down}) {
      for (const LinkId link : *route) hosts[link].insert(cluster.endpoints[i].host);
    }
  }
  std::set<LinkId> links;
  for (const auto& [link, users] : hosts) {
    if (users.size() == 1) links.insert(link);
  }
  return links;
}

void add_own(const Cluster::UplinkPath& path, const std::set<LinkId>& of_one_host, std::set<LinkId>& links) {
  for (const Route* const route : {&path.up, &path.down}) {
    std::copy_if(route->begin(), route->end(), std::inserter(links, links.end()),
                 [&of_one_host](LinkId link) { return of_one_host.contains(link); });
  }
  links.insert(path.out.begin(), path.out.end());
  links.insert(path.in.begin(), path.in.end());
}

/// Returns the links of the selected ranks or workers in ascending order: the links of their NICs, which other ranks of
/// the host may share, and their links to other ranks of the host. Returns all links of the cluster if there is no
/// selection. Throws InputError at the selection if it selects no transfers, or only ranks that are not in the cluster.
std::vector<LinkId> selected_links(const Selector& selector, const Plan& plan) {
  const Cluster& cluster = plan.cluster;
  std::vector<LinkId> all;
  for (std::size_t i = 0; i < cluster.links.size(); ++i) all.emplace_back(i);
  if (selector.is_all()) return all;
  const std::set<EndpointId> endpoints = selected_endpoints(selector, plan);
  const std::set<LinkId> of_one_host = links_of_one_host(cluster);
  std::set<LinkId> links;
  for (const EndpointId endpoint : endpoints) {
    if (endpoint.index() < cluster.uplinks.size()) add_own(cluster.uplinks[endpoint.index()], of_one_host, links);
  }
  for (const auto& [ends, route] : cluster.routes) {
    if (route.empty()) continue;
    if (endpoints.contains(ends.first)) links.insert(route.front());
    if (endpoints.contains(ends.second)) links.insert(route.back());
  }
  return {links.begin(), links.end()};
}

constexpr std::array kOfLinks{
    Parameter{"bandwidth", value::link_rate("25Gb/s") | value::factor("2x"),
              "bandwidth of all links, or of the links of the selected ranks", "1x"},
    Parameter{"inside", value::link_rate("300GB/s") | value::factor("2x"),
              "bandwidth of links inside hosts only (NVLink, PCIe)", ""},
    Parameter{"between", value::link_rate("200Gb/s") | value::factor("2x"),
              "bandwidth of links between hosts only (NICs, switches)", ""},
    Parameter{"latency", value::time("10us") | value::factor("2x"),
              "latency of all links, or of the links of the selected ranks", "1x"},
    Parameter{"efficiency", value::number(0.01, 1), "share of the bandwidth that carries payload", ""},
};

bool is_time(const NetworkParameter& parameter) { return std::holds_alternative<Duration>(parameter.default_value); }

/// Returns the parameters of the what-if: first those of links, then those that network models declare. If a parameter
/// that a model declares is a time, its value can also be a factor, such as 2x.
std::span<const Parameter> parameters() {
  static const std::vector<Parameter> all = [] {
    std::vector<Parameter> list(kOfLinks.begin(), kOfLinks.end());
    for (const NetworkParameter* const declared : network_parameters()) {
      if (declared->what_if.empty()) continue;
      const bool scales = is_time(*declared);
      list.push_back({declared->what_if, scales ? declared->type | value::factor("2x") : declared->type,
                      declared->summary, scales ? "1x" : ""});
    }
    return list;
  }();
  return all;
}

Duration changed(Duration old, const YamlField& value) {
  const auto factor = factor_of(value);
  return factor ? scaled(old, *factor) : value.duration();
}

ParameterValue changed(const NetworkParameter& parameter, const NetworkParameters& network, const YamlField& value) {
  if (!is_time(parameter)) return parameter.read(value);
  return changed(std::get<Duration>(network.value_of(parameter)), value);
}

std::size_t recorded_transfers(const Plan& plan) {
  std::size_t count = 0;
  for (const TaskId task : plan.captured->dag.tasks())
    if (keeps_recorded_time(*plan.captured, task, *plan.network)) ++count;
  return count;
}

/// Some transfers keep their recorded time, because no network model times them; `count` is their number. Divides their
/// times by `factor`, as if all of this time were limited by bandwidth. The range of the answer includes smaller
/// effects.
void scale_recorded_transfers(std::size_t count, double factor, Plan& plan) {
  if (count == 0 || factor == 1) return;
  plan.recorded_transfers /= factor;
  plan.assumptions.push_back(
      {"recorded_transfers",
       fmt::format("No network model times {} transfers: their recorded times, including waits for "
                   "other ranks, are divided by {:g}.",
                   count, factor)});
}

/// Applies the change if no network model applies to the capture's transfers. There is then no rate or latency to set,
/// so the recorded times of transfers can only be scaled by a factor on the bandwidth.
void apply_as_recorded(const Change& change, Plan& plan) {
  const std::size_t count = recorded_transfers(plan);
  for (const Parameter& parameter : parameters()) {
    const YamlField* const value = change.find(parameter.name);
    if (value == nullptr) continue;
    if (!has_transfers(*plan.captured)) {
      cannot_answer(*value,
                    "the capture has no message, no collective and no copy between devices, so nothing crosses a link; "
                    "expected the traces of all ranks");
    }
    const auto factor = parameter.name == "bandwidth" ? factor_of(*value) : std::nullopt;
    if (count == 0 || !factor) {
      refuse_as_recorded(*value, plan,
                         "the capture does not show the rates of its links, so transfers keep their recorded times; "
                         "expected a factor such as 2x for recorded transfers, or else --network maxmin with "
                         "--cluster FILE or with 'network: {bandwidth: 25Gb/s}' in job.yaml");
    }
    scale_recorded_transfers(count, *factor, plan);
  }
}

double slowest_link(const Cluster& cluster) {
  double slowest = std::numeric_limits<double>::infinity();
  for (const Link& link : cluster.links) slowest = std::min(slowest, link.bandwidth.bytes_per_second());
  return slowest;
}

std::set<LinkId> links_inside(const Cluster& cluster) {
  std::set<LinkId> inner;
  for (const Cluster::UplinkPath& path : cluster.uplinks) {
    inner.insert(path.out.begin(), path.out.end());
    inner.insert(path.in.begin(), path.in.end());
  }
  return inner;
}

/// Returns the bandwidth of `link` with which collectives reach what they would reach at `rate`. A link stays one of a
/// data sheet, or one of a bus bandwidth. See payload_share() for `is_sheet`.
Bandwidth in_terms_of(const Link& link, const LinkRate& rate, bool is_sheet) {
  if (rate.is_bus == link.is_bus) return rate.rate;
  if (rate.is_bus) return scaled(rate.rate, 1 / payload_share(link, is_sheet));
  return is_sheet ? scaled(rate.rate, usable_share(rate.rate)) : rate.rate;
}

void set_bandwidth(const YamlField& value, const std::vector<LinkId>& links, bool of_all, Plan& plan) {
  const double before = slowest_link(plan.cluster);
  const auto factor = factor_of(value);
  const std::set<LinkId> inner = links_inside(plan.cluster);
  plan.cluster.shape.reset();
  for (const LinkId id : links) {
    Link& link = plan.cluster.links[id.index()];
    const bool is_sheet = inner.contains(id) && !plan.cluster.network.is_given(kCollectiveOverhead);
    link.change_bandwidth(factor ? scaled(link.bandwidth, *factor) : in_terms_of(link, value.link_rate(), is_sheet));
  }
  if (of_all)
    scale_recorded_transfers(recorded_transfers(plan), factor ? *factor : slowest_link(plan.cluster) / before, plan);
}

/// True if all endpoints of the cluster are captured ranks, and these ran on one host.
bool are_on_one_host(const Plan& plan) {
  const std::size_t ranks = hosts_of_ranks(plan.captured->dag).size();
  const std::optional<std::set<std::string>> hosts = known_hosts(*plan.captured);
  return ranks > 1 && ranks == plan.cluster.endpoints.size() && hosts && hosts->size() == 1;
}

/// Returns the links inside hosts if `inside` is true, otherwise all other links. Throws CannotAnswer at `value` if the
/// cluster has no separate links inside hosts, or no links between hosts.
std::vector<LinkId> links_of_kind(const YamlField& value, bool inside, const Plan& plan) {
  const std::set<LinkId> inner = links_inside(plan.cluster);
  const bool all_inside = inner.empty() && are_on_one_host(plan);
  if (all_inside && !inside) {
    cannot_answer(
        value,
        "all ranks are on one host, so nothing crosses a link between hosts; expected network.inside, or also "
        "cluster.workers and cluster.gpus_per_host");
  }
  if (inner.empty() && !all_inside) {
    const std::optional<std::set<std::string>> hosts = known_hosts(*plan.captured);
    cannot_answer(value, fmt::format("links inside and between hosts are not separate here; expected {}--cluster FILE "
                                     "with nvlink or pcie",
                                     hosts && hosts->size() > 1 ? "" : "also cluster.gpus_per_host, or "));
  }
  std::vector<LinkId> links;
  for (std::size_t i = 0; i < plan.cluster.links.size(); ++i) {
    if (all_inside || inner.contains(LinkId{i}) == inside) links.emplace_back(i);
  }
  return links;
}

double slowest_goodput(const Cluster& cluster) {
  double slowest = std::numeric_limits<double>::infinity();
  for (const Link& link : cluster.links) slowest = std::min(slowest, link.goodput().bytes_per_second());
  return slowest;
}

bool has_buffered_messages(const Capture& capture) {
  const Dag& dag = capture.dag;
  const auto all = dag.all_rendezvous();
  return std::any_of(all.begin(), all.end(),
                     [&dag](RendezvousId rendezvous) { return dag.collective(rendezvous).buffered > Bytes{}; });
}

/// Multiplies the bytes that are still in a transport's buffers when a send returns. The buffers contain as much as the
/// transport's window allows, and the window grows with the rate. These bytes therefore take as long as before to
/// arrive.
void scale_buffered(const Change& change, double factor, Plan& plan) {
  if (factor == 1 || !std::isfinite(factor) || !has_buffered_messages(*plan.captured)) return;
  const auto edit = [factor](const Capture& capture) {
    CaptureEdit changes(capture);
    for (const RendezvousId rendezvous : capture.dag.all_rendezvous()) {
      Collective& message = changes.builder().collective(rendezvous);
      // The result may be larger than the message, so that a later change can undo this one. The replay uses at most
      // the message's bytes.
      constexpr double kMost = 1e18;
      message.buffered = Bytes{std::llround(std::min(static_cast<double>(message.buffered.count()) * factor, kMost))};
    }
    return std::move(changes).finish();
  };
  plan.add_edit(change, edit, factor);  // the factor also depends on earlier changes
}

std::vector<LinkId> both(const std::vector<LinkId>& a, const std::vector<LinkId>& b) {
  std::vector<LinkId> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return common;
}

/// Throws InputError if the change has a selection and a parameter that applies to the whole network.
void refuse_for_a_part(const Change& change) {
  if (change.selector().is_all()) return;
  for (const Parameter& parameter : parameters().subspan(kOfLinks.size())) {
    if (const YamlField* const value = change.find(parameter.name))
      value->fail(fmt::format("'{}' applies to the whole network; expected no selection", parameter.name));
  }
}

void note_recorded_transfers(Plan& plan) {
  if (const std::size_t count = recorded_transfers(plan); count > 0) {
    plan.assumptions.push_back(
        {"recorded_transfers",
         fmt::format("{} transfers keep their recorded times, because no network model times them.", count)});
  }
}

void apply_network(const Change& change, Plan& plan) {
  refuse_for_a_part(change);
  const Selector& selector = change.selector();
  if (plan.network->make == nullptr || !uses_links(*plan.captured)) {
    if (!selector.is_all()) selector.fail(*plan.captured, "links whose rates are not known");
    return apply_as_recorded(change, plan);
  }
  Cluster& cluster = plan.cluster;
  const double before = slowest_goodput(cluster);
  const std::vector<LinkId> links = selected_links(selector, plan);
  if (!selector.is_all()) note_recorded_transfers(plan);
  if (const YamlField* const value = change.find("bandwidth")) set_bandwidth(*value, links, selector.is_all(), plan);
  for (const bool inside : {true, false}) {
    if (const YamlField* const value = change.find(inside ? "inside" : "between")) {
      const std::vector<LinkId> of_kind = links_of_kind(*value, inside, plan);
      set_bandwidth(*value, both(links, of_kind), of_kind.size() == plan.cluster.links.size(), plan);
    }
  }
  if (change.find("latency") != nullptr || change.find("efficiency") != nullptr) cluster.shape.reset();
  for (const LinkId id : links) {
    Link& link = cluster.links[id.index()];
    if (const YamlField* const value = change.find("latency")) link.latency = changed(link.latency, *value);
    change.read("efficiency", link.efficiency);
  }
  for (const NetworkParameter* const parameter : network_parameters()) {
    if (const YamlField* const value = change.find(parameter->what_if))
      cluster.network.set_value(*parameter, changed(*parameter, cluster.network, *value));
  }
  if (change.find(kSharing.what_if) != nullptr) plan.sharing_known = true;
  if (selector.is_all()) scale_buffered(change, slowest_goodput(cluster) / before, plan);
}

}  // namespace

extern const WhatIf network_what_if{
    .name = "network",
    .summary = "Change the bandwidth, latency, overhead or sharing of links",
    .ignores = "effects of another network on the hosts: interrupts, copies, protocol limits",
    .parameters = parameters,
    .asks = {sim::Question::kNetwork},
    .kind = kind_is<AnswerKind::kNetworkRate>,
    .selected = selected_by<selected_transfers>,
    .apply = apply_network,
    .hardware_turn = [](const Change&) { return 3; },  // after changes of `cluster`, which create links
};

}  // namespace stepsim::scenarios
