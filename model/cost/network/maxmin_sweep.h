#ifndef STEPSIM_MODEL_COST_NETWORK_MAXMIN_SWEEP_H
#define STEPSIM_MODEL_COST_NETWORK_MAXMIN_SWEEP_H

#include <cstdint>
#include <vector>

#include "model/cost/network/maxmin_tables.h"

namespace stepsim {

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

}  // namespace stepsim

#endif
