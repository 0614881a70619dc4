#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>

#include "model/base/text.h"
#include "model/cost/device/device_work.h"
#include "scenarios/change/device_rule.h"
#include "scenarios/change/graph_edits.h"
#include "scenarios/change/plan.h"
#include "scenarios/change/what_if.h"

// What-if `precision`: computes in another precision, as if the whole neural network were cast to it. According to the
// roofline model, matrix products scale with the rates of the device's units, and work that is limited by memory scales
// with its bytes.

namespace stepsim::scenarios {
namespace {

constexpr std::array kPrecisionParameters{
    Parameter{"to", "fp32, tf32, bf16, fp16, fp8 or recorded",
              "precision of matrix products and of kernels that move floats", "recorded"},
    Parameter{"from", "fp32, tf32, bf16, fp16 or fp8",
              "precision of kernels for which neither shapes nor names show it", ""},
    Parameter{"gradients", "a factor such as 0.5x", "factor on the bytes of reduced gradients", "1x"},
};

constexpr std::string_view kKeptInPrecision =
    "the optimizer, collectives, memsets, copies between host and device, integers, kernels of unknown kind, and work "
    "of "
    "unknown precision or already in this one";

struct Arithmetic {
  std::string_view name;
  Precision precision;
};
constexpr std::array kArithmetics{Arithmetic{"fp32", Precision::kFloat32}, Arithmetic{"tf32", Precision::kTensor32},
                                  Arithmetic{"bf16", Precision::kFloat16}, Arithmetic{"fp16", Precision::kFloat16},
                                  Arithmetic{"fp8", Precision::kFloat8}};

/// Parses the name of a precision. Returns null for "recorded", which is allowed only if `or_recorded` is true.
const Arithmetic* arithmetic_of(const YamlField& value, bool or_recorded) {
  std::vector<std::string> words;
  words.reserve(kArithmetics.size());
  for (const Arithmetic& arithmetic : kArithmetics) words.emplace_back(arithmetic.name);
  if (or_recorded) words.emplace_back("recorded");
  const std::size_t word = value.one_of_words(words);
  return word < kArithmetics.size() ? &kArithmetics[word] : nullptr;
}

bool has_units(const Accelerator& device, const Arithmetic& arithmetic) {
  return device.computes_in(arithmetic.precision) && (arithmetic.name != "bf16" || device.has_bfloat16);
}

/// Throws CannotAnswer at `to` if the precision of more than half of the device time is unknown, because the answer
/// would only be about the rest.
void refuse_unknown_precisions(const YamlField& to, const DevicePieces& pieces) {
  Duration told{};
  Duration all{};
  for (const auto& [task, piece] : pieces) {
    if (!has_precision(piece)) continue;
    all += piece.recorded;
    if (piece.precision_known) told += piece.recorded;
  }
  if (told * 2 >= all && all > Duration{}) return;
  cannot_answer(to, fmt::format("the precision of {} of device work is unknown (known: {}); expected also 'from', or a "
                                "trace with record_shapes=True",
                                to_text(all - told), to_text(told)));
}

/// Changes device work to another precision.
class OtherPrecision final : public DeviceRule {
 public:
  OtherPrecision(const Change& change, const YamlField& value, const Plan& plan, const Arithmetic& to)
      : DeviceRule(change, value, plan, kKeptInPrecision), operators_(plan.captured->operators), to_(to) {}

 private:
  void check(const DevicePieces& pieces) const override { refuse_unknown_precisions(value(), pieces); }

  /// Returns the piece of device work in the other precision. Throws InputError if it is a matrix product and the
  /// device has no units for this precision.
  [[nodiscard]] DeviceWork changed(const DeviceWork& piece) const override {
    DeviceWork changed = in_precision(piece, operators_, to_.precision);
    const bool product = limit_of(piece.kind) == Limit::kFlops && !(changed == piece);
    if (product && piece.on != nullptr && !has_units(*piece.on, to_)) {
      std::string others;
      for (const Arithmetic& other : kArithmetics) {
        if (has_units(*piece.on, other)) add_item(others, other.name);
      }
      value().fail(fmt::format("{} has no units for {}; expected one of {}, or a 'device' change before it",
                               piece.on->name, to_.name, others));
    }
    return changed;
  }

  const OperatorTable& operators_;
  Arithmetic to_;
};

/// Sets the precision of captured device work for which the capture does not show it. Durations do not change.
class CapturedPrecision final : public DeviceRule {
 public:
  CapturedPrecision(const Change& change, const YamlField& value, const Plan& plan, Precision precision)
      : DeviceRule(change, value, plan, {}), precision_(precision) {}

 private:
  [[nodiscard]] DeviceWork changed(const DeviceWork& piece) const override {
    if (piece.precision_known) return piece;
    DeviceWork known = piece;
    known.precision = precision_;
    known.precision_known = true;
    return known;
  }
  [[nodiscard]] Scaled time(const DeviceWork& /*before*/, const DeviceWork& /*after*/) const override { return {}; }

  Precision precision_;
};

bool reduces_gradients(const Collective& collective) {
  return collective.op == CollectiveOp::kAllReduce || collective.op == CollectiveOp::kReduceScatter ||
         collective.op == CollectiveOp::kReduce;
}

void set_gradients(const Change& change, const YamlField& value, Plan& plan) {
  const double factor = scale_of(value, 1e-6);
  if (factor == 1) return;
  if (plan.captured->parameter_server != nullptr)
    cannot_answer(value, "the job has parameter servers and no collectives; expected a job with collectives");
  need_sized_collectives(value, plan);
  if (plan.network->make == nullptr) {
    refuse_as_recorded(value, plan,
                       "--network recorded keeps recorded collective times; expected another network model");
  }
  plan.add_edit(change, [factor](const Capture& capture) { return with_payloads(capture, reduces_gradients, factor); });
  plan.assumptions.push_back(
      {"gradient_buckets", "All-reduces and reduce-scatters carry gradients, in the captured buckets."});
}

void apply_precision(const Change& change, Plan& plan) {
  const YamlField* const to = change.find("to");
  const YamlField* const from = change.find("from");
  const YamlField* const gradients = change.find("gradients");
  const Arithmetic* const before = from == nullptr ? nullptr : arithmetic_of(*from, false);
  const Arithmetic* const after = to == nullptr ? nullptr : arithmetic_of(*to, true);
  if (gradients != nullptr) set_gradients(change, *gradients, plan);
  if (before != nullptr) {
    require_kernels(plan, *from);
    plan.rules.emplace_back(std::make_shared<const CapturedPrecision>(change, *from, plan, before->precision));
  }
  if (after == nullptr) return;
  require_kernels(plan, *to);
  plan.rules.emplace_back(std::make_shared<const OtherPrecision>(change, *to, plan, *after));
  plan.activation_bytes = after->precision == Precision::kFloat8 ? 2 : size_of(after->precision);
  plan.assumptions.push_back(
      {"cast_whole",
       fmt::format(
           "Matrix products run in {} and activations are kept in {}; no casts are added, and the optimizer keeps its "
           "precision.",
           after->name, after->precision == Precision::kFloat8 ? "16 bits" : after->name)});
}

}  // namespace

extern const WhatIf precision_what_if{
    .name = "precision",
    .summary =
        "Compute in another precision: matrix products scale with the units' rates, other kernels with their bytes",
    .ignores = "casts between precisions, how well products of these sizes use other units, and effects on training",
    .parameters = kPrecisionParameters,
    .asks = {sim::Question::kDevice},
    .selected = selected_by<selected_device_work>,
    .apply = apply_precision,
};

}  // namespace stepsim::scenarios
