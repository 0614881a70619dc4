#ifndef STEPSIM_MODEL_COST_NETWORK_MAXMIN_SOLVER_H
#define STEPSIM_MODEL_COST_NETWORK_MAXMIN_SOLVER_H

#include <cstdint>
#include <span>
#include <vector>

#include "model/cost/network/maxmin_fill.h"
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
/// solve() looks only as far as a change reaches. A region of links is filled again, the rest
/// taken as given; a link joins the region if what crosses it from there changed and it limits
/// somebody, or would be overfull. A link that limits all its classes, none of which crosses
/// another link that limits anybody, is calm: its level is its capacity by its weight, and a change
/// on it takes O(1), as long as the level stays within what its classes' other links have room for.
/// Deterministic; equal to a solution from scratch within 1e-10 of each rate, or within 1e-11 of the
/// widest capacity where a class has less than a millionth of another one's weight.
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

  /// Calls on_class(FlowClassId) for every class that `link` limits; for one that crosses it twice,
  /// twice. O(classes that cross it).
  template <class OnClass>
  void for_each_limited(std::uint32_t link, OnClass on_class) const {
    for (const std::uint32_t member : tables_.links[link].members) {
      const std::uint32_t owner = tables_.crossings[member].owner;
      if (tables_.classes[owner].bottleneck == link) on_class(FlowClassId{owner});
    }
  }

  /// Links whose level the last solve() changed, and classes whose bottleneck it changed or
  /// which had none before.
  [[nodiscard]] const std::vector<std::uint32_t>& changed_links() const noexcept { return changed_links_; }
  [[nodiscard]] const std::vector<FlowClassId>& moved_classes() const noexcept { return moved_classes_; }

 private:
  using Link = MaxMinTables::Link;
  using Class = MaxMinTables::Class;
  using Touched = MaxMinFill::Touched;

  void take_into_region(std::uint32_t link);
  void take_limits_into_region(const Class& one);
  void take_from_usage(Class& one);
  void add_weight(Link& link, double change);
  void set_level(std::uint32_t link_id, double level);

  bool change_calmly();
  void narrow_budget(std::uint32_t link_id);
  bool adopt(std::uint32_t id);
  bool make_room(std::uint32_t link_id);
  void set_budget(std::uint32_t link_id, double budget);
  bool fits_beside(const Class& one, bool take);

  void solve_region();
  bool grow_region(const std::vector<Touched>& touched);
  void count_beside(const Touched& one);
  void keep(const std::vector<Touched>& touched);
  void count_limited(const std::vector<Touched>& touched);
  void drop_slack(const Link& link);
  void stop_limiting(std::uint32_t id);
  void find_calm_links(const std::vector<Touched>& touched);
  [[nodiscard]] double budget_of(const Touched& one) const;

  MaxMinTables tables_;
  MaxMinFill fill_;
  std::vector<std::uint32_t> changed_classes_;  ///< since the last solve()
  std::vector<std::uint32_t> region_;           ///< links
  std::vector<std::uint32_t> beside_;           ///< links that what changed in the region crosses
  std::vector<double> usage_change_;            ///< by link: of those beside the region
  std::vector<std::uint32_t> changed_links_;
  std::vector<FlowClassId> moved_classes_;
};

}  // namespace stepsim

#endif
