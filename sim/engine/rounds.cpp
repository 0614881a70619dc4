#include "sim/engine/rounds.h"

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "model/base/hand_over.h"

namespace stepsim::sim {

class Rounds::Impl {
 public:
  explicit Impl(int threads) : arena_(std::min(threads, oneapi::tbb::info::default_concurrency())) {
    arena_.execute([this] {
      for (int i = 1; i < arena_.max_concurrency(); ++i) {
        HandOver::give();
        group_.run([this] {
          HandOver::take();
          help();
        });
      }
    });
  }

  ~Impl() {
    over_.store(true, std::memory_order_release);
    arena_.execute([this] { group_.wait(); });
  }

  void run(std::size_t count, const std::function<void(std::size_t)>& work) {
    work_ = &work;
    left_.store(count, std::memory_order_relaxed);
    // Whoever reads a piece's number from here on sees what the rounds before wrote.
    next_.store(count, std::memory_order_release);
    while (take_piece()) {
    }
    while (left_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  void help() {
    while (!over_.load(std::memory_order_acquire)) {
      if (!take_piece()) std::this_thread::yield();
    }
  }

  /// Does one piece of the round, the last one first. False if all are taken.
  bool take_piece() {
    std::size_t pieces = next_.load(std::memory_order_acquire);
    do {
      if (pieces == 0) return false;
    } while (!next_.compare_exchange_weak(pieces, pieces - 1, std::memory_order_acquire));
    try {
      (*work_)(pieces - 1);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
    }
    left_.fetch_sub(1, std::memory_order_release);
    return true;
  }

  oneapi::tbb::task_arena arena_;
  oneapi::tbb::task_group group_;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::atomic<std::size_t> next_{0};  ///< pieces that nobody has taken
  std::atomic<std::size_t> left_{0};  ///< pieces that are not done
  std::atomic<bool> over_{false};
  std::mutex mutex_;  ///< of error_
  std::exception_ptr error_;
};

Rounds::Rounds(int threads) : impl_(std::make_unique<Impl>(threads)) {}
Rounds::~Rounds() = default;

void Rounds::run(std::size_t count, const std::function<void(std::size_t)>& work) { impl_->run(count, work); }

}  // namespace stepsim::sim
