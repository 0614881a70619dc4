#include "model/base/tbb_threads.h"

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

namespace stepsim {
namespace {

using oneapi::tbb::task_arena;

/// Returns an arena that lives until the program ends, one for each number of threads. oneTBB searches a list of all
/// arenas for work, and a destroyed arena stays in that list for a while. Creating an arena for each of thousands of
/// calls made the time grow with the square of the number of calls.
task_arena& lasting_arena(int threads) {
  static std::mutex mutex;
  static std::map<int, task_arena> arenas;
  const std::lock_guard lock(mutex);
  return arenas.try_emplace(threads, threads).first->second;
}

/// True while this thread runs work of call_on_tbb_threads(). Nested calls get a new arena: in a shared one, a thread
/// could wait for a thread that is waiting for it.
thread_local bool is_inside = false;

void call_in(task_arena& arena, std::size_t count, const std::function<void(std::size_t)>& work) {
  const auto call = [&](std::size_t i) {
    struct Inside {
      bool before = std::exchange(is_inside, true);
      ~Inside() { is_inside = before; }
    } const inside;
    work(i);
  };
  arena.execute([&] { oneapi::tbb::parallel_for(std::size_t{0}, count, call, oneapi::tbb::simple_partitioner{}); });
}

}  // namespace

void call_on_tbb_threads(int threads, std::size_t count, const std::function<void(std::size_t)>& work) {
  if (!is_inside) return call_in(lasting_arena(threads), count, work);
  task_arena own(threads);
  call_in(own, count, work);
}

class TbbHelpers::Impl {
 public:
  Impl(int threads, const std::function<void()>& help)
      : arena_(std::min(threads, oneapi::tbb::info::default_concurrency())) {
    arena_.execute([&] {
      for (int i = 1; i < arena_.max_concurrency(); ++i) group_.run([&help] { help(); });
    });
  }
  ~Impl() {
    arena_.execute([this] { group_.wait(); });
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

 private:
  task_arena arena_;
  oneapi::tbb::task_group group_;
};

TbbHelpers::TbbHelpers(int threads, const std::function<void()>& help) : impl_(std::make_unique<Impl>(threads, help)) {}
TbbHelpers::~TbbHelpers() = default;

}  // namespace stepsim
