#ifndef STEPSIM_SIM_ANALYSIS_OWN_WORK_H
#define STEPSIM_SIM_ANALYSIS_OWN_WORK_H

#include "model/job/dag.h"
#include "sim/analysis/intervals.h"
#include "sim/engine/timeline.h"

namespace stepsim::sim {

// What a task did in a replay, without what it waited for. Precondition of both: `timeline` is of `dag`.

/// The member of the task's collective that let it go on; the task itself if it is in none.
[[nodiscard]] inline TaskId last_arrival_of(const Dag& dag, const Timeline& timeline, TaskId task) {
  const RendezvousId rendezvous = dag.rendezvous(task);
  return rendezvous.valid() ? timeline.last_arrival[rendezvous.index()] : task;
}

/// When it ran: of a collective what came after the last arrival.
[[nodiscard]] inline Interval own_work(const Dag& dag, const Timeline& timeline, TaskId task) {
  return {timeline.start[last_arrival_of(dag, timeline, task).index()], timeline.finish[task.index()]};
}
[[nodiscard]] inline Duration own_time(const Dag& dag, const Timeline& timeline, TaskId task) {
  const Interval work = own_work(dag, timeline, task);
  return work.end - work.begin;
}

}  // namespace stepsim::sim

#endif
