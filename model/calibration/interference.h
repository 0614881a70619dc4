#ifndef STEPSIM_MODEL_CALIBRATION_INTERFERENCE_H
#define STEPSIM_MODEL_CALIBRATION_INTERFERENCE_H

#include <vector>

#include "model/cost/device/slowdown.h"
#include "model/job/recording.h"

namespace stepsim {

/// How much slower a rank's kernels of one class run during communication than alone.
struct Interference : Slowdown {
  Rank rank = 0;
};

/// Kernels shorter than this are not compared and keep their times: many captures round times to microseconds, and
/// launches from the host decide when such short kernels run.
inline constexpr Duration kShortestCompared{10'000};

/// Finds the same kernel in all steps. The k-th run of a name on a stream in one step is the same kernel as the k-th
/// run in the other steps. Each entry has its runs in order of steps. Names whose number of runs differs between steps
/// are left out. O(tasks log tasks).
[[nodiscard]] std::vector<std::vector<TaskId>> same_kernels(const Capture& capture);

/// Compares kernels during communication with the same kernels alone.
///
/// With several steps, the k-th run of a name on a stream is the same kernel in every step (same_kernels()). Its runs
/// that overlap a collective's kernel of the same rank for at least 95 % of their time are compared with its runs that
/// do not overlap one at all. Kernels at different places of a step are not compared: kernels of one name do different
/// work in different layers, and those at the end of a backward pass are the ones that overlap communication. Kernels
/// that take less than kShortestCompared alone are left out.
///
/// With fewer than two steps, kernels are the same if they have the same name, launch (KernelLaunch) and shapes (where
/// known), and follow a kernel with the same name and launch, which suggests that their data is in the same place. Each
/// run during a collective is compared with the median of the runs alone. At least three runs of each kind are needed,
/// and a median of at least 5 us alone. Kernels limited by arithmetic need known shapes, because a grid does not show
/// the inner dimension of a product. Classes with fewer than two kernels that can be compared are left out.
/// Slowdown::kernels counts runs in this case.
///
/// Results are ordered by rank, then class. Empty if the capture has no device work or if the overlap is the same in
/// all steps. O(tasks log tasks).
[[nodiscard]] std::vector<Interference> interference_in(const Capture& capture);

/// Returns the slowdowns of interference_in() over all ranks, by class, for classes with enough evidence for a
/// prediction: at least five kernels, and at most a tenth of them are shorter during communication than alone. If
/// communication had no effect, each kernel would be as likely shorter as longer, and fewer than one class in thirty
/// would pass this test. Communication does not shorten kernels: if more of them are shorter, the steps differ in
/// something else, such as their data. O(tasks log tasks).
[[nodiscard]] std::vector<Slowdown> evident_slowdowns(const Capture& capture);

}  // namespace stepsim

#endif
