#ifndef STEPSIM_MODEL_BASE_SIDE_BY_SIDE_H
#define STEPSIM_MODEL_BASE_SIDE_BY_SIDE_H

#include <cstddef>
#include <functional>
#include <initializer_list>

namespace stepsim {

/// Calls work(0) ... work(count - 1), each once and in any order, on up to `threads` threads including the caller's,
/// but not on more than the machine has. Returns when all calls are done. If a call throws, throws one of the
/// exceptions; calls that have not begun by then are skipped.
void side_by_side(int threads, std::size_t count, const std::function<void(std::size_t)>& work);

/// Calls each function of a list once, as the overload above does.
void side_by_side(int threads, std::initializer_list<std::function<void()>> works);

}  // namespace stepsim

#endif
