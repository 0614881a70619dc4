#include "scenarios/answer/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "model/base/text.h"
#include "scenarios/change/on_machine.h"

namespace stepsim::scenarios {
namespace {

bool is_training(const Capture& capture) {
  const std::vector<OperatorTable::Use>& uses = capture.operators.uses;
  return uses.empty() || !capture.gradients.empty() ||
         std::any_of(uses.begin(), uses.end(), [](const OperatorTable::Use& use) { return use.in_backward; });
}

bool has_several_hosts(const Cluster& cluster) {
  const std::vector<Endpoint>& endpoints = cluster.endpoints;
  return std::any_of(endpoints.begin(), endpoints.end(),
                     [&endpoints](const Endpoint& endpoint) { return endpoint.host != endpoints.front().host; });
}

/// Returns how a job is divided; nothing if it is not.
std::optional<AnswerKind> kind_of(const Parallelism& parallelism) {
  if (parallelism.expert > 1) return AnswerKind::kExperts;
  if (parallelism.pipeline > 1) return AnswerKind::kPipeline;
  if (parallelism.tensor > 1) return AnswerKind::kTensorParallel;
  if (parallelism.data > 1) return parallelism.zero > 0 ? AnswerKind::kZero : AnswerKind::kDataParallel;
  if (parallelism.recompute != Recompute::kNothing) return AnswerKind::kRecomputation;
  return std::nullopt;
}

/// Returns "another batch, captured step, one host, training".
std::string words_of(AnswerKind kind, std::string_view devices, std::string_view base, std::string_view hosts,
                     std::string_view mode) {
  std::string words(name_of(kind).words);
  if (devices == "CPU") add_item(words, "job without GPUs");
  if (!base.empty()) add_item(words, fmt::format("{} step", base));
  if (!hosts.empty()) add_item(words, hosts == "one" ? "one host" : "several hosts");
  if (!mode.empty()) add_item(words, mode);
  return words;
}

/// Returns the row of AnswerEvidence::row. O(rows).
const Evidence& row_for(const AnswerEvidence& of) {
  const std::string_view question = name_of(of.kind).question;
  const Evidence* finest = &evidence().back();  // that of all questions fits everything
  const auto fits = [](std::string_view of_row, std::string_view asked) { return of_row.empty() || of_row == asked; };
  const auto fineness = [](const Evidence& row) {
    return std::tuple(!row.question.empty(), !row.devices.empty(), !row.base.empty(), !row.hosts.empty(),
                      !row.mode.empty());
  };
  for (const Evidence& row : evidence()) {
    if (!fits(row.question, question) || !fits(row.devices, of.devices) || !fits(row.base, of.base) ||
        !fits(row.hosts, of.hosts) || !fits(row.mode, of.mode))
      continue;
    if (fineness(row) > fineness(*finest)) finest = &row;
  }
  return *finest;
}

std::string_view devices_of(const Capture& capture) { return has_kernels(capture) ? "GPU" : "CPU"; }

std::string_view base_of(const Capture& capture) { return is_modelled_step(capture) ? "modelled" : "captured"; }

}  // namespace

bool AnswerEvidence::is_unreliable() const noexcept {
  constexpr double kMuch = 0.2;
  return is_measured() && row->median > kMuch;
}

std::string AnswerEvidence::sentence() const {
  const std::string exactly = words_of(kind, devices, base, hosts, mode);
  if (kind == AnswerKind::kReplay && !is_measured())
    return fmt::format("Nothing of this kind was measured ({}).", exactly);  // the range is that of the sources
  const std::string nothing =
      fmt::format("Nothing of this kind was measured ({}): the range is half as wide again", exactly);
  if (row->question.empty()) return nothing + " as that of measured kinds.";
  const std::string figures =
      fmt::format("were {:.1f} % off on average in {} with measured runs, from {} that {}{}.", 100 * row->error,
                  counted(row->rows, "comparison"), counted(row->sources, "source"),
                  row->seen ? "constants were fitted to" : "no constant was fitted to",
                  row->in_range ? fmt::format("; {:.0f} % were in range", 100 * *row->in_range) : "");
  if (!is_measured()) return fmt::format("{}. Other answers about {} {}", nothing, name_of(kind).words, figures);
  return fmt::format("Answers of this kind ({}) {}", words_of(kind, devices, row->base, row->hosts, row->mode),
                     figures);
}

double memory_factor(const Capture& capture) {
  return row_for({.kind = AnswerKind::kMemory, .devices = devices_of(capture), .base = base_of(capture)}).factor;
}

bool is_worse(const AnswerEvidence& a, const AnswerEvidence& b) {
  const auto key = [](const AnswerEvidence& one) {
    return std::tuple(one.kind != AnswerKind::kReplay, !one.is_measured(), one.row->error, one.kind, one.devices,
                      one.base, one.hosts, one.mode);
  };
  return key(a) > key(b);
}

AnswerEvidence evidence_for(const Plan& plan) {
  std::set<AnswerKind> kinds = plan.kinds;
  if (const std::optional<AnswerKind> divided = kind_of(plan.parallelism)) {
    kinds.insert(*divided);
    // Links and buckets are then those of the divided job, not other ones than captured.
    if (plan.parallelism.ranks() > 1) {
      kinds.erase(AnswerKind::kNetworkRate);
      kinds.erase(AnswerKind::kBuckets);
    }
  }
  if (kinds.empty()) kinds.insert(AnswerKind::kReplay);
  const std::string_view devices = devices_of(*plan.captured);
  const std::string_view base = is_on_machine(plan) ? "calibrated" : base_of(*plan.captured);
  const std::string_view hosts = has_several_hosts(plan.cluster) ? "several" : "one";
  const std::string_view mode = is_training(*plan.captured) ? "training" : "inference";
  std::optional<AnswerEvidence> worst;
  double factor = 1;
  for (const AnswerKind kind : kinds) {
    AnswerEvidence one{kind, devices, base, hosts, mode};
    one.row = &row_for(one);
    factor = worst ? std::max(factor, one.row->factor) : one.row->factor;
    if (!worst || is_worse(one, *worst)) worst = one;
  }
  worst->factor = factor;
  return *worst;
}

}  // namespace stepsim::scenarios
