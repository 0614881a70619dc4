#ifndef STEPSIM_MODEL_CALIBRATION_INTERFERENCE_H
#define STEPSIM_MODEL_CALIBRATION_INTERFERENCE_H

#include <vector>

#include "model/cost/device/slowdown.h"
#include "model/job/recording.h"

namespace stepsim {

/// By how much the kernels of one class of a rank run longer beside communication than alone.
struct Interference : Slowdown {
  Rank rank = 0;
};

/// Kernels that take less are not compared, and their times are left as they are: many captures have times in whole
/// microseconds, and launches from the host decide how such kernels lie.
inline constexpr Duration kShortestCompared{10'000};

/// The same kernel in all steps: the k-th of a name on a stream in each, by place and then step. Names that run a
/// different number of times in the steps are left out. O(tasks log tasks).
[[nodiscard]] std::vector<std::vector<TaskId>> same_kernels(const Capture& capture);

/// Compares each kernel with itself: the k-th of a name on a stream in one step with the k-th in the other
/// steps, where it ran beside a collective's kernel of its rank in some (95 % of its time or more) and wholly
/// alone in others. Kernels of one name do unlike work in different layers, and those at the end of a backward pass
/// are the ones that run beside communication, so kernels at different places in the step are not compared.
/// Kernels that take less than kShortestCompared alone are left out.
///
/// A capture of fewer than two steps has no other step to compare with. There kernels of one name that were launched
/// alike (KernelLaunch, and shapes where they are known), after kernels that are alike in turn, so that their data is
/// in the same place, are compared with each other: each run beside a collective with the median of at least three
/// alone, where at least three of both take 5 us or more. Of kernels that arithmetic bounds only those with shapes,
/// because a grid does not tell the inner dimension of a product. Classes with one such kernel are left out.
/// Slowdown::kernels then counts runs.
///
/// By rank, then class. Empty where the capture has no device work, or the same overlap in all steps. O(tasks log
/// tasks).
[[nodiscard]] std::vector<Interference> interference_in(const Capture& capture);

/// The same over all ranks, by class, of the classes for which the capture is evidence enough to predict with: at least
/// five kernels, and no more than a tenth of them shorter beside communication than alone. If communication did
/// nothing, each would be as likely shorter as longer, and that would be seen in less than one class of thirty. And
/// communication shortens no kernel: where more are shorter, the steps differ by something else, such as their data.
/// O(as above).
[[nodiscard]] std::vector<Slowdown> evident_slowdowns(const Capture& capture);

}  // namespace stepsim

#endif
