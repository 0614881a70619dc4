#ifndef STEPSIM_SCENARIOS_ANSWER_CAUTION_H
#define STEPSIM_SCENARIOS_ANSWER_CAUTION_H

#include <set>
#include <string_view>
#include <vector>

#include "scenarios/change/plan.h"
#include "scenarios/change/what_if.h"
#include "sim/check/checkup.h"

namespace stepsim::scenarios {

/// Collects what a reader must know before answers to what-ifs: whether the capture can answer them, and which of them
/// were never compared with measured runs.
class Caution {
 public:
  /// `capture` and its `checkup` must outlive this object. O(lanes + steps + collectives).
  Caution(const Capture& capture, const sim::Checkup& checkup);

  /// Adds a question with these changes; `changed` is the cluster after them. O(changes + endpoints).
  void add(const std::vector<const Change*>& changes, const Cluster& changed);
  /// Adds every question about the captured job.
  void add_all(const Cluster& captured);
  /// Returns the verdict on the capture and the sentences, which are empty if there is nothing to say.
  [[nodiscard]] sim::CaptureTrust trust() const;

 private:
  void add_never_compared(sim::Questions asked, const Cluster& changed);

  const Capture& capture_;
  const sim::Checkup& checkup_;
  bool uses_nccl_ = false;
  bool uses_gpus_ = false;  ///< and no parameter servers
  sim::Questions asked_;
  std::set<std::string_view> never_compared_;
};

}  // namespace stepsim::scenarios

#endif
