#ifndef STEPSIM_MODEL_COST_NETWORK_MAXMIN_TABLES_H
#define STEPSIM_MODEL_COST_NETWORK_MAXMIN_TABLES_H

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "model/base/id.h"

namespace stepsim {

using FlowClassId = Id<struct FlowClassTag>;

/// What MaxMinSolver keeps of links and classes. Only it and MaxMinFill use it.
struct MaxMinTables {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();

  struct Link {
    double capacity = 0;
    double weight = 0;          ///< of its classes
    double most_weight = 0;     ///< since it was summed up anew
    double level = kNoLimit;    ///< of the classes that it limits
    double budget = kNoLimit;   ///< >= level: what `usage` of other links counts for those classes
    double usage = 0;           ///< at most what its classes take: the sum of weight * budget
    std::uint32_t limited = 0;  ///< how many classes have it as bottleneck
    bool calm = false;          ///< it limits all its classes, and no other link of theirs limits any
    bool in_region = false;
    bool is_beside = false;              ///< not in the region, but a class crosses it that changed there
    bool is_reached = false;             ///< is_beside, and it limits classes while such a class has a new level
    std::vector<std::uint32_t> members;  ///< crossings of classes with weight
  };
  /// A class on a link.
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
    std::uint32_t touched = kNone;  ///< its place in what MaxMinFill::fill() returned last; elsewhere stale
    bool counted = false;           ///< in the usage of its links
    bool changed = false;           ///< its weight, since the last solution
  };

  [[nodiscard]] std::span<Crossing> route(const Class& one) noexcept {
    return {crossings.data() + one.first, one.last - one.first};
  }
  [[nodiscard]] Class& owner(std::uint32_t crossing) noexcept { return classes[crossings[crossing].owner]; }
  /// Puts a class among the members of its links, or takes it away.
  void join(Class& one);
  void leave(Class& one);

  std::vector<Link> links;
  std::vector<Class> classes;
  std::vector<Crossing> crossings;
};

}  // namespace stepsim

#endif
