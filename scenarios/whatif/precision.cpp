#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>

#include "model/base/text.h"
#include "model/cost/device/device_work.h"
#include "model/rewrite/parallel/tensor_division.h"
#include "scenarios/change/device_rule.h"
#include "scenarios/change/graph_edits.h"
#include "scenarios/change/plan.h"
#include "scenarios/change/what_if.h"

// What-if `precision`: computes in another precision, as if the whole neural network were cast to it. According to the
// roofline model, matrix products scale with the rates of the device's units, and work that is limited by memory scales
// with its bytes. Recipes for fp8 leave everything but the products of linear layers in 16 bits, and also the last
// linear layer, which computes the logits (torchtitan's filter "output").

namespace stepsim::scenarios {
namespace {

struct Arithmetic {
  std::string_view name;
  Precision precision;
};
constexpr std::array kArithmetics{Arithmetic{"fp32", Precision::kFloat32}, Arithmetic{"tf32", Precision::kTensor32},
                                  Arithmetic{"bf16", Precision::kFloat16}, Arithmetic{"fp16", Precision::kFloat16},
                                  Arithmetic{"fp8", Precision::kFloat8}};
constexpr const Arithmetic& kFloat8 = kArithmetics.back();

constexpr std::array kPrecisionParameters{
    Parameter{"to", value::names_of(kArithmetics) | value::word("recorded"),
              "precision of matrix products and of kernels that move floats", "recorded"},
    Parameter{"from", value::names_of(kArithmetics), "precision of kernels for which neither shapes nor names show it",
              ""},
    Parameter{"recipe", value::names_of(kFloat8Recipes),
              "scales of fp8, which it implies; without it rowwise, with a range that includes the others", ""},
    Parameter{"gradients", value::factor_or_number("0.5x"), "factor on the bytes of reduced gradients", "1x"},
};

constexpr std::string_view kKeptInPrecision =
    "the optimizer, collectives, memsets, copies between host and device, integers, kernels of unknown kind, and work "
    "of "
    "unknown precision or already in this one";
constexpr std::string_view kKeptInTensor32 = ", and attention in one kernel, to which TF32 does not apply";
constexpr std::string_view kKeptInFloat8 = ", and in 16 bits all but the products of linear layers before the last";

/// Returns the entry of a list that a parameter of the change names; null if there is none, or if it is "recorded".
template <class List>
const typename List::value_type* named_in(const List& list, const Change& change, std::string_view parameter) {
  std::string name;
  change.read(parameter, name);
  const auto found = std::find_if(list.begin(), list.end(), [&name](const auto& one) { return one.name == name; });
  return found == list.end() ? nullptr : &*found;
}

bool has_units(const Accelerator& device, const Arithmetic& arithmetic) {
  return device.computes_in(arithmetic.precision) && (arithmetic.name != "bf16" || device.has_bfloat16);
}

/// The recipe that is predicted if none is named. Of the three, its times are the closest to those measured in the mean
/// of all recipes (docs/internals/fidelity.md).
constexpr const Float8Recipe& kUsualRecipe = kFloat8Recipes[1];

std::array<double, 3> sorted_sizes(const ProductShape& shape) {
  std::array sizes{shape.rows, shape.inner, shape.columns};
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

/// Returns the operators that are products of the last linear layer: the last product of the last forward pass, and the
/// two of its gradient, which have the same three dimensions. Empty if another layer of the pass has these dimensions,
/// or if there is no other layer. O(uses log uses).
std::set<std::uint32_t> last_linear_layer(const OperatorTable& table) {
  std::vector<const OperatorTable::Use*> products;
  for (const OperatorTable::Use& use : table.uses) {
    if (!use.in_optimizer && is_single_product(table.operators[use.which])) products.push_back(&use);
  }
  std::sort(products.begin(), products.end(),
            [](const auto* a, const auto* b) { return a->occurrence < b->occurrence; });
  const auto is_forward = [](const OperatorTable::Use* use) { return !use->in_backward; };
  const auto last = std::find_if(products.rbegin(), products.rend(), is_forward);
  if (last == products.rend()) return {};
  const auto sizes_of = [&table](std::uint32_t which) { return sorted_sizes(table.operators[which].work.shape); };
  const std::array sizes = sizes_of((*last)->which);
  for (auto other = std::next(last); other != products.rend() && is_forward(*other); ++other) {
    if ((*other)->occurrence != (*last)->occurrence && sizes_of((*other)->which) == sizes) return {};
  }
  std::set<std::uint32_t> found;
  bool is_only = true;
  for (const OperatorTable::Use* const use : products) {
    const bool is_of_last = sizes_of(use->which) == sizes;
    if (is_of_last) found.insert(use->which);
    is_only = is_only && is_of_last;
  }
  if (is_only) found.clear();
  return found;
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
  /// `recipe` is null if none was named.
  OtherPrecision(const Change& change, const YamlField& value, const Plan& plan, const Arithmetic& to,
                 const Float8Recipe* recipe)
      : DeviceRule(change, value, plan, kept_in(to.precision)),
        operators_(plan.captured->operators),
        to_(to),
        recipe_(recipe != nullptr ? *recipe : kUsualRecipe),
        recipe_is_known_(recipe != nullptr) {
    if (to.precision == Precision::kFloat8) last_layer_ = last_linear_layer(operators_);
  }

 private:
  static std::string kept_in(Precision precision) {
    std::string kept(kKeptInPrecision);
    if (precision == Precision::kFloat8) kept += kKeptInFloat8;
    if (precision == Precision::kTensor32) kept += kKeptInTensor32;
    return kept;
  }

  void check(const DevicePieces& pieces) const override { refuse_unknown_precisions(value(), pieces); }

  /// Returns the piece of device work in the other precision. Throws InputError if it is a matrix product and the
  /// device has no units for this precision.
  [[nodiscard]] DeviceWork changed(const DeviceWork& piece) const override {
    // Attention in one kernel computes fp32 by three products in TF32 for each, whether TF32 is allowed or not
    // (PyTorch, mem_eff_attention/gemm_kernel_utils.h: OpMultiplyAddFastF32).
    if (to_.precision == Precision::kTensor32 && piece.kind == KernelClass::kAttention) return piece;
    const bool is_last = piece.which && last_layer_.contains(*piece.which);
    DeviceWork changed = in_precision(piece, operators_, to_.precision, is_last ? nullptr : &recipe_);
    const bool product = limit_of(piece.kind) == Limit::kFlops && !(changed == piece);
    if (product && piece.on != nullptr && !has_units(*piece.on, to_)) {
      std::string others;
      for (const Arithmetic& other : kArithmetics) {
        if (has_units(*piece.on, other)) add_item(others, other.name);
      }
      value().fail(fmt::format("{} has no units for {}; expected one of {}, or another device (device.to)",
                               piece.on->name, to_.name, others));
    }
    return changed;
  }

  /// If no recipe was named, the error includes the times of all recipes.
  [[nodiscard]] Scaled time(const DeviceWork& before, const DeviceWork& after) const override {
    Scaled scaled = DeviceRule::time(before, after);
    if (recipe_is_known_ || after.recipe != &recipe_ || scaled.nanoseconds <= 0) return scaled;
    double most = 1;
    for (const Float8Recipe& recipe : kFloat8Recipes) {
      DeviceWork other = after;
      other.recipe = &recipe;
      const double factor = DeviceRule::time(before, other).nanoseconds / scaled.nanoseconds;
      most = std::max({most, factor, 1 / factor});
    }
    scaled.error = (1 + scaled.error) * most - 1;
    return scaled;
  }

  const OperatorTable& operators_;
  Arithmetic to_;
  const Float8Recipe& recipe_;
  bool recipe_is_known_;
  std::set<std::uint32_t> last_layer_;  ///< operators of the last linear layer
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
  const Arithmetic* const before = named_in(kArithmetics, change, "from");
  const YamlField* const scales = change.find("recipe");
  const Float8Recipe* const recipe = named_in(kFloat8Recipes, change, "recipe");
  const Arithmetic* const after = to != nullptr       ? named_in(kArithmetics, change, "to")
                                  : recipe != nullptr ? &kFloat8
                                                      : nullptr;
  if (scales != nullptr && after != &kFloat8)
    scales->fail("'recipe' is for fp8; expected 'to: fp8' or no 'to' beside it");
  if (gradients != nullptr) set_gradients(change, *gradients, plan);
  if (before != nullptr) {
    require_kernels(plan, *from);
    plan.add_rule(Plan::Turn::kCapture,
                  std::make_shared<const CapturedPrecision>(change, *from, plan, before->precision));
  }
  if (after == nullptr) return;
  const YamlField& value = to != nullptr ? *to : *scales;
  require_kernels(plan, value);
  plan.add_rule(Plan::Turn::kPrecision, std::make_shared<const OtherPrecision>(change, value, plan, *after, recipe));
  const bool is_float8 = after->precision == Precision::kFloat8;
  plan.activation_bytes = is_float8 ? 2 : size_of(after->precision);
  if (is_float8) {
    const Float8Recipe& used = recipe != nullptr ? *recipe : kUsualRecipe;
    plan.assumptions.push_back(
        {"float8_recipe",
         fmt::format("Products of linear layers run in fp8 with {} scales{}. Before each, its operands are quantised, "
                     "which moves {:g} bytes per number. The last linear layer, batched products, attention and all "
                     "other work are kept in 16 bits; all-gathers keep their sizes, and the optimizer its precision.",
                     used.name,
                     recipe != nullptr ? "" : " (no 'recipe' was given, so the range includes the other recipes)",
                     used.operand_bytes)});
    return;
  }
  plan.assumptions.push_back(
      {"cast_whole", fmt::format("Matrix products run in {0} and activations are kept in {0}; no casts are added, and "
                                 "the optimizer keeps its precision.",
                                 after->name)});
}

}  // namespace

extern const WhatIf precision_what_if{
    .name = "precision",
    .summary =
        "Compute in another precision: matrix products scale with the units' rates, other kernels with their bytes",
    .ignores =
        "casts between precisions except those to fp8, how well products of these sizes use other units, and effects "
        "on training",
    .parameters = kPrecisionParameters,
    .asks = {sim::Question::kDevice},
    .kind = kind_is<AnswerKind::kPrecision>,
    .selected = selected_by<selected_device_work>,
    .apply = apply_precision,
};

}  // namespace stepsim::scenarios
