#include "scenarios/change/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/job/group.h"
#include "model/job/parameter_server/workload.h"
#include "model/rewrite/ranks.h"
#include "scenarios/change/what_if.h"

namespace stepsim::scenarios {

void Plan::add_edit(const Change& change, Edit edit, double factor) {
  EditKey key = change.key();
  key.factor = factor;
  edits_.push_back({std::move(key), std::move(edit)});
}

void Plan::add_rule(Turn turn, AnyRule rule, const Change* change) {
  MadeRule made{turn, change == nullptr ? std::nullopt : std::optional(change->key()), std::move(rule)};
  const auto place = std::upper_bound(rules.begin(), rules.end(), made, [](const MadeRule& a, const MadeRule& b) {
    return std::tie(a.turn, a.key) < std::tie(b.turn, b.key);
  });
  rules.insert(place, std::move(made));
}

Capture Plan::edited(Capture graph) const {
  for (const MadeEdit& made : edits_) graph = made.edit(graph);
  return graph;
}

double Plan::size_of_sent_activations() const {
  if (activation_bytes == 0 || parallelism == Parallelism{}) return 1;
  const auto& operators = captured->operators.operators;
  const auto largest = std::max_element(operators.begin(), operators.end(),
                                        [](const auto& a, const auto& b) { return a.work.flops < b.work.flops; });
  if (largest == operators.end() || largest->inputs.empty()) return 1;
  return activation_bytes / static_cast<double>(largest->inputs.back().element_bytes);
}

bool Plan::may_have_copies() const {
  return (job.workers && *job.workers > workers_before) || has_copies(captured->dag);
}

GraphKey Plan::graph_key() const {
  GraphKey key{job, colocated_servers, parallelism, may_have_copies() ? ungrouped_ranks : RankSet(), {}};
  for (const MadeEdit& made : edits_) key.edits.push_back(made.key);
  return key;
}

std::uint32_t ranks_of(const Plan& plan) {
  const auto ranks = static_cast<std::uint32_t>(plan.parallelism.ranks());
  return *plan.job.workers * plan.job.local_size.value_or(1) * ranks;
}

std::uint32_t captured_workers(const Capture& capture) {
  if (capture.parameter_server != nullptr) return capture.parameter_server->workers();
  const auto ranks = group_of_lone_rank(capture).value_or(static_cast<std::uint32_t>(known_ranks(capture).size()));
  return std::max(1U, ranks / capture.job.local_size.value_or(1));
}

Assumption copies_assumption(std::uint32_t captured) {
  return {"copies",
          fmt::format("Workers beyond the {} captured behave like a captured one, on an identical host and link.",
                      captured)};
}

Bandwidth scaled(Bandwidth rate, double factor) noexcept {
  return Bandwidth::from_bytes_per_second(rate.bytes_per_second() * factor);
}

namespace {

/// Multiplies a count. Rounds to the nearest whole number; the result is at most 2^62.
std::int64_t scaled_count(std::int64_t count, double factor) noexcept {
  constexpr auto kMost = static_cast<double>(std::numeric_limits<std::int64_t>::max()) / 2;
  return std::llround(std::min(kMost, static_cast<double>(count) * factor));
}

}  // namespace

Duration scaled(Duration duration, double factor) noexcept {
  return factor == 1 ? duration : Duration{scaled_count(duration.count(), factor)};
}

Bytes scaled(Bytes bytes, double factor) noexcept {
  if (bytes == Bytes{} || factor == 1) return bytes;
  return Bytes{std::max(std::int64_t{1}, scaled_count(bytes.count(), factor))};
}

void cannot_answer(const YamlField& field, std::string_view problem) {
  throw CannotAnswer({*field.file, {}, field.value->line}, problem);
}

void need_sized_collectives(const YamlField& field, const Plan& plan) {
  if (has_sized_collectives(*plan.captured)) return;
  const Dag& dag = plan.captured->dag;
  const auto all = dag.all_rendezvous();
  const auto of_several =
      std::count_if(all.begin(), all.end(), [&dag](RendezvousId one) { return group_size(dag, one) > 1; });
  if (of_several == 0)
    cannot_answer(field, "no collective connects the captured ranks; expected the traces of all ranks");
  cannot_answer(field,
                fmt::format("none of the {} has a known size; expected traces with sizes: record_shapes=True with "
                            "PyTorch 2.1 or later, or NCCL's NVTX ranges",
                            counted(static_cast<std::size_t>(of_several), "collective")));
}

void refuse_as_recorded(const YamlField& field, const Plan& plan, std::string_view problem) {
  if (plan.cluster.links.empty()) cannot_answer(field, problem);
  field.fail(problem);
}

}  // namespace stepsim::scenarios
