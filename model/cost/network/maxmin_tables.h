#ifndef STEPSIM_MODEL_COST_NETWORK_MAXMIN_TABLES_H
#define STEPSIM_MODEL_COST_NETWORK_MAXMIN_TABLES_H

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

}  // namespace stepsim

#endif
