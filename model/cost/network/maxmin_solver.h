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

/// What MaxMinSolver keeps of links and classes. Only it and MaxMinSweep use it.
struct MaxMinTables {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();

  /// A class on a link, with what a pass over the link's classes needs of it.
  struct Member {
    double weight = 0;
    std::uint32_t crossing = 0;
    std::uint32_t other = 0;  ///< the other link of a route of two; nowhere() for one; kNone for more
    bool limited = false;     ///< by this link, and counted in the usage of the others
  };
  struct Link {
    double capacity = 0;
    double weight = 0;          ///< of its classes
    double most_weight = 0;     ///< since it was summed up anew
    double level = kNoLimit;    ///< of the classes that it limits
    double budget = kNoLimit;   ///< >= level: what `usage` of other links counts for those classes
    double usage = 0;           ///< at most what its classes take, the sum of weight * budget; while it limits none
    std::uint32_t limited = 0;  ///< how many classes have it as bottleneck
    bool calm = false;          ///< it limits all its classes, and no other link of theirs limits any
    bool in_region = false;
    bool is_beside = false;       ///< not in the region and limits none, but a class crosses it that changed there
    std::vector<Member> members;  ///< classes with weight
  };
  struct Crossing {
    std::uint32_t owner = 0;  ///< class
    std::uint32_t link = 0;
    std::uint32_t place = 0;  ///< in Link::members
  };
  struct Class {
    double weight = 0;
    std::uint32_t first = 0;  ///< of its crossings
    std::uint32_t last = 0;
    std::uint32_t bottleneck = kNone;
    std::uint32_t touched = kNone;  ///< its place among the classes that this solution touches; elsewhere stale
    bool counted = false;           ///< in the usage of its links
    bool changed = false;           ///< its weight, since the last solution
  };

  explicit MaxMinTables(std::span<const double> capacities);

  [[nodiscard]] std::uint32_t add_class(std::span<const std::uint32_t> route);
  [[nodiscard]] std::span<const Crossing> route(const Class& one) const noexcept {
    return {crossings.data() + one.first, one.last - one.first};
  }
  [[nodiscard]] Class& owner(const Member& member) noexcept { return classes[crossings[member.crossing].owner]; }
  /// Puts a class among the members of its links, or takes it away, or changes its weight there.
  void join(const Class& one);
  void leave(Class& one);
  void reweigh(const Class& one);
  /// Makes a link the one that limits a class; from now on it is counted in the usage of the others.
  void limit(Class& one, std::uint32_t link);
  /// It is not counted any more.
  void uncount(Class& one);

  /// A link that nobody crosses: it holds nobody back.
  [[nodiscard]] std::uint32_t nowhere() const noexcept { return static_cast<std::uint32_t>(links.size()); }
  /// The lowest level at which a class is held back.
  [[nodiscard]] double hold(const Class& one) const noexcept {
    double lowest = kNoLimit;
    for (const Crossing& crossing : route(one)) lowest = std::min(lowest, holds[crossing.link]);
    return lowest;
  }
  /// The same for a member of an open link.
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
  /// By link, and nowhere(): the level at which it holds its classes back. Link::level, but for a
  /// link that a sweep has opened or found a new level for.
  std::vector<double> holds;
  std::vector<std::uint32_t> region;  ///< links with in_region
};

/// Levels that differ by less are the same: the order of summation must not spread.
[[nodiscard]] inline bool same_level(double a, double b) noexcept {
  constexpr double kSame = 1e-13;
  return a == b || std::abs(a - b) <= kSame * std::min(a, b);
}

/// Finds the levels of links anew after a change, in the order of levels, as water filling does
/// (Bertsekas & Gallager, Data Networks, 6.5.2), but only of those links that the change reaches.
///
/// The level of a link follows from its own classes and from the lower levels of other links on
/// their routes, never from higher ones. So a link whose classes changed is opened: it holds nobody
/// back until the sweep, which goes upwards, comes to its new level. What it does to others begins
/// at the lower one of its old and its new level; links above that with a class in common are opened
/// then. Everything below the sweep is final.
///
/// A link that limits nobody is not opened, because it would be one of very many; whether it is
/// overfull in the end is for the caller to see.
class MaxMinSweep {
 public:
  /// `tables` must outlive it.
  explicit MaxMinSweep(MaxMinTables& tables) : tables_(tables), states_(tables.links.size()) {}

  /// Opens all links of MaxMinTables::region, and finds their levels and those of the links that
  /// join the region on the way. Changes MaxMinTables::holds and the region, nothing else.
  /// O(links of the region * classes of a link * passes): a link has a pass for each group of its
  /// classes that is held back elsewhere; two to five in most cases.
  void run();

 private:
  struct State {
    double was = 0;         ///< the level at which it held its classes back
    bool released = false;  ///< the sweep passed that level: what holds them back now is not known yet
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
  void open_beside(std::uint32_t link, double from);

  MaxMinTables& tables_;
  std::vector<State> states_;    ///< by link, of the last time when it was opened
  std::vector<Candidate> line_;  ///< a heap: each open link once
};

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
