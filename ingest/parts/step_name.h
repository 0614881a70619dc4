#ifndef STEPSIM_INGEST_PARTS_STEP_NAME_H
#define STEPSIM_INGEST_PARTS_STEP_NAME_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Names of ranges that mark steps, in the annotations of all formats.
namespace stepsim::ingest {

/// Returns 12 for PyTorch's mark "ProfilerStep#12"; nothing for other names.
[[nodiscard]] std::optional<std::int64_t> step_number(std::string_view name) noexcept;

/// The name of a range that marks a training step: the name that all steps share, and the step's number.
struct StepName {
  std::string family;                  ///< "iteration " of "Iteration 12"; lower case
  std::optional<std::int64_t> number;  ///< nullopt if the name has no number
};
/// Recognises a step by the name of its range. The name contains the word step, iteration, iter or batch and then a
/// number with no letter after it ("train_step: 7", "Iteration 12", "iter=3", "ProfilerStep#4"), or it is only one of
/// these words, optionally after words such as "train" and "run" ("train_step", "Trainer.run_step", "train/batch").
/// Returns nullopt for other names.
[[nodiscard]] std::optional<StepName> step_name(std::string_view range);

}  // namespace stepsim::ingest

#endif
