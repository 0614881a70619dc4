// Replaces operator new in the program. It is compiled with main.cpp and not with this folder's library: a program that
// runs commands in its own process keeps its own operator new.

#include "cli/program/memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define STEPSIM_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STEPSIM_SANITIZED
#endif

#ifndef STEPSIM_SANITIZED

// Places large blocks on huge pages if the system allows it (transparent huge pages: madvise). The columns of a trace
// are written once, and one page fault for each 4 KiB of them took a tenth of a command's time.
void* operator new(std::size_t size) {
  constexpr std::size_t kHugePage = std::size_t{2} << 20U;
  constexpr std::size_t kLarge = 2 * kHugePage;
  const std::size_t pages = size / kHugePage + 1;
  const bool large = size >= kLarge && size <= SIZE_MAX - kHugePage;
  const auto allocate = [&] { return large ? std::aligned_alloc(kHugePage, pages * kHugePage) : std::malloc(size); };
  void* block = allocate();
  while (block == nullptr) {
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    // The handler in error.cpp records the failure and throws. The record is needed because streams of the standard
    // library swallow the exception.
    handler();
    block = allocate();
  }
  if (large) madvise(block, size, MADV_HUGEPAGE);
  return block;
}

void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }

#endif
