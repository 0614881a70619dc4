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

/// What is needed to carry out a change.
enum class Effort : std::uint8_t {
  kSetting,   ///< an option of the job or of a library
  kCode,      ///< a change of the program
  kHardware,  ///< other or more hardware, or a repair
  kLimit,     ///< impossible: the most that any work on this part of a step could save
};
[[nodiscard]] std::string_view to_text(Effort effort) noexcept;

/// A change worth trying.
struct Candidate {
  Effort effort = Effort::kSetting;
  std::string what;               ///< what to do, for people: "use links with twice the bandwidth"
  std::vector<Setting> settings;  ///< settings in the form that --set accepts
  /// Candidates of one family are different values of one setting.
  std::size_t family = 0;
};

/// Returns "use links with twice the bandwidth [network.bandwidth=2x]".
[[nodiscard]] std::string name_of(const Candidate& candidate);

/// A reason why changes do not apply to this job, and all changes with this reason.
struct LeftOut {
  std::vector<std::string> changes;  ///< "comm.partition_bytes", or with its value if that was refused
  std::string reason;                ///< a sentence without the period
};
/// Adds `change` to the entry of `left_out` for `reason`; adds the entry if there is none.
void leave_out(std::string change, std::string reason, std::vector<LeftOut>& left_out);

/// The captured job for which changes are proposed.
struct Situation {
  const Plan& plan;             ///< plan of the captured job
  const sim::Summary& summary;  ///< summary of the captured job's prediction
  const sim::TaskList& tasks;   ///< all tasks of the capture
};

struct Candidates {
  std::vector<Candidate> tried;  ///< candidates in the order of the table in candidates.cpp
  std::vector<LeftOut> left_out;
};

/// Returns the changes worth trying for this job. Leaves out changes that cannot apply, for example because the job has
/// no parameter servers or its bucket size is unknown. The what-ifs refuse further changes during the prediction.
[[nodiscard]] Candidates candidates_for(const Situation& situation);

}  // namespace stepsim::scenarios

#endif
