#ifndef STEPSIM_SCENARIOS_ANSWER_CAUTION_H
#define STEPSIM_SCENARIOS_ANSWER_CAUTION_H

#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "scenarios/answer/evidence.h"
#include "scenarios/answer/range.h"
#include "scenarios/change/plan.h"
#include "scenarios/change/what_if.h"
#include "sim/check/checkup.h"

namespace stepsim::scenarios {

/// Collects what a reader must know before answers to what-ifs: what is wrong with the capture, if it moves these
/// answers, and how far answers of their kinds were off.
class Caution {
 public:
  /// `capture` and its `checkup` must outlive this object. O(lanes + steps + collectives).
  Caution(const Capture& capture, const sim::Checkup& checkup);

  /// Adds a question with these changes; `plan` is what they lead to. O(changes + endpoints).
  void add(const std::vector<const Change*>& changes, const Plan& plan);
  /// Adds every question about the captured job.
  void add_all() { asked_ = sim::Questions::all(); }
  /// Adds the range of an answer, which shows what moves it. O(sources).
  void add(const Range<Duration>& range);
  /// True if only the ranges of answers tell what trust() says.
  [[nodiscard]] bool depends_on_ranges() const;
  /// Returns the verdict on the capture and the sentences, which are empty if there is nothing to say.
  [[nodiscard]] sim::CaptureTrust trust() const;

 private:
  const Capture& capture_;
  const sim::Checkup& checkup_;
  sim::Questions asked_;
  std::optional<AnswerEvidence> worst_;  ///< of all questions
  std::set<std::string_view> moving_;    ///< the sources that alone give more than half of a range
};

}  // namespace stepsim::scenarios

#endif
