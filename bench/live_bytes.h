#ifndef STEPSIM_BENCH_LIVE_BYTES_H
#define STEPSIM_BENCH_LIVE_BYTES_H

#include <cstddef>

namespace stepsim::bench {

/// Bytes that operator new has handed out and not got back, and the most since mark(): what a
/// program needs, without what the allocator keeps. A binary that links live_bytes.cpp counts.
[[nodiscard]] std::size_t live_bytes() noexcept;
[[nodiscard]] std::size_t most_live_bytes() noexcept;
void mark() noexcept;

}  // namespace stepsim::bench

#endif
