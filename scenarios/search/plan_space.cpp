#include "scenarios/search/plan_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>

#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/text.h"
#include "model/rewrite/parallel/parallelism.h"
#include "scenarios/change/what_if.h"
#include "scenarios/question/points.h"
#include "sim/analysis/throughput.h"

namespace stepsim::scenarios {
namespace {

using Values = std::vector<std::string>;

/// A plan while its parameters are chosen one after another.
struct Draft {
  std::uint32_t devices = 1;
  std::uint32_t tensor = 1;
  std::uint32_t pipeline = 1;
  std::uint32_t data = 1;
  std::uint32_t microbatches = 1;
  std::uint32_t interleave = 1;
  std::uint32_t zero = 0;
};

/// The space, with what the capture allows and the values that the user wants.
struct Choice {
  const PlanSpace& space;
  const PlanLimits& limits;
  std::map<std::string, Values, std::less<>> wanted;  ///< values of the user, by key

  [[nodiscard]] double batches_of_replica(const Draft& draft) const { return space.batches / draft.data; }
};

Values texts_of(const std::vector<std::uint32_t>& numbers) {
  Values texts;
  texts.reserve(numbers.size());
  for (const std::uint32_t number : numbers) texts.push_back(std::to_string(number));
  return texts;
}

/// Returns the divisors of `number` up to `most`.
Values divisors(std::uint32_t number, std::size_t most) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t divisor = 1; divisor <= number && divisor <= most; ++divisor) {
    if (number % divisor == 0) found.push_back(divisor);
  }
  return texts_of(found);
}

Values tensors(const Draft& draft, const Choice& choice) {
  if (!choice.limits.divides_layers) return {"1"};
  const std::uint32_t most = std::gcd(draft.devices, choice.space.gpus_per_host);
  // A degree that the user wants is refused by the capture, which says why.
  if (choice.wanted.contains("parallel.tensor")) return divisors(most, most);
  return divisors(static_cast<std::uint32_t>(std::gcd(choice.limits.key_heads, most)), most);
}

Values pipelines(const Draft& draft, const Choice& choice) {
  return divisors(draft.devices / draft.tensor, choice.limits.layers);
}

Values replicas(const Draft& draft, const Choice& choice) {
  const std::uint32_t rest = draft.devices / draft.tensor / draft.pipeline;
  return rest == 1 || choice.limits.has_replicas ? Values{std::to_string(rest)} : Values{};
}

Values expert_divisions(const Draft& draft, const Choice& choice) {
  const std::uint32_t most = std::gcd(draft.data, choice.limits.experts);
  return draft.tensor == 1 && choice.limits.experts > 0 && most > 1 ? divisors(most, most) : Values{};
}

Values batch_scales(const Draft& draft, const Choice& choice) {
  const double batches = choice.batches_of_replica(draft);
  const double samples = batches * choice.limits.samples.value_or(1);
  const bool is_whole = std::abs(samples - std::round(samples)) < 1e-9 && samples >= 1;
  return is_whole ? Values{batches_text(batches)} : Values{};
}

Values microbatches(const Draft& draft, const Choice& choice) {
  const auto samples =
      static_cast<std::uint64_t>(std::llround(choice.batches_of_replica(draft) * choice.limits.samples.value_or(1)));
  std::vector<std::uint32_t> found;
  for (std::uint32_t parts = 1; parts <= samples && samples % parts == 0; parts *= 2) found.push_back(parts);
  return texts_of(found);
}

Values interleaves(const Draft& draft, const Choice& choice) {
  if (draft.pipeline == 1 || draft.microbatches % draft.pipeline != 0) return {"1"};
  std::vector<std::uint32_t> found;
  for (const std::uint32_t parts : {1U, 2U, 4U}) {
    if (std::size_t{draft.pipeline} * parts <= choice.limits.layers) found.push_back(parts);
  }
  return texts_of(found);
}

Values if_replicas(const Draft& draft, Values values) { return draft.data > 1 ? std::move(values) : Values{}; }

Values bucket_sizes(const Draft& draft, const Choice& /*choice*/) {
  if (draft.zero == 3) return {};  // gradients are reduced layer by layer
  return if_replicas(draft, {"10MiB", "25MiB", "100MiB", "250MiB", "1GiB"});
}

Values zero_stages(const Draft& draft, const Choice& /*choice*/) { return if_replicas(draft, {"0", "1", "2", "3"}); }

Values sequences(const Draft& draft, const Choice& /*choice*/) {
  return draft.tensor > 1 ? Values{"false", "true"} : Values{};
}

Values recomputations(const Draft& /*draft*/, const Choice& /*choice*/) { return {"none", "selective", "all"}; }

/// A parameter that the search chooses. Values may depend on those of the parameters before it.
struct PlanAxis {
  std::string_view key;
  /// Returns the values to try with `draft`; none if the parameter does not apply to it. Of parameters that `divides`,
  /// there is then no plan.
  Values (*values)(const Draft& draft, const Choice& choice);
  std::uint32_t Draft::*number = nullptr;  ///< where the value is kept for later parameters
  /// True if only these values make plans of all devices. Otherwise those that the user wants are tried if there are
  /// several.
  bool divides = false;
};

/// In the order in which parameters are chosen and shown. Parameters that no what-if has are left out.
constexpr std::array kPlanAxes{
    PlanAxis{"parallel.tensor", tensors, &Draft::tensor, true},
    PlanAxis{"parallel.pipeline", pipelines, &Draft::pipeline, true},
    PlanAxis{"parallel.data", replicas, &Draft::data, true},
    PlanAxis{"parallel.expert", expert_divisions},
    PlanAxis{"batch.scale", batch_scales, nullptr, true},
    PlanAxis{"parallel.microbatches", microbatches, &Draft::microbatches},
    PlanAxis{"parallel.interleave", interleaves, &Draft::interleave},
    PlanAxis{"parallel.sequence", sequences},
    PlanAxis{"parallel.zero", zero_stages, &Draft::zero},
    PlanAxis{"parallel.recompute", recomputations},
    PlanAxis{"comm.bucket_bytes", bucket_sizes},
};

bool is_known(std::string_view key) {
  const std::size_t dot = key.find('.');
  for (const WhatIf* const what_if : what_ifs()) {
    if (what_if->name != key.substr(0, dot)) continue;
    return std::any_of(what_if->parameters.begin(), what_if->parameters.end(),
                       [&](const Parameter& parameter) { return parameter.name == key.substr(dot + 1); });
  }
  return false;
}

const PlanAxis* find_axis(std::string_view key) {
  const auto* const found =
      std::find_if(kPlanAxes.begin(), kPlanAxes.end(), [key](const PlanAxis& axis) { return axis.key == key; });
  return found == kPlanAxes.end() ? nullptr : found;
}

[[noreturn]] void refuse_batch() {
  throw UsageError("'batch.scale' follows from the samples of all replicas; expected --global-batch N in its place");
}

Values texts_of(const YamlField& list) {
  Values texts;
  for (const YamlField& value : list.list("a list of values")) texts.push_back(value.scalar("one value"));
  return texts;
}

/// Moves the values that the scenario gives for the search's parameters to Choice::wanted.
void take_wanted(Scenario& scenario, Choice& choice) {
  std::erase_if(scenario.changes, [&choice](const Change& change) {
    const EditKey key = change.key();
    bool all = !key.values.empty();
    for (const auto& [parameter, values] : key.values) {
      const std::string name = fmt::format("{}.{}", key.what_if, parameter);
      if (name == "batch.scale") refuse_batch();
      if (find_axis(name) == nullptr) all = false;
    }
    if (!all) return false;
    for (const auto& [parameter, values] : key.values)
      choice.wanted[fmt::format("{}.{}", key.what_if, parameter)] = values;
    return true;
  });
  std::erase_if(scenario.sweep, [&choice](const Axis& axis) {
    if (axis.key == "batch.scale") refuse_batch();
    if (find_axis(axis.key) == nullptr) return false;
    choice.wanted[axis.key] = texts_of(axis.values);
    return true;
  });
  for (const std::vector<PointValue>& point : scenario.points) {
    for (const PointValue& entry : point) {
      if (find_axis(entry.key) == nullptr) continue;
      entry.value.fail(fmt::format("'{}' is chosen by the search; expected it in a grid, or not at all", entry.key));
    }
  }
}

/// Returns the values to try; nothing if the parameter does not apply.
std::optional<Values> values_of(const PlanAxis& axis, const Draft& draft, const Choice& choice) {
  Values values = axis.values(draft, choice);
  if (values.empty() && !axis.divides) return std::nullopt;
  const auto wanted = choice.wanted.find(axis.key);
  if (wanted == choice.wanted.end()) return values;
  if (!axis.divides && values.size() > 1) return wanted->second;
  std::erase_if(values, [&](const std::string& value) {
    return std::find(wanted->second.begin(), wanted->second.end(), value) == wanted->second.end();
  });
  return values;
}

/// Lists all plans as settings.
class PlanList {
 public:
  explicit PlanList(const Choice& choice) : choice_(choice) {
    std::copy_if(kPlanAxes.begin(), kPlanAxes.end(), std::back_inserter(axes_),
                 [](const PlanAxis& axis) { return is_known(axis.key); });
  }

  std::vector<std::vector<Setting>> list() && {
    for (const std::uint32_t devices : choice_.space.devices) choose(0, {.devices = devices});
    return std::move(plans_);
  }

 private:
  void choose(std::size_t place, const Draft& draft) {  // NOLINT(misc-no-recursion): as deep as the table of axes
    if (place == axes_.size()) {
      plans_.push_back(settings_);
      return;
    }
    const PlanAxis& axis = axes_[place];
    const std::optional<Values> values = values_of(axis, draft, choice_);
    if (!values) return choose(place + 1, draft);
    for (const std::string& value : *values) {
      Draft next = draft;
      if (axis.number != nullptr) next.*axis.number = parse_number<std::uint32_t>(value).value_or(1);
      settings_.push_back({std::string(axis.key), value});
      choose(place + 1, next);
      settings_.pop_back();
    }
  }

  const Choice& choice_;
  std::vector<PlanAxis> axes_;
  std::vector<Setting> settings_;
  std::vector<std::vector<Setting>> plans_;
};

/// Returns all combinations of the values of a scenario's sweep; one without values if it has none.
std::vector<std::vector<PointValue>> other_values(const Scenario& scenario) {
  if (!scenario.points.empty()) return scenario.points;
  std::vector<std::vector<PointValue>> all(1);
  for (const Axis& axis : scenario.sweep) {
    std::vector<std::vector<PointValue>> longer;
    for (const std::vector<PointValue>& before : all) {
      for (const YamlField& value : axis.values.list("a list of values")) {
        longer.push_back(before);
        longer.back().push_back({axis.key, value});
      }
    }
    all = std::move(longer);
    if (all.size() > kMostPoints) break;
  }
  return all;
}

/// Returns the clause of why `parallelism` is not possible; empty if it is.
std::string problem_of(const Capture& capture, const Parallelism& parallelism, DividedWork& work) {
  try {
    work = divided_work(capture, parallelism);
    return {};
  } catch (const CannotAnswer& error) {
    return error.what();
  }
}

}  // namespace

PlanLimits plan_limits(const Capture& capture) {
  PlanLimits limits{.samples = sim::captured_work(capture).batch_size, .reasons = {}};
  DividedWork work;
  const auto is_possible = [&](const Parallelism& parallelism, std::string_view what) {
    const std::string problem = problem_of(capture, parallelism, work);
    if (!problem.empty()) limits.reasons.push_back(fmt::format("{}: {}", what, problem));
    return problem.empty();
  };
  limits.has_replicas = is_possible({.data = 2}, "replicas");
  limits.divides_layers = is_possible({.tensor = 2}, "divided layers");
  limits.key_heads = work.key_heads;
  if (is_possible({.pipeline = 2}, "stages of a pipeline"))
    limits.layers = std::accumulate(work.layers_of_parts.begin(), work.layers_of_parts.end(), std::size_t{0});
  if (problem_of(capture, {.data = 2, .expert = 2}, work).empty()) limits.experts = work.experts;
  return limits;
}

std::string batches_text(double batches) { return fmt::format("{}", batches); }

Scenario with_plans(Scenario scenario, const PlanSpace& space, const PlanLimits& limits) {
  Choice choice{space, limits, {}};
  take_wanted(scenario, choice);
  const std::vector<std::vector<Setting>> plans = PlanList(choice).list();
  const std::vector<std::vector<PointValue>> others = other_values(scenario);
  if (plans.size() > kMostPoints / others.size()) {
    throw UsageError(
        fmt::format("the space has more than {} plans; expected fewer values or numbers of devices", kMostPoints));
  }
  YamlText text{"plan", {YamlValue::Kind::kList, 1, {}, {}}};
  for (const std::vector<Setting>& plan : plans) {
    for (const Setting& setting : plan) text.root.items.push_back({YamlValue::Kind::kScalar, 1, setting.value, {}});
  }
  const auto document = std::make_shared<const YamlText>(std::move(text));
  scenario.documents.push_back(document);
  scenario.sweep.clear();
  scenario.points.clear();
  std::size_t place = 0;
  for (const std::vector<Setting>& plan : plans) {
    std::vector<PointValue> values;
    values.reserve(plan.size());
    for (const Setting& setting : plan)
      values.push_back({setting.key, {setting.key, &document->root.items[place++], &document->name}});
    for (const std::vector<PointValue>& other : others) {
      scenario.points.push_back(values);
      scenario.points.back().insert(scenario.points.back().end(), other.begin(), other.end());
    }
  }
  return scenario;
}

}  // namespace stepsim::scenarios
