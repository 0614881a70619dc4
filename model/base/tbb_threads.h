#ifndef STEPSIM_MODEL_BASE_TBB_THREADS_H
#define STEPSIM_MODEL_BASE_TBB_THREADS_H

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

namespace stepsim {

// What is asked of oneTBB. In a source of its own, which is never compiled for the thread sanitizer: oneTBB's headers
// pass tasks through its library, which the sanitizer cannot see into. What is called begins with HandOver::take().

/// Calls work(0) ... work(count - 1) on `threads` threads, for side_by_side().
void call_on_tbb_threads(int threads, std::size_t count, const std::function<void(std::size_t)>& work);

/// Calls `help` once on each of `threads` - 1 threads beside the caller's, or on fewer if the machine has fewer. Waits
/// for them in the end.
class TbbHelpers {
 public:
  /// `help` must outlive it.
  TbbHelpers(int threads, const std::function<void()>& help);
  ~TbbHelpers();
  TbbHelpers(const TbbHelpers&) = delete;
  TbbHelpers& operator=(const TbbHelpers&) = delete;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Work that oneTBB passes from one thread to another: the first calls give() before, the other take() before it reads
/// anything, its own closure included. oneTBB itself makes what the first wrote visible, but the thread sanitizer
/// cannot see that, for Debian's library is not made for it. It sees this. Nothing goes the other way: the end of the
/// work, and what threads do meanwhile, need an order of their own.
class HandOver {
 public:
  static void give() { given.fetch_add(1, std::memory_order_release); }
  static void take() { static_cast<void>(given.load(std::memory_order_acquire)); }

 private:
  static inline std::atomic<unsigned> given{0};  // in no object: its place is known before anything is read
};

}  // namespace stepsim

#endif
