#ifndef STEPSIM_TESTS_MODEL_COST_NETWORK_SOLVER_CASE_H
#define STEPSIM_TESTS_MODEL_COST_NETWORK_SOLVER_CASE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/cost/network/maxmin_solver.h"

namespace stepsim::testing {

/// Links, as indices of capacities.
using SolverRoute = std::vector<std::uint32_t>;

/// The level of each class by raising all of them to the next event, over and over, from nothing:
/// the definition itself, without any of the solver's bookkeeping. MaxMinSolver::kNoLimit for
/// weight 0. O(classes * links * length of the routes * links).
[[nodiscard]] std::vector<double> water_filling(const std::vector<double>& capacities,
                                                const std::vector<SolverRoute>& routes,
                                                const std::vector<double>& weights);

/// A solver and what it was told, side by side.
struct SolverCase {
  explicit SolverCase(std::vector<double> link_capacities);

  FlowClassId add(SolverRoute route, double weight = 1);
  void set(FlowClassId id, double weight);
  /// After a solve().
  double level(FlowClassId id);
  /// Solves. Nothing if every rate is that of the water filling, as exactly as MaxMinSolver
  /// promises, and the link that is said to limit a class is on its route; else what is wrong, in
  /// one line.
  std::optional<std::string> mismatch();

  std::vector<double> capacities;
  std::vector<SolverRoute> routes{};
  std::vector<double> weights{};
  MaxMinSolver solver;
};

}  // namespace stepsim::testing

#endif
