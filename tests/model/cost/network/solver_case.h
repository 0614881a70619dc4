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
/// structures: raises all levels from zero until a link is full, fixes the levels of the classes that cross it, and
/// repeats. A class of weight 0 has MaxMinSolver::kNoLimit. O(classes * links * length of the routes * links).
[[nodiscard]] std::vector<double> water_filling(const std::vector<double>& capacities,
                                                const std::vector<SolverRoute>& routes,
                                                const std::vector<double>& weights);

/// A solver, with a copy of its input for computing the expected levels.
struct SolverCase {
  explicit SolverCase(std::vector<double> link_capacities);

  FlowClassId add(SolverRoute route, double weight = 1);
  void set(FlowClassId id, double weight);
  /// Returns the level of a class. Call solve() first.
  double level(FlowClassId id);
  /// Solves, and compares the rates with those of water_filling(), within the precision that MaxMinSolver promises.
  /// Also checks that the limiting link of each class is on its route. Returns a description of the first error, or
  /// nothing.
  std::optional<std::string> mismatch();

  std::vector<double> capacities;
  std::vector<SolverRoute> routes{};
  std::vector<double> weights{};
  MaxMinSolver solver;
};

}  // namespace stepsim::testing

#endif
