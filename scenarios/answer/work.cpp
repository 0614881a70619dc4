#include "scenarios/answer/work.h"

namespace stepsim::scenarios {

sim::StepWork work_of(const Plan& plan) {
  sim::StepWork work = sim::captured_work(*plan.captured);
  if (*plan.job.workers != plan.workers_before) work.workers = *plan.job.workers;
  work.batches = plan.batches;
  return work;
}

}  // namespace stepsim::scenarios
