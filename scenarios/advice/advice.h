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
#include "scenarios/answer/effect.h"
#include "scenarios/answer/predict.h"
#include "scenarios/answer/sweep.h"

namespace stepsim::scenarios {

/// The verdict on a change of the job, from the range of its effect (Range<double>).
enum class Verdict : std::uint8_t {
  kGain,     ///< the iteration is shorter over the whole range
  kUnsure,   ///< the range includes no change, so the sign is uncertain
  kNothing,  ///< a change of less than 0.05 %
  kWorse,    ///< the iteration is longer over the whole range
};
[[nodiscard]] std::string_view to_text(Verdict verdict) noexcept;

/// A change that was tried, and its predicted outcome.
struct Tried {
  Candidate candidate;
  Range<Duration> iteration;                 ///< without its sources
  Range<double> change;                      ///< of the iteration
  std::optional<Range<double>> mean_change;  ///< of the mean step, if the captured steps differ much
  Verdict verdict = Verdict::kNothing;
  std::vector<std::string> applies_to;  ///< for changes with a selection: the number of tasks and their time
  Assumptions assumptions;              ///< assumptions of this change only
  std::vector<std::string> leaves_out;  ///< what the candidate's what-ifs do not account for
  std::string note{};                   ///< result of note_on(), as for a point of a sweep; may be empty
  bool best = false;                    ///< true for the shortest of its family (the first one, if several are equal)

  /// Returns the change by which changes are ranked and judged.
  [[nodiscard]] const Range<double>& leading() const noexcept { return mean_change ? *mean_change : change; }
};

/// Several gains, predicted in combination. The combined gain differs from the sum of the single gains.
struct Together {
  std::vector<std::size_t> tried;  ///< indices into Advice::tried, the largest gain first
  Outcome outcome;                 ///< has a problem if the changes cannot be combined
  Range<double> change;
  double sum = 0;  ///< sum of the changes of the iteration by each gain alone
};

/// Calls of the device's runtime with one name that host.scale does not scale (long_calls()).
struct LongCalls {
  std::string name;
  std::size_t calls = 0;
  Duration total{};    ///< over the whole capture and all ranks
  Duration longest{};  ///< the longest call
  double share = 0;    ///< share of all CPU work
  std::string remedy;  ///< what to do about them
};

struct Advice {
  Baseline baseline;
  std::optional<Duration> mean;  ///< of the captured steps of the slowest rank, if they differ much
  /// The shortest iteration first, or the shortest mean step if the captured steps differ much; if equal, in order of
  /// the table.
  std::vector<Tried> tried;
  std::vector<LeftOut> left_out;  ///< changes that do not apply to this job or could not be predicted
  std::vector<Together> together;
  std::vector<LongCalls> long_calls;  ///< the longest total first
  Assumptions assumptions;            ///< assumptions of all predictions
  sim::CaptureTrust trust;            ///< how far the capture can be trusted (Caution::trust())
  std::string network;                ///< name of the network model
};

struct AdviceOptions {
  int threads = 1;                          ///< number of threads; does not affect the advice
  const std::atomic<bool>* stop = nullptr;  ///< set by Ctrl-C; then Interrupted is thrown
  /// Called after each prediction, from any thread, but never concurrently. The function may be empty.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress{};
};

/// Predicts the changes worth trying for the captured job (candidates_for()), then the largest gains combined: up to
/// three that can be carried out, once with other hardware and once without. Candidates are predicted in parallel as
/// points of a sweep; scenarios/answer/sweep.h states how much memory and how many replays this needs.
///
/// `calibration` can be null. A change that its what-if refuses is listed as left out, with the reason. Throws
/// CannotAnswer if the captured iteration takes no time or if no change can be predicted, and what predict() throws for
/// the captured job.
[[nodiscard]] Advice advise(Predictor& predictor, const Calibration* calibration, const AdviceOptions& options);

}  // namespace stepsim::scenarios

#endif
