#include <array>

#include "scenarios/what_if.h"

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

void refuse_recorded(const Change& change) {
  for (const Parameter& parameter : kParameters) {
    if (const YamlField* const value = change.find(parameter.name)) {
      value->fail(
          "transfers keep their recorded times: the capture does not show how fast its links are; expected "
          "'network: {bandwidth: 25Gb/s}' in job.yaml, or --cluster FILE, and --network maxmin");
    }
  }
}

void refuse_without_messages(const Change& change) {
  for (const Parameter& parameter : kParameters) {
    if (const YamlField* const value = change.find(parameter.name)) {
      value->fail(
          "nothing in the capture crosses a link: no message, and no collective of several ranks that says what it "
          "transfers; expected the traces of all ranks");
    }
  }
}

void apply(const Change& change, Plan& plan) {
  if (plan.network->make == nullptr) return refuse_recorded(change);
  if (!uses_links(*plan.captured)) refuse_without_messages(change);
  Cluster& cluster = plan.cluster;
  if (const YamlField* const value = change.find("bandwidth")) {
    const auto factor = factor_of(*value);
    for (Link& link : cluster.links) link.bandwidth = factor ? scaled(link.bandwidth, *factor) : value->bandwidth();
  }
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
