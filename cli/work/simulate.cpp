#include "cli/work/simulate.h"

#include "cli/program/progress.h"
#include "model/rewrite/repeated_step.h"
#include "sim/analysis/step_times.h"
#include "sim/engine/engine.h"

namespace stepsim::cli {

Simulated simulate_steps(const Replayed& replayed, std::size_t count, const CommonOptions& options,
                         const Session& session) {
  Simulated simulated;
  simulated.repeated =
      sim::typical_step(sim::summarize(replayed.capture, replayed.timeline), repeatable_steps(replayed.capture));
  simulated.capture = with_repeated_step(replayed.capture, simulated.repeated, count);
  sim::Machine machine = sim::Machine::as_recorded(simulated.capture);
  if (replayed.network->make != nullptr) machine.set_network(*replayed.network, replayed.hardware.cluster);
  Progress progress(options.quiet);
  progress.phase("simulating");
  const std::size_t tasks = simulated.capture.dag.task_count();
  simulated.timeline =
      sim::replay(simulated.capture.dag, machine,
                  {.threads = options.threads, .stop = &session.stop, .progress = [&progress, tasks](std::size_t done) {
                     progress.update(done, tasks);
                   }});
  return simulated;
}

}  // namespace stepsim::cli
