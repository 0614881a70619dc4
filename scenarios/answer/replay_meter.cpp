#include "scenarios/answer/replay_meter.h"

namespace stepsim::scenarios {

ReplayMeter::ReplayMeter(sim::EngineOptions options, Progress progress)
    : options_(std::move(options)), progress_(std::move(progress)) {}

void ReplayMeter::expect(std::uint64_t tasks) {
  const std::lock_guard lock(mutex_);
  total_ = done_ + tasks;
}

void ReplayMeter::add(std::uint64_t tasks) {
  const std::lock_guard lock(mutex_);
  done_ += tasks;
  if (progress_) progress_(done_, total_);
}

Prediction ReplayMeter::predict(Predictor& predictor, const Plan& plan) {
  add(0);
  std::size_t counted = 0;
  sim::EngineOptions options = options_;
  options.progress = [this, &counted](std::size_t done) { add(done - std::exchange(counted, done)); };
  Prediction prediction = predictor.predict(plan, options);
  add(prediction.graph->dag.task_count() - counted);
  return prediction;
}

}  // namespace stepsim::scenarios
