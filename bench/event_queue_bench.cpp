#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <bit>
#include <boost/heap/d_ary_heap.hpp>
#include <boost/heap/pairing_heap.hpp>
#include <cstdint>
#include <queue>
#include <random>
#include <utility>
#include <vector>

#include "model/base/units.h"
#include "model/cost/network/fluids.h"

/// Compares event queues under the load of a replay, with the hold model: the queue always has the same number of
/// events, and the earliest one is removed and inserted again with a later time. An item is one removal with its
/// insertion. Each benchmark checks that events come in order of time, and that its last event is the same as with the
/// first kind of queue.
namespace stepsim {
namespace {

struct Event {
  Time time;
  std::uint32_t id = 0;
  friend bool operator<(const Event& a, const Event& b) noexcept {
    return a.time != b.time ? a.time > b.time : a.id > b.id;
  }
};

/// A radix heap (Ahuja et al. 1990). The bucket of an event is the highest bit in which its time differs from the time
/// of the last removed event.
class RadixHeap {
 public:
  void push(const Event& event) {
    std::vector<Event>& bucket = buckets_[bucket_of(event)];
    bucket.push_back(event);
    if (&bucket == buckets_.data()) std::push_heap(bucket.begin(), bucket.end());
  }
  [[nodiscard]] const Event& top() {
    if (buckets_[0].empty()) refill();
    return buckets_[0].front();
  }
  void pop() {
    std::pop_heap(buckets_[0].begin(), buckets_[0].end());
    buckets_[0].pop_back();
  }

 private:
  static std::uint64_t bits(Time time) { return static_cast<std::uint64_t>(time.time_since_epoch().count()); }
  [[nodiscard]] std::size_t bucket_of(const Event& event) const {
    return static_cast<std::uint32_t>(std::bit_width(bits(event.time) ^ bits(last_)));
  }
  /// Distributes the events of the first bucket that is not empty over the buckets before it.
  void refill() {
    std::size_t first = 1;
    while (buckets_[first].empty()) ++first;
    last_ = std::max_element(buckets_[first].begin(), buckets_[first].end())->time;
    for (const Event& event : std::exchange(buckets_[first], {})) push(event);
  }

  Time last_{};
  std::array<std::vector<Event>, 65> buckets_;
};

/// A tournament tree with one entry per event id: the time of that event, called its clock. The max-min network uses
/// this tree with one entry for each link and for each length of delay.
class Tournament {
 public:
  void push(const Event& event) {
    while (count_ <= event.id) count_ = clocks_.add() + 1;
    clocks_.set(event.id, event.time);
  }
  [[nodiscard]] Event top() const { return {clocks_.time(), static_cast<std::uint32_t>(clocks_.clock())}; }
  void pop() {}  // does nothing, because the next push overwrites the time of this event

 private:
  Earliest clocks_;
  std::size_t count_ = 0;
};

template <unsigned kArity>
using DAry = boost::heap::d_ary_heap<Event, boost::heap::arity<kArity>>;

template <class Queue>
Time hold(Queue& queue, int times, std::mt19937& generator, bool& goes_back) {
  Time last{};
  for (int i = 0; i < times; ++i) {
    Event event = queue.top();
    queue.pop();
    goes_back = goes_back || event.time < last;
    last = event.time;
    event.time += Duration{1 + generator() % 100'000};
    queue.push(event);
  }
  return last;
}

template <class Queue>
void hold(benchmark::State& state) {
  constexpr int kPairs = 1 << 16;
  bool goes_back = false;
  for ([[maybe_unused]] auto _ : state) {
    state.PauseTiming();
    std::mt19937 generator{1};
    Queue queue;
    for (std::uint32_t id = 0; id < state.range(0); ++id) queue.push({Time{Duration{generator() % 100'000}}, id});
    std::mt19937 same = generator;
    DAry<4> first;
    state.ResumeTiming();
    const Time last = hold(queue, kPairs, generator, goes_back);
    state.PauseTiming();
    std::mt19937 start{1};
    for (std::uint32_t id = 0; id < state.range(0); ++id) first.push({Time{Duration{start() % 100'000}}, id});
    if (goes_back || hold(first, kPairs, same, goes_back) != last) state.SkipWithError("the order is wrong");
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * kPairs);
}

#define STEPSIM_QUEUE_BENCH(...) BENCHMARK_TEMPLATE(hold, __VA_ARGS__)->Arg(64)->Arg(1024)->Arg(65536)
STEPSIM_QUEUE_BENCH(std::priority_queue<Event>);
STEPSIM_QUEUE_BENCH(DAry<2>);
STEPSIM_QUEUE_BENCH(DAry<4>);
STEPSIM_QUEUE_BENCH(DAry<8>);
STEPSIM_QUEUE_BENCH(boost::heap::pairing_heap<Event>);
STEPSIM_QUEUE_BENCH(RadixHeap);
STEPSIM_QUEUE_BENCH(Tournament);

}  // namespace
}  // namespace stepsim
