#ifndef STEPSIM_MODEL_BASE_SIDE_BY_SIDE_H
#define STEPSIM_MODEL_BASE_SIDE_BY_SIDE_H

#include <cstddef>
#include <functional>
#include <initializer_list>

namespace stepsim {

/// Calls work(0) ... work(count - 1), each once, in any order, and returns when all are done: on up to `threads`
/// threads, and no more than the machine has; the caller's is one of them. Throws what one of them threw; then pieces
/// that had not begun are left out.
void side_by_side(int threads, std::size_t count, const std::function<void(std::size_t)>& work);

/// The same for works that differ.
void side_by_side(int threads, std::initializer_list<std::function<void()>> works);

}  // namespace stepsim

#endif
