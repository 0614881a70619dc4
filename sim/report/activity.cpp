#include "sim/report/activity.h"

#include "sim/report/critical_path.h"
#include "sim/report/own_work.h"

namespace stepsim::sim {

void Activity::add(const Dag& dag, const Timeline& timeline, TaskId task, Interval window) {
  const Interval whole{timeline.start[task.index()], timeline.finish[task.index()]};
  if (dag.rendezvous(task).valid()) {
    const Interval transfer = own_work(dag, timeline, task);
    collective_wait.push_back(clipped({whole.begin, transfer.begin}, window));
    communication.push_back(clipped(transfer, window));
    return;
  }
  switch (path_class_of(dag, task)) {
    case PathClass::kCompute: compute.push_back(clipped(whole, window)); break;
    case PathClass::kCommunication: communication.push_back(clipped(whole, window)); break;
    case PathClass::kCopy: copies.push_back(clipped(whole, window)); break;
    default: host.push_back(clipped(whole, window)); break;
  }
}

void append(std::vector<Interval>& to, const std::vector<Interval>& what) {
  to.insert(to.end(), what.begin(), what.end());
}

}  // namespace stepsim::sim
