#include "model/base/side_by_side.h"

#include <oneapi/tbb/info.h>

#include <algorithm>
#include <atomic>

#include "model/base/tbb_threads.h"

namespace stepsim {
namespace {

/// Counts finished pieces of work. After the destructor, the caller sees everything that the pieces wrote. A piece must
/// not rely on seeing what other pieces wrote.
class Ended {
 public:
  Ended() = default;
  ~Ended() { static_cast<void>(count_.load(std::memory_order_acquire)); }
  Ended(const Ended&) = delete;
  Ended& operator=(const Ended&) = delete;

  void add_one() { count_.fetch_add(1, std::memory_order_release); }

 private:
  std::atomic<std::size_t> count_{0};
};

/// Counts a piece as finished when it goes out of scope, also after an exception.
class Piece {
 public:
  explicit Piece(Ended& ended) : ended_(ended) {}
  ~Piece() { ended_.add_one(); }
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;

 private:
  Ended& ended_;
};

}  // namespace

void side_by_side(int threads, std::size_t count, const std::function<void(std::size_t)>& work) {
  threads = std::min(threads, oneapi::tbb::info::default_concurrency());
  if (threads <= 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) work(i);
    return;
  }
  Ended ended;
  const std::function<void(std::size_t)> run = [&](std::size_t i) {
    HandOver::take();
    const Piece piece(ended);
    work(i);
  };
  HandOver::give();
  call_on_tbb_threads(threads, count, run);
}

void side_by_side(int threads, std::initializer_list<std::function<void()>> works) {
  side_by_side(threads, works.size(), [&](std::size_t i) { works.begin()[i](); });
}

}  // namespace stepsim
