#include "scenarios/answer/replay_meter.h"

namespace stepsim::scenarios {

ReplayMeter::ReplayMeter(sim::EngineOptions options, Progress progress)
    : options_(std::move(options)), progress_(std::move(progress)) {
  options_.progress = [this](std::size_t done) { tell(done_ + done); };
}

void ReplayMeter::tell(std::uint64_t done) const {
  if (progress_) progress_(done, total_);
}

Prediction ReplayMeter::predict(Predictor& predictor, const Plan& plan) {
  tell(done_);
  Prediction prediction = predictor.predict(plan, options_);
  done_ += prediction.graph->dag.task_count();
  tell(done_);
  return prediction;
}

}  // namespace stepsim::scenarios
