#ifndef STEPSIM_SCENARIOS_ADVICE_CANDIDATES_H
#define STEPSIM_SCENARIOS_ADVICE_CANDIDATES_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/change/plan.h"
#include "scenarios/question/points.h"
#include "sim/analysis/summary.h"
#include "sim/analysis/task_list.h"

namespace stepsim::scenarios {

/// What it takes to carry out a change.
enum class Effort : std::uint8_t {
  kSetting,   ///< an option of the job or of a library
  kCode,      ///< work on the program
  kHardware,  ///< other or more of it, or a repair
  kLimit,     ///< nobody can do it: the most that all work on this part of a step could save
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

/// Changes that do not apply to this job, for one reason.
struct LeftOut {
  std::vector<std::string> changes;  ///< "comm.partition_bytes", or with the value that was refused
  std::string reason;                ///< a sentence without its full stop
};
/// Adds `change` to those that are left out for `reason`.
void leave_out(std::string change, std::string reason, std::vector<LeftOut>& left_out);

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
