#include "bench/live_bytes.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace stepsim::bench {
namespace {

// One counter per thread, so that threads do not wait for each other. Benchmarks that read the counters run on one
// thread.
thread_local std::size_t live = 0;
thread_local std::size_t most = 0;

}  // namespace

std::size_t live_bytes() noexcept { return live; }
std::size_t most_live_bytes() noexcept { return most; }
void mark() noexcept { most = live; }

namespace {

void* counted(std::size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  live += malloc_usable_size(memory);
  most = std::max(most, live);
  return memory;
}

void release(void* memory) noexcept {
  if (memory != nullptr) live -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace
}  // namespace stepsim::bench

void* operator new(std::size_t size) { return stepsim::bench::counted(size); }
void* operator new[](std::size_t size) { return stepsim::bench::counted(size); }
void operator delete(void* memory) noexcept { stepsim::bench::release(memory); }
void operator delete[](void* memory) noexcept { stepsim::bench::release(memory); }
void operator delete(void* memory, std::size_t) noexcept { stepsim::bench::release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { stepsim::bench::release(memory); }
