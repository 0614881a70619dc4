#include <fmt/format.h>

#include <array>

#include "model/cost/device/changed_work.h"
#include "scenarios/change/device_rule.h"
#include "scenarios/change/graph_edits.h"
#include "scenarios/change/what_if.h"

// Another arithmetic, as if the model were cast to it whole: matrix products by the units' rates, what
// streams through memory by its bytes, both bounded by the roofline.

namespace stepsim::scenarios {
namespace {

constexpr std::array kParameters{
    Parameter{"to", "fp32, tf32, bf16, fp16, fp8 or recorded", "of products, and of what moves floats", "recorded"},
    Parameter{"from", "fp32, tf32, bf16, fp16 or fp8", "of kernels of which neither shapes nor names tell it", ""},
    Parameter{"gradients", "a factor such as 0.5x", "of the bytes of gradients that ranks reduce", "1x"},
};

constexpr std::string_view kKept =
    "the optimizer, collectives, memsets, copies between host and device, integers, kernels of no known kind, and what "
    "does not tell its precision or is in this one";

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

/// Where most of what has a precision does not tell it, the answer would be about the rest.
void refuse_where_little_tells(const YamlField& to, const DevicePieces& pieces) {
  Duration told{};
  Duration all{};
  for (const auto& [task, piece] : pieces) {
    if (!has_precision(piece)) continue;
    all += piece.recorded;
    if (piece.precision_told) told += piece.recorded;
  }
  if (told * 2 >= all && all > Duration{}) return;
  to.fail(
      fmt::format("of {} of device work neither the shapes of operators nor the names of kernels tell the precision, "
                  "of {} they do; expected 'from' beside it, or a trace with record_shapes=True",
                  to_text(all - told), to_text(told)));
}

/// Throws, at `value`, where a product would have no units.
ChangePieces into(const YamlField& value, const Arithmetic& to) {
  return [value, to](const Capture& capture, const DevicePieces& pieces) {
    refuse_where_little_tells(value, pieces);
    return [value, to, &table = capture.operators](const DeviceWork& piece) {
      DeviceWork changed = in_precision(piece, table, to.precision);
      const bool product = limit_of(piece.kind) == Limit::kFlops && !(changed == piece);
      if (product && piece.on != nullptr && !has_units(*piece.on, to)) {
        value.fail(fmt::format("{} has no units for {}; expected another precision, or a 'device' change before it",
                               piece.on->name, to.name));
      }
      return changed;
    };
  };
}

ChangePieces told(Precision from) {
  return [from](const Capture&, const DevicePieces&) {
    return [from](const DeviceWork& piece) {
      if (piece.precision_told) return piece;
      DeviceWork known = piece;
      known.precision = from;
      known.precision_told = true;
      return known;
    };
  };
}

bool reduces_gradients(const Collective& collective) {
  return collective.op == CollectiveOp::kAllReduce || collective.op == CollectiveOp::kReduceScatter ||
         collective.op == CollectiveOp::kReduce;
}

void set_gradients(const Change& change, const YamlField& value, Plan& plan) {
  const double factor = scale_of(value, 1e-6);
  if (factor == 1) return;
  if (plan.captured->parameter_server != nullptr || !has_sized_collectives(*plan.captured))
    value.fail("no collective of the capture says what gradients it reduces; expected the traces of all ranks");
  if (plan.network->make == nullptr)
    value.fail("under --network recorded collectives keep their recorded times; expected another network model");
  plan.edits.emplace_back(
      [factor](const Capture& capture) { return with_payloads(capture, reduces_gradients, factor); });
  plan.structure += change.to_text() + '\n';
  plan.assumptions.push_back(
      {"gradient_buckets", "all-reduces and reduce-scatters carry gradients, in the buckets they had"});
}

void apply(const Change& change, Plan& plan) {
  const YamlField* const to = change.find("to");
  const YamlField* const from = change.find("from");
  const YamlField* const gradients = change.find("gradients");
  const Arithmetic* const before = from == nullptr ? nullptr : arithmetic_of(*from, false);
  const Arithmetic* const after = to == nullptr ? nullptr : arithmetic_of(*to, true);
  if (gradients != nullptr) set_gradients(change, *gradients, plan);
  if (before != nullptr) {
    require_kernels(plan, *from);
    add_knowledge(plan, change, told(before->precision));
  }
  if (after == nullptr) return;
  require_kernels(plan, *to);
  add_device_rule(plan, change, into(*to, *after), by_roofline(*to, plan), kKept);
  plan.assumptions.push_back(
      {"cast_whole",
       fmt::format(
           "products are done in {} and activations kept in {}; no casts are added, and the optimizer keeps its own "
           "precision",
           after->name, after->precision == Precision::kFloat8 ? "16 bits" : after->name)});
}

}  // namespace

extern const WhatIf precision_what_if;
const WhatIf precision_what_if{
    .name = "precision",
    .summary = "another arithmetic: products by the units' rates, what streams through memory by its bytes",
    .ignores =
        "casts between precisions, how well products of these sizes fill other units, and what it does to training",
    .parameters = kParameters,
    .selects = true,
    .apply = apply,
};

}  // namespace stepsim::scenarios
