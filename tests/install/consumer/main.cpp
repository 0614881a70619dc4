// A program of somebody else's: loads the job named on its command line with the installed
// libraries and replays it, and so a job of its own making.

#include <iostream>

#include "ingest/load/load.h"
#include "model/base/version.h"
#include "model/job/dag_builder.h"
#include "sim/engine/engine.h"

namespace {

/// 100 ns, then 200 ns after it.
stepsim::Dag two_tasks() {
  stepsim::DagBuilder builder;
  const stepsim::LaneId lane = builder.add_lane({});
  const auto add = [&](const char* name, int nanoseconds) {
    return builder.add_task({.name = builder.intern(name), .lane = lane, .duration = stepsim::Duration{nanoseconds}});
  };
  const stepsim::TaskId forward = add("forward", 100);
  const stepsim::TaskId backward = add("backward", 200);
  builder.add_edge(forward, backward, stepsim::EdgeKind::kData);
  return std::move(builder).build().dag;
}

long long length_of(const stepsim::Dag& dag) {
  return stepsim::sim::replay(dag, stepsim::sim::Machine{dag}).finish.back().time_since_epoch().count();
}

}  // namespace

int main(int, char** argv) {
  const long long made = length_of(two_tasks());
  const long long loaded = length_of(stepsim::ingest::load({argv[1]}, {}).dag);
  std::cout << "stepsim " << stepsim::version() << ": " << made << " ns made, " << loaded << " ns loaded\n";
  return made == 300 && loaded == 300 ? 0 : 1;
}
