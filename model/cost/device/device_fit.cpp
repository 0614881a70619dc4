#include "model/cost/device/device_fit.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "model/base/fit.h"
#include "model/cost/device/roofline.h"

namespace stepsim {
namespace {

/// The fit ends when a round changes no factor's logarithm by more than this.
constexpr double kSettled = 1e-9;

/// One call of an operator, with the total time of its device work.
struct Call {
  double recorded = 0;
  double predicted = 0;  // time on the other device according to roofline
  KernelClass kind = KernelClass::kUnknown;
  double longest = 0;  // duration of its longest piece, whose class is used for the call
};

using Key = std::pair<std::string_view, std::string_view>;  // operator and shapes
using CallsByKey = std::map<Key, std::vector<Call>>;

double predicted(const DeviceWork& work, const DeviceFit& fit) {
  if (fit.from == nullptr) return static_cast<double>(work.recorded.count());
  return roofline_scaled(work, *fit.from, *fit.to).nanoseconds;
}

CallsByKey calls_of(const Capture& capture, const DeviceFit& fit) {
  const DevicePieces pieces = device_work(capture);
  const OperatorTable& table = capture.operators;
  std::vector<Call> calls(table.occurrences);
  std::vector<std::optional<std::uint32_t>> which(table.occurrences);
  for (const OperatorTable::Use& use : table.uses) {
    const DeviceWork* const piece = pieces[use.task.index()];
    if (piece == nullptr || limit_of(piece->kind) == Limit::kNone) continue;
    Call& call = calls[use.occurrence];
    const auto recorded = static_cast<double>(piece->recorded.count());
    call.recorded += recorded;
    call.predicted += predicted(*piece, fit);
    if (recorded > call.longest) std::tie(call.longest, call.kind) = std::pair{recorded, piece->kind};
    which[use.occurrence] = use.which;
  }
  CallsByKey by_key;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!which[i]) continue;
    const OperatorTable::Operator& op = table.operators[*which[i]];
    if (op.inputs.empty() && op.work.bytes <= 0) continue;  // only the operator's name is known
    by_key[{op.name, op.shapes}].push_back(calls[i]);
  }
  return by_key;
}

/// A call that was found in both captures.
struct Pair {
  KernelClass kind;
  double predicted;
  double measured;
};

/// Returns the number of calls and their total time.
std::pair<std::size_t, double> sum_of(const CallsByKey& calls) {
  std::pair<std::size_t, double> sum;
  for (const auto& [key, list] : calls) {
    sum.first += list.size();
    for (const Call& call : list) sum.second += call.recorded;
  }
  return sum;
}

std::vector<Pair> matched(const CallsByKey& from, const CallsByKey& to, DeviceFit& fit) {
  std::vector<Pair> pairs;
  for (const auto& [key, list] : from) {
    const auto other = to.find(key);
    if (other == to.end()) continue;
    for (std::size_t k = 0; k < std::min(list.size(), other->second.size()); ++k) {
      const double measured = other->second[k].recorded;
      if (measured <= 0 || list[k].predicted <= 0) continue;
      pairs.push_back({list[k].kind, list[k].predicted, measured});
      ++fit.calls[static_cast<std::size_t>(list[k].kind)];
      fit.matched_from += list[k].recorded;
      fit.matched_to += measured;
    }
  }
  if (pairs.empty()) return pairs;
  const auto [calls_from, time_from] = sum_of(from);
  const auto [calls_to, time_to] = sum_of(to);
  fit.matched = pairs.size();
  fit.unmatched = calls_from + calls_to - 2 * pairs.size();
  fit.matched_from /= time_from;
  fit.matched_to /= time_to;
  return pairs;
}

/// Fits log(measured / predicted) of the pairs by a part that all have in common (element 0 of the result) and a part
/// of the pair's class (element class + 1), with least squares and a ridge of 1 on the parts of classes. `weight` has a
/// mean of 1, so the ridge counts as one average call: with n calls, a class keeps n / (n + 1) of its deviation.
Eigen::VectorXd fit_log_ratios(const std::vector<Pair>& pairs, const std::vector<double>& weight) {
  constexpr auto kUnknowns = static_cast<Eigen::Index>(kKernelClassCount) + 1;
  Eigen::MatrixXd normal = Eigen::MatrixXd::Identity(kUnknowns, kUnknowns);
  normal(0, 0) = 0;  // no ridge on the common part
  Eigen::VectorXd right = Eigen::VectorXd::Zero(kUnknowns);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto of_class = static_cast<Eigen::Index>(pairs[i].kind) + 1;
    const double value = std::log(pairs[i].measured / pairs[i].predicted);
    for (const Eigen::Index a : {Eigen::Index{0}, of_class}) {
      right(a) += weight[i] * value;
      for (const Eigen::Index b : {Eigen::Index{0}, of_class}) normal(a, b) += weight[i];
    }
  }
  return normal.ldlt().solve(right);
}

double deviation(const Pair& pair, const Eigen::VectorXd& solution) {
  return std::log(pair.measured / pair.predicted) - solution(0) - solution(static_cast<Eigen::Index>(pair.kind) + 1);
}

/// Weights proportional to time, because the fit is used to predict time.
std::vector<double> time_weights(const std::vector<Pair>& pairs) {
  double sum = 0;
  for (const Pair& pair : pairs) sum += pair.measured;
  std::vector<double> weights;
  weights.reserve(pairs.size());
  for (const Pair& pair : pairs) weights.push_back(pair.measured / sum * static_cast<double>(pairs.size()));
  return weights;
}

Eigen::VectorXd robust(const std::vector<Pair>& pairs) {
  const std::vector<double> base = time_weights(pairs);
  Eigen::VectorXd solution = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(kKernelClassCount) + 1);
  fit_robustly(pairs.size(), [&](std::span<const double> weights) -> std::optional<std::vector<double>> {
    std::vector<double> weight = base;
    for (std::size_t i = 0; i < weight.size(); ++i) weight[i] *= weights[i];
    const Eigen::VectorXd before = std::exchange(solution, fit_log_ratios(pairs, weight));
    if ((solution - before).cwiseAbs().maxCoeff() < kSettled) return std::nullopt;
    std::vector<double> errors;
    errors.reserve(pairs.size());
    for (const Pair& pair : pairs) errors.push_back(std::abs(deviation(pair, solution)));
    return errors;
  });
  return solution;
}

double residual_of(const std::vector<Pair>& pairs, const DeviceFit& fit) {
  double off = 0;
  double measured = 0;
  for (const Pair& pair : pairs) {
    off += std::abs(pair.predicted * fit.factor[static_cast<std::size_t>(pair.kind)] - pair.measured);
    measured += pair.measured;
  }
  return off / measured;
}

}  // namespace

DeviceFit fit_devices(const Capture& from, const Capture& to) {
  DeviceFit fit;
  fit.from = accelerator_of(from);
  fit.to = accelerator_of(to);
  if (fit.from == nullptr || fit.to == nullptr) fit.from = fit.to = nullptr;
  const std::vector<Pair> pairs = matched(calls_of(from, fit), calls_of(to, fit), fit);
  if (pairs.empty()) {
    throw InputError({to.inputs.empty() ? "" : to.inputs.front().name, {}, {}},
                     "no operator has the same shapes in both captures; expected two captures of one model, recorded "
                     "with record_shapes=True");
  }
  const Eigen::VectorXd solution = robust(pairs);
  for (std::size_t c = 0; c < kKernelClassCount; ++c)
    fit.factor[c] = std::exp(solution(0) + solution(static_cast<Eigen::Index>(c) + 1));
  fit.residual = residual_of(pairs, fit);
  return fit;
}

Scaled scaled_by_fit(const DeviceWork& work, const DeviceFit& fit) {
  const auto recorded = static_cast<double>(work.recorded.count());
  if (limit_of(work.kind) == Limit::kNone) return {recorded, ScaledBy::kUnchanged};
  Scaled scaled = fit.from == nullptr ? Scaled{recorded, ScaledBy::kClass} : roofline_scaled(work, *fit.from, *fit.to);
  scaled.nanoseconds *= fit.factor[static_cast<std::size_t>(work.kind)];
  return scaled;
}

}  // namespace stepsim
