#ifndef STEPSIM_MODEL_BASE_TBB_THREADS_H
#define STEPSIM_MODEL_BASE_TBB_THREADS_H

#include <cstddef>
#include <functional>

namespace stepsim {

/// What side_by_side() asks of oneTBB: calls work(0) ... work(count - 1) on `threads` threads. In a source of its own,
/// which is never compiled for the thread sanitizer: oneTBB's headers pass tasks through its library, which the
/// sanitizer cannot see into.
void call_on_tbb_threads(int threads, std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace stepsim

#endif
