#include "tests/model/cost/network/solver_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stepsim::testing {

std::vector<double> water_filling(const std::vector<double>& capacities, const std::vector<SolverRoute>& routes,
                                  const std::vector<double>& weights) {
  std::vector<double> level(routes.size(), MaxMinSolver::kNoLimit);
  std::vector<bool> open(routes.size());
  double reached = 0;
  for (std::size_t c = 0; c < routes.size(); ++c) open[c] = weights[c] > 0;
  while (std::find(open.begin(), open.end(), true) != open.end()) {
    double lowest = MaxMinSolver::kNoLimit;
    std::size_t full = 0;
    for (std::size_t l = 0; l < capacities.size(); ++l) {
      double room = capacities[l];
      double weight = 0;
      for (std::size_t c = 0; c < routes.size(); ++c) {
        const auto times = static_cast<double>(std::count(routes[c].begin(), routes[c].end(), l));
        if (open[c]) weight += times * weights[c];
        if (!open[c] && weights[c] > 0) room -= times * weights[c] * level[c];
      }
      if (weight > 0 && room / weight < lowest) {
        lowest = room / weight;
        full = l;
      }
    }
    reached = std::max(reached, lowest);  // because of rounding, `lowest` may be slightly less than before
    for (std::size_t c = 0; c < routes.size(); ++c) {
      if (!open[c] || std::find(routes[c].begin(), routes[c].end(), full) == routes[c].end()) continue;
      open[c] = false;
      level[c] = reached;
    }
  }
  return level;
}

SolverCase::SolverCase(std::vector<double> link_capacities)
    : capacities(std::move(link_capacities)), solver(capacities) {}

FlowClassId SolverCase::add(SolverRoute route, double weight) {
  const FlowClassId id = solver.add_class(route);
  routes.push_back(std::move(route));
  weights.push_back(0);
  set(id, weight);
  return id;
}

void SolverCase::set(FlowClassId id, double weight) {
  weights[id.index()] = weight;
  solver.set_weight(id, weight);
}

double SolverCase::level(FlowClassId id) {
  solver.solve();
  return solver.level(id);
}

std::optional<std::string> SolverCase::mismatch() {
  constexpr double kRelative = 1e-10;
  // Classes of small weight get small rates, so they have an absolute tolerance: this share of the largest capacity.
  constexpr double kRelativeToCapacity = 1e-11;
  constexpr double kTiny = 1e-6;
  solver.solve();
  const std::vector<double> expected = water_filling(capacities, routes, weights);
  const double widest = *std::max_element(capacities.begin(), capacities.end());
  const double heaviest = weights.empty() ? 0 : *std::max_element(weights.begin(), weights.end());
  for (std::size_t c = 0; c < routes.size(); ++c) {
    if (weights[c] == 0) continue;
    const std::uint32_t limit = solver.bottleneck(FlowClassId{c});
    if (std::find(routes[c].begin(), routes[c].end(), limit) == routes[c].end()) {
      return fmt::format("class {} is limited by link {}, which it does not cross", c, limit);
    }
    const double rate = weights[c] * solver.level(FlowClassId{c});
    const double right = weights[c] * expected[c];
    const double left_over = weights[c] < kTiny * heaviest ? kRelativeToCapacity * widest : 0;
    if (std::abs(rate - right) <= std::max(kRelative * right, left_over)) continue;
    return fmt::format("class {} has rate {}, expected {}", c, rate, right);  // reached also if `rate` is not a number
  }
  return std::nullopt;
}

}  // namespace stepsim::testing
