#ifndef STEPSIM_BENCH_LIVE_BYTES_H
#define STEPSIM_BENCH_LIVE_BYTES_H

#include <cstddef>

namespace stepsim::bench {

/// live_bytes() returns the bytes allocated by operator new and not yet freed, most_live_bytes() their maximum since
/// mark(). This is the memory that a program needs, without memory that the allocator keeps. Counts in every binary
/// that links live_bytes.cpp.
[[nodiscard]] std::size_t live_bytes() noexcept;
[[nodiscard]] std::size_t most_live_bytes() noexcept;
void mark() noexcept;

}  // namespace stepsim::bench

#endif
