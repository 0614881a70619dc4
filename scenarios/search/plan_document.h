#ifndef STEPSIM_SCENARIOS_SEARCH_PLAN_DOCUMENT_H
#define STEPSIM_SCENARIOS_SEARCH_PLAN_DOCUMENT_H

#include <string>

#include "scenarios/search/plan_search.h"
#include "scenarios/search/plan_space.h"
#include "sim/report/report.h"

namespace stepsim::scenarios {

/// The answer of a search for a plan.
struct PlanAnswer {
  SweepHead head;
  PlanSpace space;
  PlanLimits limits;
  PlanFindings findings;
  std::string why_no_memory;  ///< why the memory of the best plan is not known, as a clause; empty if it is
};

/// Returns the document: the best plan and how far it is ahead, the best plans with their ranges, memory and what
/// limits them, and how many plans were tried. Its JSON is {"schema":"stepsim.plan/1", ...}. Keeps a reference to
/// `answer`. Precondition: there is a best plan.
[[nodiscard]] sim::Document plan_document(const PlanAnswer& answer);

/// Returns the schema of the JSON object of plan_document().
[[nodiscard]] sim::AnswerSchema plan_schema();

}  // namespace stepsim::scenarios

#endif
