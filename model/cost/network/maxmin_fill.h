#ifndef STEPSIM_MODEL_COST_NETWORK_MAXMIN_FILL_H
#define STEPSIM_MODEL_COST_NETWORK_MAXMIN_FILL_H

#include <cstdint>
#include <vector>

#include "model/cost/network/maxmin_tables.h"

namespace stepsim {

/// Water filling: finds the level of every class that crosses a region of links, the links beside
/// the region taken as they are. The level of all rises alike until a link is full, which limits
/// the classes on it, or until a link beside the region holds a class back; the others go on.
/// (Bertsekas & Gallager, Data Networks, 6.5.2.)
class MaxMinFill {
 public:
  /// A class that crosses the region.
  struct Touched {
    std::uint32_t id = 0;
    std::uint32_t bottleneck = MaxMinTables::kNone;  ///< kNone while it is open: it still rises
    double level = 0;
    double cap = MaxMinTables::kNoLimit;  ///< the lowest level of the links beside the region that limit others
    std::uint32_t cap_link = MaxMinTables::kNone;
  };

  /// `tables` must outlive it.
  explicit MaxMinFill(MaxMinTables& tables) : tables_(tables), links_(tables.links.size()) {}

  /// Changes nothing but Class::touched. The region: links with in_region. O(n log n) for n
  /// crossings of links in the region.
  [[nodiscard]] const std::vector<Touched>& fill(const std::vector<std::uint32_t>& region);

 private:
  struct Filling {
    double room = 0;          ///< capacity that nobody has yet
    double open_weight = 0;   ///< of the open classes
    double whole_weight = 0;  ///< of those that were open when it was summed up
    std::uint32_t open_classes = 0;
  };
  /// A link that may be the next to be full, at `level` or later.
  struct Candidate {
    double level = 0;
    std::uint32_t link = 0;
    friend bool operator<(const Candidate& a, const Candidate& b) noexcept {
      return a.level != b.level ? a.level > b.level : a.link > b.link;
    }
  };

  /// A class that a link beside the region holds back at `level`.
  struct Capped {
    double level = 0;
    std::uint32_t id = 0;
    std::uint32_t place = 0;  ///< in touched_
    friend bool operator<(const Capped& a, const Capped& b) noexcept {
      return a.level != b.level ? a.level > b.level : a.id > b.id;
    }
  };

  void touch(std::uint32_t id);
  void line_up(const std::vector<std::uint32_t>& region);
  void add_to_line(std::uint32_t link, double level);
  void raise();
  [[nodiscard]] Touched* next_held_back(double below);
  void freeze(Touched& one, std::uint32_t bottleneck, double level);
  void freeze_members(std::uint32_t link, double level);
  [[nodiscard]] double sum_of_open(std::uint32_t link);

  MaxMinTables& tables_;
  std::vector<Filling> links_;
  std::vector<Touched> touched_;
  std::vector<Capped> capped_;   ///< a heap
  std::vector<Candidate> line_;  ///< a heap
};

}  // namespace stepsim

#endif
