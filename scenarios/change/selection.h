#ifndef STEPSIM_SCENARIOS_CHANGE_SELECTION_H
#define STEPSIM_SCENARIOS_CHANGE_SELECTION_H

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/change/what_if.h"
#include "sim/analysis/critical_path.h"

namespace stepsim::scenarios {

/// What a change applies to: how many tasks, and their recorded time, beside all tasks of the same part of a step.
struct Selection {
  struct Part {
    sim::PathClass of = sim::PathClass::kHost;
    std::size_t tasks = 0;
    Duration time{};  ///< of the selected tasks, over the whole capture and all ranks
    Duration all{};   ///< of all tasks of this part of a step's time
  };
  std::string change;
  std::vector<Part> parts;  ///< those with tasks, in the order of PathClass
  std::string hint;         ///< what was probably meant instead; mostly empty
};

/// Absent if no selection matters to the change, or if what it selects is not in `capture` (it may be in a graph that
/// changes before it made). O(tasks).
[[nodiscard]] std::optional<Selection> selection_of(const Change& change, const Capture& capture);

/// "gemm.*: 120 tasks, 32.1 ms of 105.2 ms of compute (30.5 %)", without the change.
[[nodiscard]] std::string text_of(const Selection& selection);

}  // namespace stepsim::scenarios

#endif
