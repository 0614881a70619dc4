#ifndef STEPSIM_MODEL_BASE_HAND_OVER_H
#define STEPSIM_MODEL_BASE_HAND_OVER_H

#include <atomic>

namespace stepsim {

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
