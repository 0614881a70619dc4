#include <fmt/format.h>

#include <array>
#include <memory>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/cost/device/device_fit.h"
#include "scenarios/change/device_rule.h"
#include "scenarios/change/what_if.h"

// What-if `device`: runs the job on another device. Kernels scale by roofline, by a factor or by a fit. CPU work,
// launches and collectives do not change.

namespace stepsim::scenarios {
namespace {

/// Returns an expression that matches a text with the letters and digits of a device's model, whatever is around them:
/// "NVIDIA H100 80GB HBM3" for H100.
std::string device_pattern(std::string_view model) {
  std::string pattern = ".*";
  for (std::size_t i = 0; i < model.size(); ++i) {
    const char c = model[i];
    const char upper = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    if (c == ' ') {
      pattern += ".*";
    } else if (upper >= 'A' && upper <= 'Z') {
      pattern += fmt::format("[{}{}]", upper, static_cast<char>(upper - 'A' + 'a'));
    } else {
      pattern += c;
    }
    if (i + 1 < model.size() && is_digit(c) != is_digit(model[i + 1])) pattern += "[- ]?";
  }
  return pattern + "([^0-9].*)?";
}

YamlType known_devices() {
  YamlType type = yaml::text();
  for (const Accelerator& device : accelerators()) {
    type.words.emplace_back(device.name);
    if (!type.pattern.empty()) type.pattern += '|';
    type.pattern += device_pattern(device.model);
  }
  return type;
}

constexpr std::array kDeviceParameters{
    Parameter{"to", value::text("a device", "H100", known_devices) | value::word("recorded"),
              "device to predict the selected work for", "recorded"},
    Parameter{"from", value::text("a device", "V100", known_devices),
              "captured device, if the trace does not name it or names a wrong one", ""},
    Parameter{"model", value::one_of("roofline", "scaled", "fitted"),
              "scale each kernel by its bottleneck (roofline), by a factor (scaled), or by a fit to a capture on the "
              "new device (fitted)",
              ""},
    Parameter{"factor", value::scale_from(0, "0.5"), "factor on durations, for 'model: scaled'", "1"},
    Parameter{"with", value::text("a trace of the same model on the new device"), "for model: fitted", ""},
};

enum class Model : std::uint8_t { kRoofline, kScaled, kFitted };

constexpr std::string_view kKept = "collectives, whose time depends on the network, and copies of pageable memory";

const Accelerator& named(const YamlField& value) {
  try {
    return accelerator_named(value.scalar("a device's name"));
  } catch (const UsageError& error) {
    value.fail(error.what());
  }
}

/// Moves device work to another device. The new durations come from the roofline model.
class OtherDevice : public DeviceRule {
 public:
  /// `device` is null if the work stays on the captured device.
  OtherDevice(const Change& change, const YamlField& value, const Plan& plan, const Accelerator* device,
              std::string_view kept = kKept)
      : DeviceRule(change, value, plan, kept), device_(device) {}

 private:
  [[nodiscard]] DeviceWork changed(const DeviceWork& piece) const override {
    DeviceWork changed = piece;
    if (device_ != nullptr) changed.on = device_;
    return changed;
  }

  const Accelerator* device_;
};

/// Sets the device on which the captured work ran, if the trace does not name it or names a wrong one. Durations do not
/// change.
class CapturedDevice final : public OtherDevice {
 public:
  CapturedDevice(const Change& change, const YamlField& value, const Plan& plan, const Accelerator& device)
      : OtherDevice(change, value, plan, &device, {}) {}

 private:
  [[nodiscard]] Scaled time(const DeviceWork& /*before*/, const DeviceWork& /*after*/) const override { return {}; }
};

/// Moves device work to another device and multiplies its durations by a factor, except for work that no limit of a
/// device bounds (Limit::kNone).
class ScaledDevice final : public OtherDevice {
 public:
  ScaledDevice(const Change& change, const YamlField& value, const Plan& plan, const Accelerator* device, double factor)
      : OtherDevice(change, value, plan, device), factor_(factor) {}

 private:
  [[nodiscard]] Scaled time(const DeviceWork& before, const DeviceWork& /*after*/) const override {
    if (limit_of(before.kind) == Limit::kNone || factor_ == 1) return {};
    return {static_cast<double>(before.recorded.count()) * factor_, ScaledBy::kFactor};
  }

  double factor_;
};

/// Moves device work to another device. The new durations come from a fit to captures on both devices.
class FittedDevice final : public OtherDevice {
 public:
  FittedDevice(const Change& change, const YamlField& value, const Plan& plan, DeviceFit fit)
      : OtherDevice(change, value, plan, fit.to), fit_(fit) {}

 private:
  [[nodiscard]] Scaled time(const DeviceWork& before, const DeviceWork& /*after*/) const override {
    return scaled_by_fit(before, fit_);
  }

  DeviceFit fit_;
};

/// Returns the device that the parameter `to` names, or null if the device does not change.
const Accelerator* target(const YamlField* to) {
  if (to == nullptr || (to->is(YamlValue::Kind::kScalar) && to->value->text == "recorded")) return nullptr;
  return &named(*to);
}

/// Returns the model that the change names, or else the model to which its other parameters belong. Throws InputError
/// if the parameters do not belong together.
Model model_of(const Change& change) {
  const YamlField* const factor = change.find("factor");
  const YamlField* const with = change.find("with");
  Model model = with != nullptr ? Model::kFitted : factor != nullptr ? Model::kScaled : Model::kRoofline;
  const YamlField* const name = change.read("model", model);
  if (factor != nullptr && model != Model::kScaled)
    factor->fail("'factor' has an effect only with 'model: scaled'; expected both or neither");
  if (with != nullptr && model != Model::kFitted)
    with->fail("'with' has an effect only with 'model: fitted'; expected both or neither");
  if (model == Model::kScaled && factor == nullptr)
    name->fail("'model: scaled' has no 'factor'; expected one, for example 0.5");
  if (model == Model::kFitted && with == nullptr)
    name->fail("'model: fitted' has no 'with'; expected a trace of the same model on the new device");
  return model;
}

/// Fits device times from the captured device to the device of the trace `with`. Throws what reading and fitting throw,
/// and InputError at `with` if that trace is not from the device `to`.
DeviceFit fit_of(const YamlField& with, const Accelerator* to, Plan& plan) {
  const std::string& path = with.scalar("a trace");
  if (!plan.read) with.fail("no second trace can be read here; expected 'model: roofline'");
  const std::shared_ptr<const Capture> other = plan.read(path);
  DeviceFit fit = fit_devices(*plan.captured, *other);
  if (to != nullptr && to != accelerator_of(*other)) {
    with.fail(fmt::format("'{}' was not captured on {}; expected a trace of that device, or no 'to'", shown(path, 60),
                          to->name));
  }
  plan.assumptions.push_back(
      {"device_fit", fmt::format("Device times are fitted to {} calls that the capture and '{}' share ({:.0f} % of its "
                                 "device time); the fit is off by {:.1f} % on them.",
                                 fit.matched, shown(path), 100 * fit.matched_from, 100 * fit.residual)});
  return fit;
}

void note(const YamlField* from, const Accelerator* to, Model model, Plan& plan) {
  const Accelerator* const captured = accelerator_of(*plan.captured);
  if (from != nullptr && captured != nullptr && captured != &named(*from)) {
    plan.assumptions.push_back({"captured_device", fmt::format("The trace names {} as its device, and the scenario {}.",
                                                               captured->name, named(*from).name)});
  }
  if (to == nullptr || model != Model::kRoofline) return;
  plan.assumptions.push_back(
      {"device_roofline", fmt::format("Device work on {} is scaled by roofline ({}), with the "
                                      "limits listed in docs/internals/models.md; CPU work and launches "
                                      "keep their recorded times.",
                                      to->name, to->source)});
}

void apply_device(const Change& change, Plan& plan) {
  const YamlField* const from = change.find("from");
  const Accelerator* const to = target(change.find("to"));
  const Model model = model_of(change);
  double factor = 1;
  change.read("factor", factor);  // model_of() has checked that there is none for another model
  if (from != nullptr) {
    require_kernels(plan, *from);
    plan.add_rule(Plan::Turn::kCapture, std::make_shared<const CapturedDevice>(change, *from, plan, named(*from)));
  }
  note(from, to, model, plan);
  const Accelerator* const captured = from != nullptr ? &named(*from) : accelerator_of(*plan.captured);
  if (model == Model::kFitted || (to != nullptr && to != captured)) plan.other_machine = true;
  if (to != nullptr && change.selector().is_all()) plan.other_device = change.find("to")->value->text;
  if (model == Model::kFitted) {
    const YamlField& with = *change.find("with");
    require_kernels(plan, with);
    plan.add_rule(Plan::Turn::kDevice,
                  std::make_shared<const FittedDevice>(change, with, plan, fit_of(with, to, plan)));
    return;
  }
  if (to == nullptr && factor == 1) return;
  const YamlField& value = *change.find(to != nullptr ? "to" : "factor");
  require_kernels(plan, value);
  if (model == Model::kScaled) {
    plan.add_rule(Plan::Turn::kDevice, std::make_shared<const ScaledDevice>(change, value, plan, to, factor));
  } else {
    plan.add_rule(Plan::Turn::kDevice, std::make_shared<const OtherDevice>(change, value, plan, to));
  }
}

AnswerKind kind_of_device(const Change& change) {
  return change.find("factor") != nullptr ? AnswerKind::kStraggler : AnswerKind::kDevice;
}

}  // namespace

extern const WhatIf device_what_if{
    .name = "device",
    .summary =
        "Run on another device: scale each kernel by its bottleneck, by a factor, or by a fit to a capture there",
    .ignores =
        "kernels and fusion of other libraries, clocks and power, and, where the memory that it needs is not known, "
        "whether the job fits",
    .parameters = kDeviceParameters,
    .asks = {sim::Question::kDevice},
    .kind = kind_of_device,
    .selected = selected_by<selected_device_work>,
    .apply = apply_device,
};

}  // namespace stepsim::scenarios
