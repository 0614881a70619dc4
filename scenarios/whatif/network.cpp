#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "scenarios/change/what_if.h"

// Links as fast, as near and as shared as asked for. A factor scales what the capture ran on.

namespace stepsim::scenarios {
namespace {

constexpr std::array kParameters{
    Parameter{"bandwidth", "a rate such as 25Gb/s, or a factor such as 2x", "of every link", "1x"},
    Parameter{"latency", "a time such as 10us, or a factor such as 2x", "of every link", "1x"},
    Parameter{"overhead", "a time such as 5us, or a factor such as 2x", "of every message, before it moves", "1x"},
    Parameter{"efficiency", "a number from 0.01 to 1", "of a link's bandwidth, what is left for payload", ""},
    Parameter{"sharing", "fair, serial or a number from 0 to 1", "how senders share a narrow link", ""},
};

Duration changed(Duration old, const YamlField& value) {
  const auto factor = factor_of(value);
  return factor ? scaled(old, *factor) : value.duration();
}

double sharing_of(const YamlField& value) {
  if (value.is(YamlValue::Kind::kScalar) && value.value->text == "fair") return 1;
  if (value.is(YamlValue::Kind::kScalar) && value.value->text == "serial") return 0;
  return value.number(0, 1);
}

std::size_t recorded_transfers(const Plan& plan) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < plan.captured->dag.task_count(); ++i)
    if (keeps_recorded_time(*plan.captured, TaskId{i}, *plan.network)) ++count;
  return count;
}

/// Transfers of which only the recorded time is known become as much faster as the links. That
/// not all of that time is bandwidth is for the interval to say.
void scale_recorded_transfers(std::size_t count, double factor, Plan& plan) {
  if (count == 0 || factor == 1) return;
  plan.recorded_transfers /= factor;
  plan.assumptions.push_back(
      {"recorded_transfers",
       fmt::format("{} parts of collectives do not say what they transfer, or lack too many members: their recorded "
                   "times, waiting for other ranks included, are divided by {:g} as the links' transfers are",
                   count, factor)});
}

/// Where no model times a transfer there is no rate to set and no latency to know; only that
/// transfers may be faster or slower by a factor.
void apply_as_recorded(const Change& change, Plan& plan) {
  const std::size_t count = recorded_transfers(plan);
  for (const Parameter& parameter : kParameters) {
    const YamlField* const value = change.find(parameter.name);
    if (value == nullptr) continue;
    if (count == 0 && !uses_links(*plan.captured)) {
      value->fail(
          "nothing in the capture crosses a link: it has no message and no collective; expected the traces of all "
          "ranks");
    }
    const auto factor = parameter.name == "bandwidth" ? factor_of(*value) : std::nullopt;
    if (count == 0 || !factor) {
      value->fail(
          "transfers keep their recorded times: the capture does not show how fast its links are; expected a factor of "
          "the bandwidth such as 2x where collectives were recorded, else 'network: {bandwidth: 25Gb/s}' in job.yaml, "
          "or --cluster FILE, and --network maxmin");
    }
    scale_recorded_transfers(count, *factor, plan);
  }
}

double slowest_link(const Cluster& cluster) {
  double slowest = std::numeric_limits<double>::infinity();
  for (const Link& link : cluster.links) slowest = std::min(slowest, link.bandwidth.bytes_per_second());
  return slowest;
}

void set_bandwidth(const YamlField& value, Plan& plan) {
  const double before = slowest_link(plan.cluster);
  const auto factor = factor_of(value);
  for (Link& link : plan.cluster.links) link.bandwidth = factor ? scaled(link.bandwidth, *factor) : value.bandwidth();
  scale_recorded_transfers(recorded_transfers(plan), factor ? *factor : slowest_link(plan.cluster) / before, plan);
}

void apply(const Change& change, Plan& plan) {
  if (plan.network->make == nullptr || !uses_links(*plan.captured)) return apply_as_recorded(change, plan);
  Cluster& cluster = plan.cluster;
  if (const YamlField* const value = change.find("bandwidth")) set_bandwidth(*value, plan);
  if (const YamlField* const value = change.find("latency")) {
    for (Link& link : cluster.links) link.latency = changed(link.latency, *value);
  }
  if (const YamlField* const value = change.find("overhead")) {
    cluster.network.message_overhead = changed(cluster.network.message_overhead, *value);
  }
  if (const YamlField* const value = change.find("efficiency")) {
    for (Link& link : cluster.links) link.efficiency = value->number(0.01, 1);
  }
  if (const YamlField* const value = change.find("sharing")) {
    cluster.network.sharing = sharing_of(*value);
    plan.sharing_known = true;
  }
}

}  // namespace

extern const WhatIf network_what_if;
const WhatIf network_what_if{
    .name = "network",
    .summary = "other links: faster, slower, nearer, shared in another way",
    .ignores = "what another network would change in the hosts: interrupts, copies, the protocol's own limits",
    .parameters = kParameters,
    .apply = apply,
};

}  // namespace stepsim::scenarios
