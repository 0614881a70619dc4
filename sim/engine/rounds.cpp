#include "sim/engine/replays.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "model/base/tbb_threads.h"

namespace stepsim::sim {

class Rounds::Impl {
 public:
  explicit Impl(int threads) {
    HandOver::give();
    helpers_.emplace(threads, help_);
  }

  ~Impl() {
    over_.store(true, std::memory_order_release);
    helpers_.reset();
    static_cast<void>(gone_.load(std::memory_order_acquire));
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

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
    gone_.fetch_add(1, std::memory_order_release);
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

  const std::function<void()> help_ = [this] {
    HandOver::take();
    help();
  };
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::atomic<std::size_t> next_{0};  ///< pieces that nobody has taken
  std::atomic<std::size_t> left_{0};  ///< pieces that are not done
  std::atomic<bool> over_{false};
  std::mutex mutex_;  ///< of error_
  std::exception_ptr error_;
  std::atomic<int> gone_{0};  ///< helpers
  std::optional<TbbHelpers> helpers_;
};

Rounds::Rounds(int threads) : impl_(std::make_unique<Impl>(threads)) {}
Rounds::~Rounds() = default;

void Rounds::run(std::size_t count, const std::function<void(std::size_t)>& work) { impl_->run(count, work); }

}  // namespace stepsim::sim
