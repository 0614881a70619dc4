#ifndef STEPSIM_MODEL_NETWORK_MAXMIN_SOLVER_H
#define STEPSIM_MODEL_NETWORK_MAXMIN_SOLVER_H

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "model/id.h"

namespace stepsim {

using FlowClassId = Id<struct FlowClassTag>;

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
/// solve() looks at the links whose classes changed, and at others only as far as the change
/// reaches: it fills the links of a region again, the rest taken as given, and takes a link into
/// the region if what crosses it from there changed and it is full, or would be overfull.
/// Deterministic; equal to a solution from scratch within 1e-12 of each rate.
class MaxMinSolver {
 public:
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();

  /// A capacity for each link, above 0. Units are the caller's.
  explicit MaxMinSolver(std::span<const double> capacities);

  /// A class of weight 0 over these links: indices of `capacities`, at least one. One that is
  /// named twice carries each flow twice.
  FlowClassId add_class(std::span<const std::uint32_t> route);

  /// Takes effect with the next solve(). Precondition: weight >= 0. O(links of the class).
  void set_weight(FlowClassId id, double weight);
  [[nodiscard]] double weight(FlowClassId id) const noexcept { return classes_[id.index()].weight; }

  void solve();

  /// The link that limits a class. Precondition: its weight is above 0, and solve() was called.
  [[nodiscard]] std::uint32_t bottleneck(FlowClassId id) const noexcept { return classes_[id.index()].bottleneck; }
  /// Rate per unit of weight of the classes that `link` limits; kNoLimit if it limits none.
  [[nodiscard]] double level(std::uint32_t link) const noexcept { return links_[link].level; }
  /// Rate of a class per unit of weight. Precondition as for bottleneck().
  [[nodiscard]] double level(FlowClassId id) const noexcept { return level(bottleneck(id)); }

  /// Links whose level the last solve() changed, and classes whose bottleneck it changed or
  /// which had none before.
  [[nodiscard]] const std::vector<std::uint32_t>& changed_links() const noexcept { return changed_links_; }
  [[nodiscard]] const std::vector<FlowClassId>& moved_classes() const noexcept { return moved_classes_; }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  struct Link {
    double capacity = 0;
    double level = kNoLimit;
    double usage = 0;           ///< what its classes take
    std::uint32_t limited = 0;  ///< how many classes have it as bottleneck
    bool in_region = false;
    bool beside_region = false;
    double room = 0;          ///< while filling: capacity that nobody has yet
    double open_weight = 0;   ///< while filling: of the classes without a rate yet
    double whole_weight = 0;  ///< of all of them
    std::uint32_t open_classes = 0;
    double found = kNoLimit;             ///< its new level
    double usage_change = 0;             ///< of a link beside the region
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
    std::uint32_t touched = kNone;  ///< its place in touched_
    bool counted = false;           ///< in the usage of its links
  };
  /// A class that crosses the region, while it is filled.
  struct Touched {
    std::uint32_t id = 0;
    double level_before = 0;
    double level = 0;
    std::uint32_t bottleneck = kNone;  ///< kNone: no rate yet
    double cap = kNoLimit;             ///< the lowest level of the full links beside the region
    std::uint32_t cap_link = kNone;
  };

  /// A link that may be the next to be full, at `level` or later.
  struct Candidate {
    double level = 0;
    std::uint32_t link = 0;
    friend bool operator<(const Candidate& a, const Candidate& b) noexcept {
      return a.level != b.level ? a.level > b.level : a.link > b.link;
    }
  };

  [[nodiscard]] std::span<Crossing> route(const Class& one) noexcept {
    return {crossings_.data() + one.first, one.last - one.first};
  }
  void join(Class& one);
  void leave(Class& one);
  void take_limits_into_region(const Class& one);
  void take_from_usage(Class& one);
  void take_into_region(std::uint32_t link);
  void fill_region();
  void touch(std::uint32_t id);
  void freeze(Touched& one, std::uint32_t bottleneck, double level);
  [[nodiscard]] double sum_of_open(const Link& link) const noexcept;
  void line_up();
  void add_to_line(std::uint32_t link, double level);
  void freeze_members(std::uint32_t link, double level);
  bool grow_region();
  void count_change_beside(const Touched& one);
  void keep();

  std::vector<Link> links_;
  std::vector<Class> classes_;
  std::vector<Crossing> crossings_;
  std::vector<std::uint32_t> region_;
  std::vector<std::uint32_t> beside_;  ///< links that what changed in the region crosses
  std::vector<Touched> touched_;
  std::vector<Candidate> line_;        ///< a heap
  std::vector<std::uint32_t> capped_;  ///< places in touched_, by cap
  std::vector<std::uint32_t> changed_links_;
  std::vector<FlowClassId> moved_classes_;
};

}  // namespace stepsim

#endif
