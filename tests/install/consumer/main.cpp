// Uses the installed libraries: replays a job that it builds and a job that it loads, and predicts a what-if for the
// loaded job. The argument is the path of the job to load.

#include <iostream>

#include "ingest/load/load.h"
#include "model/base/version.h"
#include "model/job/dag_builder.h"
#include "scenarios/answer/predict.h"
#include "scenarios/question/scenario.h"
#include "sim/engine/engine.h"

namespace {

/// Returns a graph with two tasks of 100 ns and 200 ns, one after the other.
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

/// Returns the predicted iteration of the job, in nanoseconds, if compute takes twice as long.
long long slower(const stepsim::Capture& capture) {
  using namespace stepsim::scenarios;
  Predictor predictor(capture, {}, *stepsim::find_network_model("recorded"));
  Scenario scenario;
  add_set(scenario, "compute.scale=2");
  Plan plan = predictor.plan();
  apply_all(scenario.changes, plan);
  return predictor.predict(plan).iteration.count();
}

}  // namespace

int main(int, char** argv) {
  const stepsim::Capture capture = stepsim::ingest::load({argv[1]}, {});
  const long long made = length_of(two_tasks());
  const long long loaded = length_of(capture.dag);
  const long long twice = slower(capture);
  std::cout << "stepsim " << stepsim::version() << ": " << made << " ns made, " << loaded << " ns loaded, " << twice
            << " ns with compute.scale=2\n";
  return made == 300 && loaded == 300 && twice == 600 ? 0 : 1;
}
