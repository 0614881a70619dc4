#include <algorithm>
#include <array>

#include "scenarios/what_if.h"

// Compute that takes another time: a factor, and a time added to each task.

namespace stepsim::scenarios {
namespace {

constexpr std::array kParameters{
    Parameter{"scale", "a number such as 1.5 from 0", "of the durations of what is selected", "1"},
    Parameter{"add", "a time such as 10us", "to the duration of each task that is selected", "0us"},
};

/// Without a selection by kind or name, what computes: device work and operators; on a rank
/// without any, the work of its host threads.
class Computes {
 public:
  explicit Computes(const Capture& capture) : dag_(capture.dag) {
    for (std::size_t i = 0; i < dag_.task_count(); ++i) {
      if (class_of(dag_.kind(TaskId{i})) != TaskClass::kCompute) continue;
      const auto rank = static_cast<std::size_t>(std::max(0, dag_.lane(TaskId{i}).rank));
      if (rank >= has_device_.size()) has_device_.resize(rank + 1);
      has_device_[rank] = true;
    }
  }
  [[nodiscard]] bool operator()(TaskId task) const {
    switch (class_of(dag_.kind(task))) {
      case TaskClass::kCompute: return true;
      case TaskClass::kCommunication: return false;
      case TaskClass::kHost: break;
    }
    const auto rank = static_cast<std::size_t>(std::max(0, dag_.lane(task).rank));
    return rank >= has_device_.size() || !has_device_[rank];
  }

 private:
  const Dag& dag_;
  std::vector<bool> has_device_;  // by rank
};

void apply(const Change& change, Plan& plan) {
  const YamlField* const scale = change.find("scale");
  const YamlField* const add = change.find("add");
  const double factor = scale == nullptr ? 1 : scale_of(*scale, 0);
  const Duration extra = add == nullptr ? Duration{} : add->duration();
  plan.rules.emplace_back(
      [selector = change.selector(), factor, extra](const Capture& capture, std::vector<Duration>& durations) {
        const Computes computes(capture);
        for (const TaskId task : selector.select(capture)) {
          if (!computes(task)) continue;
          durations[task.index()] = scaled(durations[task.index()], factor) + extra;
        }
      });
}

}  // namespace

extern const WhatIf compute_what_if;
const WhatIf compute_what_if{
    .name = "compute",
    .summary = "compute that takes another time",
    .ignores = "what compute and communication take from each other: memory bandwidth, processor cores",
    .parameters = kParameters,
    .selects = true,
    .apply = apply,
};

}  // namespace stepsim::scenarios
