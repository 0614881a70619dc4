#ifndef STEPSIM_MODEL_COST_NETWORK_MAXMIN_SOLVER_H
#define STEPSIM_MODEL_COST_NETWORK_MAXMIN_SOLVER_H

#include <cstdint>
#include <span>
#include <vector>

#include "model/cost/network/maxmin_sweep.h"
#include "model/cost/network/maxmin_tables.h"

namespace stepsim {

/// Weighted max-min fair rates of classes of flows over links, kept up to date while weights
/// change. It knows nothing of messages or time.
///
/// A class crosses a fixed set of links and has a weight: its number of flows, times the weight
/// of one. Each link has a capacity. The answer is the only one where
///   * a link carries at most its capacity, and
///   * every class has a bottleneck: a link on its route that is full, and on which no other
///     class has a higher rate per unit of weight (Bertsekas & Gallager, Data Networks, 6.5.2).
/// That rate per unit of weight is the level of the bottleneck, and of all classes that have it.
///
/// solve() looks only as far as a change reaches: levels are found anew from the lowest one that
/// changes upwards (MaxMinSweep), on a region of links that grows with what has changed. A link that
/// limits nobody is looked at only if it is overfull then. A link that limits all its classes, none of
/// which crosses another link that limits anybody, is calm: its level is its capacity by its weight,
/// and a change on it takes O(1), as long as the level stays within what its classes' other links
/// have room for. Deterministic; equal to a solution from scratch within 1e-10 of each rate, or within
/// 1e-11 of the widest capacity where a class has less than a millionth of another one's weight.
class MaxMinSolver {
 public:
  static constexpr double kNoLimit = MaxMinTables::kNoLimit;

  /// A capacity for each link, above 0. Units are the caller's.
  explicit MaxMinSolver(std::span<const double> capacities);
  MaxMinSolver(const MaxMinSolver&) = delete;
  MaxMinSolver& operator=(const MaxMinSolver&) = delete;

  /// A class of weight 0 over these links: indices of `capacities`, at least one. One that is
  /// named twice carries each flow twice.
  FlowClassId add_class(std::span<const std::uint32_t> route);

  /// Takes effect with the next solve(). Precondition: weight >= 0. O(links of the class).
  void set_weight(FlowClassId id, double weight);

  void solve();

  /// The link that limits a class. Precondition: its weight is above 0, and solve() was called.
  [[nodiscard]] std::uint32_t bottleneck(FlowClassId id) const noexcept {
    return tables_.classes[id.index()].bottleneck;
  }
  /// Rate per unit of weight of the classes that `link` limits; kNoLimit if it limits none.
  [[nodiscard]] double level(std::uint32_t link) const noexcept { return tables_.links[link].level; }
  /// Rate of a class per unit of weight. Precondition as for bottleneck().
  [[nodiscard]] double level(FlowClassId id) const noexcept { return level(bottleneck(id)); }

  /// Links whose level the last solve() changed, and classes whose bottleneck it changed or
  /// which had none before; some of them more than once.
  [[nodiscard]] const std::vector<std::uint32_t>& changed_links() const noexcept { return changed_links_; }
  [[nodiscard]] const std::vector<FlowClassId>& moved_classes() const noexcept { return moved_classes_; }

 private:
  using Link = MaxMinTables::Link;
  using Class = MaxMinTables::Class;
  /// A class with a new weight, or on a link with a new level.
  struct Touched {
    std::uint32_t id = 0;
    std::uint32_t bottleneck = 0;
  };

  void take_limits_into_region(const Class& one);
  void take_from_usage(Class& one);
  static void add_weight(Link& link, double change);
  void set_level(std::uint32_t link_id, double level);

  void forget_change();
  bool change_calmly();
  void narrow_budget(std::uint32_t link_id);
  bool adopt(std::uint32_t id);
  bool make_room(std::uint32_t link_id);
  void set_budget(std::uint32_t link_id, double budget);
  bool fits_beside(const Class& one, bool take);

  void solve_region();
  void touch_classes();
  void touch_members(std::uint32_t link_id);
  void touch(std::uint32_t id);
  [[nodiscard]] bool keeps_budget(std::uint32_t link_id) const;
  [[nodiscard]] double new_budget(std::uint32_t link_id) const;
  void count_beside(std::uint32_t link_id, double change);
  void keep();
  void begin_next_round();
  void move_classes();
  void count_anew(std::uint32_t link_id);
  void find_calm_links();

  MaxMinTables tables_;
  MaxMinSweep sweep_;
  std::vector<std::uint32_t> changed_classes_;  ///< since the last solve()
  std::vector<std::uint32_t> new_levels_;       ///< links
  std::vector<Touched> touched_;
  std::vector<std::uint32_t> beside_;  ///< links that limit nobody and that what changed in the region crosses
  std::vector<std::uint32_t> changed_links_;
  std::vector<FlowClassId> moved_classes_;
};

}  // namespace stepsim

#endif
