#ifndef STEPSIM_TESTS_MODEL_COST_NETWORK_SOLVER_CASE_H
#define STEPSIM_TESTS_MODEL_COST_NETWORK_SOLVER_CASE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/cost/network/maxmin_solver.h"

namespace stepsim::testing {

/// The links of a route, as indices into the capacities.
using SolverRoute = std::vector<std::uint32_t>;

/// Returns the level of each class, computed from the definition of max-min fairness without the solver's data
/// structures: raises all levels from zero until the next link is full, and repeats. A class of weight 0 has
/// MaxMinSolver::kNoLimit. O(classes * links * length of the routes * links).
[[nodiscard]] std::vector<double> water_filling(const std::vector<double>& capacities,
                                                const std::vector<SolverRoute>& routes,
                                                const std::vector<double>& weights);

/// A solver together with a copy of its input.
struct SolverCase {
  explicit SolverCase(std::vector<double> link_capacities);

  FlowClassId add(SolverRoute route, double weight = 1);
  void set(FlowClassId id, double weight);
  /// Returns the level of a class. Call solve() first.
  double level(FlowClassId id);
  /// Solves. Returns nothing if every rate equals that of the water filling, as exactly as MaxMinSolver promises, and
  /// the reported limiting link of each class is on its route. Otherwise returns one line that describes the error.
  std::optional<std::string> mismatch();

  std::vector<double> capacities;
  std::vector<SolverRoute> routes{};
  std::vector<double> weights{};
  MaxMinSolver solver;
};

}  // namespace stepsim::testing

#endif
