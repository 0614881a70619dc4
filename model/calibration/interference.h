#ifndef STEPSIM_MODEL_CALIBRATION_INTERFERENCE_H
#define STEPSIM_MODEL_CALIBRATION_INTERFERENCE_H

#include <cstddef>
#include <vector>

#include "model/job/kernel_class.h"
#include "model/job/recording.h"

namespace stepsim {

/// By how much the kernels of one class run longer beside communication than alone.
struct Interference {
  Rank rank = 0;
  KernelClass kernel_class = KernelClass::kUnknown;
  std::size_t kernels = 0;  ///< how many were seen both ways
  double factor = 1;        ///< the median over these kernels of beside / alone
  double low = 1;           ///< a tenth of them have less than this
  double high = 1;          ///< and a tenth more
};

/// Compares each kernel with itself: the k-th of a name on a stream in one step with the k-th in the other
/// steps, where it ran beside a collective's kernel of its rank in some (95 % of its time or more) and wholly
/// alone in others. Kernels of one name do unlike work in different layers, and those at the end of a backward pass
/// are the ones that run beside communication, so kernels at different places in the step are not compared.
/// Names that run a different number of times in the steps are left out, and kernels of less than 10 us alone.
///
/// By rank, then class. Empty where the capture has one step, no device work, or the same overlap in all steps.
/// O(tasks log tasks).
[[nodiscard]] std::vector<Interference> interference_in(const Capture& capture);

}  // namespace stepsim

#endif
