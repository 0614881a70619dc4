#include "model/base/tbb_threads.h"

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>

namespace stepsim {

void call_on_tbb_threads(int threads, std::size_t count, const std::function<void(std::size_t)>& work) {
  oneapi::tbb::task_arena(threads).execute([&] {
    oneapi::tbb::parallel_for(
        std::size_t{0}, count, [&](std::size_t i) { work(i); }, oneapi::tbb::simple_partitioner{});
  });
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
  oneapi::tbb::task_arena arena_;
  oneapi::tbb::task_group group_;
};

TbbHelpers::TbbHelpers(int threads, const std::function<void()>& help) : impl_(std::make_unique<Impl>(threads, help)) {}
TbbHelpers::~TbbHelpers() = default;

}  // namespace stepsim
