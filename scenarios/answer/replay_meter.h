#ifndef STEPSIM_SCENARIOS_ANSWER_REPLAY_METER_H
#define STEPSIM_SCENARIOS_ANSWER_REPLAY_METER_H

#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

#include "scenarios/answer/predict.h"

namespace stepsim::scenarios {

/// How far the replays of one answer have come. Safe to use from several threads.
class ReplayMeter {
 public:
  /// Called with the tasks replayed so far, and with how many there will be as far as is known; 0: not yet. One call
  /// at a time.
  using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

  /// `options.progress` is not used. `progress` may be empty.
  explicit ReplayMeter(sim::EngineOptions options = {}, Progress progress = {});
  ReplayMeter(const ReplayMeter&) = delete;
  ReplayMeter& operator=(const ReplayMeter&) = delete;

  /// So many more tasks will be replayed, at most.
  void expect(std::uint64_t tasks);
  /// Predictor::predict(), counted.
  [[nodiscard]] Prediction predict(Predictor& predictor, const Plan& plan);
  [[nodiscard]] int threads() const noexcept { return options_.threads; }

 private:
  void add(std::uint64_t tasks);

  sim::EngineOptions options_;
  Progress progress_;
  std::mutex mutex_;  ///< of what is below, and of calls of progress_
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace stepsim::scenarios

#endif
