#include <fmt/format.h>

#include <array>

#include "model/device/device_model.h"
#include "model/error.h"
#include "scenarios/device_rule.h"
#include "scenarios/what_if.h"

// Another device: kernels by roofline, or by a factor. Host work, launches and collectives stay.

namespace stepsim::scenarios {
namespace {

constexpr std::array kParameters{
    Parameter{"to", "a device such as H100, or recorded", "that does the selected work", "recorded"},
    Parameter{"from", "a device such as V100", "that did it, where the trace does not say or is wrong", ""},
    Parameter{"model", "roofline or scaled", "by what each kernel is bound by, or all by factor", ""},
    Parameter{"factor", "a number such as 0.5 from 0", "of durations, for model: scaled", "1"},
};

constexpr std::string_view kKept =
    "collectives, which take what their network gives them, and copies of pageable memory";

const Accelerator& named(const YamlField& value) {
  try {
    return accelerator_named(value.scalar("a device's name"));
  } catch (const UsageError& error) {
    value.fail(error.what());
  }
}

/// What has a device's limits keeps its recorded time where it is no device's to say.
TimePiece by_factor(double factor) {
  return [factor](const DeviceWork& before, const DeviceWork&) {
    if (limit_of(before.kind) == Limit::kNone || factor == 1) return Scaled{};
    return find_device_model("scaled")->scale(before, {.factor = factor});
  };
}

ChangePieces on(const Accelerator* device) {
  return [device](const Capture&, const DevicePieces&) {
    return [device](const DeviceWork& piece) {
      DeviceWork changed = piece;
      if (device != nullptr) changed.on = device;
      return changed;
    };
  };
}

/// Null where it is not to change.
const Accelerator* target(const YamlField* to) {
  if (to == nullptr || (to->is(YamlValue::Kind::kScalar) && to->value->text == "recorded")) return nullptr;
  return &named(*to);
}

/// Nothing: by roofline.
std::optional<double> factor_in(const Change& change) {
  const YamlField* const model = change.find("model");
  const YamlField* const value = change.find("factor");
  const bool scaled = model == nullptr ? value != nullptr : model->one_of_words({"roofline", "scaled"}) == 1;
  if (value == nullptr) {
    if (scaled) model->fail("'model' is scaled and no 'factor' says by how much; expected one such as 0.5");
    return std::nullopt;
  }
  const double factor = scale_of(*value, 0);
  if (!scaled) value->fail("'factor' is for model: scaled; expected it without 'model: roofline'");
  return factor;
}

void note(const YamlField* from, const Accelerator* to, bool by_factor, Plan& plan) {
  const Accelerator* const captured = accelerator_of(*plan.captured);
  if (from != nullptr && captured != nullptr && captured != &named(*from))
    plan.assumptions.push_back(
        fmt::format("the trace says that it ran on {}, and the scenario on {}", captured->name, named(*from).name));
  if (to == nullptr || by_factor) return;
  plan.assumptions.push_back(fmt::format(
      "device work takes on {} what roofline makes of its recorded time ({}): docs/models.md says what that "
      "leaves out; host work and launches take what they took",
      to->name, to->source));
}

void apply(const Change& change, Plan& plan) {
  const YamlField* const from = change.find("from");
  const Accelerator* const to = target(change.find("to"));
  const std::optional<double> factor = factor_in(change);
  if (from != nullptr) {
    require_kernels(plan, *from);
    add_knowledge(plan, change, on(&named(*from)));
  }
  note(from, to, factor.has_value(), plan);
  if (to == nullptr && factor.value_or(1) == 1) return;
  const YamlField& value = *change.find(to != nullptr ? "to" : "factor");
  require_kernels(plan, value);
  add_device_rule(plan, change, on(to), factor ? by_factor(*factor) : by_roofline(value, plan), kKept);
}

}  // namespace

extern const WhatIf device_what_if;
const WhatIf device_what_if{
    .name = "device",
    .summary = "another device: each kernel scales by what bounds it, or all by a factor",
    .ignores = "other libraries' kernels and fusion, clocks and power, and whether the job fits into its memory",
    .parameters = kParameters,
    .selects = true,
    .apply = apply,
};

}  // namespace stepsim::scenarios
