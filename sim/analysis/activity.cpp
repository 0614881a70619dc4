#include "sim/analysis/activity.h"

#include "sim/analysis/critical_path.h"
#include "sim/analysis/own_work.h"

namespace stepsim::sim {
namespace {

/// Joins neighbours: a lane's tasks mostly follow each other without a gap, and there are millions of them.
void put(std::vector<Interval>& to, Interval interval) {
  if (interval.begin == interval.end) return;
  if (!to.empty() && to.back().end == interval.begin) {
    to.back().end = interval.end;
  } else {
    to.push_back(interval);
  }
}

}  // namespace

void Activity::add(const Dag& dag, const Timeline& timeline, TaskId task, Interval window) {
  const Interval whole{timeline.start[task.index()], timeline.finish[task.index()]};
  if (dag.rendezvous(task).valid()) {
    const Interval transfer = own_work(dag, timeline, task);
    put(collective_wait, clipped({whole.begin, transfer.begin}, window));
    put(communication, clipped(transfer, window));
    return;
  }
  switch (path_class_of(dag, task)) {
    case PathClass::kCompute: put(compute, clipped(whole, window)); break;
    case PathClass::kCommunication: put(communication, clipped(whole, window)); break;
    case PathClass::kCopy: put(copies, clipped(whole, window)); break;
    default: put(host, clipped(whole, window)); break;
  }
}

void append(std::vector<Interval>& to, const std::vector<Interval>& what) {
  to.insert(to.end(), what.begin(), what.end());
}

}  // namespace stepsim::sim
