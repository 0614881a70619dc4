#ifndef STEPSIM_MODEL_COST_NETWORK_MAXMIN_SOLVER_H
#define STEPSIM_MODEL_COST_NETWORK_MAXMIN_SOLVER_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "model/base/id.h"

namespace stepsim {

using FlowClassId = Id<struct FlowClassTag>;

/// Links and classes of MaxMinSolver. Only MaxMinSolver and MaxMinSweep use them.
struct MaxMinTables {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();

  /// A class on a link, with the data that a pass over the link's classes needs.
  struct Member {
    double weight = 0;
    std::uint32_t crossing = 0;
    std::uint32_t other = 0;  ///< if the route has two links, the other one; if one, nowhere(); if more, kNone
    bool limited = false;     ///< true if this link limits the class and the usage of its other links includes it
  };
  struct Link {
    double capacity = 0;
    double weight = 0;        ///< total weight of its classes
    double most_weight = 0;   ///< largest weight since it was last recomputed
    double level = kNoLimit;  ///< level of the classes that it limits
    /// At least `level`. Classes that this link limits count in the usage of their other links with this value as their
    /// level.
    double budget = kNoLimit;
    double usage = 0;           ///< upper bound of its classes' rate: sum of weight * budget; only if limited == 0
    std::uint32_t limited = 0;  ///< number of classes with this link as bottleneck
    bool calm = false;          ///< true if it limits all its classes, and no other link of theirs limits any class
    bool in_region = false;
    /// True if it limits no class and is not in the region, but the rate of one of its classes has changed.
    bool is_beside = false;
    std::vector<Member> members;  ///< classes with a weight above 0
  };
  struct Crossing {
    std::uint32_t owner = 0;  ///< index of the class that crosses
    std::uint32_t link = 0;
    std::uint32_t place = 0;  ///< index in Link::members
  };
  struct Class {
    double weight = 0;
    std::uint32_t first = 0;  ///< index of the first of its crossings
    std::uint32_t last = 0;
    std::uint32_t bottleneck = kNone;
    /// Index among the classes that the current solution touches; outdated for all other classes.
    std::uint32_t touched = kNone;
    bool counted = false;  ///< true if the usage of its links includes it
    bool changed = false;  ///< true if its weight changed since the last solution
  };

  explicit MaxMinTables(std::span<const double> capacities);

  [[nodiscard]] std::uint32_t add_class(std::span<const std::uint32_t> route);
  [[nodiscard]] std::span<const Crossing> route(const Class& one) const noexcept {
    return {crossings.data() + one.first, one.last - one.first};
  }
  [[nodiscard]] Class& owner(const Member& member) noexcept { return classes[crossings[member.crossing].owner]; }
  /// join() adds a class to the members of its links, leave() removes it, and reweigh() updates its weight there.
  void join(const Class& one);
  void leave(Class& one);
  void reweigh(const Class& one);
  /// Makes a link the bottleneck of a class. From now on, the usage of its links includes the class.
  void limit(Class& one, std::uint32_t link);
  /// Stops counting the class in the usage of its links.
  void uncount(Class& one);

  /// Returns the index of a link that nothing crosses and that limits nothing.
  [[nodiscard]] std::uint32_t nowhere() const noexcept { return static_cast<std::uint32_t>(links.size()); }
  /// Returns the lowest level at which any link on the class's route limits its classes.
  [[nodiscard]] double hold(const Class& one) const noexcept {
    double lowest = kNoLimit;
    for (const Crossing& crossing : route(one)) lowest = std::min(lowest, holds[crossing.link]);
    return lowest;
  }
  /// Returns the lowest level at which another link on the route limits the class of `member`. Precondition: a sweep
  /// has opened the member's own link, so that this link limits nothing.
  [[nodiscard]] double hold(const Member& member) const noexcept {
    if (member.other != kNone) return holds[member.other];
    return hold(classes[crossings[member.crossing].owner]);
  }
  void take_into_region(std::uint32_t link) {
    if (links[link].in_region) return;
    links[link].in_region = true;
    region.push_back(link);
  }

  std::vector<Link> links;
  std::vector<Class> classes;
  std::vector<Crossing> crossings;
  /// For each link, and nowhere(): the level at which it limits its classes. This is Link::level, except for links that
  /// a sweep has opened or given a new level.
  std::vector<double> holds;
  std::vector<std::uint32_t> region;  ///< links with in_region set
};

/// True if two levels differ by less than rounding, so that the order of summation does not affect results.
[[nodiscard]] inline bool same_level(double a, double b) noexcept {
  constexpr double kSame = 1e-13;
  return a == b || std::abs(a - b) <= kSame * std::min(a, b);
}

/// Recomputes the levels of links after a change, in ascending order as in water filling (Bertsekas & Gallager, Data
/// Networks, 6.5.2), but only for links that the change affects.
///
/// The level of a link depends on its own classes and on lower levels of other links on their routes, never on higher
/// ones. Therefore, a link whose classes changed is opened: it limits nothing until the sweep, which moves upwards,
/// reaches its new level. Its effect on other links begins at the lower of its old and its new level. Links above that
/// level that share a class with it are opened then. Everything below the sweep is final.
///
/// A link that limits no class is not opened, because there are usually very many of them. The caller checks whether it
/// is overfull in the end.
class MaxMinSweep {
 public:
  /// `tables` must outlive this object.
  explicit MaxMinSweep(MaxMinTables& tables) : tables_(tables), states_(tables.links.size()) {}

  /// Opens all links of MaxMinTables::region and computes their levels, and also the levels of links that join the
  /// region on the way. Changes only MaxMinTables::holds and the region. O(links of the region * classes of a link *
  /// passes). A link needs a pass for each group of its classes that is limited elsewhere: two to five in most cases.
  void run();

 private:
  struct State {
    double was = 0;         ///< the level at which the link limited its classes until the sweep opened it
    bool released = false;  ///< true if the sweep has passed `was`; the new limit of its classes is then not known yet
  };
  /// A link that is not full below `level`.
  struct Candidate {
    double level = 0;
    std::uint32_t link = 0;
    friend bool operator<(const Candidate& a, const Candidate& b) noexcept {
      return a.level != b.level ? a.level > b.level : a.link > b.link;
    }
  };

  void open(std::uint32_t link, double from);
  void rise(std::uint32_t link, double reached);
  void add_to_line(std::uint32_t link, double level);
  [[nodiscard]] double full_if_all_rise(std::uint32_t link) const;
  [[nodiscard]] double not_full_below(std::uint32_t link, double reached) const;
  void settle(std::uint32_t link, double level);
  void open_neighbours(std::uint32_t link, double from);

  MaxMinTables& tables_;
  std::vector<State> states_;    ///< for each link, the state from when it was last opened
  std::vector<Candidate> line_;  ///< a heap that contains each open link once
};

/// Computes weighted max-min fair rates of classes of flows over links and updates them as weights change. It knows
/// nothing about messages or time.
///
/// A class crosses a fixed set of links and has a weight: the number of its flows times the weight of one. Each link
/// has a capacity. The solution is unique:
/// - A link carries at most its capacity.
/// - Every class has a bottleneck: a link on its route that is full and on which no other class has a higher rate per
///   unit of weight (Bertsekas & Gallager, Data Networks, 6.5.2).
///
/// That rate per unit of weight is the level of the bottleneck and of all classes that it limits.
///
/// solve() looks only at what a change affects. MaxMinSweep recomputes levels upwards from the lowest one that changes,
/// in a region of links that grows as needed. A link that limits no class is considered only if it becomes overfull. A
/// link is calm if it limits all its classes and none of them crosses another link that limits any class. Its level is
/// its capacity divided by its weight, and a change takes O(1) while the other links of its classes have enough room.
/// The result is deterministic. It equals a solution from scratch within 1e-10 of each rate, or within 1e-11 of the
/// largest capacity if a class has less than a millionth of another one's weight.
class MaxMinSolver {
 public:
  static constexpr double kNoLimit = MaxMinTables::kNoLimit;

  /// Takes a capacity above 0 for each link, in any unit.
  explicit MaxMinSolver(std::span<const double> capacities);
  MaxMinSolver(const MaxMinSolver&) = delete;
  MaxMinSolver& operator=(const MaxMinSolver&) = delete;

  /// Adds a class of weight 0 over the links of `route`, which are indices of `capacities`; there must be at least one.
  /// A link that is listed twice carries each flow twice.
  FlowClassId add_class(std::span<const std::uint32_t> route);

  /// Sets a weight; takes effect with the next solve(). Precondition: weight >= 0. O(links of the class).
  void set_weight(FlowClassId id, double weight);

  void solve();

  /// Returns the link that limits a class. Precondition: its weight is above 0, and solve() was called.
  [[nodiscard]] std::uint32_t bottleneck(FlowClassId id) const noexcept {
    return tables_.classes[id.index()].bottleneck;
  }
  /// Returns the rate per unit of weight of the classes that `link` limits; kNoLimit if it limits none.
  [[nodiscard]] double level(std::uint32_t link) const noexcept { return tables_.links[link].level; }
  /// Returns the rate of a class per unit of weight. Precondition as for bottleneck().
  [[nodiscard]] double level(FlowClassId id) const noexcept { return level(bottleneck(id)); }

  /// Links whose level the last solve() changed, and classes whose bottleneck is new or changed. Both may contain
  /// duplicates.
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
  bool fits_outside_region(const Class& one, bool take);

  void solve_region();
  void touch_classes();
  void touch_members(std::uint32_t link_id);
  void touch(std::uint32_t id);
  [[nodiscard]] bool keeps_budget(std::uint32_t link_id) const;
  [[nodiscard]] double new_budget(std::uint32_t link_id) const;
  void add_usage_outside_region(std::uint32_t link_id, double change);
  void keep();
  void begin_next_round();
  void move_classes();
  void count_anew(std::uint32_t link_id);
  void find_calm_links();

  MaxMinTables tables_;
  MaxMinSweep sweep_;
  std::vector<std::uint32_t> changed_classes_;  ///< classes with a new weight since the last solve()
  std::vector<std::uint32_t> new_levels_;       ///< links with a new level
  std::vector<Touched> touched_;
  std::vector<std::uint32_t> beside_;  ///< links with is_beside set
  std::vector<std::uint32_t> changed_links_;
  std::vector<FlowClassId> moved_classes_;
};

}  // namespace stepsim

#endif
