#include "scenarios/change/selected_links.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace stepsim::scenarios {
namespace {

bool is_transfer(const Dag& dag, TaskId task) {
  return dag.kind(task) == TaskKind::kCollective || dag.kind(task) == TaskKind::kTransfer;
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

/// Those that only one host's endpoints have on their way up or down: not the links of switches.
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

}  // namespace

std::vector<TaskId> selected_transfers(const Selector& selector, const Capture& capture) {
  std::vector<TaskId> tasks = selector.select(capture);
  std::erase_if(tasks, [&capture](TaskId task) { return !is_transfer(capture.dag, task); });
  if (tasks.empty()) selector.fail(capture, "no collective and no message");
  return tasks;
}

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

}  // namespace stepsim::scenarios
