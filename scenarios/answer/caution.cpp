#include "scenarios/answer/caution.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/cost/collective/algorithm.h"
#include "sim/analysis/job_kind.h"

namespace stepsim::scenarios {
namespace {

/// No measured job of GPUs had more of them.
constexpr std::size_t kMostMeasured = 8;

bool has_nccl(const Dag& dag) {
  const CollectiveModel* const nccl = find_collective_model("nccl");
  const auto all = dag.all_rendezvous();
  return std::any_of(all.begin(), all.end(),
                     [&](RendezvousId rendezvous) { return dag.collective(rendezvous).algorithm == nccl; });
}

bool is_large(const Cluster& cluster) {
  const std::vector<Endpoint>& endpoints = cluster.endpoints;
  return endpoints.size() > kMostMeasured ||
         std::any_of(endpoints.begin(), endpoints.end(),
                     [&endpoints](const Endpoint& endpoint) { return endpoint.host != endpoints.front().host; });
}

/// True for the one change of NCCL jobs that was compared with measured runs (docs/internals/fidelity.md).
bool was_compared(const Change& change) { return change.sets_only("comm", "start"); }

}  // namespace

Caution::Caution(const Capture& capture, const sim::Checkup& checkup)
    : capture_(capture),
      checkup_(checkup),
      uses_nccl_(has_nccl(capture.dag)),
      uses_gpus_(capture.parameter_server == nullptr && sim::job_kind(capture).has_device_work) {}

void Caution::add(const std::vector<const Change*>& changes, const Cluster& changed) {
  for (const Change* const change : changes) {
    asked_ = asked_ | change->asks();
    if (!was_compared(*change)) add_never_compared(change->asks(), changed);
  }
}

void Caution::add_all(const Cluster& captured) {
  asked_ = sim::Questions::all();
  for (const sim::Question question : sim::kQuestions) add_never_compared({question}, captured);
}

/// Adds what was never compared with measured runs; docs/guides/trust.md says the same.
void Caution::add_never_compared(sim::Questions asked, const Cluster& changed) {
  const bool network = asked.has(sim::Question::kNetwork);
  const bool ranks = asked.has(sim::Question::kRanks);
  if (uses_nccl_ && network && !ranks)
    never_compared_.insert("changes of the network or of buckets of whole NCCL jobs");
  // Steps that were modelled from a configuration were (tests/truth/plans).
  if (uses_gpus_ && (network || ranks) && is_large(changed) && !has_modelled_times(capture_))
    never_compared_.insert("steps on several GPU hosts or on more than 8 GPUs");
}

sim::CaptureTrust Caution::trust() const {
  sim::CaptureTrust trust = sim::trust_in(capture_, checkup_, asked_);
  if (never_compared_.empty()) return trust;
  if (!trust.caution.empty()) trust.caution += ' ';
  trust.caution += fmt::format("Never compared with measured runs: {}.", fmt::join(never_compared_, "; "));
  return trust;
}

}  // namespace stepsim::scenarios
