#include "cli/program/memory.h"

#include <malloc.h>

namespace stepsim::cli {
namespace {

constexpr int kMebibyte = 1 << 20;

}  // namespace

void return_freed_memory() noexcept { mallopt(M_MMAP_THRESHOLD, kMebibyte); }

/// Keeps freed blocks of up to 32 MiB. By default, glibc raises the same two limits with the size of freed blocks, at
/// most to these values.
void keep_freed_memory() noexcept {
  mallopt(M_MMAP_THRESHOLD, 32 * kMebibyte);
  mallopt(M_TRIM_THRESHOLD, 64 * kMebibyte);
}

}  // namespace stepsim::cli
