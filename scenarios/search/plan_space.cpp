#include "scenarios/search/plan_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/base/error.h"
#include "scenarios/change/what_if.h"
#include "scenarios/question/points.h"
#include "sim/analysis/throughput.h"

namespace stepsim::scenarios {
namespace {

using Values = std::vector<TypedValue>;

/// A plan while its parameters are chosen one after another.
struct PartialPlan {
  std::uint32_t devices = 1;
  Parallelism parallelism;
};

/// The space, with what the capture allows and the values that the user wants.
struct Choice {
  const PlanSpace& space;
  const PlanLimits& limits;
  std::map<std::string, std::vector<PointValue>, std::less<>> wanted;  ///< values of the user, by key

  [[nodiscard]] double batches_of_replica(const PartialPlan& plan) const {
    return space.batches / plan.parallelism.data;
  }
};

/// Returns the divisors of `number` up to `most`.
Values divisors(std::uint32_t number, std::size_t most) {
  Values found;
  for (std::uint32_t divisor = 1; divisor <= number && divisor <= most; ++divisor) {
    if (number % divisor == 0) found.emplace_back(divisor);
  }
  return found;
}

Values tensors(const PartialPlan& plan, const Choice& choice) {
  if (!choice.limits.divides_layers) return {1U};
  const std::uint32_t most = std::gcd(plan.devices, choice.space.gpus_per_host);
  // A degree that the user wants is refused by the capture, which says why.
  if (choice.wanted.contains("parallel.tensor")) return divisors(most, most);
  return divisors(static_cast<std::uint32_t>(std::gcd(choice.limits.key_heads, most)), most);
}

Values pipelines(const PartialPlan& plan, const Choice& choice) {
  return divisors(plan.devices / plan.parallelism.tensor, choice.limits.layers);
}

Values replicas(const PartialPlan& plan, const Choice& choice) {
  const std::uint32_t rest = plan.devices / plan.parallelism.tensor / plan.parallelism.pipeline;
  return rest == 1 || choice.limits.has_replicas ? Values{rest} : Values{};
}

Values expert_divisions(const PartialPlan& plan, const Choice& choice) {
  const std::uint32_t most = std::gcd(plan.parallelism.data, choice.limits.experts);
  return plan.parallelism.tensor == 1 && choice.limits.experts > 0 && most > 1 ? divisors(most, most) : Values{};
}

Values batch_scales(const PartialPlan& plan, const Choice& choice) {
  const double batches = choice.batches_of_replica(plan);
  const double samples = batches * choice.limits.samples.value_or(1);
  const bool is_whole = std::abs(samples - std::round(samples)) < 1e-9 && samples >= 1;
  return is_whole ? Values{batches} : Values{};
}

Values microbatches(const PartialPlan& plan, const Choice& choice) {
  const auto samples =
      static_cast<std::uint64_t>(std::llround(choice.batches_of_replica(plan) * choice.limits.samples.value_or(1)));
  Values found;
  for (std::uint32_t parts = 1; parts <= samples && samples % parts == 0; parts *= 2) found.emplace_back(parts);
  return found;
}

Values interleaves(const PartialPlan& plan, const Choice& choice) {
  const Parallelism& parallelism = plan.parallelism;
  if (parallelism.pipeline == 1 || parallelism.microbatches % parallelism.pipeline != 0) return {1U};
  Values found;
  for (const std::uint32_t parts : {1U, 2U, 4U}) {
    if (std::size_t{parallelism.pipeline} * parts <= choice.limits.layers) found.emplace_back(parts);
  }
  return found;
}

Values if_replicas(const PartialPlan& plan, Values values) {
  return plan.parallelism.data > 1 ? std::move(values) : Values{};
}

Values bucket_sizes(const PartialPlan& plan, const Choice& /*choice*/) {
  if (plan.parallelism.zero == 3) return {};  // gradients are reduced layer by layer
  Values sizes;
  for (const std::int64_t mebibytes : {10, 25, 100, 250, 1024}) sizes.emplace_back(Bytes{mebibytes << 20});
  return if_replicas(plan, std::move(sizes));
}

Values zero_stages(const PartialPlan& plan, const Choice& /*choice*/) { return if_replicas(plan, {0U, 1U, 2U, 3U}); }

Values sequences(const PartialPlan& plan, const Choice& /*choice*/) {
  return plan.parallelism.tensor > 1 ? Values{false, true} : Values{};
}

Values recomputations(const PartialPlan& /*plan*/, const Choice& /*choice*/) {
  Values values;
  for (const Recompute part : {Recompute::kNothing, Recompute::kAttention, Recompute::kLayers})
    values.emplace_back(static_cast<std::uint32_t>(part));
  return values;
}

/// A parameter that the search chooses. Values may depend on those of the parameters before it.
struct PlanAxis {
  std::string_view key;
  /// Returns the values to try with `plan`; none if the parameter does not apply to it. Of parameters that `divides`,
  /// there is then no plan.
  Values (*values)(const PartialPlan& plan, const Choice& choice);
  std::uint32_t Parallelism::*number = nullptr;  ///< where the value is kept for later parameters
  /// True if only these values make plans of all devices. Otherwise those that the user wants are tried if there are
  /// several.
  bool divides = false;
};

/// In the order in which parameters are chosen and shown. Parameters that no what-if has are left out.
constexpr std::array kPlanAxes{
    PlanAxis{"parallel.tensor", tensors, &Parallelism::tensor, true},
    PlanAxis{"parallel.pipeline", pipelines, &Parallelism::pipeline, true},
    PlanAxis{"parallel.data", replicas, &Parallelism::data, true},
    PlanAxis{"parallel.expert", expert_divisions},
    PlanAxis{"batch.scale", batch_scales, nullptr, true},
    PlanAxis{"parallel.microbatches", microbatches, &Parallelism::microbatches},
    PlanAxis{"parallel.interleave", interleaves, &Parallelism::interleave},
    PlanAxis{"parallel.sequence", sequences},
    PlanAxis{"parallel.zero", zero_stages, &Parallelism::zero},
    PlanAxis{"parallel.recompute", recomputations},
    PlanAxis{"comm.bucket_bytes", bucket_sizes},
};

const PlanAxis* find_axis(std::string_view key) {
  const auto* const found =
      std::find_if(kPlanAxes.begin(), kPlanAxes.end(), [key](const PlanAxis& axis) { return axis.key == key; });
  return found == kPlanAxes.end() ? nullptr : found;
}

[[noreturn]] void refuse_batch() {
  throw UsageError("'batch.scale' follows from the samples of all replicas; expected --global-batch N in its place");
}

PointValue wanted_value(const std::string& key, YamlField value) {
  const Parameter& parameter = *find_parameter(key)->parameter;
  value.name = parameter.name;
  const TypedValue typed = typed_value(parameter, value);
  return {key, std::move(value), typed};
}

/// Moves the values that the scenario gives for the search's parameters to Choice::wanted. Throws InputError if one is
/// invalid.
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
    for (const auto& [parameter, values] : key.values) {
      const std::string name = fmt::format("{}.{}", key.what_if, parameter);
      choice.wanted[name] = {wanted_value(name, *change.find(parameter))};
    }
    return true;
  });
  std::erase_if(scenario.sweep, [&choice](const Axis& axis) {
    if (axis.key == "batch.scale") refuse_batch();
    if (find_axis(axis.key) == nullptr) return false;
    std::vector<PointValue>& wanted = choice.wanted[axis.key];
    wanted.clear();
    for (const YamlField& value : axis.values.list("a list of values")) wanted.push_back(wanted_value(axis.key, value));
    return true;
  });
  for (const std::vector<PointValue>& point : scenario.points) {
    for (const PointValue& entry : point) {
      if (find_axis(entry.key) == nullptr) continue;
      entry.value.fail(fmt::format("'{}' is chosen by the search; expected it in a grid, or not at all", entry.key));
    }
  }
}

/// Lists all plans as values of parameters.
class PlanList {
 public:
  /// Values that nobody wrote have their place at `nowhere`.
  PlanList(const Choice& choice, const YamlField& nowhere) : choice_(choice), nowhere_(nowhere) {
    std::copy_if(kPlanAxes.begin(), kPlanAxes.end(), std::back_inserter(axes_),
                 [](const PlanAxis& axis) { return find_parameter(axis.key).has_value(); });
  }

  std::vector<std::vector<PointValue>> list() && {
    for (const std::uint32_t devices : choice_.space.devices) choose(0, {.devices = devices, .parallelism = {}});
    return std::move(plans_);
  }

 private:
  void choose(std::size_t place, const PartialPlan& plan) {  // NOLINT(misc-no-recursion): as deep as the table of axes
    if (place == axes_.size()) {
      plans_.push_back(chosen_);
      return;
    }
    const PlanAxis& axis = axes_[place];
    const std::optional<std::vector<PointValue>> values = values_of(axis, plan);
    if (!values) return choose(place + 1, plan);
    for (const PointValue& value : *values) {
      PartialPlan next = plan;
      if (axis.number != nullptr) next.parallelism.*axis.number = std::get<std::uint32_t>(*value.typed);
      chosen_.push_back(value);
      choose(place + 1, next);
      chosen_.pop_back();
    }
  }

  /// Returns the values to try; nothing if the parameter does not apply.
  [[nodiscard]] std::optional<std::vector<PointValue>> values_of(const PlanAxis& axis, const PartialPlan& plan) const {
    const Values values = axis.values(plan, choice_);
    if (values.empty() && !axis.divides) return std::nullopt;
    const auto wanted = choice_.wanted.find(axis.key);
    const bool is_wanted = wanted != choice_.wanted.end();
    if (is_wanted && !axis.divides && values.size() > 1) return wanted->second;
    std::vector<PointValue> kept;
    for (const TypedValue& value : values) {
      const auto is_same = [&value](const PointValue& one) { return one.typed == value; };
      if (!is_wanted || std::any_of(wanted->second.begin(), wanted->second.end(), is_same))
        kept.push_back({std::string(axis.key), nowhere_, value});
    }
    return kept;
  }

  const Choice& choice_;
  const YamlField& nowhere_;
  std::vector<PlanAxis> axes_;
  std::vector<PointValue> chosen_;
  std::vector<std::vector<PointValue>> plans_;
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
        longer.back().push_back({axis.key, value, std::nullopt});
      }
    }
    all = std::move(longer);
    if (all.size() > kMostPoints) break;
  }
  return all;
}

/// Returns the clause of why `parallelism` is not possible; empty if it is.
std::string problem_of(DividedStep& step, const Parallelism& parallelism, DividedWork& work) {
  try {
    work = step.work(parallelism);
    return {};
  } catch (const CannotAnswer& error) {
    return error.what();
  }
}

}  // namespace

PlanLimits plan_limits(DividedStep& step) {
  PlanLimits limits{.samples = sim::captured_work(step.capture()).batch_size, .reasons = {}};
  DividedWork work;
  const auto is_possible = [&](const Parallelism& parallelism, std::string_view what) {
    const std::string problem = problem_of(step, parallelism, work);
    if (!problem.empty()) limits.reasons.push_back(fmt::format("{}: {}", what, problem));
    return problem.empty();
  };
  limits.has_replicas = is_possible({.data = 2}, "replicas");
  limits.divides_layers = is_possible({.tensor = 2}, "divided layers");
  limits.key_heads = work.key_heads;
  if (is_possible({.pipeline = 2}, "stages of a pipeline")) limits.layers = work.repeated_layers;
  if (problem_of(step, {.data = 2, .expert = 2}, work).empty()) limits.experts = work.experts;
  return limits;
}

Scenario with_plans(Scenario scenario, const PlanSpace& space, const PlanLimits& limits) {
  Choice choice{space, limits, {}};
  take_wanted(scenario, choice);
  const auto document = std::make_shared<const YamlText>(YamlText{"plan", {YamlValue::Kind::kScalar, 1, {}, {}}});
  scenario.documents.push_back(document);
  const std::vector<std::vector<PointValue>> plans =
      PlanList(choice, {"plan", &document->root, &document->name}).list();
  const std::vector<std::vector<PointValue>> others = other_values(scenario);
  if (plans.size() > kMostPoints / others.size()) {
    throw UsageError(
        fmt::format("the space has more than {} plans; expected fewer values or numbers of devices", kMostPoints));
  }
  scenario.sweep.clear();
  scenario.points.clear();
  for (const std::vector<PointValue>& plan : plans) {
    for (const std::vector<PointValue>& other : others) {
      scenario.points.push_back(plan);
      scenario.points.back().insert(scenario.points.back().end(), other.begin(), other.end());
    }
  }
  return scenario;
}

}  // namespace stepsim::scenarios
