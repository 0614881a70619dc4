#ifndef STEPSIM_SCENARIOS_ANSWER_REPLAY_METER_H
#define STEPSIM_SCENARIOS_ANSWER_REPLAY_METER_H

#include <cstdint>
#include <functional>
#include <utility>

#include "scenarios/answer/predict.h"

namespace stepsim::scenarios {

/// How far the replays of one answer have come.
class ReplayMeter {
 public:
  /// Called with the tasks replayed so far, and with how many there will be as far as is known; 0: not yet.
  using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

  /// `options.progress` is not used. `progress` may be empty.
  explicit ReplayMeter(sim::EngineOptions options = {}, Progress progress = {});
  ReplayMeter(const ReplayMeter&) = delete;
  ReplayMeter& operator=(const ReplayMeter&) = delete;

  /// So many more tasks will be replayed, at most.
  void expect(std::uint64_t tasks) { total_ = done_ + tasks; }
  /// Predictor::predict(), counted.
  [[nodiscard]] Prediction predict(Predictor& predictor, const Plan& plan);

 private:
  void tell(std::uint64_t done) const;

  sim::EngineOptions options_;
  Progress progress_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace stepsim::scenarios

#endif
