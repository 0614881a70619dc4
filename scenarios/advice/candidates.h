#ifndef STEPSIM_SCENARIOS_ADVICE_CANDIDATES_H
#define STEPSIM_SCENARIOS_ADVICE_CANDIDATES_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/change/plan.h"
#include "scenarios/question/points.h"
#include "sim/report/summary.h"
#include "sim/report/task_list.h"

namespace stepsim::scenarios {

/// What it takes to carry out a change.
enum class Effort : std::uint8_t {
  kSetting,  ///< an option of the job or of a library
  kCode,     ///< work on the program
  kMachine,  ///< other or more hardware, or a repair
  kLimit,    ///< nobody can do it: the most that all work on this part of a step could save
};
[[nodiscard]] std::string_view to_text(Effort effort) noexcept;

/// A change worth trying.
struct Candidate {
  Effort effort = Effort::kSetting;
  std::string what;               ///< for people: "links of twice the rate"
  std::vector<Setting> settings;  ///< each as --set takes it
  /// Candidates of one family are values of one setting, of which a job has one.
  std::size_t family = 0;
};

/// A kind of candidate that this job has none of.
struct LeftOut {
  std::string what;
  std::string reason;  ///< a sentence without its full stop
};

/// The job that advice is about.
struct Situation {
  const Plan& plan;             ///< of the job as captured
  const sim::Summary& summary;  ///< of its prediction
  const sim::TaskList& tasks;   ///< all of the capture
};

struct Candidates {
  std::vector<Candidate> tried;  ///< in the order of the table in candidates.cpp
  std::vector<LeftOut> left_out;
};

/// What is worth trying for this job. Whether a change applies is mostly for its what-if to say; here only what depends
/// on the job's own figures is left out: sizes that are not known, tasks that it does not have.
[[nodiscard]] Candidates candidates_for(const Situation& situation);

}  // namespace stepsim::scenarios

#endif
