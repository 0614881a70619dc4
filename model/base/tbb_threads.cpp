#include "model/base/tbb_threads.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

namespace stepsim {

void call_on_tbb_threads(int threads, std::size_t count, const std::function<void(std::size_t)>& work) {
  oneapi::tbb::task_arena(threads).execute([&] {
    oneapi::tbb::parallel_for(
        std::size_t{0}, count, [&](std::size_t i) { work(i); }, oneapi::tbb::simple_partitioner{});
  });
}

}  // namespace stepsim
