#ifndef STEPSIM_MODEL_BASE_TBB_THREADS_H
#define STEPSIM_MODEL_BASE_TBB_THREADS_H

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

namespace stepsim {

// The part of the program that uses oneTBB. Its source file is never compiled with the thread sanitizer: oneTBB's
// headers pass tasks through its library, which the sanitizer cannot see into. Work that is passed to oneTBB begins
// with HandOver::take().

/// Calls work(0) ... work(count - 1) on `threads` threads, for side_by_side().
void call_on_tbb_threads(int threads, std::size_t count, const std::function<void(std::size_t)>& work);

/// Calls `help` once on each of `threads` - 1 threads other than the caller's, or on fewer if the machine has fewer.
/// The destructor waits for them.
class TbbHelpers {
 public:
  /// `help` must outlive this object.
  TbbHelpers(int threads, const std::function<void()>& help);
  ~TbbHelpers();
  TbbHelpers(const TbbHelpers&) = delete;
  TbbHelpers& operator=(const TbbHelpers&) = delete;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Marks the point where oneTBB passes work from one thread to another. The first thread calls give() before it passes
/// the work on. The second calls take() before it reads anything, including its own closure. oneTBB already orders
/// these accesses, but the thread sanitizer cannot see that, because Debian's library is not built for it. This class
/// makes the order visible. It does so in one direction only: the end of the work, and accesses by threads that run at
/// the same time, need separate synchronization.
class HandOver {
 public:
  static void give() { given.fetch_add(1, std::memory_order_release); }
  static void take() { static_cast<void>(given.load(std::memory_order_acquire)); }

 private:
  static inline std::atomic<unsigned> given{0};  // static, so its address is known before anything is read
};

}  // namespace stepsim

#endif
