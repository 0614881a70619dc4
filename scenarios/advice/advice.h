#ifndef STEPSIM_SCENARIOS_ADVICE_ADVICE_H
#define STEPSIM_SCENARIOS_ADVICE_ADVICE_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/calibration/calibration.h"
#include "scenarios/advice/candidates.h"
#include "scenarios/answer/baseline.h"
#include "scenarios/answer/predict.h"
#include "scenarios/answer/sweep.h"

namespace stepsim::scenarios {

/// What a prediction says of a change, by the range of the change (scenarios/advice/proposals.h).
enum class Verdict : std::uint8_t {
  kGain,     ///< shorter, over the whole range
  kUnsure,   ///< the range holds no change at all
  kNothing,  ///< changes less than 0.05 %
  kWorse,    ///< longer, over the whole range
};
[[nodiscard]] std::string_view to_text(Verdict verdict) noexcept;

/// A change of the iteration relative to that of Advice::baseline: negative is shorter. low <= by <= high.
struct RelativeChange {
  double by = 0;
  double low = 0;
  double high = 0;
};

/// A candidate that was predicted.
struct Tried {
  Candidate candidate;
  Duration iteration{};
  Duration low{};  ///< low <= iteration <= high
  Duration high{};
  RelativeChange change;
  Verdict verdict = Verdict::kNothing;
  std::vector<std::string> applies_to;  ///< of changes that select: how many tasks, and their time
  Assumptions assumptions;              ///< of this change alone
  std::vector<std::string> leaves_out;  ///< what its what-ifs do not account for
  std::string note{};                   ///< as of a point of a sweep
  bool best = false;                    ///< the shortest of its family; of equal ones the first
};

/// Several gains at once: they do not add up.
struct Together {
  std::vector<std::size_t> tried;  ///< index into Advice::tried, the largest gain first
  Outcome outcome;                 ///< with a problem where they do not go together
  RelativeChange change;
  double sum = 0;  ///< of what each changes alone
};

struct Advice {
  Baseline baseline;
  std::vector<Tried> tried;       ///< the shortest iteration first; of equal ones in the order of the table
  std::vector<LeftOut> left_out;  ///< what does not apply to this job, and what could not be predicted
  std::vector<Together> together;
  Assumptions assumptions;  ///< of all predictions
  std::string warning;      ///< that the capture is not what it looks like; may be empty
  std::string caution;      ///< that not all of the input could be used; may be empty
  std::string network;      ///< the model's name
};

struct AdviceOptions {
  int threads = 1;                          ///< never changes the advice
  const std::atomic<bool>* stop = nullptr;  ///< set by Ctrl-C: Interrupted is thrown
  /// Called after each prediction, one call at a time, from any thread. May be empty.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress{};
};

/// Predicts what is worth trying for the captured job (candidates_for()), then the largest gains together: up to three
/// of those that can be carried out, once with other hardware and once without. Candidates are predicted several at a
/// time, as points of a sweep (scenarios/answer/sweep.h), which also says what memory and replays they take.
///
/// `calibration` may be null. A change that its what-if refuses is left out with the reason. Throws UsageError if none
/// can be predicted, and what predict() throws of the job as captured.
[[nodiscard]] Advice advise(Predictor& predictor, const Calibration* calibration, const AdviceOptions& options);

}  // namespace stepsim::scenarios

#endif
