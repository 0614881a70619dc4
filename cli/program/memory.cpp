#include "cli/program/memory.h"

#include <malloc.h>

namespace stepsim::cli {
namespace {

constexpr int kMebibyte = 1 << 20;

}  // namespace

void return_freed_memory() noexcept { mallopt(M_MMAP_THRESHOLD, kMebibyte); }

/// As glibc does by itself once a block of 32 MiB, the largest that it takes for this, has been freed.
void keep_freed_memory() noexcept {
  mallopt(M_MMAP_THRESHOLD, 32 * kMebibyte);
  mallopt(M_TRIM_THRESHOLD, 64 * kMebibyte);
}

}  // namespace stepsim::cli
