#include "cli/program/memory.h"

#include <malloc.h>

namespace stepsim::cli {
namespace {

constexpr int kMebibyte = 1 << 20;

}  // namespace

void return_freed_memory() noexcept { mallopt(M_MMAP_THRESHOLD, kMebibyte); }

/// Keeps freed blocks of up to 4 MiB; operator new places larger ones on huge pages. With 32 MiB, the highest limit
/// that glibc raises itself to, columns of a million tasks leave gaps: a sweep of a trace of 480 MB took twice the
/// memory and three times the time of the kernel.
void keep_freed_memory() noexcept {
  mallopt(M_MMAP_THRESHOLD, 4 * kMebibyte);
  mallopt(M_TRIM_THRESHOLD, 64 * kMebibyte);
}

}  // namespace stepsim::cli
