#include <fmt/format.h>

#include <array>

#include "model/rewrite/parameter_server/build.h"
#include "scenarios/change/refuse.h"
#include "scenarios/change/what_if.h"

// More or fewer machines. New ones are copies of captured ones.

namespace stepsim::scenarios {
namespace {

constexpr std::uint32_t kMost = 100'000;
constexpr std::array kParameters{
    Parameter{"workers", "a whole number from 1", "of workers; in a job without servers a worker is local_size ranks",
              ""},
    Parameter{"servers", "a whole number from 1", "of parameter servers", ""},
    Parameter{"colocated", "true or false", "servers run on the workers' hosts and share their links", ""},
};

void apply(const Change& change, Plan& plan) {
  const YamlField* const workers = change.find("workers");
  const YamlField* const servers = change.find("servers");
  const YamlField* const colocated = change.find("colocated");
  const bool has_servers = plan.captured->parameter_server != nullptr;
  for (const YamlField* const value : {servers, colocated}) {
    if (value != nullptr && !has_servers)
      cannot_answer(*value, "the job has no parameter servers; expected one that has");
  }
  if (plan.network->make == nullptr) {
    for (const YamlField* const value : {workers, servers, colocated}) {
      if (value != nullptr)
        refuse_as_recorded(
            *value, plan,
            "under --network recorded transfers keep their recorded times; expected another network model");
    }
  }
  if (workers != nullptr && !has_servers && !has_sized_collectives(*plan.captured)) {
    cannot_answer(
        *workers,
        "no collective that says what it transfers ties the captured ranks together, so more or fewer ranks would "
        "change nothing; expected the traces of all ranks");
  }
  if (workers != nullptr && lone_collectives(*plan.captured) > 0) {
    cannot_answer(
        *workers,
        fmt::format("of {} collectives only one rank's part was captured; expected the traces of all ranks, so that "
                    "one can be copied or left out",
                    lone_collectives(*plan.captured)));
  }
  const std::uint32_t before = plan.job.workers.value();
  if (workers != nullptr) plan.job.workers = workers->count(1, kMost);
  if (servers != nullptr) plan.job.servers = servers->count(1, kMost);
  if (colocated != nullptr) plan.colocated_servers = colocated->flag();
  const std::uint32_t per_worker = has_servers ? 1 : plan.job.local_size.value_or(1);
  plan.cluster = with_endpoints(plan.cluster, *plan.job.workers * per_worker,
                                has_servers ? plan.job.servers.value_or(1) : 0, plan.colocated_servers);
  const std::uint32_t captured = captured_workers(*plan.captured);
  if (*plan.job.workers > captured && before <= captured) plan.assumptions.push_back(copies_assumption(captured));
}

}  // namespace

extern const WhatIf cluster_what_if;
const WhatIf cluster_what_if{
    .name = "cluster",
    .summary = "more or fewer workers and servers",
    .ignores = "differences between machines, and any change of the job itself with their number",
    .parameters = kParameters,
    .apply = apply,
};

}  // namespace stepsim::scenarios
