// Tests the alignment of clocks with rings of hosts over TCP, which are simulated here without the program's code:
// links have different rates, hosts arrive late, calls return late, and clocks differ. For any such job, the error of
// an offset must not exceed its residual.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/ingest/stitched.h"
#include "tests/ingest/trace_maker.h"

namespace stepsim::ingest {
namespace {

using testing::stitched;
using testing::TraceMaker;

struct TracedJob {
  std::vector<double> ahead;  // how far each host's clock is ahead
  std::vector<HostDeviceTrace> traces;
};

class RingMaker {
 public:
  explicit RingMaker(std::uint64_t seed) : random_(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  std::size_t pick(std::size_t low, std::size_t high) {
    return std::uniform_int_distribution<std::size_t>(low, high)(random_);
  }

  /// Returns the traces of a job of ring all-reduces between n hosts, with 2 (n - 1) rounds each. In each round a host
  /// sends the chunk that it received in the previous round to the next host, over a link that carries one chunk at a
  /// time. A call ends when its host has received the last chunk, or some time later.
  TracedJob job() {
    const std::size_t hosts = pick(2, 6);
    const std::size_t calls = pick(1, 40);
    const double chunk = uniform(50, 20'000);
    const double unequal = pick(0, 1) == 0 ? 0.02 : 1.0;  // links are up to 2 % or up to 100 % slower than the fastest
    const double slowest = uniform(0, 5) * chunk;         // the latest arrival of a host at a call
    const double returns = uniform(0, 300);  // the longest time from the last chunk to the return of a call
    std::vector<double> link;
    std::vector<double> habit;
    std::vector<TraceMaker> makers(hosts);
    const std::string thread = "1";
    TracedJob job;
    for (std::size_t h = 0; h < hosts; ++h) {
      link.push_back(chunk * (1 + uniform(0, unequal)));
      habit.push_back(uniform(0, 1));
      job.ahead.push_back(h == 0 ? 0 : uniform(-1e6, 1e6));
    }
    double now = 2e6;
    for (std::size_t c = 0; c < calls; ++c) {
      std::vector<double> begin;
      for (std::size_t h = 0; h < hosts; ++h) begin.push_back(now + slowest * habit[h] * uniform(0, 1));
      const std::vector<double> end = ring(begin, link);
      for (std::size_t h = 0; h < hosts; ++h) {
        const double closed = end[h] + uniform(0, returns);
        const std::uint32_t event = makers[h].add(EventKind::kAnnotation, "gloo:all_reduce", makers[h].thread(thread),
                                                  begin[h] + job.ahead[h], closed - begin[h]);
        makers[h].detail(event).bytes = Bytes{4096};
        now = std::max(now, closed);
      }
      now += 100;
    }
    for (std::size_t h = 0; h < hosts; ++h) {
      makers[h].trace.host_name = std::to_string(h);
      job.traces.push_back(std::move(makers[h].trace));
    }
    return job;
  }

 private:
  static std::vector<double> ring(const std::vector<double>& begin, const std::vector<double>& link) {
    const std::size_t hosts = begin.size();
    std::vector<double> has = begin;     // when a host has the chunk that it sends next
    std::vector<double> idle(hosts, 0);  // when the link from a host is free
    for (std::size_t round = 0; round < 2 * (hosts - 1); ++round) {
      std::vector<double> received(hosts);
      for (std::size_t h = 0; h < hosts; ++h) {
        idle[h] = std::max(has[h], idle[h]) + link[h];
        received[(h + 1) % hosts] = idle[h];
      }
      for (std::size_t h = 0; h < hosts; ++h) has[h] = std::max(received[h], begin[h]);
    }
    return has;
  }

  std::mt19937_64 random_;
};

TEST(ClockPropertyTest, NoOffsetIsOffByMoreThanItsResidual) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const TracedJob job = RingMaker{seed}.job();

    const Capture capture = stitched(job.traces);

    ASSERT_EQ(capture.recording.clocks.size(), job.ahead.size());
    for (std::size_t h = 0; h < job.ahead.size(); ++h) {
      const HostClock& clock = capture.recording.clocks[h];
      const Duration ahead{std::llround(1e3 * job.ahead[h])};
      const Duration error = std::max(clock.offset - ahead, ahead - clock.offset);
      // Times in the trace are rounded to nanoseconds.
      EXPECT_LE(error, clock.residual + Duration{2}) << "seed " << seed << ", host " << h;
    }
  }
}

TEST(ClockPropertyTest, OffsetsMoveWithTheClocksAndResidualsStay) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    TracedJob job = RingMaker{seed}.job();
    const std::vector<HostClock> before = stitched(job.traces).recording.clocks;

    for (Time& start : job.traces[1].start) start += std::chrono::seconds{10};
    const std::vector<HostClock> after = stitched(job.traces).recording.clocks;

    // The least-squares solution for the offsets of all hosts is rounded to nanoseconds.
    const Duration moved = after[1].offset - before[1].offset - std::chrono::seconds{10};
    EXPECT_LE(std::max(moved, -moved), Duration{1}) << seed;
    EXPECT_LE(after[1].residual, before[1].residual + Duration{1}) << seed;
    EXPECT_GE(after[1].residual, before[1].residual - Duration{1}) << seed;
  }
}

}  // namespace
}  // namespace stepsim::ingest
