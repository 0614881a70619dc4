#include <fmt/format.h>

#include <array>
#include <memory>

#include "model/cost/device/device_work.h"
#include "scenarios/change/device_rule.h"
#include "scenarios/change/graph_edits.h"
#include "scenarios/change/plan.h"
#include "scenarios/change/what_if.h"

// Another precision, as if the whole model were cast to it: matrix products scale with the rates of the units, work
// that streams through memory with its bytes, both by roofline.

namespace stepsim::scenarios {
namespace {

constexpr std::array kPrecisionParameters{
    Parameter{"to", "fp32, tf32, bf16, fp16, fp8 or recorded", "of products, and of kernels that move floats",
              "recorded"},
    Parameter{"from", "fp32, tf32, bf16, fp16 or fp8", "of kernels whose precision neither shapes nor names tell", ""},
    Parameter{"gradients", "a factor such as 0.5x", "of the bytes of reduced gradients", "1x"},
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

/// Null for "recorded", which only `to` may be.
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

/// Refuses where the precision of most work is unknown, because the answer would be about the rest only.
void refuse_where_little_tells(const YamlField& to, const DevicePieces& pieces) {
  Duration told{};
  Duration all{};
  for (const auto& [task, piece] : pieces) {
    if (!has_precision(piece)) continue;
    all += piece.recorded;
    if (piece.precision_known) told += piece.recorded;
  }
  if (told * 2 >= all && all > Duration{}) return;
  cannot_answer(
      to,
      fmt::format("neither shapes of operators nor names of kernels tell the precision of {} of device work, and they "
                  "tell that of {}; expected 'from' beside it, or a trace with record_shapes=True",
                  to_text(all - told), to_text(told)));
}

/// Work is done in another precision.
class OtherPrecision final : public DeviceRule {
 public:
  OtherPrecision(const Change& change, const YamlField& value, const Plan& plan, const Arithmetic& to)
      : DeviceRule(change, value, plan, kKeptInPrecision), operators_(plan.captured->operators), to_(to) {}

 private:
  void check(const DevicePieces& pieces) const override { refuse_where_little_tells(value(), pieces); }

  /// Throws where a product would have no units.
  [[nodiscard]] DeviceWork changed(const DeviceWork& piece) const override {
    DeviceWork changed = in_precision(piece, operators_, to_.precision);
    const bool product = limit_of(piece.kind) == Limit::kFlops && !(changed == piece);
    if (product && piece.on != nullptr && !has_units(*piece.on, to_)) {
      value().fail(fmt::format("{} has no units for {}; expected another precision, or a 'device' change before it",
                               piece.on->name, to_.name));
    }
    return changed;
  }

  const OperatorTable& operators_;
  Arithmetic to_;
};

/// The precision of captured work that does not tell its own.
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
  if (plan.captured->parameter_server != nullptr || !has_sized_collectives(*plan.captured))
    cannot_answer(value,
                  "no collective of the capture says what gradients it reduces; expected the traces of all ranks");
  if (plan.network->make == nullptr)
    refuse_as_recorded(
        value, plan, "under --network recorded collectives keep their recorded times; expected another network model");
  plan.add_edit(change, [factor](const Capture& capture) { return with_payloads(capture, reduces_gradients, factor); });
  plan.assumptions.push_back(
      {"gradient_buckets", "all-reduces and reduce-scatters carry gradients, in the captured buckets"});
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
  plan.assumptions.push_back(
      {"cast_whole",
       fmt::format(
           "products are done in {} and activations kept in {}; no casts are added, and the optimizer keeps its "
           "precision",
           after->name, after->precision == Precision::kFloat8 ? "16 bits" : after->name)});
}

}  // namespace

extern const WhatIf precision_what_if;
const WhatIf precision_what_if{
    .name = "precision",
    .summary = "another precision: products scale with the rates of the units, streaming kernels with their bytes",
    .ignores = "casts between precisions, how well products of these sizes fill other units, and effects on training",
    .parameters = kPrecisionParameters,
    .selected = selected_by<selected_device_work>,
    .apply = apply_precision,
};

}  // namespace stepsim::scenarios
